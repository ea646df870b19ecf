// Try a case: cells that are typed or picked, the answer, why, and what would change it.

const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;
const MOST_STEPS = 40;
// What stands below "why" and "nearest change" before a case is typed, or where none can be.
const CASE_LEADS = ["Type or pick values: the way through the tree lights up, with reasons.", "What would change the answer is told here."];
const NO_QUESTIONS = ["Nothing is asked: every case gets this answer.", "No change of a case changes the answer."];
const codesOf = COLUMNS.map((column) => new Map((column.levels ?? []).map((text, code) => [text, code])));
const codesOfNumbers = COLUMNS.map((column) => new Map((column.numbers ?? []).flatMap((number, code) => (number === null ? [] : [[number, code]]))));

// What a typed text is: a cell, or undefined where it is no number.
function cellFrom(place, text) {
  const { kind } = COLUMNS[place];
  if (kind === "categorical") {
    const codes = codesOf[place];
    if (codes.has(text)) return codes.get(text);
    const short = text.trim();
    if (short === "") return null;
    // 3.0 is 3; but whole numbers with more digits than a number has are what they are as text.
    const isExact = NUMBER.test(short) && (!/^[+-]?\d+$/.test(short) || Number.isSafeInteger(Number(short)));
    return codes.get(short) ?? (isExact ? codesOfNumbers[place].get(Number(short)) : undefined) ?? UNSEEN;
  }
  const short = text.trim();
  if (short === "") return null;
  if (COLUMNS[place].scale) return momentFrom(COLUMNS[place], short);
  if (kind === "boolean" && /^(yes|true)$/i.test(short)) return 1;
  if (kind === "boolean" && /^(no|false)$/i.test(short)) return 0;
  const number = Number(short);
  return NUMBER.test(short) && Number.isFinite(number) ? number : undefined;
}

function textOf(place, cell) {
  const { kind, levels } = COLUMNS[place];
  if (cell === null) return "";
  if (COLUMNS[place].scale) return momentText(COLUMNS[place], cell);
  if (kind === "categorical") return cell === UNSEEN ? "?" : levels[cell];
  return kind === "boolean" ? String(Boolean(cell)) : String(cell);
}

// The values that rules compare a number with, for a hint.
function askedValues() {
  const values = COLUMNS.map(() => new Map());
  for (const tree of TREES) {
    for (const questions of tree.questions) {
      for (const { subject, test, value, text } of questions) {
        if (subject < COLUMNS.length && typeof value === "number" && test !== "is missing") values[subject].set(value, text);
      }
    }
  }
  return values.map((own) => [...own].sort((a, b) => a[0] - b[0]).map(([, text]) => text));
}

function buildForm() {
  const asked = askedValues();
  const fields = COLUMNS.map((column, i) => {
    const hint = column.kind === "boolean" ? ""
      : column.kind === "categorical" ? `${plural(column.levels.length, "level")}; others are taken as never seen`
        : asked[i].length ? `asked about: ${asked[i].slice(0, 4).join(", ")}${asked[i].length > 4 ? ", …" : ""}` : "asked about together with another";
    const common = { id: `cell-${i}`, "data-cell": i, "aria-describedby": `hint-${i}`, autocomplete: "off" };
    const input = column.kind === "boolean"
      ? h("select", common, ["", "true", "false"].map((text) => h("option", { value: text }, text || "–")))
      : h("input", { ...common, type: "text", inputmode: column.kind === "numeric" && !column.scale ? "decimal" : null, spellcheck: "false",
        list: column.kind === "categorical" ? `levels-${i}` : null, placeholder: column.kind === "categorical" ? "pick or type" : column.scale ? momentExample(column) : "number" });
    return h("div", { class: "field" },
      h("label", { for: `cell-${i}`, title: column.name.length > LONGEST_NAME ? clipped(column.name, 400) : null }, subjectName(i)),
      h("div", { class: "inputs" }, input,
        h("label", { class: "tick" }, h("input", { type: "checkbox", id: `unknown-${i}`, "data-unknown": i, checked: true }), "not known"),
        h("label", { class: "tick", title: "The nearest change leaves this column as it is" },
          h("input", { type: "checkbox", id: `fixed-${i}`, "data-fixed": i, checked: DATA.fixed.includes(i) }), "fixed")),
      column.kind === "categorical" ? h("datalist", { id: `levels-${i}` }, column.levels.slice(0, 2000).map((text) => h("option", { value: text }))) : null,
      h("small", { id: `hint-${i}`, class: "hint", "data-hint": hint }, hint));
  });
  // The columns that matter most first.
  const shares = new Map(DATA.columnsUsed.map(([place, , share]) => [place, share]));
  const order = COLUMNS.map((_, i) => i).sort((a, b) => shares.get(b) - shares.get(a) || a - b);
  put("fields", order.length ? order.map((i) => fields[i]) : h("p", { class: "muted" }, "The model asks about no column: its answer is always the same."));
  byId("fields").addEventListener("input", readForm);
}

