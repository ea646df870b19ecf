// Powers of ten: of the sizes that are rounded alike, and what numbers are scaled by.
const BOUNDS = Array.from({ length: 597 }, (_, i) => Number("1e" + (i - 288)));
const POWERS = Array.from({ length: 301 }, (_, i) => Number("1e" + i));

function nearest(x) { // whole number; of two the even one
  const floor = Math.floor(x), rest = x - floor;
  return rest < 0.5 || (rest === 0.5 && floor % 2 === 0) ? floor : floor + 1;
}

function rounded(x, size) { // to twelve decimal digits of the size; NaN where there is no number
  if (!Number.isFinite(x)) return NaN;
  let low = 0, high = BOUNDS.length;
  while (low < high) { // how many bounds are less than the size
    const middle = (low + high) >> 1;
    if (BOUNDS[middle] < size) low = middle + 1;
    else high = middle;
  }
  const place = 300 - low;
  const up = POWERS[Math.max(place, 0)], down = POWERS[Math.max(-place, 0)];
  const result = nearest((x * up) / down) / up * down;
  return Number.isFinite(result) ? result : x;
}
