"""From a user's array or data frame to typed columns, labels and weights."""
