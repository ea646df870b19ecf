// Where the boxes of a drawn tree are: as they were placed when the page was written. What is closed
// is hidden, and the rest stays where it is. A large tree has several sheets: the first shows the
// nodes of most cases, those closed there have a sheet each, and the last shows all.

const ROLES = ["rule", "label", "detail", "note"];

const sheets = TREES.map(() => []);

function sheetOf(place, number = view.sheet[place]) {
  return (sheets[place][number] ??= readSheet(TREES[place], number));
}

function readSheet(tree, number) {
  const { root, nodes, x, tops, heights } = tree.sheets[number];
  const all = nodes ?? tree.yes.map((_, node) => node);
  const top = all[0]; // parents come before their children
  const boxes = new Map(all.map((node, i) => {
    const [width, height, lines] = tree.boxes[node];
    const row = tree.depth[node] - tree.depth[top];
    return [node, { node, x: x[i], y: tops[row], width, height, lines, under: tops[row] + heights[row] }];
  }));
  return { number, root, top, boxes };
}

// Nodes that are closed on a sheet because what is below them is on another.
const pilesOf = (place, number) =>
  [...sheetOf(place, number).boxes.keys()].filter((node) => !isLeaf(TREES[place], node) && !sheetOf(place, number).boxes.has(TREES[place].yes[node]));

// The sheet that each node is open on; leaves, where they are seen from their own part of the tree.
const homes = TREES.map(() => null);

function homeOf(place, node) {
  const tree = TREES[place];
  if (!homes[place]) {
    homes[place] = new Int32Array(tree.n);
    for (let number = 0; number < Math.max(1, tree.sheets.length - 1); number++) {
      const { root, boxes } = sheetOf(place, number);
      for (const own of inOrder(tree, (inner) => boxes.has(tree.yes[inner]), root)) {
        if (isLeaf(tree, own) || boxes.has(tree.yes[own])) homes[place][own] = number;
      }
    }
  }
  return homes[place][node];
}

// What is open to sight of a sheet, and how far it reaches.
function seenOf(place, sheet, isOpen) {
  const { boxes, top } = sheet;
  const order = inOrder(TREES[place], (node) => isOpen(node) && boxes.has(TREES[place].yes[node]), top);
  let [left, right, first, last] = [Infinity, -Infinity, Infinity, -Infinity];
  for (const node of order) {
    const { x, y, width, height } = boxes.get(node);
    left = Math.min(left, x - width / 2);
    right = Math.max(right, x + width / 2);
    first = Math.min(first, y);
    last = Math.max(last, y + height);
  }
  return { sheet, boxes, order, left, top: first, width: right - left, height: last - first };
}
