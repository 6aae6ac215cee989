"""Extractors, and the steps and features that several of them share."""
