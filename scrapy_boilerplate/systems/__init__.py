"""The systems of the literature: one module, or one folder, for each system or family.

A module has from top to bottom: the reference (paper, section, program and version), parameters and
their sources, deviations, known failures, then features, steps and rows. Shared building blocks are
in `common` and `steps`. A module imports no other family. It is imported when `extractors` is asked
for one of its names, not before.

To add the system of a paper:

1. Copy `tag_ratios/document_slope.py` (rules) or `ncleaner.py` (a learned model) and write the
   steps. ROWS holds the extractors of the module: name, source, a line on when to use it, steps.
2. Name the module and its rows in `scrapy_boilerplate.extractors.MODULES`, where they are to be
   listed.
3. Write the paper's figures into a row of `benchmarks/data/published.csv`, or `learned.csv` of a
   system that learns; ``make tables`` writes ``docs/systems.md``. Pin the floor of the extractor:
   ``python -m tests.quality.floors CORPORA``.
4. Of a learned system only: its step is a `steps.classifier.LearnedStep`. MODELS is the folder of
   its stored models. MAKERS maps each kind of model to the function that builds an extractor of a
   trained one (`steps.extractor.build_trained`), and raises ModelError if it does not fit. Name the
   kind in `extractors.MODEL_KINDS`, write ``training/trainers/<kind>.py`` with a line in TRAINERS,
   and train the model: ``scrapy-boilerplate train NAME --out <the folder of MODELS>/NAME``.
5. Write its tests into ``tests/systems/test_<name>.py``, its page into ``docs/systems/`` and a row
   into ``docs/systems.md``. ``tests/systems/test_pages.py`` lists the headings of a page.
"""
