"""The metadata of a page: headline, dates, authors, language and other fields."""
