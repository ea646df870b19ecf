// The nearest change that leads a case to another answer: fewest questions answered otherwise on
// the way, then fewest columns, then the leaves with most cases; where several trees decide, fewest
// columns first. No cell is made missing, and columns called fixed stay. Exact: states are looked at in the order of their cost, which only
// grows on the way down, tree after tree.

const MOST_STATES = 40000;
const MOST_TRIED = 60; // values for the columns of one leaf
const ROUNDING = 1e-9; // what sums may be off by

// --- What a column may become: spans of numbers, or places of levels ---

const anyCell = (place) => {
  const { kind, levels } = COLUMNS[place];
  if (kind === "categorical") return { levels: [...levels.keys()] };
  return kind === "boolean" ? { levels: [0, 1] } : { spans: ALL_NUMBERS };
};

const noCell = (cells) => (cells.levels ? { levels: [] } : { spans: [] });
const hasCell = (cells) => (cells.levels ?? cells.spans).length > 0;

// The cells of a set that answer a question as wanted, negation included.
function cellsThat(cells, question, wanted) {
  const plain = wanted !== question.negated;
  if (!cells.levels) return { spans: meetSpans(cells.spans, numbersThat(question.test, question.value, plain)) };
  if (question.test === "is missing") return plain ? noCell(cells) : cells;
  const says = (cell) =>
    question.levels ? question.levels.has(cell) : holdsNumber(numbersThat(question.test, question.value, true), cell);
  return { levels: cells.levels.filter((cell) => says(cell) === plain) };
}

// --- One question further: all ways to answer it ---
// A state knows of each column asked about what it may become, and whether it may still stay.

const ownOf = (state, place, search) =>
  state.own.get(place) ?? { cells: search.chosen.has(place) ? anyCell(place) : noCell(anyCell(place)), mayStay: true };

function* answersTo(state, question, search) {
  if (question.subject >= COLUMNS.length) {
    yield* pairAnswers(state, question, search);
    return;
  }
  const present = answerTo(question, search.cells);
  const own = ownOf(state, question.subject, search);
  for (const answer of [true, false, null]) {
    const mayStay = own.mayStay && answer === present;
    const cells = answer === null ? noCell(own.cells) : cellsThat(own.cells, question, answer);
    if (!mayStay && !hasCell(cells)) continue;
    const after = withOwn(state, [[question.subject, { cells, mayStay }]]);
    after.nColumns += Number(own.mayStay && !mayStay);
    after.nAnswers += Number(answer !== present);
    yield [after, answer];
  }
}

const withOwn = (state, changes) => {
  const own = new Map(state.own);
  for (const [place, value] of changes) own.set(place, value);
  return { ...state, own };
};

// Each column of a pair changes or stays. Where one stays the other is solved for; where both
// change, the pair's number is kept in mind.
function* pairAnswers(state, question, search) {
  const number = question.subject - COLUMNS.length;
  const pair = PAIRS[number];
  const present = answerTo(question, search.cells);
  const whenMissing = question.whenMissing === null ? null : question.whenMissing !== question.negated;
  const places = [pair.first, pair.second];
  const before = places.map((place) => ownOf(state, place, search));
  for (const changes of [[false, false], [false, true], [true, false], [true, true]]) {
    const own = before.map(({ cells, mayStay }, i) => (changes[i] ? { cells, mayStay: false } : { cells: noCell(cells), mayStay }));
    if (own.some(({ cells, mayStay }) => !mayStay && !hasCell(cells))) continue;
    const kept = places.filter((_, i) => !changes[i]).map((place) => search.cells[place]);
    const isGiven = kept.length === 2 || kept.includes(null); // its number stays, or is missing
    const base = withOwn(state, places.map((place, i) => [place, own[i]]));
    base.nColumns += before.filter(({ mayStay }, i) => mayStay && !own[i].mayStay).length;
    for (const answer of isGiven ? [kept.includes(null) ? whenMissing : present] : [true, false]) {
      const spans = isGiven ? null : cellsThat({ spans: ALL_NUMBERS }, question, answer).spans;
      const after = spans === null ? { ...base } : fitted(base, number, changes, kept, spans);
      if (!after) continue;
      after.nAnswers += Number(answer !== present);
      yield [after, answer];
    }
  }
}

