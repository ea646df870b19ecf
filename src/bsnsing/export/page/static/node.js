// What is known of the selected node.

function renderNode() {
  const tree = TREES[view.tree];
  const node = view.node;
  const leaf = isLeaf(tree, node);
  const best = tree.label[node];
  const proof = proofText(tree, node);
  put("node", 
    h("h2", { id: "node-title" }, leaf ? `Leaf #${node}: ` : `Node #${node}: `, h("span", null, leaf ? className(tree, best) : "a rule")),
    leaf ? leafRule(tree, node) : innerRule(tree, node),
    h("div", { class: "columns" },
      h("div", null, h("h3", null, `Classes of ${plural(tree.cases[node], "case")}`),
        h("p", { class: "legend" }, "Probability", h("span", null, "cases")),
        classBars(tree.classes, tree.colours, tree.value[node], tree.counts[node]),
        aboutShares(tree, node)),
      h("div", null,
        proof ? [h("h3", null, "Proof"), h("p", { class: tree.proof.optimal[node] ? "proven" : "open-proof" }, proof)] : null,
        h("h3", null, "Way here"),
        wayTo(tree, node),
        leaf && COLUMNS.length ? h("p", null, h("button", { type: "button", onclick: () => fillExample(view.tree, node) }, "Try a case that ends here")) : null)));
}

// Why probabilities are not just shares of the cases.
function aboutShares(tree, node) {
  const whole = tree.cases[node] || 1;
  if (tree.value[node].every((p, k) => Math.abs(p - tree.counts[node][k] / whole) < 5e-4)) return null;
  const reasons = [tree.taught ? "the teacher" : null, tree.weights ? "class weights" : null, "the nodes above"].filter(Boolean);
  return h("p", { class: "muted small" }, `Probabilities count in ${reasons.length > 1 ? `${reasons.slice(0, -1).join(", ")} and ${reasons.at(-1)}` : reasons[0]}, so they are not the plain shares of the cases.`);
}

function innerRule(tree, node) {
  return [
    h("p", { class: "big-rule" }, tree.questions[node].map((question, i) => [
      i ? h("b", null, ` ${tree.operator[node]} `) : null,
      h("span", { class: "question" }, questionText(question, question.negated, 60))]), " ?"),
    h("p", { class: "muted" }, "Yes leads to ", nodeLink(view.tree, tree.yes[node]), `, ${plural(tree.cases[tree.yes[node]], "case")}; no to `,
      nodeLink(view.tree, tree.no[node]), `, ${plural(tree.cases[tree.no[node]], "case")}.`, missingWords(tree, node), originWords(tree, node)),
  ];
}

function leafRule(tree, node) {
  const lines = leafConditions(tree, node);
  return lines.length ? conditionList(lines) : h("p", { class: "big-rule" }, "Every case ends here.");
}

// Where missing cells go, of the columns that had some at fit.
function missingWords(tree, node) {
  const parts = new Set();
  for (const question of tree.questions[node]) {
    const name = subjectName(question.subject);
    if (question.test === "is missing") continue;
    const says = question.whenMissing === null ? "leaves its question unknown: fit saw none"
      : question.whenMissing !== question.negated ? "answers yes" : "answers no";
    parts.add(` A missing ${name} ${says}.`);
  }
  return [...parts].join("");
}

// Where questions came from that were given by hand, or lent by another model.
function originWords(tree, node) {
  const lent = new Map();
  for (const question of tree.questions[node]) {
    if (question.origin) lent.set(question.origin, [...(lent.get(question.origin) ?? []), questionText(question)]);
  }
  return [...lent].map(([origin, texts]) => ` From ${origin}: ${texts.join("; ")}.`).join("");
}

function wayTo(tree, node) {
  const path = pathTo(tree, node);
  if (path.length === 1) return h("p", { class: "muted" }, "The root: every case starts here.");
  const steps = path.slice(0, -1);
  const first = Math.max(0, steps.length - MOST_STEPS);
  return h("ol", { class: "way-here", start: first + 1 }, steps.slice(first).map((at, i) => {
    const way = tree.yes[at] === path[first + i + 1];
    return h("li", null, nodeLink(view.tree, at), " ", needsText(tree, at, way), " ", h("span", { class: `way ${way ? "yes" : "no"}` }, way ? "yes" : "no"));
  }));
}
