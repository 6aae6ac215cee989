"""Systems that weigh words against tags: BTE, MSS, DSC, CETR, CCB, CETD.

`common.columns` defines tags and words. If a method selects tokens or elements, a block is content
if at least half of its words are selected. A block without words is never content.
"""
