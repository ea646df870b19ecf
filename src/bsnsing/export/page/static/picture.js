// The tree as a picture: boxes and edges, moved and scaled as a whole.

const picture = { layout: null, key: "", scale: 1, x: 0, y: 0, moved: false, isNewSheet: false, drawn: null };
const { padding: PAD, bar: BAR, foot: FOOT, small: SMALL } = DATA.measures;
const MANY = 500; // boxes from which on only those in sight are drawn
const SMALLEST_FIT = 0.7; // scale that a picture starts with at least
const SMALLEST_TEXT = 0.2; // scale below which the text of many boxes is left out

// Down from its node to the foot of the row, and over to the child.
const edgePath = (from, to, start) => {
  const [x, turn, x2, y2] = [from.x + start, from.under, to.x, to.y];
  const middle = (turn + y2) / 2;
  return `M${x} ${from.y + from.height}V${turn}C${x} ${middle} ${x2} ${middle} ${x2} ${y2}`;
};

function drawEdges(tree, layout, reached, isInSight = () => true) {
  const edges = [];
  for (const node of layout.order) {
    const parent = tree.parent[node];
    if (node === layout.order[0] || !isInSight(layout.boxes.get(node), layout.boxes.get(parent))) continue;
    const [from, to] = [layout.boxes.get(parent), layout.boxes.get(node)];
    const isYes = tree.yes[parent] === node;
    const isLit = reached?.has(node);
    const part = reached?.get(node)?.part;
    const word = isLit && part < 0.9995 ? `${isYes ? "yes" : "no"} ${percentText(part)}` : isYes ? "yes" : "no";
    const [width, start] = tree.links[node];
    edges.push(s("g", { class: isLit ? "edge lit" : "edge" },
      s("path", { d: edgePath(from, to, start), "stroke-width": width }),
      s("text", { x: (from.x + start + to.x) / 2, y: (from.under + to.y) / 2 + 0.35 * SMALL, "text-anchor": "middle" }, word)));
  }
  return edges;
}

function drawBox(tree, box, state) {
  const { node, lines, width, height } = box;
  const left = box.x - width / 2;
  const leaf = isLeaf(tree, node);
  const isOpen = leaf || state.isOpen(node);
  const classes = ["node", leaf ? "leaf" : "inner"];
  if (state.reached?.has(node)) classes.push("lit");
  if (state.selected === node) classes.push("selected");
  if (state.found?.has(node)) classes.push("found");
  const best = tree.label[node];
  return s("g", {
    class: classes.join(" "), colour: tree.colours[best], "data-tree": state.place, "data-node": node,
    role: "treeitem", tabindex: state.selected === node ? 0 : -1, "aria-level": tree.depth[node] + 1,
    "aria-expanded": leaf ? null : String(isOpen), "aria-selected": String(state.selected === node),
    "aria-label": nodeLabel(tree, node),
  },
  s("rect", { x: left, y: box.y, width, height, rx: leaf ? 9 : 4, class: "box" }),
  state.isPlain ? null : s("g", { "aria-hidden": "true" },
    lines.map(([text, y, role]) => s("text", { x: box.x, y: box.y + y, "text-anchor": "middle", class: ROLES[role] }, text)),
    drawShares(tree, node, left + PAD, box.y + height - BAR - FOOT, width - 2 * PAD),
    node === state.top && node ? upwards(box, tree.depth[node]) : null,
    leaf ? null : s("g", { class: "toggle", "data-toggle": node },
      s("circle", { cx: box.x, cy: box.y + height, r: 9 }),
      s("text", { x: box.x, y: box.y + height + 4, "text-anchor": "middle" }, isOpen ? "−" : "+"),
      isOpen ? null : s("text", { x: box.x, y: box.y + height + 24, "text-anchor": "middle", class: "detail" }, plural(tree.nLeaves[node], "leaf", "leaves")))));
}

// Where the way down to a deep sheet is longer than the sheet shows.
const upwards = (box, nAbove) => s("text", { x: box.x, y: box.y - 8, "text-anchor": "middle", class: "detail upwards", "data-up": box.node }, `▲ ${plural(nAbove, "rule")} above`);

function drawShares(tree, node, x, y, width) {
  let at = x;
  return s("g", { class: "shares" }, tree.value[node].map((p, k) => {
    const part = s("rect", { x: at, y, width: Math.max(0, p * width), height: BAR, colour: tree.colours[k] });
    at += p * width;
    return part;
  }));
}

