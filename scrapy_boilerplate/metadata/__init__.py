"""What a page says about itself beside its text."""
