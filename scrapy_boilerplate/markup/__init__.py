"""The main content as clean HTML and Markdown."""
