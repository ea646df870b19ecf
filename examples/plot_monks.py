"""
The Monks problems
==================

432 robots by six attributes, and three rules about them. The rules are known, so that one sees what
a tree has found: each small square is a robot, coloured by its class.
"""

# %%
# All robots, and who is a monk: the three problems by their formulas.
from itertools import product

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.colors import ListedColormap

from bsnsing import BsnsingClassifier, plot_tree

NAMES = ["head", "body", "smiles", "holds", "jacket", "tie"]
LEVELS = [
    ["round", "square", "octagon"],
    ["round", "square", "octagon"],
    ["yes", "no"],
    ["sword", "balloon", "flag"],
    ["red", "yellow", "green", "blue"],
    ["yes", "no"],
]
robots = pd.DataFrame(list(product(*LEVELS)), columns=NAMES)
counted = zip(NAMES, LEVELS, strict=True)
firsts = sum((robots[name] == levels[0]).astype(int) for name, levels in counted)
PROBLEMS = {
    "Monks 1: head like body, or a red jacket": (robots["head"] == robots["body"])
    | (robots["jacket"] == "red"),
    "Monks 2: exactly two attributes have their first value": firsts == 2,
    "Monks 3: a green jacket and a sword, or no blue one and no octagon body": (
        (robots["jacket"] == "green") & (robots["holds"] == "sword")
    )
    | ((robots["jacket"] != "blue") & (robots["body"] != "octagon")),
}

# %%
# A tree for each problem, grown on all robots without a teacher: left the truth, right the tree.
colours = ListedColormap(["#D55E00", "#0072B2"])  # other, monk: as the trees have them
figure, axes = plt.subplots(3, 2, figsize=(11, 11), layout="constrained")
models = {}
for (title, is_monk), (left, right) in zip(PROBLEMS.items(), axes, strict=True):
    model = BsnsingClassifier.plain(min_samples_leaf=1, operators=("or", "and", "xor"))
    models[title] = model.fit(robots, np.where(is_monk, "monk", "other"))
    found = model.predict(robots) == "monk"
    right_ones = np.mean(found == is_monk)
    for ax, answer in ((left, is_monk), (right, found)):
        ax.imshow(np.asarray(answer).reshape(18, 24), cmap=colours, vmin=0, vmax=1)
        ax.set(xticks=[], yticks=[])
        ax.set_xlabel("holds, jacket, tie")
        ax.set_ylabel("head, body, smiles")
    left.set_title(title, fontsize="small", loc="left")
    right.set_title(f"{model.get_n_leaves()} leaves, {right_ones:.0%} right", fontsize="small")
plt.show()

# %%
# The tree of the first problem.
plot_tree(models["Monks 1: head like body, or a red jacket"], title="Monks 1")
plt.show()
