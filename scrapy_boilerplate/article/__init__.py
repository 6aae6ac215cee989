"""What works with every extractor: pages, stub, live blog, comments, article or not."""
