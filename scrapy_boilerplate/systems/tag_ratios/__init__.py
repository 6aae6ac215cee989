"""Tag-ratio and token-sequence methods."""
