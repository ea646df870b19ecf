"""Pictures by Matplotlib: the tree, curves, importances, regions; and the gallery."""

from __future__ import annotations

import io
import itertools
import runpy
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from export.models import trial
from made_trees import HOSTILE, made_tree
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.metrics import roc_auc_score

from bsnsing import (
    BsnsingClassifier,
    demo,
    plot_calibration,
    plot_confusion,
    plot_importances,
    plot_partition,
    plot_pruning_path,
    plot_roc,
    plot_tree,
)
from bsnsing.data.scales import in_steps
from bsnsing.export import png
from bsnsing.export.form import model_form
from bsnsing.export.importances import importance_of_columns, importance_of_rules
from bsnsing.export.layout import place_tree
from bsnsing.export.partition import model_shares, read_table
from bsnsing.export.picture import tree_pictures
from bsnsing.export.picture_options import PictureOptions
from bsnsing.export.png import export_png
from tests.export.test_form import MODELS, hostile_rows, mixed_table

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("agg")
plt = pytest.importorskip("matplotlib.pyplot")

EXAMPLES = sorted((Path(__file__).parents[2] / "examples").glob("plot_*.py"))


@pytest.fixture(autouse=True)
def _no_figures_are_left() -> Iterator[None]:
    yield
    plt.close("all")


@pytest.fixture(scope="module")
def cancer() -> tuple[pd.DataFrame, np.ndarray, BsnsingClassifier]:
    data = load_breast_cancer(as_frame=True)
    y = data.target_names[data.target]
    return data.data, y, BsnsingClassifier.plain(max_rules=1).fit(data.data, y)


def texts_of(ax: Any) -> list[str]:
    return [text.get_text() for text in ax.texts]


def test_the_plot_has_the_words_of_the_layout_inside_their_boxes() -> None:
    tree = made_tree(20, seed=3)
    ax = plot_tree(tree)
    (picture,) = tree_pictures(tree, "test", PictureOptions())
    layout = place_tree(picture)
    wanted = [line.text for box in layout.boxes for line in box.lines]
    assert set(wanted) <= set(texts_of(ax))
    figure = ax.figure
    for size in ((20, 8), (6, 3)):  # text grows and shrinks with the figure
        figure.set_size_inches(*size)
        figure.canvas.draw()
        to_data = ax.transData.inverted()
        found = {text.get_text(): text for text in ax.texts}
        for box in layout.boxes:
            for line in box.lines:
                extent = found[line.text].get_window_extent()
                width = abs(to_data.transform(extent)[1, 0] - to_data.transform(extent)[0, 0])
                assert width <= box.width


def test_the_plot_goes_into_axes_that_are_given() -> None:
    figure, (left, right) = plt.subplots(1, 2)
    assert plot_tree(made_tree(5), ax=left) is left
    assert not right.texts
    figure.savefig(io.BytesIO(), bbox_inches="tight")


def test_hostile_names_are_no_formulas() -> None:
    names = [*HOSTILE[:8], "$\\frac{$", "$x$"]  # letters that DejaVu Sans has
    tree = made_tree(9, names=names, levels=names, classes=names, most_questions=2)
    content = export_png(tree, full_levels=True, title="$\\frac{$")
    assert content.startswith(b"\x89PNG")


@pytest.mark.parametrize("name", MODELS)
def test_every_kind_of_model_is_plotted(name: str) -> None:
    table, labels = mixed_table()
    model = MODELS[name].fit(table, labels)
    ax = plot_tree(model, max_leaves=8)
    n_roots = sum(text == f"{len(table)} cases" for text in texts_of(ax))
    assert n_roots == sum(tree.n_nodes > 1 for tree in model.trees_)
    shares = importance_of_columns(model)
    asked = sum(tree.n_questions for tree in model.trees_)
    assert sum(shares.values()) == pytest.approx(1 if asked else 0)
    plot_importances(model, by="rule")
    plot_pruning_path(model)
    plot_partition(model, table, labels, columns=["age", "debt"])
    plot_confusion(model, table, labels)
    plot_roc(model, table, labels)
    plt.gcf().canvas.draw()


