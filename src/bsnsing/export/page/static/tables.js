// Tables that are sorted by their heads: leaf rules, columns used, and the model card.

const FIRST_ROWS = window.innerWidth < 720 ? 8 : 20;

const inWords = new Intl.Collator("en", { numeric: true });

function sortedTable({ id, caption, columns, rows, sort, isDown = false }) {
  const state = { sort, isDown, most: FIRST_ROWS, keeps: () => true };
  const box = h("div", { class: "table-box" });
  const render = () => {
    const keys = rows.map(columns[state.sort].key);
    const order = rows.map((_, i) => i).filter((i) => state.keeps(rows[i]));
    const sign = state.isDown ? -1 : 1;
    const compare = (a, b) => (typeof a === "number" && typeof b === "number" ? a - b : inWords.compare(String(a), String(b)));
    order.sort((a, b) => sign * compare(keys[a], keys[b]) || a - b);
    const head = columns.map(({ name, key, numeric }, i) =>
      h("th", { scope: "col", class: numeric ? "number" : null, "aria-sort": i === state.sort && key ? (state.isDown ? "descending" : "ascending") : null },
        key ? h("button", { type: "button", class: "sort", onclick: () => {
          state.isDown = i === state.sort ? !state.isDown : Boolean(numeric);
          state.sort = i;
          render();
          box.querySelectorAll("th")[i].querySelector("button").focus();
        } }, name) : name));
    const body = order.slice(0, state.most).map((i) =>
      h("tr", null, columns.map(({ cell, numeric, name }) => h("td", { class: numeric ? "number" : null, "data-name": name }, cell(rows[i])))));
    const rest = order.length - state.most;
    box.replaceChildren(
      h("table", { id }, h("caption", null, caption), h("thead", null, h("tr", null, head)), h("tbody", null, body)),
      ...(rest > 0 ? [h("p", { class: "screen-only" }, h("button", { type: "button", onclick: () => { state.most += 500; render(); } }, `Show more (${countText(rest)} left)`))] : []),
      ...(order.length === 0 ? [h("p", { class: "muted" }, "Nothing found.")] : []));
  };
  render();
  return {
    box,
    filter: (keeps) => { state.keeps = keeps; render(); },
    showAll: (isAll) => { state.most = isAll ? Infinity : FIRST_ROWS; render(); },
  };
}

let rulesTable = null;
let proofTable = null;

function renderRules() {
  const tree = TREES[view.tree];
  const place = view.tree;
  const whole = tree.cases[0] || 1;
  const event = eventPlace(tree);
  const found = foundInLeaves(place);
  const rows = inOrder(tree).filter((node) => isLeaf(tree, node)).map((node, order) => {
    const best = tree.label[node];
    return { node, order, best, told: event ?? best };
  });
  const columns = [
    { name: "Leaf", key: ({ node }) => node, cell: ({ node }) => nodeLink(place, node) },
    { name: "If", key: ({ order }) => order, cell: ({ node }) => conditionList(leafConditions(tree, node)) },
    { name: "Answer", key: ({ best }) => tree.classes[best], cell: ({ best }) => h("span", { class: tree.classes[best].length > 24 ? "named" : "named short", colour: tree.colours[best] }, className(tree, best)) },
    { name: event === null ? "Probability" : `P(${clipped(tree.classes[event], 20)})`, numeric: true, key: ({ node, told }) => tree.value[node][told],
      cell: ({ node, told }) => h("span", { class: "cell-bar", colour: tree.colours[told], part: tree.value[node][told] }, percentText(tree.value[node][told])) },
    { name: "Cases", numeric: true, key: ({ node }) => tree.cases[node], cell: ({ node }) => countText(tree.cases[node]) },
    { name: "Share", numeric: true, key: ({ node }) => tree.cases[node], cell: ({ node }) => percentText(tree.cases[node] / whole) },
  ];
  if (found) {
    columns.push({ name: "Found", numeric: true, key: ({ node, told }) => foundShare(found.get(node), told),
      cell: ({ node, told }) => (found.has(node) ? `${percentText(foundShare(found.get(node), told))} of ${countText(sum(found.get(node)))}` : "–") });
  }
  rulesTable = sortedTable({ id: "rules-table", caption: `One row per leaf.${found ? " Found: share of the class among the given cases that ended there." : ""}`,
    columns, rows, sort: event === null ? 4 : 3, isDown: true });
  put("rules", rulesTable.box);
}

const MOST_CONDITIONS = 60; // that a row lists

function conditionList(lines) {
  if (!lines.length) return "every case";
  const rest = lines.length - MOST_CONDITIONS;
  return h("ul", { class: "conditions" }, lines.slice(0, MOST_CONDITIONS).map((line) => h("li", null, line)), rest > 0 ? h("li", null, `and ${rest} more`) : null);
}

