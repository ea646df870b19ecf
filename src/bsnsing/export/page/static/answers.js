// What a case gets: three-valued answers, and both ways where a rule stays unknown.
// A case is a list of cells in the order of COLUMNS: a number, a level's place, UNSEEN or null.

function pairNumber(pair, cells) {
  const a = cells[pair.first];
  if (a === null || cells[pair.second] === null) return null;
  const b = pair.factor * cells[pair.second];
  const isSum = pair.sign === "+" || pair.sign === "-";
  const number = pair.sign === "+" ? a + b : pair.sign === "-" ? a - b : pair.sign === "*" ? a * b : a / b;
  const near = rounded(number, isSum ? Math.max(Math.abs(a), Math.abs(b)) : Math.abs(number));
  return Number.isNaN(near) ? null : near;
}

const cellOf = (subject, cells) =>
  subject < COLUMNS.length ? cells[subject] : pairNumber(PAIRS[subject - COLUMNS.length], cells);

// Yes, no or unknown (null) to the plain question, before negation.
function plainAnswer(question, cells) {
  const cell = cellOf(question.subject, cells);
  if (cell === null) return question.whenMissing;
  if (question.test === "is missing") return false;
  if (question.levels) return cell === UNSEEN ? question.whenUnseen : question.levels.has(cell);
  if (question.test === ">") return cell > question.value;
  if (question.test === "<") return cell < question.value;
  return cell === question.value;
}

function answerTo(question, cells) {
  const plain = plainAnswer(question, cells);
  return plain === null ? null : plain !== question.negated;
}

function joined(operator, answers) {
  const settling = operator === "or"; // one such answer is enough
  if (operator !== "xor" && answers.includes(settling)) return settling;
  if (answers.includes(null)) return null;
  return operator === "xor" ? answers.filter(Boolean).length % 2 === 1 : !settling;
}

// The nodes that a case reaches, with its answers there and the part of it that comes there; and
// the probabilities it gets.
function walk(tree, cells) {
  const reached = new Map();
  const order = [];
  const waiting = [[0, 1]];
  while (waiting.length) {
    const [node, part] = waiting.pop();
    order.push(node);
    if (isLeaf(tree, node)) {
      reached.set(node, { part, answers: [], holds: null });
      continue;
    }
    const answers = tree.questions[node].map((question) => answerTo(question, cells));
    const holds = joined(tree.operator[node], answers);
    reached.set(node, { part, answers, holds });
    if (holds === true) waiting.push([tree.yes[node], part]);
    else if (holds === false) waiting.push([tree.no[node], part]);
    else {
      waiting.push([tree.no[node], part * (1 - tree.share[node])]);
      waiting.push([tree.yes[node], part * tree.share[node]]);
    }
  }
  const values = new Map();
  for (let i = order.length - 1; i >= 0; i--) { // children before parents
    const node = order[i];
    if (isLeaf(tree, node)) {
      values.set(node, tree.value[node]);
      continue;
    }
    const { holds } = reached.get(node);
    const yes = values.get(tree.yes[node]);
    const no = values.get(tree.no[node]);
    if (holds === null) values.set(node, no.map((p, k) => p + tree.share[node] * (yes[k] - p)));
    else values.set(node, holds ? yes : no);
  }
  return { reached, values: values.get(0) };
}

function memberShares(values) {
  if (values.length === 1) return values[0];
  const own = values.map((each) => each[1]);
  const whole = sum(own);
  return own.map((score) => (whole > 0 ? score / whole : 1 / own.length));
}

// Probabilities and label of the model, by what each tree gives.
function together(values) {
  const shares = MEMBERS.map((places) => memberShares(places.map((i) => values[i])));
  const total = CLASSES.map((_, k) => shares.reduce((whole, own) => whole + own[k], 0));
  const probabilities = total.map((p) => p / shares.length);
  let label = decided(probabilities, DATA.costs);
  if (DATA.voting === "hard") {
    const votes = CLASSES.map(() => 0);
    for (const own of shares) votes[decided(own, DATA.costs)] += 1;
    const expected = DATA.costs ? expectedCosts(probabilities, DATA.costs) : null;
    const dearest = DATA.costs ? greatest(DATA.costs.map((own) => greatest(own))) : 1;
    label = firstGreatest(votes.map((n, k) => (expected ? n - expected[k] / (2 * dearest) : n + probabilities[k] / 2)));
  }
  return { probabilities, label };
}

// The same of a case, and the walk down each tree.
function answerOf(cells) {
  const walks = TREES.map((tree) => walk(tree, cells));
  return { walks, ...together(walks.map(({ values }) => values)) };
}
