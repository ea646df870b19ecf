"""
Shapes in the plane
===================

Two-dimensional shapes, made by formula as in the paper, and the regions that one tree cuts out of
the plane for each. Edges of regions are the thresholds of the rules, exactly.
"""

# %%
# The shapes: 600 cases each, of two classes.
import matplotlib.pyplot as plt
import numpy as np

from bsnsing import BsnsingClassifier, plot_partition

random = np.random.RandomState(0)
n = 600


def spirals():
    """Two arms, half a turn apart."""
    arm = random.randint(0, 2, n)
    turn = 3 * np.pi * np.sqrt(random.rand(n))
    angle = turn + np.pi * arm
    points = turn[:, None] * np.column_stack([np.cos(angle), np.sin(angle)])
    return points + random.normal(scale=0.25, size=(n, 2)), arm


def square():
    return random.uniform(-1, 1, (n, 2))


def ring():
    X = square()
    radius = np.hypot(*X.T)
    return X, ((radius > 0.4) & (radius < 0.8)).astype(int)


def circle():
    X = square()
    return X, (np.hypot(*X.T) < 0.75).astype(int)


def diamond():
    X = square()
    return X, (np.abs(X).sum(axis=1) < 0.9).astype(int)


def grid():
    X = square()
    return X, (np.floor(2 * X).sum(axis=1) % 2 == 0).astype(int)


def xor():
    X = square()
    return X, (X[:, 0] * X[:, 1] > 0).astype(int)


def oblique():
    X = square()
    return X, (X[:, 0] + X[:, 1] > 0.1).astype(int)


SHAPES = [spirals, ring, circle, diamond, grid, xor, oblique]

# %%
# One tree for each. Rules of two questions cut out corners and bands in one split. Products and
# ratios of columns are left out, so that all edges are straight along the axes.
figure, axes = plt.subplots(2, 4, figsize=(13, 6.6), layout="constrained")
axes.flat[-1].set_axis_off()
for shape, ax in zip(SHAPES, axes.flat, strict=False):
    X, y = shape()
    model = BsnsingClassifier(column_pairs=None).fit(X, y)
    plot_partition(model, X, y, ax=ax)
    ax.set(title=f"{shape.__name__}: {model.get_n_leaves()} leaves", xlabel="", ylabel="")
    ax.set(xticks=[], yticks=[])
plt.show()
