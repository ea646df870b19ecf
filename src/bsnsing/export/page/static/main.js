// The page as a whole: what is selected, open and shown, and where each part is drawn.

const view = {
  tree: 0,
  node: 0,
  sheet: TREES.map(() => 0),
  closed: TREES.map((_, place) => new Set(pilesOf(place, 0))),
  isOutline: false,
  cells: COLUMNS.map(() => null),
  touched: false,
  answer: null,
  found: null,
  version: 0, // of what is open
};

// --- What is open: nodes that are not closed, on the sheet that is shown ---

// Another sheet, with all that is on it open.
function goToSheet(place, number) {
  view.sheet[place] = number;
  view.closed[place] = new Set(pilesOf(place, number));
  view.version += 1;
  picture.isNewSheet = true;
}

// What is on no sheet so far opens one level at a time.
function openNode(place, node) {
  const tree = TREES[place];
  const closed = view.closed[place];
  if (!closed.delete(node)) return;
  view.version += 1;
  for (const child of [tree.yes[node], tree.no[node]]) if (!isLeaf(tree, child) && !sheetOf(place).boxes.has(child)) closed.add(child);
}

function reveal(place, node) {
  if (!view.isOutline && !sheetOf(place).boxes.has(node)) goToSheet(place, homeOf(place, node));
  for (const at of pathTo(TREES[place], node).slice(0, -1)) openNode(place, at);
}

// From the outline, where any nodes may be open, to a sheet that shows what is selected.
function settleOnSheet(place) {
  const { boxes } = sheetOf(place);
  const isOnSheet = inOrder(TREES[place], (node) => !view.closed[place].has(node)).every((node) => boxes.has(node));
  if (!isOnSheet) goToSheet(place, homeOf(place, view.node));
}

function renderTree() {
  if (view.isOutline) renderOutline();
  else renderPicture();
}

function select(place, node, { focus = false, reveal: isRevealed = false } = {}) {
  if (place !== view.tree) showTree(place);
  view.node = node;
  if (isRevealed) reveal(place, node);
  renderTree();
  renderNode();
  if (!view.isOutline && (focus || isRevealed)) showInFrame(node);
  else if (view.isOutline && isRevealed) outline.items.get(node)?.scrollIntoView({ block: "nearest" });
  if (focus) focusNode();
  remember();
}

function focusNode() {
  const item = byId(view.isOutline ? "outline" : "drawing").querySelector(`[data-node="${view.node}"]`);
  item?.focus({ preventScroll: !view.isOutline });
}

function toggleNode(node) {
  const place = view.tree;
  const tree = TREES[place];
  const sheet = sheetOf(place);
  const hadFocus = document.activeElement?.closest("[role=tree]");
  const before = picture.layout?.boxes.get(node);
  if (view.closed[place].has(node)) {
    if (view.isOutline || sheet.boxes.has(tree.yes[node])) openNode(place, node);
    else goToSheet(place, homeOf(place, node));
  } else if (!view.isOutline && node && node === sheet.root) goToSheet(place, homeOf(place, tree.parent[node]));
  else view.closed[place].add(node);
  view.version += 1;
  const isLost = !view.isOutline && !sheetOf(place).boxes.has(view.node);
  if (isLost || (view.closed[place].has(node) && pathTo(tree, view.node).includes(node))) view.node = node;
  const old = before && { x: before.x, y: before.y };
  picture.isNewSheet = false;
  renderTree();
  if (!view.isOutline && old) { // the node stays where it was on screen, if what it opens is in the frame
    const now = picture.layout.boxes.get(node);
    picture.x += (old.x - now.x) * picture.scale;
    picture.y += (old.y - now.y) * picture.scale;
    for (const own of [tree.yes[node], tree.no[node], node]) if (picture.layout.order.includes(own)) showInFrame(own);
    placePicture();
  }
  renderNode();
  if (hadFocus) focusNode();
}

function showTree(place) {
  view.tree = place;
  view.node = 0;
  view.found = null;
  const chooser = byId("which-tree");
  if (chooser) chooser.value = String(place);
  renderTree();
  if (!view.isOutline) fitPicture({ readable: true });
  renderNode();
  renderRules();
  renderProof();
  if (view.touched) renderAnswer(answerOf(view.cells));
}

function showAs(isOutline) {
  view.isOutline = isOutline;
  byId("picture").toggleAttribute("hidden", isOutline); // elements of SVG have no .hidden
  byId("outline").hidden = !isOutline;
  byId("zooming").hidden = isOutline;
  byId("as-picture").setAttribute("aria-pressed", String(!isOutline));
  byId("as-outline").setAttribute("aria-pressed", String(isOutline));
  if (!isOutline) settleOnSheet(view.tree);
  renderTree();
  if (!isOutline) fitPicture({ readable: true });
}