function fitted(state, number, [isFirst], kept, spans) {
  const pair = PAIRS[number];
  if (!kept.length) {
    const held = meetSpans(state.joint.get(number) ?? ALL_NUMBERS, spans);
    return held.length ? { ...state, joint: new Map(state.joint).set(number, held) } : null;
  }
  const place = isFirst ? pair.first : pair.second;
  const { cells } = state.own.get(place);
  if (cells.levels) return null;
  const left = meetSpans(cells.spans, solvePair(pair, spans, isFirst, kept[0]));
  return left.length ? withOwn(state, [[place, { cells: { spans: left }, mayStay: false }]]) : null;
}

// All ways through the rule of a node; from a leaf on, the next tree.
function statesAfter(state, search) {
  const tree = search.trees[state.leaves.length];
  if (isLeaf(tree, state.node)) return [{ ...state, leaves: [...state.leaves, state.node], node: 0 }];
  let ways = [[state, []]];
  for (const question of tree.questions[state.node]) {
    const next = [];
    for (const [before, given] of ways) {
      for (const [after, answer] of answersTo(before, question, search)) next.push([after, [...given, answer]]);
    }
    ways = next;
  }
  const found = [];
  for (const [after, given] of ways) {
    const holds = joined(tree.operator[state.node], given);
    if (holds !== null) found.push({ ...after, node: holds ? tree.yes[state.node] : tree.no[state.node] });
  }
  return found;
}

// --- Values for the columns that change ---

function chosenCells(state, search) {
  const changed = [...state.own].filter(([, { mayStay }]) => !mayStay).map(([place]) => place);
  const joint = new Set([...state.joint.keys()].flatMap((number) => [PAIRS[number].first, PAIRS[number].second]));
  const order = [...changed.filter((place) => !joint.has(place)), ...[...joint].sort((a, b) => a - b)];
  const waiting = [[...search.cells]];
  const depths = [0];
  for (let n = 0; waiting.length && n < MOST_TRIED * (order.length + 1); n++) {
    const cells = waiting.pop();
    const depth = depths.pop();
    if (depth === order.length) {
      const isThere = search.trees.every((tree, i) => walk(tree, cells).reached.get(state.leaves[i])?.part === 1);
      if (isThere) return cells;
      continue;
    }
    const place = order[depth];
    for (const value of valuesFor(state, place, cells, new Set(order.slice(0, depth)), search).reverse()) {
      const next = [...cells];
      next[place] = value;
      waiting.push(next);
      depths.push(depth + 1);
    }
  }
  return null;
}

// Values of one column that fit those chosen before it.
function valuesFor(state, place, cells, isChosen, search) {
  const own = state.own.get(place).cells;
  if (own.levels) return own.levels.slice(0, 1);
  let { spans } = own;
  for (const [number, held] of state.joint) {
    const pair = PAIRS[number];
    const isFirst = pair.first === place;
    const other = isFirst ? pair.second : pair.first;
    if ((isFirst || pair.second === place) && isChosen.has(other)) spans = meetSpans(spans, solvePair(pair, held, isFirst, cells[other]));
  }
  const column = COLUMNS[place];
  return numbersNear(spans, search.cells[place], column.scale ? momentsInside(column) : insideOf);
}

// --- The search ---

// Cheapest first; of equals, those on the way before those at the end, and of these the one with
// most cases; then the one that came first.
class Queue {
  constructor(trees) {
    this.trees = trees;
    this.buckets = new Map();
    this.keys = [];
    this.nPushed = 0;
  }

