"""Origins: where the questions of rules came from."""

from __future__ import annotations

from collections.abc import Sequence

from bsnsing.questions.question import OWN
from bsnsing.rules.split import Found


class Origins:
    """Knows where the questions came from that the nodes of an engine are given."""

    def __init__(self, everywhere: Sequence[str]) -> None:
        self._everywhere = list(everywhere)  # of those that all nodes are given
        self._at: dict[int, list[str]] = {}  # of those of single nodes

    def add(self, node: int, names: Sequence[str]) -> None:
        """Remember where the questions came from that a node of the engine was given."""
        self._at[node] = list(names)

    def of_pool(self, node: int, n_questions: int) -> list[str]:
        """Return where each question of a node's pool came from; those from elsewhere are last."""
        names = self._everywhere + self._at.get(node, [])
        return [OWN] * (n_questions - len(names)) + names

    def of(self, node: int, found: Found) -> tuple[str, ...]:
        """Return where each question of a node's rule came from; nothing if all are its own."""
        if not self._everywhere and not self._at:  # as in most trees, and every split asks
            return ()
        if all(place < 0 for place in found.given):
            return ()
        names = self._everywhere + self._at.get(node, [])
        return tuple(OWN if place < 0 else names[place] for place in found.given)
