// Rules, answers and numbers as people read them.

const MOST_LEVELS = 8; // that the text of a question lists
const LONGEST_NAME = 90;
const LONGEST_LINE = 400;

const OPPOSITE = { ">": "<=", "<": ">=", ">=": "<", "<=": ">", "==": "!=", in: "not in", "is missing": "is not missing" };
const MOMENT_SIGNS = { ">": "after", ">=": "since", "<": "before", "<=": "until" };
const SIGNS = { "<=": "≤", ">=": "≥", "!=": "≠", "==": "=" };

// Without the marks around names that are written from right to left, as readers type it.
const typedText = (text) => text.replaceAll("\u200e", "");
const clipped = (text, most = LONGEST_NAME) => (text.length > most ? `${text.slice(0, most - 1)}…` : text);

const subjectName = (subject) =>
  clipped(subject < COLUMNS.length ? COLUMNS[subject].name : PAIRS[subject - COLUMNS.length].text);

function levelsText(column, codes, most = MOST_LEVELS) {
  const shown = codes.slice(0, codes.length > most ? most - 1 : most).map((code) => clipped(column.shown[code], 40));
  if (codes.length > most) shown.push(`… ${codes.length} levels`);
  return `{${shown.join(", ")}}`;
}

function questionText(question, negated = question.negated, most = MOST_LEVELS) {
  const column = COLUMNS[question.subject];
  if (negated && question.whenMissing === false && question.test !== "is missing") {
    return `not (${questionText(question, false, most)})`; // a missing cell says yes to it
  }
  const name = subjectName(question.subject);
  if (column && column.kind === "boolean" && question.test !== "is missing") {
    const isTrue = booleanAsked(question) !== negated;
    return `${name} is ${isTrue}`;
  }
  const test = negated ? OPPOSITE[question.shownTest] : question.shownTest;
  if (question.test === "is missing") return `${name} ${test}`;
  if (question.test === "in") return `${name} ${test} ${levelsText(column, question.value, most)}`;
  const value = question.levels ? clipped(column.shown[question.value[0]], 40) : question.text;
  const signs = column?.scale === "moment" ? MOMENT_SIGNS : SIGNS;
  return `${name} ${signs[test] ?? test} ${value}`;
}

// Whether a question about a column of true and false asks for true.
const booleanAsked = ({ test, value }) =>
  test === ">" ? 1 > value : test === "<" ? 1 < value : value === 1;

const ruleText = (tree, node, most = MOST_LEVELS) =>
  tree.questions[node].map((question) => questionText(question, question.negated, most)).join(` ${tree.operator[node]} `);

// What must hold for a case to go one way: questions, each with the answer it needs, and how they
// are joined.
function needs(tree, node, way) {
  const operator = tree.operator[node];
  const questions = tree.questions[node];
  if (operator === "xor" && questions.length > 1) {
    return { join: "xor", items: questions.map((question) => ({ question, negated: question.negated })), odd: way };
  }
  const join = way ? operator : operator === "or" ? "and" : "or";
  return { join, items: questions.map((question) => ({ question, negated: question.negated !== !way })) };
}

function needsText(tree, node, way) {
  const { join, items, odd } = needs(tree, node, way);
  const parts = items.map(({ question, negated }) => questionText(question, negated));
  const text = parts.join(` ${join} `);
  return join === "xor" && !odd ? `not (${text})` : text;
}

// The conditions of a leaf, one line each; of several that bound the same column the same way only
// the tightest stays.
function leafConditions(tree, leaf) {
  if (tree.rules) return tree.rules[leaf].map((line) => clipped(line, LONGEST_LINE)); // as Python has simplified them
  const path = pathTo(tree, leaf);
  const lines = [];
  const tightest = new Map();
  const keep = (question, negated) => {
    const isBound = (question.test === ">" || question.test === "<") && COLUMNS[question.subject]?.kind !== "boolean";
    const text = questionText(question, negated);
    const key = isBound ? `${question.subject} ${question.test} ${negated}` : text;
    const known = tightest.get(key);
    if (known === undefined) {
      tightest.set(key, { place: lines.length, value: question.value });
      lines.push(text);
      return;
    }
    const isHigher = question.value > known.value;
    if (isBound && isHigher === ((question.test === ">") !== negated)) {
      known.value = question.value;
      lines[known.place] = text;
    }
  };
  for (let i = 0; i + 1 < path.length; i++) {
    const way = tree.yes[path[i]] === path[i + 1];
    const { join, items } = needs(tree, path[i], way);
    if (items.length === 1 || join === "and") for (const { question, negated } of items) keep(question, negated);
    else lines.push(needsText(tree, path[i], way));
  }
  return lines;
}

// Six digits, or as many as tell it; never an exponent where plain digits do.
function numberText(number) {
  if (number === null || number === undefined) return "–";
  return String(Number(number.toPrecision(6)));
}

const countText = (count) => (Number.isInteger(count) ? count.toLocaleString("en") : count.toFixed(1));

function percentText(p) {
  const number = p >= 0.995 && p < 1 ? ">99" : p > 0 && p < 0.0005 ? "<0.1" : (100 * p).toFixed(p > 0 && p < 0.0995 ? 1 : 0);
  return `${number}%`;
}

function cellText(place, cell) {
  const column = COLUMNS[place];
  if (cell === null) return "not known";
  if (column.kind === "boolean") return cell === 1 ? "true" : cell === 0 ? "false" : String(cell);
  if (column.scale) return momentText(column, cell);
  if (column.kind !== "categorical") return String(cell);
  return cell === UNSEEN ? "a level never seen" : clipped(column.shown[cell], 40);
}

function subjectCellText(subject, cells) {
  if (subject < COLUMNS.length) return cellText(subject, cells[subject]);
  const number = cellOf(subject, cells);
  return number === null ? "not known" : numberText(number);
}

// Whether most cases of a leaf are of another class than its label.
function isOutvoted(tree, node) {
  if (tree.costs) return false;
  const weighted = tree.counts[node].map((n, k) => n * (tree.weights?.[k] ?? 1));
  return weighted[tree.label[node]] < greatest(weighted);
}

const outvotedText = (tree, node) => (!isOutvoted(tree, node) ? "" : tree.taught ? "teacher's label" : "label from above");

const className = (tree, k) => clipped(tree.classes[k], 60);
const plural = (n, one, many = `${one}s`) => `${countText(n)} ${n === 1 ? one : many}`;

// How the rule of a node is proven, in a sentence or two.
function proofText(tree, node) {
  const proof = tree.proof;
  if (isLeaf(tree, node)) return proof.optimal[node] ? "" : "A limit ended growth here: not proven that no split is better.";
  const where = tree.taught ? "for the training set it was grown on (soft labels" +
    `${tree.nSynthetic ? `, ${countText(tree.nSynthetic)} synthetic rows` : ""})` : "for the cases of this node";
  const own = !tree.taught ? "" : proof.ownOptimal[node]
    ? " It is also the best for the node's own cases."
    : ` On the node's own cases it scores ${numberText(proof.own[node])}; the best ${proof.bestOwnProven[node] ? "" : "found "}` +
      `there is ${numberText(proof.bestOwn[node])}.`;
  const first = proof.optimal[node]
    ? `Proven: of ${plural(Math.round(proof.rules[node]), "rule")}, none is better ${where} (objective ${numberText(proof.objective[node])}).`
    : `Best found ${where}: objective ${numberText(proof.objective[node])}, proven to be at least ${numberText(proof.bound[node])} for every rule.`;
  return first + own;
}
