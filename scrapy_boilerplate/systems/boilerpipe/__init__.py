"""boilerpipe (Kohlschuetter et al. 2010, and its release 1.2): classifiers and filters.

boilerpipe fuses text blocks into larger ones and deletes others. Here blocks stay numbered: a
fused block is a run of block numbers (`runs.Runs`), a deleted one is taken out of all runs.
"""