// --- Search: nodes whose rule or answer has the text ---

function searchFor(text) {
  byId("search").value = typedText(text);
  search(true);
  byId("tree").scrollIntoView({ block: "start" });
}

function search(isReveal) {
  const tree = TREES[view.tree];
  const wanted = byId("search").value.trim().toLowerCase();
  view.found = null;
  if (wanted) {
    const hits = inOrder(tree).filter((node) => (isLeaf(tree, node) ? typedText(tree.classes[tree.label[node]]) : typedText(ruleText(tree, node, 1e9))).toLowerCase().includes(wanted) || `#${node}` === wanted);
    view.found = new Set(hits);
    byId("search-note").textContent = `${plural(hits.length, "node")} found`;
    if (isReveal && hits.length) {
      const next = hits[(hits.indexOf(view.node) + 1) % hits.length];
      select(view.tree, next, { reveal: true });
      return;
    }
  } else byId("search-note").textContent = "";
  renderTree();
}

// --- What the address remembers, the theme, printing ---

function remember() {
  try {
    history.replaceState(null, "", `#${IS_SINGLE ? "" : `tree=${view.tree}&`}node=${view.node}`);
  } catch { /* pages inside other pages may not */ }
}

function recall() {
  const asked = new URLSearchParams(location.hash.slice(1));
  const place = Number(asked.get("tree") ?? 0);
  const node = Number(asked.get("node") ?? NaN);
  const tree = TREES[place];
  if (tree && Number.isInteger(node) && node >= 0 && node < tree.n) select(place, node, { reveal: true });
}

function setTheme(theme) {
  document.documentElement.dataset.theme = theme;
  byId("theme").setAttribute("aria-pressed", String(theme === "dark"));
  byId("theme").textContent = theme === "dark" ? "Light" : "Dark";
}

function startTheme() {
  const dark = window.matchMedia("(prefers-color-scheme: dark)");
  const chosen = () => { try { return localStorage.getItem("bsnsing-theme"); } catch { return null; } };
  const follow = () => setTheme(chosen() ?? (dark.matches ? "dark" : "light"));
  follow();
  dark.addEventListener("change", follow);
  byId("theme").addEventListener("click", () => {
    const next = document.documentElement.dataset.theme === "dark" ? "light" : "dark";
    try { localStorage.setItem("bsnsing-theme", next); } catch { /* private windows */ }
    setTheme(next);
  });
}

// Paper shows whole trees: a picture while it can be read, else indented lines.
function beforePrint() {
  rulesTable?.showAll(true);
  proofTable?.showAll(true);
  const open = () => true;
  put("printed", TREES.map((tree, place) => {
    const title = tree.title ? h("h3", null, tree.title) : null;
    const reached = view.answer ? view.answer.walks[place].reached : null;
    if (tree.nLeaves[0] > 16) return h("section", null, title ?? "", outlineItems(place, { isOpen: open, reached }));
    const layout = seenOf(place, sheetOf(place, 0), open);
    const state = { place, isOpen: open, reached, selected: -1, found: null };
    const svg = s("svg", { viewBox: `${layout.left - 8} -8 ${layout.width + 16} ${layout.height + 16}`, class: "printed-picture", role: "img", "aria-label": "The whole tree" },
      drawEdges(tree, layout, reached), layout.order.map((node) => drawBox(tree, layout.boxes.get(node), state)));
    svg.style.maxWidth = `${layout.width + 16}px`;
    return h("section", null, title ?? "", svg);
  }));
}

function afterPrint() {
  put("printed");
  rulesTable?.showAll(false);
  proofTable?.showAll(false);
}

// --- Start ---

function renderHead() {
  byId("title").textContent = DATA.title;
  const inner = TREES.reduce((n, tree) => n + tree.nLeaves[0] - 1, 0);
  const proven = TREES.reduce((n, tree) => n + tree.proof.optimal.filter((is, i) => is && !isLeaf(tree, i)).length, 0);
  const leaves = TREES.reduce((n, tree) => n + tree.nLeaves[0], 0);
  const own = TREES.reduce((n, tree) => n + tree.proof.ownOptimal.filter((is, i) => is && !isLeaf(tree, i)).length, 0);
  const provenFor = TREES.some((tree) => tree.taught)
    ? ` for the teacher's training set, ${countText(own)} for the cases themselves` : "";
  byId("summary").textContent = [
    TREES.length > 1 ? `${TREES.length} trees` : null, plural(leaves, "leaf", "leaves"), plural(TREES[0].cases[0], "case"),
    plural(CLASSES.length, "class", "classes"), inner ? `${countText(proven)} of ${plural(inner, "split")} proven best${provenFor}` : null,
  ].filter(Boolean).join(" · ");
  put("legend", ...CLASSES.slice(0, 12).map((name, k) => h("li", { colour: DATA.colours[k] }, clipped(name, 40))),
    ...(CLASSES.length > 12 ? [h("li", { class: "more" }, `and ${CLASSES.length - 12} more`)] : []));
  if (TREES.some((tree) => tree.sheets.length > 1)) byId("keys").append(" What is closed in a large tree opens on a sheet of its own; Open all shows the whole tree on one.");
  if (TREES.length > 1) {
    byId("tree-tools").prepend(h("label", { class: "chooser" }, "Tree ", h("select", { id: "which-tree", onchange: (event) => { showTree(Number(event.target.value)); remember(); } },
      TREES.map((tree, i) => h("option", { value: i }, clipped(tree.title, 60))))));
  }
}

