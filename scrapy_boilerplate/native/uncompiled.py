"""The part of Cython's module `cython` that sources need where they run uncompiled without it."""

compiled = False
