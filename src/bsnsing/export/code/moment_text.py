"""How code of each language reads moments, times and durations: as microseconds, in doubles.

What is finer than a microsecond is cut off, as the model does; whole microseconds become doubles in
one step, which rounds those that are too far from 1970 as the model rounds them.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class MomentText:
    """What one language needs, and how it reads a cell of each kind."""

    helpers: dict[str, str]  # by name; they may call those before them
    readers: dict[str, str]  # with {} for the column's name

    @property
    def text(self) -> str:
        """All helpers."""
        return "".join(self.helpers.values())


PYTHON = MomentText(
    {
        "moments": '''

_EPOCH = datetime.datetime(1970, 1, 1)
_STEP = datetime.timedelta(microseconds=1)


def _moment(row, name, has_zone):
    """Microseconds since 1970, in UTC where there is a time zone."""
    cell = row[name]
    if _is_missing(cell):
        return math.nan
    if type(cell).__name__ == "datetime64" and not has_zone:
        return float(int(cell.astype("M8[us]").astype("i8")))
    if not isinstance(cell, datetime.date):
        raise TypeError(f"Column {name!r} holds dates. Got {cell!r}.")
    zone = getattr(cell, "tzinfo", None)
    if (zone is not None) != has_zone:
        words = ("with", "without") if has_zone else ("without", "with")
        raise TypeError("Column {!r} holds moments {} a time zone. Got {!r}, {} one.".format(
            name, words[0], cell, words[1]))
    if not isinstance(cell, datetime.datetime):
        cell = datetime.datetime(cell.year, cell.month, cell.day)
    since = cell - (_EPOCH.replace(tzinfo=datetime.timezone.utc) if has_zone else _EPOCH)
    return float(since // _STEP)


def _time(row, name):
    """Microseconds since midnight."""
    cell = row[name]
    if _is_missing(cell):
        return math.nan
    if not isinstance(cell, datetime.time):
        raise TypeError(f"Column {name!r} holds times of day. Got {cell!r}.")
    return float((datetime.datetime.combine(_EPOCH, cell.replace(tzinfo=None)) - _EPOCH) // _STEP)


def _duration(row, name):
    """Microseconds."""
    cell = row[name]
    if _is_missing(cell):
        return math.nan
    if type(cell).__name__ == "timedelta64":
        return float(int(cell.astype("m8[us]").astype("i8")))
    if not isinstance(cell, datetime.timedelta):
        raise TypeError(f"Column {name!r} holds durations. Got {cell!r}.")
    return float(cell // _STEP)


def _is_missing(cell):
    return cell is None or type(cell).__name__ == "NAType" or cell != cell
''',
    },
    {
        "moment": "_moment(row, {}, has_zone=False)",
        "zoned": "_moment(row, {}, has_zone=True)",
        "time": "_time(row, {})",
        "duration": "_duration(row, {})",
    },
)

JAVASCRIPT = MomentText(
    {
        "refused": """
function refused(name, example, cell) {
  const column = "Column " + JSON.stringify(name);
  return new TypeError(column + " takes cells such as " + example + ". Got " + String(cell) + ".");
}
""",
        "clockSteps": r"""
