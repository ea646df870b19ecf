"""DaskBsnsingClassifier: the tree of one machine, grown on the rows of a Dask cluster.

Imported on request: ``from bsnsing.dask import DaskBsnsingClassifier``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from bsnsing.data.frames import take_labels
from bsnsing.data.parts import names_in, read_part
from bsnsing.engine.dask import Cluster, ClusterLost, new_key
from bsnsing.estimators.classifier import BsnsingClassifier
from bsnsing.estimators.parameters import TREE_PARAMETERS
from bsnsing.estimators.scattered import check_scattered, fit_parts
from bsnsing.estimators.working_copy import take_over, working_copy

if TYPE_CHECKING:
    from distributed import Client

__all__ = ["ClusterLost", "DaskBsnsingClassifier"]

_EXTRA = "Run `pip install bsnsing[dask]`."


class DaskBsnsingClassifier(BsnsingClassifier):
    """A :class:`~bsnsing.BsnsingClassifier` whose rows lie in parts on a Dask cluster.

    The tree is, bit for bit, the one that the same settings grow on one machine, whatever the
    parts, the number of workers, their order, or which of them die meanwhile, as long as no
    ``time_limit`` cuts it short. Rows stay on the workers: counts come to the client, and rules go
    back. Nodes whose rows fit one worker are gathered and grown there, and so are tables of few
    cells, or of as many rows as are taught whole (200,000), and any table that fits the worker of a
    cluster that has but one thread.

    Two things need all rows in one place, and are refused for larger tables: mixed-integer solvers,
    and a ``teacher`` other than ``"forest"``. ``verbose=1`` logs how far a fit is.

    Parameters
    ----------
    client : distributed.Client, default=None
        The way to the cluster; None is the client that was made last. It is neither pickled nor
        stored.
    **parameters
        Those of :class:`~bsnsing.BsnsingClassifier`.

    Examples
    --------
    >>> import dask.array as da
    >>> import numpy as np
    >>> from distributed import Client
    >>> x = np.linspace(0, 1, 1000)[:, None]
    >>> X, y = da.from_array(x, chunks=(250, 1)), da.from_array(x[:, 0] > 0.3, chunks=250)
    >>> with Client(n_workers=1, processes=False, dashboard_address=":0") as client:
    ...     model = DaskBsnsingClassifier.plain(client=client).fit(X, y)
    ...     shares = model.predict(X).mean().compute()
    >>> print(model)
    x0 > 0.2997998 ?
      yes: True   (700 of 700)
      no:  False   (300 of 300)
    >>> print(shares)
    0.7
    """

    _of_session: ClassVar[frozenset[str]] = frozenset({"client"})

    def __init__(self, *, client: Client | None = None, **parameters: Any) -> None:
        super().__init__(**parameters)
        self.client = client

    @classmethod
    def _get_param_names(cls) -> list[str]:
        return sorted([*TREE_PARAMETERS, "client"])

    def __sklearn_clone__(self) -> DaskBsnsingClassifier:
        # The client is the same one: it cannot be copied.
        parameters = self.get_params(deep=False) | {"client": None}
        copies = {name: clone(value, safe=False) for name, value in parameters.items()}
        return type(self)(**copies | {"client": self.client})

    def __getstate__(self) -> dict[str, Any]:
        state: dict[str, Any] = super().__getstate__()
        return state | {"client": None}

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> DaskBsnsingClassifier:
        """Grow the tree on the cluster.

        A fit that fails or is stopped leaves the classifier as it was, and frees the cluster.

        Parameters
        ----------
        X : Dask dataframe or array of shape (n_rows, n_columns), or list of delayed parts
            The table. Parts may have no rows, and their columns may come in any order.
        y : Dask series or array of shape (n_rows,), list of delayed parts, or str
            Class labels in parts as those of X, or the name of the column that holds them.
        sample_weight : Dask series or array of shape (n_rows,), or list of delayed parts
            Weights of the rows in parts as those of X; see :meth:`BsnsingClassifier.fit`.

        Returns
        -------
        DaskBsnsingClassifier
            The fitted classifier.
        """
        check_scattered(self)
        X, y, sample_weight = (_in_list(own) for own in (X, y, sample_weight))
        tables, labels, weights = _aligned_parts(X, y, sample_weight)
        cluster = Cluster(self._client())
        fresh = working_copy(self)
        fresh.label_name_ = y if isinstance(y, str) else None
        try:
            fit_parts(fresh, cluster, self._read(cluster, X, tables, labels, weights))
        finally:
            cluster.free()
        self._warn_of(fresh)
        return take_over(self, fresh)

    def _read(
        self, cluster: Cluster, X: Any, tables: list[Any], labels: list[Any], weights: list[Any]
    ) -> list[Any]:
        """Read each part where it is."""
        from dask import delayed

        client, label = self._client(), labels[0] if isinstance(labels[0], str) else None
        if hasattr(X, "columns"):
            names = [name for name in X.columns if name != label]
        elif hasattr(X, "dask"):
            names = None
        else:  # delayed parts may be dataframes
            named = delayed(names_in)(tables[0], label, dask_key_name=new_key(names_in))
            (future,) = cluster.adopt([client.compute(named)])
            names = cluster.fetch(future)
        key = new_key(read_part)
        read = [
            delayed(read_part)(
                *own,
                number=i,
                names=names,
                categorical_features=self.categorical_features,
                dask_key_name=f"{key}-{i}",
            )
            for i, own in enumerate(zip(tables, labels, weights, strict=True))
        ]
        return cluster.adopt(client.compute(read))

    def _client(self) -> Client:
        if self.client is not None:
            return self.client
        try:
            from distributed import default_client
        except ImportError as error:
            raise ImportError(f"Rows on a cluster need distributed. {_EXTRA}") from error
        try:
            return default_client()
        except ValueError as error:
            raise ValueError(
                "There is no client of a Dask cluster. Make one by distributed.Client() or pass it "
                "as client."
            ) from error

    def to_local(self) -> BsnsingClassifier:
        """Return the plain classifier: the same parameters and, if fitted, the same tree."""
        local = BsnsingClassifier()
        local.__dict__.update(self.__dict__)
        del local.__dict__["client"]
        return local

    def predict(self, X: Any) -> Any:
        """Return the most probable class of each row: lazily, part by part, for Dask's tables.

        A Dask dataframe gives a series of the same index, a Dask array an array, a list of delayed
        parts a list of them, and any other table what the plain classifier returns.
        """
        check_is_fitted(self)
        return self._by_parts("predict", X, self.label_name_ or "label")

    def predict_proba(self, X: Any) -> Any:
        """Return the probability of each class: lazily, part by part, for Dask's tables.

        A Dask dataframe gives one of the same index, with a column per class.
        """
        check_is_fitted(self)
        return self._by_parts("predict_proba", X, self.classes_.tolist())

    def apply(self, X: Any) -> Any:
        """Return the leaf that each row ends in: lazily, part by part, for Dask's tables."""
        check_is_fitted(self)
        trees = [f"leaf {label}" for label in self.classes_.tolist()]
        return self._by_parts("apply", X, "leaf" if len(self.trees_) == 1 else trees)

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the share of cases that get their own label: for Dask's tables, part by part.

        Two sums of each part come to the client. ``y`` may be the name of the column of X that
        holds the labels.
        """
        check_is_fitted(self)
        if not (_is_part(X) or _is_list_of_parts(X) or hasattr(X, "dask")):
            return float(super().score(X, y, sample_weight))
        from dask import delayed

        X, y, sample_weight = (_in_list(own) for own in (X, y, sample_weight))
        cluster, local = Cluster(self._client()), self.to_local()
        lazy = [
            delayed(_sums_of_right)(*own, local)
            for own in zip(*_aligned_parts(X, y, sample_weight), strict=True)
        ]
        try:
            sums = [cluster.fetch(own) for own in cluster.adopt(self._client().compute(lazy))]
        finally:
            cluster.free()
        right, total = np.sum(sums, axis=0)
        return float(right / total)

    def _by_parts(self, method: str, X: Any, names: Any) -> Any:
        local = self.to_local()
        if _is_part(X):
            return self._by_parts(method, [X], names)[0]
        if hasattr(X, "map_partitions"):
            meta = _predict_frame(X._meta, local, method, names)
            return X.map_partitions(_predict_frame, local, method, names, meta=meta)
        if hasattr(X, "map_blocks"):
            whole = X.rechunk({1: -1})
            found = _predict_array(np.empty((0, X.shape[1])), local, method)
            if found.ndim == 1:
                return whole.map_blocks(
                    _predict_array, local, method, drop_axis=1, dtype=found.dtype
                )
            chunks = (whole.chunks[0], (found.shape[1],))
            return whole.map_blocks(_predict_array, local, method, chunks=chunks, dtype=found.dtype)
        if _is_list_of_parts(X):
            from dask import delayed

            return [delayed(_predict_array)(part, local, method) for part in X]
        return getattr(super(), method)(X)


# --- Dask's tables ---


def _is_part(X: Any) -> bool:
    """Whether this is a delayed part, or a future of one."""
    from dask.delayed import Delayed
    from distributed import Future

    return isinstance(X, Delayed | Future)


def _is_list_of_parts(X: Any) -> bool:
    return isinstance(X, list | tuple) and len(X) > 0 and all(_is_part(part) for part in X)


def _in_list(X: Any) -> Any:
    """One part is a list of one: it would say that it has every attribute."""
    return [X] if _is_part(X) else X


def _parts_of(X: Any, name: str) -> list[Any]:
    """Delayed parts of a Dask table, column or list."""
    if hasattr(X, "to_delayed") and hasattr(X, "dask"):
        is_table = getattr(X, "ndim", 1) == 2 and hasattr(X, "chunks")
        parts = (X.rechunk({1: -1}) if is_table else X).to_delayed()
        return list(np.ravel(np.asarray(parts, dtype=object)))
    if _is_list_of_parts(X):
        return list(X)
    raise TypeError(
        f"{name} is of type {type(X).__name__}, which is not in parts. Pass a Dask dataframe, a "
        "Dask array or a list of delayed parts, or use BsnsingClassifier."
    )


def _aligned(column: Any, X: Any) -> Any:
    """Cut an array as X is cut, if both are arrays of known length."""
    if not (hasattr(column, "chunks") and hasattr(X, "chunks")):
        return column
    rows = X.chunks[0]
    is_known = not np.isnan([*rows, *column.chunks[0]]).any()
    if is_known and sum(rows) == len(column) and column.chunks[0] != rows:
        return column.rechunk((rows,))
    return column


def _aligned_parts(X: Any, y: Any, sample_weight: Any) -> tuple[list[Any], list[Any], list[Any]]:
    """Delayed parts of a table, of its labels and of its weights."""
    tables = _parts_of(X, "X")
    labels = [y] * len(tables) if isinstance(y, str) else _like(_aligned(y, X), tables, "y")
    weights: list[Any] = [None] * len(tables)
    if sample_weight is not None:
        weights = _like(_aligned(sample_weight, X), tables, "sample_weight")
    return tables, labels, weights


def _like(column: Any, tables: list[Any], name: str) -> list[Any]:
    parts = _parts_of(column, name)
    if len(parts) != len(tables):
        raise ValueError(
            f"X has {len(tables)} parts, and {name} has {len(parts)}. "
            "Give both the same parts, such as columns of one Dask dataframe."
        )
    return parts


def _predict_frame(X: Any, model: BsnsingClassifier, method: str, names: Any) -> Any:
    """Predictions for one part of a dataframe, with its index."""
    import pandas as pd

    if len(X) == 0:
        missing = pd.DataFrame([[None] * X.shape[1]], columns=X.columns, dtype=object)
        return _predict_frame(missing, model, method, names).iloc[:0].set_axis(X.index)
    found = getattr(model, method)(X)
    if isinstance(names, list):
        return pd.DataFrame(found, index=X.index, columns=names)
    # Left to itself, pandas chooses another type for objects where there are no rows.
    dtype = pd.Series(model.classes_).dtype if method == "predict" else found.dtype
    return pd.Series(found, index=X.index, name=names, dtype=dtype)


def _sums_of_right(X: Any, y: Any, weight: Any, model: BsnsingClassifier) -> tuple[float, float]:
    """Cases of one part that get their own label, and all of them."""
    X, y, _ = take_labels(X, y)
    labels = np.asarray(y)
    if len(labels) == 0:
        return 0, 0
    weights = np.ones(len(labels), np.int64) if weight is None else np.asarray(weight)
    return weights[model.predict(X) == labels].sum(), weights.sum()


def _predict_array(X: Any, model: BsnsingClassifier, method: str) -> Any:
    """Predictions for one part of an array; without rows, those for missing cells tell the type."""
    if len(X) == 0:
        missing = np.full((1, X.shape[1]), None, dtype=object)
        return getattr(model, method)(missing)[:0]
    return getattr(model, method)(X)
