"""Site knowledge: statistics of the pages of a site that help to label each page.

Read in this order:

hashing         64-bit hashes of texts
fingerprints    recognise an article: exact fingerprint, simhash, index of known articles
page_records    the hashes of a page that are compared (`Signatures`) and stored (`PageRecord`)
knowledge       the page records of a site, and their view from one page
codec, stores   records as bytes; SQLite and Redis
registry        the knowledge of all sites of a process, exchanged with a store
steps           rule-based steps: text frequency, Site Style Tree, GoldMiner
correction      the learned step
extractor       an extractor with site steps inserted between its own steps
"""
