"""The systems of the literature: one module, or one folder, for each system or family.

A module contains, from top to bottom, the reference (paper, program and version) and the deviations
from it, parameters and their sources, features, rules and rows. Its page in ``docs/systems/`` has
the rest. Shared code is in `common` and `steps`. A module does not import another family, and is
imported on demand.

To add the system of a paper:

1. Write a module: a function from a page to bool[n], the blocks that are content, in a
   `common.rules.ContentRule`, or a step of your own; and ROWS, the extractors: name, source, a line
   on when to use it, steps. Copy `grandparent.py`. Tokens, masks of elements, and numbers
   of texts and spans are in `common.columns`.
2. Add its names to the table of modules in `scrapy_boilerplate.extractors`.
3. Write its page into ``docs/systems/``. ``make tables`` lists and measures it in
   ``docs/systems.md``; figures of the paper are a row of `benchmarks/data/published.csv`.

A system that learns has a `common.columns.FeatureGroup` and a function that reads a stored model
into a `common.block_model.BlockModel` (copy `texrex.py`) instead of a rule, a row in
`learned.TABLE` instead of ROWS, and a trainer, ``training/trainers/<kind>.py`` with a line in
TRAINERS. ``scrapy-boilerplate train NAME --out scrapy_boilerplate/systems/models/NAME`` writes the
shipped model; its figures are in `learned.csv`.

Its tests are the worked examples of the paper. ``python -m tests.quality.floors CORPORA`` measures
its minimum scores.
"""
