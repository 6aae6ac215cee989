"""Labelled pages, metrics and (later) trainers. Nothing of it is needed at run time."""
