"""The classifiers of 2010 over shallow text features."""
