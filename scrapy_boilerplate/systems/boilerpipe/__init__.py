"""boilerpipe: Kohlschuetter, Fankhauser, Nejdl (WSDM 2010), its release 1.2 and its last sources.

boilerpipe fuses text blocks into larger ones and deletes others. Here blocks keep their numbers: a
fused block is a run of blocks (`systems.common.rules.Runs`), and a deleted block is in no run.
"""
