"""What several pages of a site tell: statistics that merge, near-duplicates, stores."""
