"""
One model, seen from all sides
==============================

The tree of the breast cancer data, the way of one case through it, and what it is worth on cases
that it has not learnt from.
"""

# %%
# The tree, and one case's way.
import matplotlib.pyplot as plt
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split

from bsnsing import (
    BsnsingClassifier,
    plot_calibration,
    plot_confusion,
    plot_importances,
    plot_partition,
    plot_pruning_path,
    plot_roc,
    plot_tree,
)

data = load_breast_cancer(as_frame=True)
X, y = data.data, data.target_names[data.target]
X_train, X_test, y_train, y_test = train_test_split(X, y, random_state=0, stratify=y)
model = BsnsingClassifier().fit(X_train, y_train)
plot_tree(model, case=X_test.iloc[0], title="Breast cancer")
plt.show()

# %%
# Curves on the other cases, beside those of a smaller tree; and the plane of two columns, as a tree
# cuts it up that asks about these alone.
small = BsnsingClassifier(max_leaf_nodes=4).fit(X_train, y_train)
both = {"tree": model, "tree of 4 leaves": small}
figure, axes = plt.subplots(2, 3, figsize=(15, 9), layout="constrained")
plot_roc(both, X_test, y_test, event="malignant", ax=axes[0, 0])
plot_calibration(both, X_test, y_test, event="malignant", n_bins=5, ax=axes[0, 1])
plot_confusion(model, X_test, y_test, ax=axes[0, 2])
plot_importances(model, ax=axes[1, 0])
plane = ["worst area", "worst concave points"]
flat = BsnsingClassifier().fit(X_train[plane], y_train)
plot_partition(flat, X_test[plane], y_test, ax=axes[1, 1])
whole = BsnsingClassifier(ccp_alpha=0.0).fit(X_train, y_train)
plot_pruning_path(whole, X_test, y_test, ax=axes[1, 2])
plt.show()

# %%
# What each rule brings.
plot_importances(model, by="rule")
plt.show()