// Keeps the leaves that a text is found on the way to, or in whose answer it is.
function filterRules(text) {
  const tree = TREES[view.tree];
  const wanted = text.trim().toLowerCase();
  const has = new Uint8Array(tree.n);
  for (let node = 0; node < tree.n; node++) { // parents come first
    if (isLeaf(tree, node)) {
      if (typedText(tree.classes[tree.label[node]]).toLowerCase().includes(wanted) || `#${node}` === wanted) has[node] = 1;
      continue;
    }
    for (const way of [true, false]) {
      if (has[node] || typedText(needsText(tree, node, way)).toLowerCase().includes(wanted)) has[way ? tree.yes[node] : tree.no[node]] = 1;
    }
  }
  rulesTable.filter(({ node }) => wanted === "" || has[node] === 1);
}

const foundShare = (counts, k) => (counts && sum(counts) ? counts[k] / sum(counts) : -1);

function foundInLeaves(place) {
  const leaves = DATA.figures?.leaves;
  return leaves && place === 0 ? new Map(leaves) : null;
}

function renderColumns() {
  const most = greatest(DATA.columnsUsed.map(([, , share]) => share), 1e-9);
  const rows = DATA.columnsUsed.map(([place, nRules, share]) => ({ place, nRules, share }));
  const table = sortedTable({ id: "columns-table", caption: "Importance: share in what all rules together take off the impurity.", rows, sort: 1, isDown: true,
    columns: [
      { name: "Column", key: ({ place }) => COLUMNS[place].name, cell: ({ place }) => h("button", { type: "button", class: "link", "aria-label": `Search the tree for ${subjectName(place)}`, onclick: () => searchFor(COLUMNS[place].name) }, subjectName(place)) },
      { name: "Importance", numeric: true, key: ({ share }) => share, cell: ({ share }) => h("span", { class: "cell-bar", part: share / most }, percentText(share)) },
      { name: "Rules", numeric: true, key: ({ nRules }) => nRules, cell: ({ nRules }) => countText(nRules) },
      { name: "Kind", key: ({ place }) => COLUMNS[place].kind, cell: ({ place }) => kindWords(COLUMNS[place]) },
      { name: "Missing at fit", key: ({ place }) => String(COLUMNS[place].missing), cell: ({ place }) => (COLUMNS[place].missing ? "yes" : "no") },
    ] });
  put("columns", table.box);
  byId("columns-lead").textContent = `${DATA.columnsUsed.length} of ${plural(DATA.nColumns, "column")} ${DATA.columnsUsed.length === 1 ? "is" : "are"} asked about.`;
}

const kindWords = ({ kind, levels, scale }) => (scale ? MOMENT_KINDS[scale] : kind === "categorical" ? plural(levels.length, "level") : kind === "boolean" ? "true or false" : "number");

// --- The model card ---

const KIND_WORDS = { numeric: "of numbers", moment: "of dates", time: "of times of day", duration: "of durations", boolean: "of true or false", categorical: "of levels" };

function renderCard() {
  const first = TREES[0];
  const nCases = first.cases[0];
  const inner = TREES.reduce((n, tree) => n + tree.nLeaves[0] - 1, 0);
  const proven = TREES.reduce((n, tree) => n + tree.proof.optimal.filter((is, i) => is && !isLeaf(tree, i)).length, 0);
  const facts = [
    ["Model", DATA.kind],
    ["Fitted on", `${plural(nCases, "case")}, ${plural(DATA.nColumns, "column")}, ${plural(CLASSES.length, "class", "classes")}`],
    ["Columns", `${Object.keys(KIND_WORDS).filter((kind) => DATA.kinds[kind]).map((kind) => `${countText(DATA.kinds[kind])} ${KIND_WORDS[kind]}`).join(", ")}; ${DATA.nMissing ? countText(DATA.nMissing) : "none"} with missing cells`],
    ["Trees", TREES.length === 1 ? "one" : `${TREES.length}${MEMBERS.some((own) => own.length > 1) ? ", one per class" : ""}${MEMBERS.length > 1 ? `, ${DATA.voting === "hard" ? "which vote" : "whose probabilities are averaged"}` : ""}`],
    ["Size", TREES.length === 1 ? `${plural(first.nLeaves[0], "leaf", "leaves")}, depth ${greatest(first.depth)}` : `${plural(TREES.reduce((n, t) => n + t.nLeaves[0], 0), "leaf", "leaves")} together`],
    ["Splits proven best", `${countText(proven)} of ${countText(inner)} ${first.taught ? "for the teacher's training set" : "for the cases of their node"}`],
  ];
  if (first.weights && MEMBERS[0].length === 1) facts.push(["Class weights", first.weights.map((w, k) => `${className(first, k)} ${numberText(w)}`).join(", ")]);
  put("facts", ...facts.map(([name, text]) => h("div", null, h("dt", null, name), h("dd", null, text))));
  const [own] = MEMBERS; // with one tree per class, each counts its own
  const counts = own.length === 1 ? first.counts[0] : own.map((place) => TREES[place].counts[0][1]);
  put("class-counts", h("h3", null, "Classes at fit"), classBars(CLASSES, DATA.colours, counts.map((n) => n / (nCases || 1)), counts));
  renderFigures();
  renderSettings();
  renderProof();
}

