"""The systems of the literature, one file or folder a family. Loaded when asked for."""