def test_a_picture_has_a_bounded_number_of_pixels(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(png, "_MOST_PIXELS", 1e6)
    image = matplotlib.image.imread(io.BytesIO(export_png(made_tree(9), dpi=100_000)))
    assert image.shape[0] * image.shape[1] == pytest.approx(1e6, rel=0.01)


def test_the_roc_curve_tells_the_area_of_each_model(cancer: Any) -> None:
    X, y, model = cancer
    other = BsnsingClassifier.plain(max_leaf_nodes=2).fit(X, y)
    ax = plot_roc({"large": model, "$small": other}, X, y, event="malignant")
    labels = [text.get_text() for text in ax.get_legend().get_texts()]
    place = list(model.classes_).index("malignant")
    for name, own, label in zip(("large", r"\$small"), (model, other), labels, strict=True):
        area = roc_auc_score(y == "malignant", own.predict_proba(X)[:, place])
        assert label.startswith(name)
        assert f"{area:.2f}" in label
    ax.figure.canvas.draw()


def test_hostile_classes_are_no_formulas_in_curves(cancer: Any) -> None:
    X, y, _ = cancer
    labels = np.where(y == "benign", "$\\frac{$", "$x$")
    model = BsnsingClassifier.plain(max_leaf_nodes=3).fit(X, labels)
    for draw in (plot_roc, plot_calibration, plot_confusion, plot_partition):
        ax = draw(model, X, labels)
        ax.legend(*ax.get_legend_handles_labels())
        ax.figure.canvas.draw()
    plot_roc({"$\\frac{$": model}, X, labels).figure.canvas.draw()


def test_a_partition_of_its_own_figure_names_the_classes(cancer: Any) -> None:
    X, y, model = cancer
    legend = plot_partition(model, X, y).get_legend()
    assert [text.get_text() for text in legend.get_texts()] == list(model.classes_)
    _, ax = plt.subplots()
    assert plot_partition(model, X, y, ax=ax).get_legend() is None


def test_few_short_labels_of_a_confusion_matrix_are_upright(cancer: Any) -> None:
    X, y, model = cancer
    assert {text.get_rotation() for text in plot_confusion(model, X, y).get_xticklabels()} == {0}
    long = np.where(y == "benign", "a label that takes much room", "and another one")
    ax = plot_confusion(BsnsingClassifier.plain().fit(X, long), X, long)
    assert {text.get_rotation() for text in ax.get_xticklabels()} == {90}


def test_more_than_two_classes_have_a_curve_each() -> None:
    X, y = load_iris(return_X_y=True)
    model = BsnsingClassifier.plain().fit(X, y)
    for draw in (plot_roc, plot_calibration):
        ax = draw(model, X, y)
        labels = [text.get_text() for text in ax.get_legend().get_texts()]
        assert [label[0] for label in labels] == ["0", "1", "2"]
        with pytest.raises(ValueError, match="event=7 is no class"):
            draw(model, X, y, event=7)


def test_the_path_shows_the_leaves_and_scores_of_each_subtree(cancer: Any) -> None:
    X, y, model = cancer
    path = model.pruning_path()
    ax = plot_pruning_path(model, X, y)
    leaves = ax.get_lines()[0].get_ydata()
    np.testing.assert_array_equal(leaves[:-1], path.n_leaves)
    (twin,) = [other for other in ax.figure.axes if other is not ax]
    assert twin.get_lines()[0].get_ydata()[0] == model.score(X, y)
    assert model.get_n_leaves() == path.n_leaves[0]  # and the model is as it was
    with pytest.raises(TypeError, match="are those of a fitted BsnsingClassifier"):
        plot_pruning_path(model.tree_, X, y)


def test_ticks_of_the_path_do_not_cover_each_other() -> None:
    X, y = load_breast_cancer(return_X_y=True)
    for alpha in (0.0, 0.003):
        ax = plot_pruning_path(BsnsingClassifier(ccp_alpha=alpha, random_state=0).fit(X, y))
        ax.figure.canvas.draw()
        boxes = [tick.get_window_extent() for tick in ax.get_xticklabels() if tick.get_text()]
        shown = sorted((box.x0, box.x1) for box in boxes if box.x0 >= 0)
        assert all(one[1] < other[0] for one, other in itertools.pairwise(shown))
    plt.close("all")


def test_importances_are_those_of_the_model(cancer: Any) -> None:
    X, _, model = cancer
    own = dict(zip(X.columns, model.feature_importances_, strict=True))
    for name, share in importance_of_columns(model).items():
        assert share == pytest.approx(own[name])
    rules = importance_of_rules(model)
    assert len(rules) == model.get_n_leaves() - 1
    assert sum(share for _, share in rules) == pytest.approx(1)
    ax = plot_importances(model, most=2)
    shown = [label.get_text() for label in ax.get_yticklabels()]
    assert shown == list(importance_of_columns(model))[:2][::-1]
    with pytest.raises(ValueError, match="'by' must be 'column' or 'rule'"):
        plot_importances(model, by="leaf")


@pytest.mark.parametrize("name", MODELS)
def test_regions_are_what_predict_proba_says(name: str) -> None:
    table, labels = mixed_table()
    model = MODELS[name].fit(table, labels)
    rows = hostile_rows(table, np.random.RandomState(2))
    form = model_form(model)
    shares = model_shares(form, read_table(form.columns, rows))
    np.testing.assert_allclose(shares, model.predict_proba(rows), rtol=1e-12)


def test_edges_of_regions_are_the_thresholds_exactly() -> None:
    random = np.random.RandomState(0)
    X = random.rand(300, 2)
    model = BsnsingClassifier.plain().fit(X, (X[:, 0] > 0.4) & (X[:, 1] > 0.6))
    ax = plot_partition(model, X, model.predict(X))
    mesh = ax.collections[0].get_coordinates()
    asked = {(q.column, q.value) for q in model.tree_.asked_questions()}
    for column, place in (("x0", 0), ("x1", 1)):
        inside = set(np.unique(mesh[..., place])[1:-1])
        assert inside == {value for name, value in asked if name == column}


def test_regions_of_dates_times_and_durations_end_at_the_thresholds() -> None:
    own = trial("moments")
    asked = [q for q in own.model.tree_.asked_questions() if q.test in "<>"]
    for names in (["visit", "arrival"], ["seen", "wait"]):
        ax = plot_partition(own.model, own.table, own.labels, columns=names)
        mesh = ax.collections[0].get_coordinates()
        for place, name in enumerate(names):
            days = {in_steps(q.value) / 86400e6 for q in asked if q.column == name}
            inside = set(np.unique(mesh[..., place])[1:-1])
            assert inside == {day for day in days if mesh[..., place].min() < day}
        ax.figure.canvas.draw()
        labels = [label.get_text() for label in ax.get_yticklabels()]
        assert 3 <= len(labels) <= 9
        assert ("12:00" if names[1] == "arrival" else "50d") in labels
        assert "2021" in "".join(label.get_text() for label in ax.get_xticklabels())


def test_regions_need_two_numeric_columns() -> None:
    table, labels = mixed_table()
    model = MODELS["plain"].fit(table, labels)
    with pytest.raises(ValueError, match="has levels"):
        plot_partition(model, table, columns=["age", "city"])
    with pytest.raises(ValueError, match="must be two columns"):
        plot_partition(model, table, columns=["age"])
    with pytest.raises(ValueError, match="X has no column 'age'"):
        plot_partition(model, table.drop(columns="age"))


def test_without_matplotlib_the_error_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    for call in (plot_tree, export_png, plot_importances):
        with pytest.raises(ImportError, match=r"pip install bsnsing\[plot\]"):
            call(made_tree(3))


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_the_gallery_runs(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = []

    def save() -> None:
        for number in plt.get_fignums():
            made.append(tmp_path / f"{path.stem}-{len(made)}.png")
            plt.figure(number).savefig(made[-1], dpi=50)
        plt.close("all")

    monkeypatch.setattr(plt, "show", save)
    runpy.run_path(str(path))
    assert made
    assert all(file.stat().st_size > 3000 for file in made)  # no blank pages


def test_the_demo_writes_a_picture_and_says_where(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    demo.main()
    assert (tmp_path / "bsnsing-demo.svg").read_text(encoding="utf-8").startswith("<svg")
    assert "The tree as SVG is in bsnsing-demo.svg" in capsys.readouterr().out
    (tmp_path / "build").mkdir()
    demo.main(["here/tree.dot"])
    assert (tmp_path / "here" / "tree.dot").exists()
    demo.main()
    assert (tmp_path / "build" / "demo" / "bsnsing-demo.svg").exists()
