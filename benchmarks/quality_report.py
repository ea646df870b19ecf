"""What the outcomes of `benchmarks.quality` say: tables and figures."""


def write(outcomes: dict) -> None:
    print(len(outcomes), "outcomes")
