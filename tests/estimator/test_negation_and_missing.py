"""What a printed rule says of missing cells is what the model does with them."""

import numpy as np
import pytest

from bsnsing import BsnsingClassifier, ask_questions


def table(seed: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(300, 3)).round(2)
    X[:, 2] = X[:, 2] > 0
    y = ((X[:, 0] > 0) & (X[:, 1] < 0.3)) | (X[:, 2] == 0)
    return X, y ^ (rng.random(300) < 0.1)


@pytest.mark.parametrize("seed", range(4))
def test_a_learnt_missing_cell_answers_no_to_every_threshold(seed: int) -> None:
    X, y = table(seed)
    tree = BsnsingClassifier.plain(max_depth=3).fit(X, y).tree_
    assert not tree.question_negated.any(), "without missing cells no negation is needed"
    model = BsnsingClassifier.plain(max_depth=3)
    model.fit(np.vstack([X, np.full((30, 3), np.nan)]), np.append(y, y[:30]))
    path = model.decision_path(np.full((1, 3), np.nan)).indices
    for node in path:
        rule = model.tree_.rule(node)
        if rule is not None and not any(rule.negated) and "missing" not in str(rule):
            assert model.tree_.children_right[node] in path, f"'{rule}' holds for missing cells"


def test_negation_stays_where_cells_are_missing() -> None:
    X, y = table(5)
    X[::3, 0] = np.nan
    model = BsnsingClassifier.plain(max_depth=4, min_samples_leaf=5).fit(X, y)
    for rule in model.tree_.rules:
        for question, negated in zip(rule.questions, rule.negated, strict=True) if rule else ():
            assert not negated or f"not ({question})" in str(rule) or question.test != ">"


def test_rows_without_weight_answer_too() -> None:
    pool = ask_questions([[1.0], [2.0], [3.0], [4.0]], [0, 1, 1, 0], sample_weight=[1, 1, 1, 0])
    for question, answers in zip(pool.questions, pool.answers.T, strict=True):
        assert answers.tolist() == question.answer([1.0, 2.0, 3.0, 4.0]).tolist()
