"""texrex (Schaefer 2017): a small neural net for each language."""
