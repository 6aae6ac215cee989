"""Systems that weigh words against tags: BTE, MSS, DSC, CETR, CCB, CETD.

`common.tokens` defines tags and words. Where a method selects tokens or elements, a block is
content if at least half of its words are selected; a block without words never is.
"""
