"""Made-up tables of any size, in which pairs of columns matter and nothing is certain."""

from __future__ import annotations

import numpy as np
import pandas as pd

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


def level_table(
    n_rows: int,
    n_levels: int | None,
    *,
    effect: float = 0.0,
    zipf: float = 0.0,
    seed: int = 0,
) -> tuple[pd.DataFrame, np.ndarray]:
    """Six numeric columns, four of which matter, and the text column ``level``; two classes.

    Levels are drawn with chances in proportion to 1 / rank ** ``zipf``, and each adds a normal
    number times ``effect`` to the log odds. Without ``n_levels`` each row has one of its own.
    """
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, 6))
    log_odds = X[:, 0] + 1.2 * (X[:, 1] > 0.3) - 0.7 * X[:, 2] * (X[:, 3] > 0) - 0.3
    if n_levels is None:
        levels = rng.permutation(n_rows)
    else:
        chance = 1 / np.arange(1, n_levels + 1) ** zipf
        levels = rng.choice(n_levels, n_rows, p=chance / chance.sum())
    log_odds += effect * rng.normal(size=levels.max() + 1)[levels]
    table = pd.DataFrame(X, columns=[f"x{i}" for i in range(6)])
    table["level"] = [f"level {level}" for level in levels.tolist()]
    return table, (rng.random(n_rows) < 1 / (1 + np.exp(-log_odds))).astype(np.int64)


def rare_table(
    n_rows: int, rate: float, *, strength: float, n_classes: int = 2, seed: int | list[int] = 0
) -> tuple[np.ndarray, np.ndarray]:
    """Five normal columns and an event (classes above 0) of this rate, or of two or four kinds.

    Its chance is in proportion to exp(``strength`` (x0 + x1)); x2 and x3 say which kind it is.
    """
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, 5))
    # The mean of the exponential is exp(strength^2).
    chance = rate * np.exp(strength * (X[:, 0] + X[:, 1]) - strength**2)
    is_event = rng.random(n_rows) < np.minimum(chance, 0.999)
    kind = np.zeros(n_rows, dtype=np.int64)
    for bit in range({2: 0, 3: 1, 5: 2}[n_classes]):
        kind += 2**bit * (rng.logistic(size=n_rows) < 3 * strength * X[:, 2 + bit])
    return X, np.where(is_event, 1 + kind, 0)


def noisy_table(n_rows: int, *, seed: int = 0) -> tuple[pd.DataFrame, np.ndarray]:
    """Twenty normal columns, eight of which matter, and two classes; at best 82 % are right.

    Slopes, steps, waves and products make up the log odds, so that more rows show more of them.
    """
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, 20))
    log_odds = 1.4 * X[:, 0] + 1.6 * X[:, 1] * X[:, 2] + 1.5 * np.sin(2 * X[:, 3])
    log_odds += 1.5 * (X[:, 4] > 0.5) + 0.9 * X[:, 5] ** 2 - 1.6 + 0.8 * X[:, 6] * (X[:, 7] > 0)
    table = pd.DataFrame(X, columns=[f"x{i}" for i in range(20)])
    return table, (rng.random(n_rows) < 1 / (1 + np.exp(-log_odds))).astype(np.int64)


def ruled_table(
    n_rows: int, *, noise: float = 0.05, seed: int = 0
) -> tuple[pd.DataFrame, np.ndarray]:
    """Six uniform and four categorical columns, and two classes told by rules, but for noise."""
    rng = np.random.default_rng(seed)
    columns = {f"x{i}": rng.random(n_rows) for i in range(6)}
    for i, n_levels in enumerate((3, 5, 12, 40)):
        levels = np.array([f"level {level}" for level in range(n_levels)])
        codes = rng.integers(n_levels, size=n_rows)
        columns[f"c{i}"] = pd.Categorical.from_codes(codes, levels)
    table = pd.DataFrame(columns)
    codes = table[["c0", "c1", "c2"]].apply(lambda column: column.cat.codes)
    is_first = (table["x0"] > 0.7) | (codes["c1"] == 3)
    holds = np.where(
        is_first,
        (table["x1"] > 0.4) & codes["c2"].isin((0, 2, 5, 7)) | (table["x2"] < 0.2),
        (codes["c0"] == 1) & (table["x3"] > 0.3) | (table["x4"] > 0.9),
    )
    is_wrong = rng.random(n_rows) < noise
    return table, (holds ^ is_wrong).astype(np.int64)
