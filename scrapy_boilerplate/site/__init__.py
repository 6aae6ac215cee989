"""Other pages of a site: records of its pages and articles, redesigns, and rules for sites.

Read in this order:

hashing         64-bit hashes of texts
fingerprints    recognise an article: exact fingerprint, simhash, index of known articles
page_records    the hashes of a page that are compared (`Signatures`) and stored (`PageRecord`)
knowledge       the page records of a site, and their view from one page
codec, stores   records as bytes; SQLite and Redis
registry        the knowledge of all sites of a process, exchanged with a store
visit           the step of an extractor that learns a page; `systems.site_templates` reads the view
"""
