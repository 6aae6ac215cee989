"""boilerpipe: Kohlschuetter, Fankhauser, Nejdl (WSDM 2010), its release 1.2 and its last sources.

boilerpipe fuses text blocks into larger ones and deletes others. Here blocks stay numbered: a
fused block is a run of block numbers (`steps.runs.Runs`), a deleted one is taken out of all runs.
"""
