"""Make rows of stored pages, with local worker processes or Spark."""
