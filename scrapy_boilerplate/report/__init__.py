"""The inspection page and the annotator.

Read in this order:

palette             colours and marks of labels
templates           the files of `templates/`, filled; content security policies
inspection          every step of some extractors over one page, as one HTML page
inspection_folder   the inspection pages of a crawl, the least confident ones
label_store         the labels of an annotator, on disk
annotator           the queue of pages, and their labels
server              the annotator's web application
"""
