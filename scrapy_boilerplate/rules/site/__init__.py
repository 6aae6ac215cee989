"""Steps that know other pages of the site: one file a paper."""
