// Dates, times of day and durations: microseconds to the tree, text to people.

const DAY = 86400000000;
const MOMENT_UNITS = [DAY, DAY / 24, DAY / 1440, 1e6, 1000, 1]; // that times are rounded to, the coarsest first
const MOMENT_KINDS = { moment: "date", time: "time of day", duration: "duration" };
const CLOCK = String.raw`(\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,6}))?)?`;
const MOMENT = new RegExp(String.raw`^(\d{4})-(\d\d)-(\d\d)(?:[T ]${CLOCK}(?:(Z)|([+-])(\d\d):(\d\d))?)?$`);
const TIME = new RegExp(`^${CLOCK}$`);
const DURATION = /^(-?)(?=\d)(?:(\d{1,9})d)?(?:\s*(\d{1,9})h)?(?:\s*(\d{1,9})min)?(?:\s*(\d{1,9})(?:\.(\d{1,6}))?s)?$/;

function momentExample({ scale, zoned }) {
  if (scale === "moment") return zoned ? "2021-03-01T14:30+01:00" : "2021-03-01";
  return scale === "time" ? "14:30" : "2d 3h 15min";
}

// The microseconds that a text stands for; undefined where it is no such text.
function momentFrom(column, text) {
  if (column.scale === "duration") return durationFrom(text);
  if (column.scale === "time") return clockSteps(TIME.exec(text)?.slice(1));
  const found = MOMENT.exec(text);
  if (!found) return undefined;
  const [, year, month, day, hours, minutes, seconds, fraction, utc, sign, zoneHours, zoneMinutes] = found;
  const isZoned = Boolean(utc || sign);
  if (isZoned !== column.zoned) return undefined;
  const date = new Date(0);
  date.setUTCFullYear(Number(year), Number(month) - 1, Number(day));
  if (date.getUTCMonth() !== Number(month) - 1 || date.getUTCDate() !== Number(day)) return undefined;
  const steps = hours === undefined ? 0 : clockSteps([hours, minutes, seconds, fraction]);
  const offset = sign ? clockSteps([zoneHours, zoneMinutes]) * (sign === "-" ? -1 : 1) : 0;
  return steps === undefined || Number.isNaN(offset) ? undefined : date.getTime() * 1000 + steps - offset;
}

function clockSteps(parts) {
  if (!parts) return undefined;
  const [hours, minutes, seconds = "0", fraction = ""] = parts;
  if (Number(hours) > 23 || Number(minutes) > 59 || Number(seconds) > 59) return undefined;
  return ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1e6 + Number(fraction.padEnd(6, "0"));
}

function durationFrom(text) {
  const found = DURATION.exec(text);
  if (!found || text === "-") return undefined;
  const [, sign, days = "0", hours = "0", minutes = "0", seconds = "0", fraction = ""] = found;
  const steps = Number(days) * DAY + (Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)) * 1e6 + Number(fraction.padEnd(6, "0"));
  return (sign ? -steps : steps) + 0;
}

function momentText({ scale, zoned }, steps) {
  if (scale === "duration") return durationText(steps);
  const days = Math.floor(steps / DAY);
  const rest = steps - days * DAY;
  if (scale === "time") return clockText(rest);
  const date = new Date(days * (DAY / 1000));
  if (Number.isNaN(date.getTime())) return String(steps);
  const day = date.toISOString().split("T")[0];
  if (zoned) return `${day}T${clockText(rest)}+00:00`;
  return rest ? `${day}T${clockText(rest)}` : day;
}

function clockText(steps) {
  const two = (number) => String(number).padStart(2, "0");
  const whole = Math.floor(steps / 1e6);
  const clock = `${two(Math.floor(whole / 3600))}:${two(Math.floor(whole / 60) % 60)}`;
  const fraction = secondsFraction(steps % 1e6);
  return whole % 60 || fraction ? `${clock}:${two(whole % 60)}${fraction}` : clock;
}

const secondsFraction = (steps) => (steps ? `.${String(steps).padStart(6, "0")}`.replace(/0+$/, "") : "");

function durationText(steps) {
  const size = Math.abs(steps);
  const whole = Math.floor((size % DAY) / 1e6);
  const fraction = secondsFraction(size % 1e6);
  const parts = [[Math.floor(size / DAY), "d"], [Math.floor(whole / 3600), "h"], [Math.floor(whole / 60) % 60, "min"]];
  const shown = parts.filter(([amount]) => amount).map(([amount, unit]) => `${amount}${unit}`);
  if (whole % 60 || fraction) shown.push(`${whole % 60}${fraction}s`);
  return `${steps < 0 ? "-" : ""}${shown.join(" ") || "0s"}`;
}

// Where a moment lies, with bounds that are written shortest: a microsecond apart they mean the same.
function momentSpansText(column, name, spans) {
  const plainest = (bound, isIn, inwards) => {
    const other = isIn ? bound - inwards : bound + inwards;
    const [own, beside] = [momentText(column, bound), momentText(column, other)];
    return beside.length < own.length ? [beside, !isIn] : [own, isIn];
  };
  return spans.map(({ low, lowIn, high, highIn }) => {
    if (low === -Infinity && high === Infinity) return `${name} known`;
    const [lowText, hasLow] = low === -Infinity ? [] : plainest(low, lowIn, 1);
    const [highText, hasHigh] = high === Infinity ? [] : plainest(high, highIn, -1);
    if (high === Infinity) return `${name} ${hasLow ? "≥" : ">"} ${lowText}`;
    if (low === -Infinity) return `${name} ${hasHigh ? "≤" : "<"} ${highText}`;
    return `${lowText} ${hasLow ? "≤" : "<"} ${name} ${hasHigh ? "≤" : "<"} ${highText}`;
  }).join(" or ");
}

// Moments in a span, close to its edge and short to write.
const momentsInside = ({ scale }) => (own, present) => {
  const { low, high } = own;
  const isThere = (x) => holdsNumber([own], x) && (scale !== "time" || (x >= 0 && x < DAY));
  if (low === -Infinity && high === Infinity) return [0];
  const isAtLow = low !== -Infinity && (high === Infinity || present === null || present <= low);
  const edge = isAtLow ? low : high;
  const found = [];
  for (const unit of MOMENT_UNITS) {
    for (const steps of [0, 1, 2]) {
      const x = (isAtLow ? Math.floor(edge / unit) + steps : Math.ceil(edge / unit) - steps) * unit + 0;
      if (isThere(x) && !found.includes(x) && found.length < MOST_NUMBERS) found.push(x);
    }
  }
  return found;
};