// All of a node in words, for who does not see it.
function nodeLabel(tree, node) {
  const parent = tree.parent[node];
  const way = parent < 0 ? "" : tree.yes[parent] === node ? "yes: " : "no: ";
  const best = tree.label[node];
  if (isLeaf(tree, node)) {
    return `${way}answer ${className(tree, best)}, ${percentText(tree.value[node][best])}, ` +
      `${countText(tree.counts[node][best])} of ${plural(tree.cases[node], "case")}, ${isOutvoted(tree, node) ? `${outvotedText(tree, node)}, ` : ""}leaf ${node}`;
  }
  return `${way}${ruleText(tree, node)} ? ${plural(tree.cases[node], "case")}, node ${node}${tree.proof.optimal[node] ? "" : ", not proven best"}`;
}

function renderPicture() {
  const tree = TREES[view.tree];
  const isOpen = (node) => !view.closed[view.tree].has(node);
  const reached = view.answer ? view.answer.walks[view.tree].reached : null;
  const sheet = sheetOf(view.tree);
  const key = `${view.tree} ${sheet.number} ${view.version}`;
  if (key !== picture.key) {
    Object.assign(picture, { key, layout: seenOf(view.tree, sheet, isOpen) });
    growFrame();
  }
  const { layout } = picture;
  const isMany = layout.order.length > MANY;
  picture.drawn = isMany ? sight(1) : null;
  const isPlain = isMany && picture.scale < SMALLEST_TEXT;
  const isInSight = isMany ? (box, other = box) => meets(picture.drawn, box, other) : () => true;
  const state = { place: view.tree, isOpen, reached, selected: view.node, found: view.found, isPlain, top: sheet.top };
  const edges = drawEdges(tree, layout, reached, isInSight);
  edges.sort((a, b) => a.classList.contains("lit") - b.classList.contains("lit"));
  const drawing = byId("drawing");
  const hadFocus = drawing.contains(document.activeElement);
  const boxes = layout.order.map((node) => layout.boxes.get(node)).filter((box) => box.node === view.node || isInSight(box));
  put("drawing", s("g", { "aria-hidden": "true" }, edges),
    s("g", { role: "presentation" }, boxes.map((box) => drawBox(tree, box, state))));
  if (hadFocus) drawing.querySelector(`[data-node="${view.node}"]`)?.focus({ preventScroll: true });
  const isFitted = picture.isNewSheet && !picture.moved;
  picture.isNewSheet = false;
  if (isFitted) fitPicture({ readable: true });
  else movePicture();
}

// What the frame shows, in the picture's own measure, with `around` frames on each side.
function sight(around) {
  const { width, height } = frameSize();
  const { x, y, scale } = picture;
  return {
    left: (-x - around * width) / scale, right: (-x + (1 + around) * width) / scale,
    top: (-y - around * height) / scale, bottom: (-y + (1 + around) * height) / scale, isPlain: scale < SMALLEST_TEXT,
  };
}

const meets = (seen, box, other) =>
  Math.min(box.x - box.width / 2, other.x) <= seen.right && Math.max(box.x + box.width / 2, other.x) >= seen.left &&
  Math.min(box.y, other.y) <= seen.bottom && Math.max(box.y, other.y) + box.height >= seen.top;

function movePicture() {
  byId("drawing").setAttribute("transform", `translate(${picture.x} ${picture.y}) scale(${picture.scale})`);
  byId("zoom-level").textContent = `${Math.round(100 * picture.scale)}%`;
}

let redraw = 0;
function placePicture() {
  movePicture();
  const { drawn } = picture;
  if (!drawn) return;
  const seen = sight(0);
  const isDrawn = seen.left >= drawn.left && seen.right <= drawn.right && seen.top >= drawn.top && seen.bottom <= drawn.bottom;
  if (isDrawn && seen.isPlain === drawn.isPlain) return;
  cancelAnimationFrame(redraw);
  redraw = requestAnimationFrame(renderPicture);
}

const frameSize = () => {
  const { width, height } = byId("picture").getBoundingClientRect();
  return { width: width || 1, height: height || 1 };
};

const FRAME_MARGIN = 24;
const mostHeight = () => Math.max(320, 0.74 * window.innerHeight);
const neededHeight = (scale) => Math.max(220, Math.min(mostHeight(), scale * picture.layout.height + 2 * FRAME_MARGIN + 20));

// Opened nodes make the frame higher; closed ones leave it, so that nothing jumps.
function growFrame() {
  const { height } = frameSize();
  const needed = neededHeight(picture.scale);
  if (needed > height && height > 1) byId("picture").style.height = `${needed}px`;
}

