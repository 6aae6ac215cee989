"""Site knowledge on Spark: statistics of every site by aggregation, then pages beside them.

What is known of a site is the set of its newest records (`site.knowledge`), and the newest of a
union are among the newest of its parts. So they are taken in two steps, the first over salted
shares of each site: no task holds a large site alone.
"""

from __future__ import annotations

import atexit
import shutil
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

from scrapy_boilerplate.batch.site_rows import keep
from scrapy_boilerplate.batch.spark_task import PAGE, RECORD, sited
from scrapy_boilerplate.extras import optional
from scrapy_boilerplate.site.domains import UNKNOWN
from scrapy_boilerplate.site.knowledge import MAX_PAGES
from scrapy_boilerplate.site.stores.records import Record
from scrapy_boilerplate.site.stores.sqlite import SqliteStore

DataFrame = Any

SALTS = 16
"""Shares of each site in the first step of the aggregation (our choice)."""
BROADCAST_BYTES = 500_000_000
"""Statistics up to this size are sent to every machine as a file; larger ones are joined (our
choice: about 200,000 pages that are remembered)."""
SHARE_PAGES = 10_000
"""Pages of a site in one task of the join; larger sites are salted (our choice: 6 minutes)."""
WRITTEN = 1_000
"""Records in a transaction of the file."""

RECORDS = "site string, key binary, at bigint, record binary"
"""The schema of what pages tell of their sites."""
SITED = "site string, page binary"


@dataclass(frozen=True)
class Statistics:
    """A DataFrame `site`, `key`, `at`, `record`, `seen` (pages of the site), kept on disk."""

    records: DataFrame

    @classmethod
    def of(cls, records: DataFrame) -> Statistics:
        """Aggregate the records of pages. Nothing is computed yet."""
        sql = optional("pyspark.sql.functions", "Spark", "spark")
        window = optional("pyspark.sql", "Spark", "spark").Window
        level = optional("pyspark", "Spark", "spark").StorageLevel.DISK_ONLY
        once = records.groupBy("site", "key").agg(
            sql.max("at").alias("at"),
            sql.max_by("record", "at").alias("record"),
            sql.count("*").alias("pages"),
        )
        salted = once.withColumn("salt", sql.pmod(sql.hash("key"), sql.lit(SALTS)))
        newest = ("at", "key")
        of_share, of_site = window.partitionBy("site", "salt"), window.partitionBy("site")
        shares = (
            salted.withColumn("share", sql.sum("pages").over(of_share))
            .withColumn("place", sql.row_number().over(of_share.orderBy(*map(sql.desc, newest))))
            .where(sql.col("place") <= MAX_PAGES)
            .withColumn("counted", sql.when(sql.col("place") == 1, sql.col("share")).otherwise(0))
        )
        whole = (
            shares.withColumn("seen", sql.sum("counted").over(of_site))
            .withColumn("place", sql.row_number().over(of_site.orderBy(*map(sql.desc, newest))))
            .where(sql.col("place") <= MAX_PAGES)
        )
        return cls(whole.select("site", "key", "at", "record", "seen").persist(level))

    def size(self) -> int:
        """Bytes of all records; computes them."""
        sql = optional("pyspark.sql.functions", "Spark", "spark")
        return int(self.records.agg(sql.sum(sql.length("record"))).first()[0] or 0)

    def sent(self) -> str:
        """The name of a file of statistics that Spark sends to every machine."""
        folder = served_folder("sites-")
        file = folder / f"{folder.name}.sqlite"
        store = SqliteStore(file)
        rows = self.records.select("site", "key", "at", "record").toLocalIterator()
        while chunk := list(islice(rows, WRITTEN)):
            keep(store, _records(chunk))
        store.close()
        self.records.sparkSession.sparkContext.addFile(str(file))
        return file.name

    def joined(self, pages: DataFrame, partitions: int) -> DataFrame:
        """Packed pages beside what is known of their sites: `site`, `kind`, `content`, sorted.

        A site with more than SHARE_PAGES pages is dealt out to several tasks; pages without a
        site to all.
        """
        sql = optional("pyspark.sql.functions", "Spark", "spark")
        salts = sql.ceil(sql.col("seen") / SHARE_PAGES).cast("int")
        known = self.records.withColumn("salts", salts)
        large = known.where("salts > 1").select("site", "salts").distinct()
        dealt = pages.mapInArrow(sited, SITED).join(sql.broadcast(large), "site", "left")
        unknown = sql.when(sql.col("site") == UNKNOWN, sql.lit(partitions)).otherwise(1)
        share = sql.pmod(sql.hash("page"), sql.coalesce("salts", unknown))
        asked = dealt.select("site", share.alias("salt"), sql.lit(PAGE).alias("kind"),
                             sql.col("page").alias("content"))  # fmt: skip
        each = sql.explode(sql.sequence(sql.lit(0), sql.col("salts") - 1))
        told = known.select("site", each.alias("salt"), sql.lit(RECORD).alias("kind"),
                            sql.col("record").alias("content"))  # fmt: skip
        both = told.unionByName(asked).repartition(partitions, "site", "salt")
        return both.sortWithinPartitions("site", "salt", "kind").drop("salt")


def served_folder(prefix: str) -> Path:
    """A new folder of this process, for files that Spark serves until the end."""
    folder = Path(mkdtemp(prefix=prefix))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def _records(rows: Iterable[Any]) -> Iterable[tuple[str, Record]]:
    return ((r["site"], Record(bytes(r["key"]), r["at"], bytes(r["record"]))) for r in rows)
