"""What a rule may be, what it is judged by, and what it turned out to be worth."""
