"""The main content with its structure: clean HTML, and Markdown made of it."""
