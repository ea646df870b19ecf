// Where the boxes of a drawn tree go: text wrapped and measured, then as narrow as can be with
// nothing overlapping, in linear time.

const FONT = '13px system-ui, "Segoe UI", Roboto, Helvetica, Arial, sans-serif';
const LINE = 17;
const PAD = 10;
const WIDEST_TEXT = 200;
const MOST_LINES = 3; // of one question
const GAP = 18; // between boxes
const ROW_GAP = 46; // between rows, for edges and their words

const ruler = document.createElement("canvas").getContext("2d");
const widths = new Map();

function textWidth(text, isBold) {
  const key = isBold ? `b${text}` : text;
  let width = widths.get(key);
  if (width === undefined) {
    ruler.font = isBold ? `600 ${FONT}` : FONT;
    width = ruler.measureText(text).width;
    widths.set(key, width);
  }
  return width;
}

function wrapped(text, isBold = false, most = MOST_LINES) {
  const lines = [];
  let line = "";
  const kept = text.replace(/ ([<>=≤≥≠]) (?=\S)/g, " $1\u00a0"); // a comparison stays with its number
  for (let word of kept.split(/[^\S\u00a0]+/)) {
    if (line && textWidth(`${line} ${word}`, isBold) <= WIDEST_TEXT) {
      line = `${line} ${word}`;
      continue;
    }
    if (line) lines.push(line);
    while (textWidth(word, isBold) > WIDEST_TEXT && word.length > 1) {
      let n = Math.max(1, Math.floor((word.length * WIDEST_TEXT) / textWidth(word, isBold)));
      while (n > 1 && textWidth(word.slice(0, n), isBold) > WIDEST_TEXT) n -= 1;
      lines.push(word.slice(0, n));
      word = word.slice(n);
    }
    line = word;
    if (lines.length > most) break;
  }
  if (line) lines.push(line);
  if (lines.length > most) {
    lines.length = most;
    lines[most - 1] = `${lines[most - 1].slice(0, -1)}…`;
  }
  return lines;
}

// The lines of a node's box, and its size; measured once.
const measured = TREES.map(() => new Map());

function boxOf(place, node) {
  let box = measured[place].get(node);
  if (!box) measured[place].set(node, (box = measuredBox(TREES[place], node)));
  return box;
}

function measuredBox(tree, node) {
  const lines = [];
  const best = tree.label[node];
  if (isLeaf(tree, node)) {
    for (const text of wrapped(className(tree, best), true, 2)) lines.push({ text, kind: "label" });
    const event = eventPlace(tree);
    const told = event ?? best;
    const name = told !== best ? `${clipped(tree.classes[told], 14)} ` : "";
    lines.push({ text: `${name}${percentText(tree.value[node][told])}`, kind: "chance" });
    lines.push({ text: `${countText(tree.counts[node][told])} of ${countText(tree.cases[node])}`, kind: "cases" });
    if (isOutvoted(tree, node)) lines.push({ text: outvotedText(tree, node), kind: "cases" });
  } else {
    tree.questions[node].forEach((question, i) => {
      const word = i ? `${tree.operator[node]} ` : "";
      wrapped(word + questionText(question, question.negated, 4)).forEach((text) => lines.push({ text, kind: "rule" }));
    });
    lines.push({ text: `${plural(tree.cases[node], "case")}`, kind: "cases" });
  }
  const width = Math.max(76, ...lines.map(({ text, kind }) => textWidth(text, kind === "label"))) + 2 * PAD;
  return { lines, width, height: lines.length * LINE + 2 * PAD + (isLeaf(tree, node) ? 4 : 10) };
}

// The place of the event among the classes of a tree; null where none was named.
function eventPlace(tree) {
  if (DATA.event === null) return null;
  const place = tree.classes.indexOf(CLASSES[DATA.event]);
  return place < 0 ? null : place;
}

// Boxes with places, for the nodes that are open to sight.
function layOut(place, isOpen) {
  const tree = TREES[place];
  const order = inOrder(tree, isOpen);
  const boxes = new Map(order.map((node) => [node, { node, ...boxOf(place, node) }]));
  const outlines = new Map();
  const apart = new Map();
  for (let i = order.length - 1; i >= 0; i--) {
    const node = order[i];
    const { width } = boxes.get(node);
    let outline = { lefts: [], rights: [], shift: 0 };
    if (!isLeaf(tree, node) && isOpen(node)) {
      const [left, right] = [outlines.get(tree.yes[node]), outlines.get(tree.no[node])];
      const distance = touching(left, right) + GAP;
      apart.set(node, distance);
      outline = merged(left, right, distance / 2);
      outlines.delete(tree.yes[node]);
      outlines.delete(tree.no[node]);
    }
    outline.lefts.push(-width / 2 - outline.shift);
    outline.rights.push(width / 2 - outline.shift);
    outlines.set(node, outline);
  }
  return placed(tree, order, boxes, apart);
}

function touching(left, right) {
  let distance = 0;
  for (let i = 1; i <= Math.min(left.rights.length, right.lefts.length); i++) {
    distance = Math.max(distance, left.rights.at(-i) + left.shift - right.lefts.at(-i) - right.shift);
  }
  return distance;
}

// The longer outline takes the shorter one in: all merges together cost as much as there are nodes.
function merged(left, right, half) {
  left.shift -= half;
  right.shift += half;
  const isLeft = left.lefts.length >= right.lefts.length;
  const [long, short] = isLeft ? [left, right] : [right, left];
  for (let i = 1; i <= short.lefts.length; i++) {
    const at = long.lefts.length - i;
    if (isLeft) long.rights[at] = short.rights.at(-i) + short.shift - long.shift;
    else long.lefts[at] = short.lefts.at(-i) + short.shift - long.shift;
  }
  return long;
}

function placed(tree, order, boxes, apart) {
  const heights = [];
  for (const box of boxes.values()) {
    const depth = tree.depth[box.node];
    heights[depth] = Math.max(heights[depth] ?? 0, box.height);
  }
  const tops = heights.map(() => 0);
  for (let d = 1; d < tops.length; d++) tops[d] = tops[d - 1] + heights[d - 1] + ROW_GAP;
  boxes.get(0).x = 0;
  let [least, most] = [Infinity, -Infinity];
  for (const node of order) {
    const box = boxes.get(node);
    box.y = tops[tree.depth[node]];
    least = Math.min(least, box.x - box.width / 2);
    most = Math.max(most, box.x + box.width / 2);
    if (!apart.has(node)) continue;
    boxes.get(tree.yes[node]).x = box.x - apart.get(node) / 2;
    boxes.get(tree.no[node]).x = box.x + apart.get(node) / 2;
  }
  for (const box of boxes.values()) box.x -= least;
  return { boxes, order, width: most - least, height: tops.at(-1) + heights.at(-1) };
}