function listen() {
  byId("skip").addEventListener("click", (event) => { event.preventDefault(); byId("case-title").focus(); });
  listenToPicture();
  listenToOutline();
  byId("as-picture").addEventListener("click", () => showAs(false));
  byId("as-outline").addEventListener("click", () => showAs(true));
  byId("zoom-in").addEventListener("click", () => zoomPicture(1.25));
  byId("zoom-out").addEventListener("click", () => zoomPicture(0.8));
  byId("fit").addEventListener("click", () => fitPicture());
  byId("open-all").addEventListener("click", () => {
    goToSheet(view.tree, TREES[view.tree].sheets.length - 1);
    renderTree();
    if (!view.isOutline) fitPicture({ readable: true });
  });
  byId("close-all").addEventListener("click", () => {
    const tree = TREES[view.tree];
    goToSheet(view.tree, 0);
    for (let i = 1; i < tree.n; i++) if (!isLeaf(tree, i)) view.closed[view.tree].add(i);
    view.version += 1;
    select(view.tree, 0);
    if (!view.isOutline) fitPicture({ readable: true });
  });
  byId("search").addEventListener("input", () => search(false));
  byId("search").addEventListener("keydown", (event) => { if (event.key === "Enter") { event.preventDefault(); search(true); } });
  byId("clear").addEventListener("click", () => setCells(COLUMNS.map(() => null)));
  byId("example").addEventListener("click", nextExample);
  byId("rules-filter").addEventListener("input", (event) => filterRules(event.target.value));
  byId("print").addEventListener("click", () => window.print());
  window.addEventListener("hashchange", recall);
  window.addEventListener("beforeprint", beforePrint);
  window.addEventListener("afterprint", afterPrint);
  let width = window.innerWidth;
  window.addEventListener("resize", () => {
    if (window.innerWidth === width) return; // a phone's bars come and go
    width = window.innerWidth;
    if (!view.isOutline && !picture.moved) fitPicture({ readable: true });
  });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "/" || /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName)) return;
    event.preventDefault();
    byId("search").focus();
  });
}

// Leaves with most cases first.
let examples = 0;
function nextExample() {
  const tree = TREES[view.tree];
  const leaves = inOrder(tree).filter((node) => isLeaf(tree, node)).sort((a, b) => tree.cases[b] - tree.cases[a] || a - b);
  for (let tried = 0; tried < leaves.length; tried++) {
    const found = exampleFor(tree, leaves[examples++ % leaves.length]);
    if (found.cells?.some((cell) => cell !== null)) { setCells(found.cells); return; }
  }
}

renderHead();
startTheme();
buildForm();
listen();
renderRules();
renderColumns();
renderCard();
renderAnswer(answerOf(view.cells));
showAs(window.innerWidth < 720);
renderNode();
recall();

// For those who automate the page: cases are lists of typed texts, null where not known.
window.bsnsing = Object.freeze({
  cells: (texts) => texts.map((text, place) => (text === null ? null : cellFrom(place, text))),
  texts: (cells) => cells.map((cell, place) => (cell === null ? null : textOf(place, cell))),
  predictProba: (cases) => cases.map((texts) => answerOf(window.bsnsing.cells(texts)).probabilities),
  predict: (cases) => cases.map((texts) => answerOf(window.bsnsing.cells(texts)).label),
  nearest: (texts, fixed = []) => {
    const cells = window.bsnsing.cells(texts);
    const { label } = answerOf(cells);
    const found = nearestChange(cells, new Set(fixed), label);
    return found.reason ? found : { leaves: found.leaves, columns: found.changes.map(({ place }) => place), texts: found.changes.map(({ text }) => text), nAnswers: found.nAnswers, isWhole: found.isWhole, cells: found.cells };
  },
});
document.documentElement.dataset.ready = "true";
