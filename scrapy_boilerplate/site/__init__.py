"""What several pages of a site tell of each of them.

Read in this order:

hashing         64-bit hashes of texts
fingerprints    recognise an article: exact fingerprint, simhash, index of known articles
page_records    what is compared of a page (`Signatures`) and remembered of it (`PageRecord`)
knowledge       statistics over the page records of a site, and their view from one page
stores          where records are kept and shared: memory, SQLite, Redis
domains         the site of an address
sites           the knowledge of all sites of a process, synchronised with a store
steps           rule-based steps: text frequency, Site Style Tree, GoldMiner
correction      the learned step
extractor       an extractor with the steps of a site between its own
"""
