"""Systems that choose elements by scores: OMINI, libextract, Goose, Newspaper, Readability."""
