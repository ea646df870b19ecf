// The tree as indented lines, which phones show in full width and screen readers read in order.

function outlineItem(tree, node, state) {
  const leaf = isLeaf(tree, node);
  const isOpen = leaf || state.isOpen(node);
  const parent = tree.parent[node];
  const way = parent < 0 ? "" : tree.yes[parent] === node ? "yes" : "no";
  const best = tree.label[node];
  const classes = ["line", leaf ? "leaf" : "inner"];
  if (state.reached?.has(node)) classes.push("lit");
  if (state.selected === node) classes.push("selected");
  if (state.found?.has(node)) classes.push("found");
  const item = h("div", {
    class: classes.join(" "), colour: tree.colours[best], "data-tree": state.place, "data-node": node,
    role: "treeitem", tabindex: state.selected === node ? 0 : -1, "aria-level": tree.depth[node] + 1,
    "aria-expanded": leaf ? null : String(isOpen), "aria-selected": String(state.selected === node),
    "aria-label": nodeLabel(tree, node),
  },
  leaf ? null : h("span", { class: "twist", "data-toggle": node, "aria-hidden": "true" }, isOpen ? "▾" : "▸"),
  way ? h("span", { class: `way ${way}` }, way) : null,
  leaf
    ? [h("strong", null, className(tree, best)), " ",
      h("span", { class: "muted" }, [`${percentText(tree.value[node][best])} · ${countText(tree.counts[node][best])} of ${countText(tree.cases[node])}`, outvotedText(tree, node)].filter(Boolean).join(" · "))]
    : [h("span", { class: "rule" }, `${ruleText(tree, node)} ?`),
      isOpen ? null : h("span", { class: "muted" }, ` ${plural(tree.nLeaves[node], "leaf", "leaves")}`)]);
  item.style.setProperty("--depth", Math.min(tree.depth[node], 24));
  return item;
}

function outlineItems(place, { isOpen, reached = null, selected = -1, found = null }) {
  const tree = TREES[place];
  return inOrder(tree, isOpen).map((node) => outlineItem(tree, node, { place, isOpen, reached, selected, found }));
}

const outline = { key: "", items: new Map() };

function renderOutline() {
  const key = `${view.tree} ${view.version}`;
  if (key === outline.key) {
    markOutline();
    return;
  }
  const items = outlineItems(view.tree, {
    isOpen: (node) => !view.closed[view.tree].has(node),
    reached: view.answer ? view.answer.walks[view.tree].reached : null,
    selected: view.node,
    found: view.found,
  });
  Object.assign(outline, { key, items: new Map(items.map((item) => [Number(item.dataset.node), item])) });
  put("outline", items);
  byId("outline").classList.toggle("long", items.length > 60);
}

// Only what lights up, is selected or found has changed.
function markOutline() {
  const reached = view.answer ? view.answer.walks[view.tree].reached : null;
  for (const [node, item] of outline.items) {
    const isSelected = node === view.node;
    item.classList.toggle("lit", Boolean(reached?.has(node)));
    item.classList.toggle("found", Boolean(view.found?.has(node)));
    if (item.classList.toggle("selected", isSelected) !== (item.tabIndex === 0)) {
      item.tabIndex = isSelected ? 0 : -1;
      item.setAttribute("aria-selected", String(isSelected));
    }
  }
}

function listenToOutline() {
  byId("outline").addEventListener("click", (event) => {
    const item = event.target.closest("[data-node]");
    if (!item) return;
    if (event.target.closest("[data-toggle]")) toggleNode(Number(item.dataset.node));
    select(view.tree, Number(item.dataset.node), { focus: true });
  });
  byId("outline").addEventListener("keydown", treeKeys);
}

// The keys of a tree, as screen readers know them.
function treeKeys(event) {
  const tree = TREES[view.tree];
  const closed = view.closed[view.tree];
  const isOpen = (node) => !closed.has(node);
  const order = view.isOutline ? inOrder(tree, isOpen) : picture.layout.order;
  const at = order.indexOf(view.node);
  const node = view.node;
  const to = (next) => next !== undefined && next >= 0 && select(view.tree, next, { focus: true, reveal: true });
  const leaf = isLeaf(tree, node);
  if (event.altKey || event.ctrlKey || event.metaKey) return;
  switch (event.key) {
    case "ArrowDown": to(order[at + 1]); break;
    case "ArrowUp": to(order[at - 1]); break;
    case "ArrowRight":
      if (!leaf && !isOpen(node)) toggleNode(node);
      else if (!leaf) to(tree.yes[node]);
      break;
    case "ArrowLeft":
      if (!leaf && isOpen(node)) toggleNode(node);
      else to(tree.parent[node]);
      break;
    case "Home": to(0); break;
    case "End": to(order.at(-1)); break;
    case "Enter": case " ": if (!leaf) toggleNode(node); break;
    case "+": case "=": zoomPicture(1.25); break;
    case "-": zoomPicture(0.8); break;
    case "0": fitPicture(); break;
    default: return;
  }
  event.preventDefault();
}
