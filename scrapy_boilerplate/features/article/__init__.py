"""What tells an article page from others: one row of numbers a page."""
