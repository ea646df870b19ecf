"""Made-up tables of any size, in which pairs of columns matter and nothing is certain."""

from __future__ import annotations

import numpy as np

N_PAIRS = 6  # pairs of columns that decide
STRENGTH = 2.5  # what a pair's rule adds to the score of its class
N_SLOPES = 4  # columns with a gradual effect on each class


def pair_table(
    n_rows: int,
    n_columns: int,
    *,
    n_classes: int = 2,
    seed: int = 0,
    dtype: type[np.floating] = np.float32,
) -> tuple[np.ndarray, np.ndarray]:
    """Uniform numbers, row by row in memory, and classes drawn by scores.

    Rules over pairs of columns (ANDs, and XORs that no single column shows) and weak slopes add
    up to a score per class; Gumbel noise on the scores makes the greatest one a random draw.
    """
    rng = np.random.default_rng(seed)
    X = rng.random((n_rows, n_columns), dtype=dtype)
    scores = np.zeros((n_classes, n_rows), dtype=np.float32)
    for pair in range(max(N_PAIRS, n_classes)):
        low, high = rng.uniform(0.3, 0.7, 2)
        above = X[:, 2 * pair % n_columns] > low
        below = X[:, (2 * pair + 1) % n_columns] < high
        holds = above ^ below if pair % 3 == 0 else above & below
        scores[pair % n_classes] += np.float32(STRENGTH) * holds
    for score in scores:
        for column in rng.choice(n_columns, min(N_SLOPES, n_columns), replace=False):
            score += np.float32(rng.normal()) * X[:, column]
        noise = rng.standard_exponential(n_rows, dtype=np.float32)
        score -= np.log(np.maximum(noise, np.finfo(np.float32).tiny))  # it can be rounded to 0
    return X, scores.argmax(axis=0)


def random_answers(
    n_rows: int, n_questions: int, *, seed: int = 0
) -> tuple[np.ndarray, np.ndarray]:
    """0/1 answers of many frequencies, all different and all a little to do with two classes."""
    rng = np.random.default_rng(seed)
    y = rng.integers(2, size=n_rows)
    chance = rng.uniform(0.1, 0.6, n_questions)
    lean = rng.uniform(-0.08, 0.08, n_questions)
    answers = np.empty((n_rows, n_questions), dtype=np.uint8)
    for question in range(n_questions):
        answers[:, question] = rng.random(n_rows) < chance[question] + lean[question] * y
    return answers, y
