"""StoredModel: what files keep of an estimator; pickles that know what wrote them."""

from __future__ import annotations

from typing import Any, ClassVar, Literal, TypeAlias

from bsnsing.data.version import with_version, without_version
from bsnsing.rules.parameters import Parameters
from bsnsing.tree.model import TreeModel

# Of a file, unless more is asked for. A tree of 5,000 leaves takes about four million bytes, and
# the worst text of this size that is JSON takes some gigabytes of memory.
MAX_BYTES = 2**26
# Fitted attributes, by how files hold them.
Sort: TypeAlias = Literal["flag", "count", "size", "value", "names", "trees", "member", "members"]


class StoredModel(TreeModel):
    """An estimator of which files and pickles know what to keep."""

    # Of each class that files name: its name there, its fitted attributes beside those that all
    # have, and what its parameters must be.
    _stored_as: ClassVar[str]
    _kept: ClassVar[dict[str, Sort]]
    _stored_parameters: ClassVar[Parameters]
    # Parameters of a class of one's own that belong to a session, and that no file need tell of.
    _of_session: ClassVar[frozenset[str]] = frozenset()
    _classes_by_name: ClassVar[dict[str, type[StoredModel]]] = {}

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if "_stored_as" in vars(cls):  # a class of one's own is stored as the one it is made from
            StoredModel._classes_by_name[cls._stored_as] = cls

    def _restore(self) -> None:
        """Set what follows from the attributes that were read, and check that they agree."""
        raise NotImplementedError

    def __getstate__(self) -> dict[str, Any]:
        state: Any = super().__getstate__()
        return with_version(state)

    def __setstate__(self, state: dict[str, Any]) -> None:
        # BaseEstimator comes after this class in the order of bases.
        super().__setstate__(without_version(state, type(self).__name__))  # type: ignore[misc]