  push(state) {
    const key = this.trees.length === 1 ? state.nAnswers * 1e6 + state.nColumns : state.nColumns * 1e6 + state.nAnswers;
    if (!this.buckets.has(key)) {
      this.buckets.set(key, { inner: [], nTaken: 0, ends: [], isSorted: true });
      this.keys.push(key);
      this.keys.sort((a, b) => b - a);
    }
    const bucket = this.buckets.get(key);
    if (state.leaves.length < this.trees.length) bucket.inner.push(state);
    else {
      bucket.ends.push({ ...state, cases: casesOf(this.trees, state.leaves), ticket: this.nPushed++ });
      bucket.isSorted = false;
    }
  }

  pop() {
    while (this.keys.length) {
      const bucket = this.buckets.get(this.keys.at(-1));
      if (bucket.nTaken < bucket.inner.length) return bucket.inner[bucket.nTaken++];
      if (bucket.ends.length) {
        if (!bucket.isSorted) bucket.ends.sort((a, b) => a.cases - b.cases || b.ticket - a.ticket);
        bucket.isSorted = true;
        return bucket.ends.pop();
      }
      this.buckets.delete(this.keys.pop());
    }
    return null;
  }
}

// For any change, by the ways that promise most: the deepest first, in the order of their promise.
class Stack {
  states = [];

  push(state) {
    this.states.push(state);
  }

  pop() {
    return this.states.pop() ?? null;
  }
}

const casesOf = (trees, leaves) => sum(leaves.map((leaf, i) => trees[i].cases[leaf]));

// The nearest change of some columns: {state, cells} or {}; and how many states were looked at.
function findChange(search, aim, mostStates, isGreedy = false) {
  const queue = isGreedy ? new Stack() : new Queue(search.trees);
  queue.push({ leaves: [], node: 0, own: new Map(), joint: new Map(), nColumns: 0, nAnswers: 0 });
  let isWhole = !isGreedy;
  for (let nStates = 0; nStates < mostStates; nStates++) {
    const state = queue.pop();
    if (state === null) return { isWhole, nStates };
    if (state.leaves.length < search.trees.length) {
      const after = statesAfter(state, search).filter((next) => leadsOn(aim, search, next));
      if (isGreedy) after.sort((a, b) => aim.promise(a.leaves, a.node) - aim.promise(b.leaves, b.node));
      for (const next of after) queue.push(next);
      continue;
    }
    const cells = chosenCells(state, search);
    if (cells) return { state, cells, isWhole, nStates };
    isWhole = false; // two columns of a pair, for which no fitting values were met
  }
  return { isWhole: false, isCut: true, nStates: mostStates };
}

const leadsOn = (aim, search, { leaves, node }) =>
  (leaves.length === search.trees.length ? aim.isMet(leaves) : aim.promise(leaves, node) >= -ROUNDING);

// In one tree, to the leaves that `isGoal` accepts: {leaves, changes, cells, ...} or {reason}.
function nearestInTree(tree, cells, fixed, isGoal) {
  const leads = new Uint8Array(tree.n); // whether a goal is below
  for (let i = tree.n - 1; i >= 0; i--) {
    if (isLeaf(tree, i) ? isGoal(i) : leads[tree.yes[i]] || leads[tree.no[i]]) leads[i] = 1;
  }
  if (!leads[0]) return { reason: "No leaf of this tree gives another answer." };
  const aim = { isMet: ([leaf]) => leads[leaf] === 1, promise: (_, node) => (leads[node] ? 0 : -Infinity) };
  const chosen = new Set([...COLUMNS.keys()].filter((place) => !fixed.has(place)));
  const found = findChange({ trees: [tree], cells, chosen }, aim, MOST_STATES);
  return found.state ? changeTo(found.state, found.cells, found.isWhole) : { reason: whyNone(found) };
}

function whyNone({ isWhole, isCut }) {
  if (isCut) return "Not searched to the end: no change was found so far.";
  return isWhole ? "No change of the columns that may change leads to another answer."
    : "No change was found: values for both columns of a pair were not tried to the end.";
}

// --- Several trees ---