function readForm(event) {
  const { dataset } = event.target;
  if (dataset.unknown !== undefined) {
    const place = Number(dataset.unknown);
    if (event.target.checked) byId(`cell-${place}`).value = "";
    else byId(`cell-${place}`).focus();
    setCell(place, event.target.checked ? null : view.cells[place]);
  } else if (dataset.cell !== undefined) {
    const place = Number(dataset.cell);
    setCell(place, cellFrom(place, event.target.value));
  }
  view.touched = true;
  answerSoon();
}

function setCell(place, cell) {
  const isWrong = cell === undefined;
  const column = COLUMNS[place];
  view.cells[place] = isWrong ? null : cell;
  const input = byId(`cell-${place}`);
  const hint = byId(`hint-${place}`);
  if (isWrong) input.setAttribute("aria-invalid", "true");
  else input.removeAttribute("aria-invalid");
  byId(`unknown-${place}`).checked = !isWrong && cell === null;
  hint.textContent = isWrong ? `Not a ${column.scale ? `${MOMENT_KINDS[column.scale]}: write it like ${momentExample(column)}` : "number: write it like 1234.5"}. Taken as not known.`
    : cell === UNSEEN ? "Never seen at fit: what it answers is unknown." : hint.dataset.hint;
  hint.classList.toggle("warning", isWrong || cell === UNSEEN);
}

function setCells(cells) {
  cells.forEach((cell, place) => {
    byId(`cell-${place}`).value = textOf(place, cell);
    setCell(place, cell);
  });
  view.touched = cells.some((cell) => cell !== null);
  answerNow();
}

let soon = 0;
function answerSoon() {
  clearTimeout(soon);
  soon = setTimeout(answerNow, 60);
}

function answerNow() {
  clearTimeout(soon);
  const answer = answerOf(view.cells);
  view.answer = view.touched ? answer : null;
  if (view.touched) openWay(answer.walks[view.tree].reached);
  renderAnswer(answer);
  renderTree();
  if (view.touched) showEnd(answer.walks[view.tree].reached);
}

const MOST_OPENED = 60;

// What lights up is not left behind closed nodes, nor on another sheet where it ends in one leaf.
function openWay(reached) {
  if (reached.size > MOST_OPENED) return;
  const tree = TREES[view.tree];
  const [end, ...others] = [...reached.keys()].filter((node) => isLeaf(tree, node));
  if (!others.length) reveal(view.tree, end);
  else for (const node of reached.keys()) if (view.isOutline || sheetOf(view.tree).boxes.has(tree.yes[node])) openNode(view.tree, node);
}

function showEnd(reached) {
  const ends = [...reached.keys()].filter((node) => isLeaf(TREES[view.tree], node));
  if (!view.isOutline && ends.length === 1) showInFrame(ends[0]);
}

const fixedColumns = () => new Set(COLUMNS.map((_, i) => i).filter((i) => byId(`fixed-${i}`)?.checked));

function renderAnswer(answer) {
  const { probabilities, label } = answer;
  const name = clipped(CLASSES[label], 60);
  byId("case").classList.toggle("untouched", !view.touched);
  const lead = view.touched ? "" : COLUMNS.length ? "With nothing known: " : "Always: ";
  const said = `${lead}${name}, ${percentText(probabilities[label])}`;
  put("answer-line", lead ? h("span", { class: "muted" }, lead) : null, h("strong", null, name), ` ${percentText(probabilities[label])}`);
  byId("answer-line").style.setProperty("--class", DATA.colours[label]);
  put("answer", classBars(CLASSES, DATA.colours, probabilities, null),
    TREES.length > 1 ? eachTree(answer) : null);
  byId("live").textContent = view.touched ? `Answer: ${said}. ${pathWords(answer)}` : "";
  const [whyLead, nearestLead] = COLUMNS.length ? CASE_LEADS : NO_QUESTIONS;
  put("why", ...(view.touched ? whyParts(answer) : [h("p", { class: "muted" }, whyLead)]));
  put("nearest", ...(view.touched ? nearestParts(answer) : [h("p", { class: "muted" }, nearestLead)]));
}

function pathWords(answer) {
  const tree = TREES[view.tree];
  const leaves = [...answer.walks[view.tree].reached.keys()].filter((node) => isLeaf(tree, node));
  return leaves.length === 1 ? `It ends in leaf ${leaves[0]}.` : `Some answers are unknown: it goes to ${leaves.length} leaves.`;
}

function eachTree({ walks }) {
  return h("details", { open: TREES.length <= 6 }, h("summary", null, "Each tree"),
    h("ul", { class: "each-tree" }, walks.map(({ values, reached }, place) => {
      const tree = TREES[place];
      const best = decided(values, tree.costs);
      const leaves = [...reached.keys()].filter((node) => isLeaf(tree, node));
      return h("li", null, nodeLink(place, leaves[0], clipped(tree.title, 60)), `: ${className(tree, best)} ${percentText(values[best])}`);
    })));
}

