"""Signals of the package, for ``crawler.signals.connect``."""

# A site has changed. Receivers get `change`, a `site.monitors.SiteChange`, and `spider`.
boilerplate_site_changed = object()