// By how much each class can get ahead of the label at or below each node; null where labels do
// not follow from a sum over the trees.
function gainsOver(label) {
  const isSum = DATA.voting === "soft" && (MEMBERS.length === 1 || MEMBERS[0].length === 1);
  if (!isSum) return null;
  return TREES.map((tree, place) => {
    const gains = new Array(tree.n);
    for (let i = tree.n - 1; i >= 0; i--) { // children come after their parents
      if (!isLeaf(tree, i)) {
        gains[i] = gains[tree.yes[i]].map((gain, k) => Math.max(gain, gains[tree.no[i]][k]));
        continue;
      }
      // One tree per class: each tells its own.
      const values = MEMBERS[0].length === 1 ? tree.value[i] : CLASSES.map((_, k) => (k === place ? tree.value[i][1] : 0));
      const scores = DATA.costs ? expectedCosts(values, DATA.costs).map((cost) => -cost) : values;
      gains[i] = scores.map((score) => score - scores[label]);
    }
    return gains;
  });
}

function aimAtOthers(label, gains) {
  return {
    gains,
    isMet: (leaves) => together(leaves.map((leaf, i) => TREES[i].value[leaf])).label !== label,
    promise(leaves, node) {
      if (!gains) return 0;
      const parts = gains.map((own, i) => own[i < leaves.length ? leaves[i] : i === leaves.length ? node : 0]);
      return greatest(CLASSES.map((_, k) => (k === label ? -Infinity : sum(parts.map((own) => own[k])))), -Infinity);
    },
  };
}

// The nodes that a case can come to if chosen columns change, with any answers of theirs.
function reachedIf(tree, cells, chosen) {
  const found = new Set();
  const waiting = [0];
  const isFree = ({ subject }) => (subject < COLUMNS.length ? chosen.has(subject)
    : chosen.has(PAIRS[subject - COLUMNS.length].first) || chosen.has(PAIRS[subject - COLUMNS.length].second));
  while (waiting.length) {
    const node = waiting.pop();
    found.add(node);
    if (isLeaf(tree, node)) continue;
    let given = [[]];
    for (const question of tree.questions[node]) {
      const answers = isFree(question) ? [true, false] : [answerTo(question, cells)];
      given = given.flatMap((before) => answers.map((answer) => [...before, answer]));
    }
    const holds = new Set(given.map((answers) => joined(tree.operator[node], answers)));
    if (holds.has(true)) waiting.push(tree.yes[node]);
    if (holds.has(false)) waiting.push(tree.no[node]);
  }
  return found;
}

// The same aim where none but chosen columns change; null where it cannot be met.
function aimWithin(aim, label, cells, chosen) {
  const reached = TREES.map((tree) => reachedIf(tree, cells, chosen));
  const nLeaves = reached.map((own, i) => [...own].filter((node) => isLeaf(TREES[i], node)).length);
  if (nLeaves.every((n) => n <= 1)) return null; // the leaves that the case is in
  if (!aim.gains) return aim;
  const nothing = CLASSES.map(() => -Infinity);
  const gains = TREES.map((tree, i) => {
    const own = new Array(tree.n).fill(nothing);
    for (const node of [...reached[i]].sort((a, b) => b - a)) {
      own[node] = isLeaf(tree, node) ? aim.gains[i][node] : own[tree.yes[node]].map((gain, k) => Math.max(gain, own[tree.no[node]][k]));
    }
    return own;
  });
  const within = aimAtOthers(label, gains);
  return within.promise([], 0) >= -ROUNDING ? within : null;
}

function* subsetsOf(items, n, start = 0) {
  if (n === 0) {
    yield [];
    return;
  }
  for (let i = start; i <= items.length - n; i++) {
    for (const rest of subsetsOf(items, n - 1, i + 1)) yield [items[i], ...rest];
  }
}

