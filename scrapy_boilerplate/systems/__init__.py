"""The systems of the literature: one module, or one folder, for each system or family.

A module has from top to bottom: the reference (paper, program and version) and what differs from
it, parameters and their sources, features, rules and rows; its page in ``docs/systems/`` has the
rest. Shared building blocks are in `common` and `steps`. A module does not import another family,
and is imported on demand.

To add the system of a paper:

1. Copy `tag_ratios/document_slope.py` (rules) or `victor/crf.py` (a learned model) and write a
   rule (`common.rules`) or a step. ROWS has the extractors of the module: name, source, a line on
   when to use it, steps.
2. Add each name and its module to `scrapy_boilerplate.extractors.MODULES`.
3. Write the paper's figures into a row of `benchmarks/data/published.csv`, or `learned.csv` of a
   system that learns; ``make tables`` writes ``docs/systems.md``. Pin the floor of the extractor:
   ``python -m tests.quality.floors CORPORA``.
4. For a learned system: its model is a `common.block_model.BlockModel`, its row is in
   `learned.TABLE` instead of ROWS, and its module in MODULES is ``systems.learned``. Add the kind
   to `extractors.MODEL_KINDS`, write ``training/trainers/<kind>.py`` with a line in TRAINERS, and
   train the model: ``scrapy-boilerplate train NAME --out scrapy_boilerplate/systems/models/NAME``.
5. Write its tests into ``tests/systems/test_<name>.py``, its page into ``docs/systems/`` and a row
   into ``docs/systems.md``. ``tests/systems/test_pages.py`` lists the headings of a page.
"""
