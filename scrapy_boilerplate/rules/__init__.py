"""Steps without learnt weights, one file a paper or idea."""