// --- Why this way, and why not the other ---

function whyParts(answer) {
  const tree = TREES[view.tree];
  const { reached } = answer.walks[view.tree];
  const steps = [...reached].filter(([node]) => !isLeaf(tree, node));
  const leaves = [...reached].filter(([node]) => isLeaf(tree, node));
  const parts = [h("ol", { class: "steps" }, steps.slice(0, MOST_STEPS).map(([node, info]) => stepOf(tree, node, info)))];
  if (steps.length > MOST_STEPS) parts.push(h("p", { class: "muted" }, `and ${plural(steps.length - MOST_STEPS, "rule")} more.`));
  const ends = leaves.slice(0, MOST_STEPS).map(([node, { part }], i) => [
    i ? ", " : "", nodeLink(view.tree, node, `leaf #${node}`), ` (${className(tree, tree.label[node])}${part < 0.9995 ? `, counts ${percentText(part)}` : ""})`]);
  parts.push(h("p", null, "Ends in ", ends, leaves.length > MOST_STEPS ? ", …" : "", "."));
  return parts;
}

function stepOf(tree, node, { answers, holds }) {
  const marks = tree.questions[node].map((question, i) => {
    const [sign, word] = answers[i] === null ? ["?", "unknown"] : answers[i] ? ["✓", "yes"] : ["✗", "no"];
    return [i ? h("b", null, ` ${tree.operator[node]} `) : null,
      h("span", { class: `asked ${word}` }, h("span", { class: "mark", role: "img", "aria-label": word }, sign), ` ${questionText(question)} `,
        h("span", { class: "muted" }, `(${clipped(subjectName(question.subject), 30)}: ${subjectCellText(question.subject, view.cells)})`))];
  });
  const word = holds === null ? "both" : holds ? "yes" : "no";
  return h("li", null, nodeLink(view.tree, node), " ", marks, " ",
    h("span", { class: `way ${word}` }, holds === null ? "unknown: both ways" : word),
    h("p", { class: "why-not" }, whyNot(tree, node, holds)));
}

function whyNot(tree, node, holds) {
  if (holds === null) {
    const names = new Set(tree.questions[node].filter((q) => answerTo(q, view.cells) === null).map((q) => subjectName(q.subject)));
    return `Unknown, because of ${[...names].join(" and ")}. Yes counts ${percentText(tree.share[node])}, no ${percentText(1 - tree.share[node])}: ` +
      "as many cases of fit went each way.";
  }
  const other = holds ? "no" : "yes";
  const { join, items } = needs(tree, node, !holds);
  if (join === "xor") {
    return `Not ${other}: one of these answers would have to be another: ${items.map(({ question, negated }) => questionText(question, negated)).join("; ")}.`;
  }
  const lacking = items.filter(({ question, negated }) => {
    const plain = plainAnswer(question, view.cells);
    return plain === null || plain === negated;
  });
  return `Not ${other}: that would need ${lacking.map(({ question, negated }) => questionText(question, negated)).join(` ${join} `)}.`;
}

// --- The nearest change ---

function nearestParts(answer) {
  const found = nearestChange(view.cells, fixedColumns(), answer.label);
  if (found.reason) return [h("p", { class: "muted" }, found.reason)];
  const { leaves, changes, pairs, isWhole } = found;
  const { probabilities, label } = together(leaves.map((leaf, i) => TREES[i].value[leaf]));
  return [
    h("p", null, "The answer becomes ", h("strong", { class: "named", colour: DATA.colours[label] }, clipped(CLASSES[label], 60)),
      ` (${percentText(probabilities[label])}`, IS_SINGLE ? [", ", nodeLink(0, leaves[0], `leaf #${leaves[0]}`)] : null,
      `) if ${plural(changes.length, "column")} ${changes.length === 1 ? "changes" : "change"}:`),
    h("ul", { class: "changes" }, changes.map(({ place, text }) =>
      h("li", null, h("strong", null, text), h("span", { class: "muted" }, ` (now ${cellText(place, view.cells[place])}; such as ${cellText(place, found.cells[place])})`))),
    pairs.map((text) => h("li", null, "so that ", h("strong", null, text)))),
    isWhole ? null : h("p", { class: "warning" }, "Not searched to the end: a nearer change may exist."),
    h("p", null, h("button", { type: "button", id: "apply-change", onclick: () => setCells(found.cells) }, "Try this change")),
  ].filter(Boolean);
}

function fillExample(place, leaf) {
  const found = exampleFor(TREES[place], leaf);
  if (!found.cells) return;
  setCells(found.cells);
  byId("case").scrollIntoView({ block: "nearest", behavior: "instant" });
}