// The frame is as high as the picture needs, within what a screen shows.
function fitPicture({ readable = false } = {}) {
  const { layout } = picture;
  const margin = FRAME_MARGIN;
  const { width } = frameSize();
  let scale = Math.min(1, (width - 2 * margin) / layout.width, (mostHeight() - 2 * margin - 20) / layout.height);
  if (readable) scale = Math.max(scale, SMALLEST_FIT);
  byId("picture").style.height = `${neededHeight(scale)}px`;
  picture.scale = scale;
  const middle = layout.boxes.get(layout.order.includes(layout.sheet.root) ? layout.sheet.root : layout.order[0]);
  const fits = layout.width * scale <= width - margin;
  const [least, most] = [width - margin - (layout.left + layout.width) * scale, margin - layout.left * scale];
  picture.x = fits ? (width - layout.width * scale) / 2 - layout.left * scale : Math.max(least, Math.min(most, width / 2 - middle.x * scale));
  picture.y = margin - layout.top * scale;
  picture.moved = false;
  placePicture();
}

function zoomPicture(factor, at = null) {
  const { width, height } = frameSize();
  const [x, y] = at ?? [width / 2, height / 2];
  const scale = Math.min(3, Math.max(0.03, picture.scale * factor));
  const ratio = scale / picture.scale;
  picture.x = x - (x - picture.x) * ratio;
  picture.y = y - (y - picture.y) * ratio;
  picture.scale = scale;
  picture.moved = true;
  placePicture();
}

// Moves the picture so that a node is in the frame, and no further.
function showInFrame(node) {
  const box = picture.layout.boxes.get(node);
  if (!box) return;
  const { width, height } = frameSize();
  const scale = picture.scale;
  const margin = 16;
  const left = picture.x + (box.x - box.width / 2) * scale;
  const right = left + box.width * scale;
  const top = picture.y + box.y * scale;
  const bottom = top + box.height * scale;
  if (left < margin) picture.x += margin - left;
  else if (right > width - margin) picture.x -= Math.min(right - width + margin, left - margin);
  if (top < margin) picture.y += margin - top;
  else if (bottom > height - margin) picture.y -= Math.min(bottom - height + margin, top - margin);
  placePicture();
}

// One finger or the mouse moves, two fingers or ctrl and the wheel scale.
function listenToPicture() {
  const frame = byId("picture");
  const fingers = new Map();
  let start = null;
  frame.addEventListener("pointerdown", (event) => {
    fingers.set(event.pointerId, [event.clientX, event.clientY]);
    start = { x: event.clientX, y: event.clientY, isDrag: false };
  });
  window.addEventListener("pointermove", (event) => {
    const before = fingers.get(event.pointerId);
    if (!before) return;
    const now = [event.clientX, event.clientY];
    if (fingers.size === 2) {
      const [other] = [...fingers].filter(([id]) => id !== event.pointerId).map(([, at]) => at);
      const distance = ([x, y]) => Math.hypot(x - other[0], y - other[1]) || 1;
      const { left, top } = frame.getBoundingClientRect();
      zoomPicture(distance(now) / distance(before), [(now[0] + other[0]) / 2 - left, (now[1] + other[1]) / 2 - top]);
      start.isDrag = true;
    } else {
      if (Math.hypot(now[0] - start.x, now[1] - start.y) > 4) start.isDrag = true;
      if (start.isDrag) {
        picture.x += now[0] - before[0];
        picture.y += now[1] - before[1];
        picture.moved = true;
        placePicture();
      }
    }
    fingers.set(event.pointerId, now);
  });
  const lift = (event) => fingers.delete(event.pointerId);
  window.addEventListener("pointerup", lift);
  window.addEventListener("pointercancel", lift);
  frame.addEventListener("wheel", (event) => {
    if (!event.ctrlKey && !event.metaKey) return; // the page scrolls
    event.preventDefault();
    const { left, top } = frame.getBoundingClientRect();
    zoomPicture(Math.exp(-event.deltaY / 300), [event.clientX - left, event.clientY - top]);
  }, { passive: false });
  frame.addEventListener("click", (event) => {
    if (start?.isDrag) return;
    const up = event.target.closest("[data-up]");
    if (up) { select(view.tree, TREES[view.tree].parent[Number(up.dataset.up)], { reveal: true, focus: true }); return; }
    const toggle = event.target.closest("[data-toggle]");
    const item = event.target.closest("[data-node]");
    if (toggle) toggleNode(Number(toggle.dataset.toggle));
    if (item) select(view.tree, Number(item.dataset.node), { focus: true });
  });
  frame.addEventListener("dblclick", (event) => {
    const item = event.target.closest("[data-node]");
    if (item && !event.target.closest("[data-toggle]")) toggleNode(Number(item.dataset.node));
  });
  frame.addEventListener("keydown", treeKeys);
}
