// Sets of numbers as spans, in order and apart; pairs of columns solved for one of them.

const span = (low, lowIn, high, highIn) => ({ low, lowIn, high, highIn });
const ALL_NUMBERS = [span(-Infinity, false, Infinity, false)];
const NOT_ZERO = [span(-Infinity, false, 0, false), span(0, false, Infinity, false)];

const isSpan = ({ low, lowIn, high, highIn }) => low < high || (low === high && lowIn && highIn);
const holdsNumber = (spans, x) =>
  spans.some(({ low, lowIn, high, highIn }) => (x > low || (lowIn && x === low)) && (x < high || (highIn && x === high)));

// The numbers that answer a plain question in a given way.
function numbersThat(test, value, wanted) {
  if (test === "is missing") return wanted ? [] : ALL_NUMBERS;
  if (test === "==") {
    return wanted ? [span(value, true, value, true)]
      : [span(-Infinity, false, value, false), span(value, false, Infinity, false)];
  }
  return (test === ">") === wanted ? [span(value, !wanted, Infinity, false)] : [span(-Infinity, false, value, !wanted)];
}

function meetSpans(first, second) {
  const found = [];
  for (const a of first) {
    for (const b of second) {
      const [low, lowIn] = a.low > b.low ? [a.low, a.lowIn] : a.low < b.low ? [b.low, b.lowIn] : [a.low, a.lowIn && b.lowIn];
      const [high, highIn] = a.high < b.high ? [a.high, a.highIn] : a.high > b.high ? [b.high, b.highIn] : [a.high, a.highIn && b.highIn];
      const both = span(low, lowIn, high, highIn);
      if (isSpan(both)) found.push(both);
    }
  }
  return found.sort((a, b) => a.low - b.low);
}

// Where one column of a pair puts its number into the spans, given the other's cell.
function solvePair(pair, spans, isFirst, other) {
  if (pair.sign === "*") return other === 0 ? (holdsNumber(spans, 0) ? ALL_NUMBERS : []) : scaled(spans, 1 / other, 0);
  if (pair.sign === "/" && isFirst) return other === 0 ? [] : scaled(spans, other, 0);
  if (pair.sign === "/") return other === 0 ? (holdsNumber(spans, 0) ? NOT_ZERO : []) : divided(spans, other);
  const side = pair.sign === "+" ? pair.factor : -pair.factor; // first + side * second
  return isFirst ? scaled(spans, 1, -side * other) : scaled(spans, 1 / side, -other / side);
}

function scaled(spans, slope, offset) {
  const moved = spans.map(({ low, lowIn, high, highIn }) => {
    const ends = [low * slope + offset, high * slope + offset];
    return slope > 0 ? span(ends[0], lowIn, ends[1], highIn) : span(ends[1], highIn, ends[0], lowIn);
  });
  return moved.filter(isSpan).sort((a, b) => a.low - b.low);
}

// The x with number / x in the spans; the number is not zero.
function divided(spans, number) {
  const found = [];
  for (const side of [1, -1]) {
    const half = side > 0 ? span(0, false, Infinity, false) : span(-Infinity, false, 0, false);
    for (const { low, lowIn, high, highIn } of meetSpans(spans, [half])) {
      const at = (end) => (end === 0 ? side * Math.sign(number) * Infinity : number / end);
      const [a, b] = [at(low), at(high)];
      found.push(a < b ? span(a, lowIn, b, highIn) : span(b, highIn, a, lowIn));
    }
  }
  return found.filter(isSpan).sort((a, b) => a.low - b.low);
}

// --- Numbers of a set, close to a given one and short to write ---

const MOST_NUMBERS = 4;

function numbersNear(spans, present, inside = insideOf) {
  if (present !== null && holdsNumber(spans, present)) return [present];
  const away = ({ low, high }) => (present === null ? 0 : Math.max(low - present, present - high, 0));
  const found = [];
  for (const own of [...spans].sort((a, b) => away(a) - away(b)).slice(0, 2)) {
    for (const x of inside(own, present)) if (!found.includes(x)) found.push(x);
  }
  return found;
}

function insideOf(own, present) {
  const { low, high } = own;
  if (low === -Infinity && high === Infinity) return [1, 0];
  if (low === high) return [low];
  const isAtLow = low !== -Infinity && (high === Infinity || present === null || present <= low);
  const edge = isAtLow ? low : high;
  const size = Math.max(Math.abs(edge), high - low < Infinity ? high - low : 0) || 1;
  const found = [];
  for (let digits = 2; digits <= 16 && found.length < MOST_NUMBERS; digits++) {
    const unit = 10 ** (Math.floor(Math.log10(size)) - digits + 1);
    for (const steps of [0, 1, 2]) { // short numbers just inside the edge
      const near = isAtLow ? Math.floor(edge / unit) + steps : Math.ceil(edge / unit) - steps;
      const x = Number((near * unit).toPrecision(digits + 1));
      if (holdsNumber([own], x) && !found.includes(x)) found.push(x);
    }
  }
  const middle = (low + high) / 2;
  if (Number.isFinite(middle) && holdsNumber([own], middle)) found.push(middle);
  if (holdsNumber([own], edge)) found.push(edge);
  return found;
}