function clockSteps(text, name, cell) {
  const found = /^(\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?$/.exec(text);
  const [hours, minutes, seconds] = found ? found.slice(1, 4).map((own) => Number(own || 0)) : [24];
  if (hours > 23 || minutes > 59 || seconds > 59) throw refused(name, "14:30:00.5", cell);
  const fraction = Number((found[4] || "").padEnd(6, "0").slice(0, 6));
  return ((hours * 60 + minutes) * 60 + seconds) * 1000000 + fraction;
}
""",
        "steps": """
// Whole milliseconds in one step, fractions by the nearest microsecond.
function steps(milliseconds) {
  if (!Number.isFinite(milliseconds)) return milliseconds;
  const whole = Math.floor(milliseconds);
  return Number(BigInt(whole) * 1000n + BigInt(Math.round((milliseconds - whole) * 1000)));
}
""",
        "microseconds": """
// Of a Date, or of a number of milliseconds.
function microseconds(cell, name, what) {
  if (cell === null || cell === undefined) return NaN;
  if (cell instanceof Date) return cell.getTime() === cell.getTime() ? steps(cell.getTime()) : NaN;
  if (typeof cell === "number") return cell === cell ? steps(cell) : NaN;
  throw refused(name, what + " in milliseconds", cell);
}
""",
        "duration": """
// A duration in microseconds.
function duration(row, name) {
  return microseconds(cellOf(row, name), name, "a duration");
}
""",
        "timeOfDay": """
// A time of day in microseconds.
function timeOfDay(row, name) {
  const cell = cellOf(row, name);
  if (typeof cell === "string") return clockSteps(cell, name, cell);
  return microseconds(cell, name, "a time");
}
""",
        "moment": r"""
// A moment in microseconds since 1970, in UTC where it has a time zone.
function moment(row, name, hasZone) {
  const cell = cellOf(row, name);
  if (typeof cell !== "string") return microseconds(cell, name, "a moment");
  const found = /^(\d{4})-(\d\d)-(\d\d)(?:[T ]([\d:.]+)(Z|[+-]\d\d:\d\d)?)?$/.exec(cell);
  if (!found || Boolean(found[5]) !== hasZone)
    throw refused(name, hasZone ? "2021-03-01T14:30:00+01:00" : "2021-03-01T14:30:00", cell);
  const day = new Date(0);
  day.setUTCFullYear(Number(found[1]), Number(found[2]) - 1, Number(found[3]));
  if (day.getUTCMonth() + 1 !== Number(found[2])) throw refused(name, "2021-03-01", cell);
  const zone = found[5] === undefined || found[5] === "Z" ? "+00:00" : found[5];
  const minutes = Number(zone.slice(1, 3)) * 60 + Number(zone.slice(4));
  const ahead = BigInt((zone[0] === "-" ? -60000000 : 60000000) * minutes);
  const clock = clockSteps(found[4] === undefined ? "00:00" : found[4], name, cell);
  return Number(BigInt(day.getTime()) * 1000n + BigInt(clock) - ahead);
}
""",
    },
    {
        "moment": "moment(row, {}, false)",
        "zoned": "moment(row, {}, true)",
        "time": "timeOfDay(row, {})",
        "duration": "duration(row, {})",
    },
)

JAVA = MomentText(
    {
        "missing": """
    private static double missing(Object cell, String name, String kinds) {
        if (cell == null) {
            return Double.NaN;
        }
        throw new IllegalArgumentException(
            "Column '" + name + "' takes " + kinds + " of java.time. Got: " + cell);
    }
""",
        "microseconds": """
    // Whole microseconds; beyond what a long holds, seconds are as good.
    private static double microseconds(long seconds, long nanos) {
        boolean isNear = Math.abs(seconds) < 9_000_000_000_000L;
        return isNear ? (double) (seconds * 1_000_000L + nanos / 1000) : seconds * 1e6;
    }
""",
        "duration": """
    private static double duration(Map<String, ?> row, String name) {
        Object cell = cellOf(row, name);
        if (cell instanceof java.time.Duration) {
            return microseconds(
                ((java.time.Duration) cell).getSeconds(), ((java.time.Duration) cell).getNano());
        }
        return missing(cell, name, "Duration");
    }
""",
        "timeOfDay": """
    private static double timeOfDay(Map<String, ?> row, String name) {
        Object cell = cellOf(row, name);
        if (cell instanceof java.time.LocalTime) {
            return microseconds(0, ((java.time.LocalTime) cell).toNanoOfDay());
        }
        return missing(cell, name, "LocalTime");
    }
""",
        "zoned": """
    // A moment of any time zone.
    private static double zoned(Map<String, ?> row, String name) {
        Object cell = cellOf(row, name);
        if (cell instanceof java.time.ZonedDateTime) {
            cell = ((java.time.ZonedDateTime) cell).toInstant();
        }
        if (cell instanceof java.time.OffsetDateTime) {
            cell = ((java.time.OffsetDateTime) cell).toInstant();
        }
        if (cell instanceof java.time.Instant) {
            return microseconds(
                ((java.time.Instant) cell).getEpochSecond(), ((java.time.Instant) cell).getNano());
        }
        return missing(cell, name, "Instant, ZonedDateTime or OffsetDateTime");
    }
""",
        "moment": """
    // A date or moment without time zone.
    private static double moment(Map<String, ?> row, String name) {
        Object cell = cellOf(row, name);
        if (cell instanceof java.time.LocalDate) {
            cell = ((java.time.LocalDate) cell).atStartOfDay();
        }
        if (cell instanceof java.time.LocalDateTime) {
            cell = ((java.time.LocalDateTime) cell).toInstant(java.time.ZoneOffset.UTC);
            return microseconds(
                ((java.time.Instant) cell).getEpochSecond(), ((java.time.Instant) cell).getNano());
        }
        return missing(cell, name, "LocalDateTime or LocalDate");
    }
""",
    },
    {
        "moment": "moment(row, {})",
        "zoned": "zoned(row, {})",
        "time": "timeOfDay(row, {})",
        "duration": "duration(row, {})",
    },
)

R = MomentText(
    {
        "microseconds": """
  microseconds <- function(seconds) {
    whole <- floor(seconds)
    whole * 1e6 + round((seconds - whole) * 1e6)
  }
""",
        "duration": """
  # A duration, or a time of day as the duration since midnight.
  duration <- function(cell, name) {
    if (is.null(cell) || is.na(cell)) return(NaN)
    if (!inherits(cell, "difftime")) stop("Column '", name, "' takes difftime.")
    microseconds(as.numeric(cell, units = "secs"))
  }
""",
        "moment": """
  # A date or moment by its own clock, or in UTC where the model knows a time zone.
  moment <- function(cell, name, has_zone) {
    if (is.null(cell) || is.na(cell)) return(NaN)
    if (inherits(cell, "Date") && !has_zone) return(floor(as.numeric(cell)) * 86400e6)
    if (!inherits(cell, "POSIXt")) {
      stop("Column '", name, "' takes ", if (has_zone) "POSIXct." else "Date or POSIXct.")
    }
    if (!has_zone) cell <- as.POSIXct(as.POSIXlt(cell), tz = "UTC")
    microseconds(as.numeric(as.POSIXct(cell)))
  }
""",
    },
    {
        "moment": "moment({cell}, {name}, FALSE)",
        "zoned": "moment({cell}, {name}, TRUE)",
        "time": "duration({cell}, {name})",
        "duration": "duration({cell}, {name})",
    },
)

C = MomentText(
    {
        "microseconds": """
static double microseconds(int64_t cell, int64_t missing) {
    return cell == missing ? NAN : (double)cell;
}
""",
    },
    {},
)
