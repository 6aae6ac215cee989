"""Steps after a model that scored every block: they turn scores into labels."""
