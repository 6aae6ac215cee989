"""Building blocks that several systems of the literature share."""