function renderSettings() {
  const rows = DATA.settings;
  put("settings", ...(rows.length
    ? [h("h3", null, "Settings"), h("p", { class: "muted" }, "Those that differ from the defaults come first."),
      h("dl", { class: "settings" }, [...rows].sort((a, b) => a[2] - b[2]).map(([name, value, isUsual]) =>
        h("div", { class: isUsual ? "usual" : "changed" }, h("dt", null, name), h("dd", null, value))))] : []));
}

function renderFigures() {
  const figures = DATA.figures;
  if (!figures) return;
  const tiles = [["Cases", countText(figures.n)], ["Accuracy", figures.accuracy.toFixed(4)], ["AUC", figures.auc === null ? "–" : figures.auc.toFixed(4)],
    ["Log loss", figures.logLoss.toFixed(4)], ["Brier score", figures.brier.toFixed(4)]];
  const most = greatest(figures.confusion.flat(), 1);
  put("figures", 
    h("h3", null, "Figures on given cases"),
    h("dl", { class: "tiles" }, tiles.map(([name, text]) => h("div", null, h("dt", null, name), h("dd", null, text)))),
    h("div", { class: "scroll", role: "region", "aria-label": "Confusion matrix", tabindex: 0 }, h("table", { class: "confusion" }, h("caption", null, "Rows: the label. Columns: the answer."),
      h("thead", null, h("tr", null, h("td", null), CLASSES.map((name) => h("th", { scope: "col" }, clipped(name, 20))))),
      h("tbody", null, figures.confusion.map((row, i) => h("tr", null, h("th", { scope: "row" }, clipped(CLASSES[i], 20)),
        row.map((n, k) => h("td", { class: i === k ? "right" : n ? "wrong" : "none", part: n / most }, countText(n)))))))),
    calibrationTable());
}

function calibrationTable() {
  const found = foundInLeaves(0);
  if (!found) return null;
  const tree = TREES[0];
  const event = eventPlace(tree);
  const rows = [...found].map(([node, counts]) => {
    const told = event ?? tree.label[node];
    return { node, n: sum(counts), told, said: tree.value[node][told], seen: foundShare(counts, told) };
  });
  return h("div", { class: "scroll" }, sortedTable({ id: "calibration-table", caption: "Calibration by leaf: what the leaf says, and what was found there. Cases that met an unknown count for the node where they did.",
    rows, sort: 3, isDown: true, columns: [
      { name: "Leaf", key: ({ node }) => node, cell: ({ node }) => nodeLink(0, node) },
      { name: "Class", key: ({ told }) => tree.classes[told], cell: ({ told }) => className(tree, told) },
      { name: "Cases", numeric: true, key: ({ n }) => n, cell: ({ n }) => countText(n) },
      { name: "Says", numeric: true, key: ({ said }) => said, cell: ({ said }) => percentText(said) },
      { name: "Found", numeric: true, key: ({ seen }) => seen, cell: ({ seen, told }) => h("span", { class: "cell-bar", colour: tree.colours[told], part: seen }, percentText(seen)) },
    ] }).box);
}

function renderProof() {
  const tree = TREES[view.tree];
  const place = view.tree;
  const { proof } = tree;
  const rows = inOrder(tree).filter((node) => !isLeaf(tree, node)).map((node) => ({ node, text: ruleText(tree, node) }));
  const head = byId("proof");
  if (!rows.length) { head.replaceChildren(h("p", { class: "muted" }, "The tree has no splits.")); return; }
  const columns = [
    { name: "Node", key: ({ node }) => node, cell: ({ node }) => nodeLink(place, node) },
    { name: "Rule", key: ({ text }) => text, cell: ({ text }) => text },
    { name: "Proof", key: ({ node }) => proof.optimal[node], cell: ({ node }) => h("span", { class: proof.optimal[node] ? "proven" : "open-proof" }, proof.optimal[node] ? "best" : "best found") },
    { name: "Objective", numeric: true, key: ({ node }) => proof.objective[node] ?? 0, cell: ({ node }) => numberText(proof.objective[node]) },
    { name: "Bound", numeric: true, key: ({ node }) => proof.bound[node] ?? 0, cell: ({ node }) => numberText(proof.bound[node]) },
    { name: "Rules compared", numeric: true, key: ({ node }) => proof.rules[node], cell: ({ node }) => countText(Math.round(proof.rules[node])) },
  ];
  if (tree.taught) {
    columns.push({ name: "On own cases", key: ({ node }) => proof.ownOptimal[node], cell: ({ node }) => (proof.ownOptimal[node] ? "best" : `${numberText(proof.own[node])}, best ${proof.bestOwnProven[node] ? "" : "found "}${numberText(proof.bestOwn[node])}`) });
  }
  proofTable = sortedTable({ id: "proof-table", columns, rows, sort: 0, caption: tree.taught
    ? "Objective and bound are those of the training set that the tree was grown on: soft labels, and synthetic rows."
    : "Objective of each rule, and what is proven of every rule there." });
  head.replaceChildren(proofTable.box);
}