// Where several trees decide together: columns are chosen first, one, then two and so on.
function nearestOfTrees(cells, fixed, label) {
  const names = [...COLUMNS.keys()].filter((place) => !fixed.has(place));
  const aim = aimAtOthers(label, gainsOver(label));
  if (aim.promise([], 0) < -ROUNDING) return { reason: "No leaves of these trees give another answer." };
  const searchIn = (chosen) => ({ trees: TREES, cells, chosen });
  let left = MOST_STATES;
  let isWhole = true;
  for (let n = 1; n <= names.length; n++) {
    let best = null;
    for (const own of subsetsOf(names, n)) {
      const chosen = new Set(own);
      left -= 1;
      const within = aimWithin(aim, label, cells, chosen);
      if (within) {
        const found = findChange(searchIn(chosen), within, Math.max(left, 0));
        left -= found.nStates;
        isWhole &&= found.isWhole;
        if (found.state && (!best || isNearer(found.state, best.state))) best = found;
      }
      if (left <= 0) {
        const any = best ?? findChange(searchIn(new Set(names)), aim, MOST_STATES, true);
        return any.state ? changeTo(any.state, any.cells, false) : { reason: whyNone({ isCut: true }) };
      }
    }
    if (best) return changeTo(best.state, best.cells, isWhole);
  }
  return { reason: whyNone({ isWhole }) };
}

const isNearer = (one, other) =>
  one.nAnswers < other.nAnswers || (one.nAnswers === other.nAnswers && casesOf(TREES, one.leaves) > casesOf(TREES, other.leaves));

// The change that leads the model to another label.
const nearestChange = (cells, fixed, label) => (IS_SINGLE
  ? nearestInTree(TREES[0], cells, fixed, (leaf) => TREES[0].label[leaf] !== label)
  : nearestOfTrees(cells, fixed, label));

function changeTo(state, cells, isWhole) {
  const changes = [...state.own].filter(([, { mayStay }]) => !mayStay).sort((a, b) => a[0] - b[0])
    .map(([place, own]) => ({ place, text: cellsText(place, own.cells) }));
  const pairs = [...state.joint].map(([number, spans]) => spansText(clipped(PAIRS[number].text), spans));
  return { leaves: state.leaves, changes, pairs, cells, nAnswers: state.nAnswers, isWhole };
}

function cellsText(place, cells) {
  const column = COLUMNS[place];
  const name = subjectName(place);
  if (column.scale) return momentSpansText(column, name, cells.spans);
  if (!cells.levels) return spansText(name, cells.spans);
  if (column.kind === "boolean") return cells.levels.length > 1 ? `${name} known` : `${name} is ${Boolean(cells.levels[0])}`;
  return cells.levels.length === 1 ? `${name} = ${clipped(column.shown[cells.levels[0]], 40)}` : `${name} in ${levelsText(column, cells.levels)}`;
}

const spansText = (name, spans) => spans.map(({ low, lowIn, high, highIn }) => {
  if (low === high) return `${name} = ${boundText(low)}`;
  if (low === -Infinity && high === Infinity) return `${name} known`;
  const hasLow = isBeside(low) ? Number(boundText(low)) > low : lowIn;
  const hasHigh = isBeside(high) ? Number(boundText(high)) < high : highIn;
  if (high === Infinity) return `${name} ${hasLow ? "≥" : ">"} ${boundText(low)}`;
  if (low === -Infinity) return `${name} ${hasHigh ? "≤" : "<"} ${boundText(high)}`;
  return `${boundText(low)} ${hasLow ? "≤" : "<"} ${name} ${hasHigh ? "≤" : "<"} ${boundText(high)}`;
}).join(" or ");

// Thresholds as they are; what was worked out from them in ten digits.
const boundText = (number) => String(Number(number.toPrecision(10)));

// Whether a bound is the number next to the one that is shown: more than 1.9999999999999998 is at least 2.
function isBeside(bound) {
  const shown = Number(bound.toPrecision(10));
  return shown !== bound && Math.abs(shown - bound) <= Number.EPSILON * Math.abs(bound);
}

// A case that ends in a leaf, whose other cells are not known.
const exampleFor = (tree, leaf) =>
  nearestInTree(tree, COLUMNS.map(() => null), new Set(), (node) => node === leaf);
