"""How fast: each module measures one thing and runs alone; all of them in turn are a report."""
