"""The kernels for graphics cards, run on the CPU, give what NumPy gives; and they compile."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
from cuda_emulated import Emulated
from cuda_stand_in import StandIn
from nvrtc_compile import compile_with_nvrtc
from same_trees import assert_same

import bsnsing.engine.cuda.engine as cuda_engine
from bsnsing import BsnsingClassifier
from bsnsing.engine.cuda.calls import Cells
from bsnsing.engine.cuda.code_sets import CodeSets, RuleSets
from bsnsing.engine.cuda.kernel_device import SOURCE
from bsnsing.engine.cuda.slots import NO_ROW, Pieces, cut_up, group_cases, place_nodes

N_CODES = (3, 200, 256, 3000, 70_000)  # of columns of one, two and four bytes


@pytest.fixture(scope="module")
def emulated(tmp_path_factory: pytest.TempPathFactory) -> Emulated:
    return Emulated(tmp_path_factory.mktemp("kernels"))


class Case:
    """Random cells of two nodes, and random questions and rules about them."""

    def __init__(self, seed: int, n: int = 700) -> None:
        rng = np.random.default_rng(seed)
        self.n_classes = int(rng.integers(2, 5))
        labels = rng.integers(0, self.n_classes, n).astype(np.int32)
        weights = rng.integers(0, 6, n) if seed % 2 else None
        self.groups, _, _ = group_cases(labels, weights, self.n_classes)
        n_groups = len(self.groups.class_of)
        sizes = rng.integers(0, 150, (2, n_groups))
        sizes[0, 0] = 0  # a group without cases
        self.nodes, n_slots = place_nodes(sizes)
        self.cells = Cells(
            [rng.integers(0, k, n_slots).astype(width(k)) for k in N_CODES],
            rng.integers(0, n, n_slots).astype(np.uint32),
            n_slots,
        )
        self.first_code = np.append(0, np.cumsum(N_CODES)).astype(np.int64)
        self.asked = self.questions(rng, [int(rng.integers(1, 9)), 37])
        self.rules = self.many_rules(rng, [4, 9])
        self.one_rule = self.many_rules(rng, [1, 1])

    def pieces(self, most: int) -> Pieces:
        return cut_up(self.nodes, self.groups, most)

    def questions(self, rng: np.random.Generator, n_of: list[int]) -> CodeSets:
        n = sum(n_of)
        column = rng.integers(0, len(N_CODES), n).astype(np.int32)
        ends = np.sort(rng.integers(0, np.array(N_CODES)[column] + 1, (2, n)), axis=0)
        size = -(-max(N_CODES) // 32)
        table = np.where(rng.random(n) < 0.3, rng.integers(0, 5, n) * 7, -1).astype(np.int32)
        words = rng.integers(0, 2**32, size + 40, dtype=np.uint32)
        first = np.append(0, np.cumsum(n_of)).astype(np.int32)
        return CodeSets(column, *ends.astype(np.uint32), table, words, first)

    def many_rules(self, rng: np.random.Generator, n_of: list[int]) -> RuleSets:
        sizes = rng.integers(1, 5, sum(n_of))
        return RuleSets(
            self.questions(rng, [int(sizes.sum())]),
            rng.integers(0, 2, sizes.sum()).astype(np.uint8),
            np.append(0, np.cumsum(sizes)).astype(np.int32),
            rng.integers(0, 3, sum(n_of)).astype(np.uint8),
            np.append(0, np.cumsum(n_of)).astype(np.int32),
        )


def width(n_codes: int) -> type:
    return np.uint8 if n_codes <= 256 else np.uint16 if n_codes <= 65536 else np.uint32


@pytest.mark.parametrize("seed", range(4))
def test_counts(emulated: Emulated, seed: int) -> None:
    case, plain = Case(seed), StandIn()
    for most in (32, 4096):
        pieces = case.pieces(most)
        shape = (2, case.n_classes)
        told = (case.cells, pieces, case.first_code, shape)
        np.testing.assert_array_equal(emulated.count_codes(*told), plain.count_codes(*told))
        bits = plain.answer(case.cells, pieces, case.asked)
        np.testing.assert_array_equal(emulated.answer(case.cells, pieces, case.asked), bits)
        first_pair = np.append(0, np.cumsum(case.n_classes * case.asked.n_of**2))
        mine, theirs = emulated.zeros(first_pair[-1]), plain.zeros(first_pair[-1])
        emulated.count_pairs(bits, pieces, case.asked, first_pair, mine)
        plain.count_pairs(bits, pieces, case.asked, first_pair, theirs)
        assert theirs.any()
        np.testing.assert_array_equal(mine, theirs)
        ruled = (case.cells, pieces, case.rules, case.n_classes)
        np.testing.assert_array_equal(emulated.count_rules(*ruled), plain.count_rules(*ruled))


@pytest.mark.parametrize("seed", range(4))
def test_moves(emulated: Emulated, seed: int) -> None:
    case, plain = Case(seed), StandIn()
    pieces = case.pieces(64)
    bits, n_yes = plain.follow(case.cells, pieces, case.one_rule)
    mine = emulated.follow(case.cells, pieces, case.one_rule)
    np.testing.assert_array_equal(mine[0], bits)
    np.testing.assert_array_equal(mine[1], n_yes)
    n_no = pieces.end - pieces.begin - n_yes
    yes = np.cumsum(n_yes) - n_yes
    no = n_yes.sum() + 5 + np.cumsum(n_no) - n_no
    n_slots = int(n_yes.sum() + n_no.sum()) + 9
    found, expected = (
        device.part(case.cells, pieces, bits, yes, no, n_slots) for device in (emulated, plain)
    )
    for own, theirs in zip(
        [*found.columns, found.rows], [*expected.columns, expected.rows], strict=True
    ):
        np.testing.assert_array_equal(own, theirs)
    rows = np.where(np.arange(50) % 7 == 0, NO_ROW, np.arange(50)).astype(np.uint32)
    for codes in case.cells.columns:
        np.testing.assert_array_equal(emulated.gather(codes, rows), plain.gather(codes, rows))


@pytest.mark.parametrize("seed", range(2))
def test_whole_trees(emulated: Emulated, seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cuda_engine, "COUNTED", 128)
    monkeypatch.setattr(cuda_engine, "MOVED", 64)
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(300, 3))
    X[rng.random(X.shape) < 0.05] = np.nan
    y = (X[:, 0] > 0) + (X[:, 1] * X[:, 2] > 0.2) * 1
    weight = rng.integers(1, 4, 300) if seed else None
    settings = {"max_rules": 3, "n_segments": 4, "max_depth": 3}
    expected = BsnsingClassifier.plain(**settings).fit(X, y, sample_weight=weight)

    class OnKernels(BsnsingClassifier):
        _make_engine = staticmethod(  # type: ignore[assignment]
            lambda cases, n_classes, options: cuda_engine.DeviceEngine(
                cases, n_classes, options, emulated
            )
        )

    found = OnKernels(**expected.get_params()).fit(X, y, sample_weight=weight)
    assert expected.get_n_leaves() > 3
    assert_same(found.tree_, expected.tree_)


@pytest.mark.parametrize("target", ["sm_80", "sm_90"])
def test_nvcc_compiles_the_kernels(target: str, tmp_path: Path) -> None:
    nvcc = shutil.which("nvcc")
    if nvcc is None:
        pytest.skip("no nvcc here")
    command = [nvcc, f"-arch={target}", "-cubin", "-Werror", "all-warnings"]
    subprocess.run([*command, SOURCE, "-o", tmp_path / "kernels.cubin"], check=True)


@pytest.mark.parametrize("target", ["sm_80", "sm_90"])
def test_nvrtc_compiles_the_kernels(target: str) -> None:
    assert compile_with_nvrtc(SOURCE.read_text(encoding="utf-8"), target)
