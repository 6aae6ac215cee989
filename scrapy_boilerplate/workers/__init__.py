"""Pages read in other processes: a bounded pool of workers."""
