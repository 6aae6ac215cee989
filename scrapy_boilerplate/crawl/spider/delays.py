"""Wait between requests as the robots.txt of a host asks."""

import logging
import re

from protego import Protego
from scrapy import Request
from scrapy.crawler import Crawler

logger = logging.getLogger(__name__)

_find_bad_delay = re.compile(
    r"^[ \t]*(?:crawl-delay[ \t]*:[ \t]*+(?!\d*\.?\d+[ \t]*(?:#|$))|"
    r"request-rate[ \t]*:[ \t]*+(?!\d+[ \t]*/[ \t]*\d))[^\r\n]*",
    re.IGNORECASE | re.MULTILINE,
).search


class Delays:
    """The delays of hosts, in seconds, at most `longest`."""

    def __init__(self, crawler: Crawler, longest: float) -> None:
        self._crawler, self._longest = crawler, longest
        self._delays: dict[str, float] = {}

    def read(self, text: str, robots: Protego, url: str) -> None:
        """Keep the ``Crawl-delay`` and ``Request-rate`` of the robots.txt at `url`."""
        settings = self._crawler.settings
        agent = str(settings["ROBOTSTXT_USER_AGENT"] or settings["USER_AGENT"])
        rate = robots.request_rate(agent)
        seconds = max(robots.crawl_delay(agent) or 0.0, rate.seconds / rate.requests if rate else 0)
        if bad := _find_bad_delay(text):
            logger.warning("%s has a line that is no delay: %s", url, bad[0].strip()[:80])
        if seconds > self._longest:
            advice = "%s asks for %g seconds between requests; waiting %g (MAX_CRAWL_DELAY)"
            logger.warning(advice, url, seconds, self._longest)
        if seconds:
            self._delays[self._find_slot(Request(url))] = min(seconds, self._longest)

    def keep(self, request: Request) -> None:
        """Set the delay of a request's host; AutoThrottle can only raise it."""
        key = request.meta.get("download_slot") or self._find_slot(request)
        slot = self._crawler.engine.downloader.slots.get(key)
        if slot is not None and (seconds := self._delays.get(key, 0.0)) > 0:
            slot.delay = max(slot.delay, seconds)
            # ``jitter`` from Scrapy 2.19 on
            setattr(slot, "jitter" if hasattr(slot, "jitter") else "randomize_delay", 0)

    def _find_slot(self, request: Request) -> str:
        return self._crawler.engine.downloader.get_slot_key(request)
