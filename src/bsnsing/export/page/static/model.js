// The model as Python wrote it, and what follows from it: parents, depths, leaves, labels.

const DATA = JSON.parse(document.getElementById("data").textContent);
const COLUMNS = DATA.columns;
const PAIRS = DATA.pairs.map(([first, sign, second, factor, text]) => ({ first, sign, second, factor, text }));
const CLASSES = DATA.classes;
const UNSEEN = -1; // a level that fit never saw; null is a missing cell

const asQuestion = ([subject, test, value, negated, missing, unseen, shownTest, text, origin]) => ({
  subject,
  test,
  value,
  negated: negated === 1,
  whenMissing: missing === null ? null : missing === 1,
  whenUnseen: unseen === null ? null : unseen === 1,
  levels: Array.isArray(value) ? new Set(value) : null,
  shownTest,
  text,
  origin, // null where the tree asked it of itself
});

const firstGreatest = (values) => {
  let best = 0;
  for (let k = 1; k < values.length; k++) if (values[k] > values[best]) best = k;
  return best;
};

// What it is expected to cost to say each class; see "decide" in Python.
const expectedCosts = (values, costs) => costs.map((_, j) => values.reduce((whole, p, i) => whole + p * costs[i][j], 0));
const decided = (values, costs) => firstGreatest(costs ? expectedCosts(values, costs).map((cost) => -cost) : values);

const greatest = (values, least = 0) => values.reduce((most, value) => Math.max(most, value), least);
const sum = (values) => values.reduce((whole, value) => whole + value, 0);

function asTree(raw) {
  const n = raw.yes.length;
  const tree = {
    ...raw,
    n,
    questions: raw.questions.map((asked) => asked.map(asQuestion)),
    parent: new Int32Array(n).fill(-1),
    depth: new Int32Array(n),
    nLeaves: new Int32Array(n),
    cases: raw.counts.map(sum),
    label: raw.value.map((values) => decided(values, raw.costs)),
  };
  for (let i = 0; i < n; i++) {
    if (tree.yes[i] < 0) continue;
    for (const child of [tree.yes[i], tree.no[i]]) {
      tree.parent[child] = i;
      tree.depth[child] = tree.depth[i] + 1;
    }
  }
  for (let i = n - 1; i >= 0; i--) { // children come after their parents
    if (tree.yes[i] < 0) tree.nLeaves[i] = 1;
    if (tree.parent[i] >= 0) tree.nLeaves[tree.parent[i]] += tree.nLeaves[i];
  }
  return tree;
}

const TREES = DATA.trees.map(asTree);
const MEMBERS = DATA.members;
const IS_SINGLE = TREES.length === 1;

const isLeaf = (tree, node) => tree.yes[node] < 0;

// Nodes from the root down, yes before no; only through nodes that are open.
function inOrder(tree, isOpen = () => true, root = 0) {
  const found = [];
  const waiting = [root];
  while (waiting.length) {
    const node = waiting.pop();
    found.push(node);
    if (!isLeaf(tree, node) && isOpen(node)) waiting.push(tree.no[node], tree.yes[node]);
  }
  return found;
}

// The place of the event among the classes of a tree; null where none was named.
function eventPlace(tree) {
  if (DATA.event === null) return null;
  const place = tree.classes.indexOf(CLASSES[DATA.event]);
  return place < 0 ? null : place;
}

function pathTo(tree, node) {
  const path = [];
  for (let at = node; at >= 0; at = tree.parent[at]) path.push(at);
  return path.reverse();
}
