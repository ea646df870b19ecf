"""How well do our trees predict, beside others? Run: python -m benchmarks.quality."""

from __future__ import annotations

from benchmarks.quality import protocol, report
from benchmarks.quality.contestants import CONTESTANTS

QUICK_SPLITS, ALL_SPLITS = 5, 20


def main() -> None:
    parser = protocol.options("quality", __doc__)
    parser.add_argument(
        "--quick", action="store_true", help="sets under 5000 rows, 5 splits, fast contestants"
    )
    parser.add_argument("--only", nargs="+", choices=list(CONTESTANTS), help="these contestants")
    parser.add_argument("--splits", type=int, help="splits per set (default 20, quick 5)")
    parser.add_argument("--report", action="store_true", help="only write the report")
    args = parser.parse_args()
    names = args.only or [n for n, c in CONTESTANTS.items() if c.is_fast or not args.quick]
    contestants = {} if args.report else {name: CONTESTANTS[name] for name in names}
    sets = protocol.all_sets(protocol.QUICK_ROWS if args.quick else None)
    n_splits = args.splits or (QUICK_SPLITS if args.quick else ALL_SPLITS)
    report.write(protocol.run(args, contestants, sets, n_splits))


if __name__ == "__main__":
    main()
