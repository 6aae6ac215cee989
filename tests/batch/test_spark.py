"""A small real Spark: the rows are those of the local engine."""

from __future__ import annotations

import gzip
import json
import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from scrapy_boilerplate.batch.inputs import find_inputs
from scrapy_boilerplate.batch.job import Job, run_job
from scrapy_boilerplate.batch.output import OutputError
from scrapy_boilerplate.batch.pool import RowPool
from scrapy_boilerplate.batch.settings import BatchSettings
from scrapy_boilerplate.extractors import find_model_folder
from scrapy_boilerplate.site.domains import Domains
from tests.batch.stored import json_lines, page, pages_warc
from tests.conftest import REPO
from tests.documented import find_block
from tests.site_pages import site_page

PAGES = 8


@pytest.fixture(scope="module")
def session() -> Iterator[Any]:
    sql = pytest.importorskip("pyspark.sql")
    if shutil.which("java") is None:
        pytest.skip("no java: apt-get install openjdk-17-jre-headless")
    os.environ["PYSPARK_PYTHON"] = sys.executable
    builder = sql.SparkSession.builder.master("local[2]").appName("tests")
    for name, value in {
        "spark.ui.enabled": "false",
        "spark.sql.shuffle.partitions": "2",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
    }.items():
        builder = builder.config(name, value)
    started = builder.getOrCreate()
    yield started
    started.stop()


@pytest.fixture
def stored(tmp_path: Path) -> Path:
    lines: list[Any] = [{"id": number, "url": f"https://{number % 2}.example/é", "html": page(n)}
                        for n, number in enumerate(range(PAGES))]  # fmt: skip
    (tmp_path / "stored").mkdir()
    return json_lines(tmp_path / "stored" / "stored.jsonl", [*lines, {"id": "bad"}, "no JSON"])


@pytest.fixture
def run_on_spark(session: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    """The engine over the session of these tests."""
    from scrapy_boilerplate.batch import spark  # noqa: PLC0415

    monkeypatch.setattr(spark, "create_session", lambda: session)
    monkeypatch.setattr(type(session), "stop", lambda _self: None)
    return spark.run_on_spark


def lines_in(folder: Path) -> list[bytes]:
    return sorted(b"".join(path.read_bytes() for path in folder.glob("part-*")).splitlines())


def test_lines_are_byte_identical_with_the_local_engine(
    run_on_spark: Any, stored: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A folder with a file of lines and a page: each is read once, from wherever tasks run."""
    stored.with_name("page.html").write_text(page(PAGES), encoding="utf-8")
    monkeypatch.chdir(stored.parent.parent)
    job = Job(inputs=find_inputs([Path(stored.parent.name)]), settings=BatchSettings())
    run_job(job, tmp_path / "local", RowPool(job.settings))
    run_on_spark(job, tmp_path / "spark")
    assert len(lines_in(tmp_path / "local")) == PAGES + 3
    assert lines_in(tmp_path / "spark") == lines_in(tmp_path / "local")
    with pytest.raises(OutputError, match="holds files already"):
        run_on_spark(job, tmp_path / "spark")


def test_joined_site_knowledge_is_that_of_the_local_engine(
    run_on_spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Sites that are large for this test are salted; some pages have no address."""
    from scrapy_boilerplate.batch import site_records, spark  # noqa: PLC0415

    monkeypatch.setattr(spark, "BROADCAST_BYTES", 0)
    monkeypatch.setattr(spark, "SHARE_PAGES", 3)
    monkeypatch.setattr(spark, "MAX_PAGES", 5)
    monkeypatch.setattr(site_records, "MAX_PAGES", 5)
    hosts = ("large.com", "small.com", "large.com", "www.large.com")
    pages = [{"id": n, "url": f"https://{hosts[n % 4]}/{n}", "html": site_page(n)}
             for n in range(12)]  # fmt: skip
    pages += [{"id": "none", "html": site_page(1)}, {"id": "bad", "url": "https://small.com"}]
    stored = json_lines(tmp_path / "stored.jsonl", pages)
    job = Job(
        inputs=find_inputs([stored]), settings=BatchSettings(extractor="num-words"), site=True
    )
    run_job(job, tmp_path / "local", RowPool(job.settings))
    run_on_spark(job, tmp_path / "spark")
    expected = lines_in(tmp_path / "local")
    assert lines_in(tmp_path / "spark") == expected
    known = {row["id"]: row.get("site_pages") for row in map(json.loads, expected)}
    assert {known[n] for n in range(12) if n % 4 != 1} == {4, 5}
    assert {known[n] for n in range(12) if n % 4 == 1} == {2}
    assert (known["none"], known["bad"]) == (0, None)


def test_job_of_the_documentation(session: Any, tmp_path: Path) -> None:
    """As it stands in docs/cluster.md, with folders for a bucket."""
    rows = [(str(n), f"https://a.example/{n}", site_page(n)) for n in range(2)]
    pages = session.createDataFrame(rows, "id string, url string, html string").coalesce(1)
    pages.write.parquet(str(tmp_path / "pages"))
    first = "from scrapy_boilerplate.batch.settings import BatchSettings"
    code = find_block("docs/cluster.md", first).code
    assert code.count('"s3a://mine/') == 2
    code = code.replace("s3a://mine/", f"{tmp_path}/")
    exec(compile(code, "docs/cluster.md", "exec"), {"spark": session})  # noqa: S102 - our own documentation
    labelled = session.read.parquet(str(tmp_path / "rows")).collect()
    assert sorted(row["headline"] in site_page(int(row["id"])) for row in labelled) == [True, True]


@pytest.mark.posix("a script stands in for `aws`")
def test_common_crawl_example_of_the_documentation(session: Any, tmp_path: Path) -> None:
    """As it stands in docs/cluster.md, with another `aws`, fewer tasks, a folder for a bucket."""
    pages_warc(tmp_path / "kept.warc.gz", 3)
    aws = tmp_path / "bin" / "aws"
    aws.parent.mkdir()
    aws.write_text(f'#!/bin/sh\necho "$3" >> {tmp_path}/asked\ncp {tmp_path}/kept.warc.gz "$4"\n')
    aws.chmod(0o755)
    (tmp_path / "warc.paths.gz").write_bytes(gzip.compress(b"crawl-data/a.warc.gz\n"))
    documentation = (REPO / "docs" / "cluster.md").read_text(encoding="utf-8")
    code = (
        documentation.partition("### Common Crawl News")[2]
        .partition("```python")[2]
        .partition("```")[0]
    )
    for here, there in {
        '"aws"': repr(str(aws)),
        '"warc.paths.gz"': repr(str(tmp_path / "warc.paths.gz")),
        "repartition(400)": "repartition(2)",
        '"s3a://mine/news-2024-05"': repr(str(tmp_path / "rows")),
    }.items():
        assert here in code
        code = code.replace(here, there)
    exec(compile(code, "docs/cluster.md", "exec"), {"spark": session, "__name__": "__main__"})  # noqa: S102 - our own documentation
    rows = session.read.parquet(str(tmp_path / "rows")).collect()
    assert sorted(row["headline"] for row in rows) == ["Page 0", "Page 1", "Page 2"]
    assert (tmp_path / "asked").read_text() == "s3://commoncrawl/crawl-data/a.warc.gz\n"


def test_label_of_a_dataframe_with_a_model_of_ones_own(session: Any, tmp_path: Path) -> None:
    from scrapy_boilerplate.batch.spark import label  # noqa: PLC0415

    model = tmp_path / "mine"
    shutil.copytree(find_model_folder("news"), model)
    rows: list[Any] = [(str(n), f"https://a.example/{n}", site_page(n)) for n in range(3)]
    rows += [("none", None, None)]
    pages = session.createDataFrame(rows, "id string, url string, html string").coalesce(1)
    rows_by_id = {
        row["id"]: row for row in label(pages, BatchSettings(extractor=str(model))).collect()
    }
    assert rows_by_id["2"]["headline"] in site_page(2)
    assert rows_by_id["2"]["extractor"] == str(model)  # not the path of the copy that was sent
    assert {block["label"] for block in rows_by_id["2"]["blocks"]} >= {"headline", "full_text"}
    assert rows_by_id["none"]["error"] == 'no text under "html"'
    known = label(pages, BatchSettings(extractor=str(model)), site=True).collect()
    assert {row["id"]: row["site_pages"] for row in known} == {
        **dict.fromkeys("012", 2),
        "none": None,
    }
    with pytest.raises(ValueError, match="a column 'html'"):
        label(pages.drop("html"))
    for kind in ("timestamp", "decimal(9,2)", "binary"):
        odd = session.createDataFrame([], f"id {kind}, html string")
        with pytest.raises(ValueError, match="cast id to string"):
            label(odd)
    assert "headline" in label(session.createDataFrame([], "id bigint, html string")).columns


def test_list_of_suffixes_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("tldextract")
    from scrapy_boilerplate.batch import spark  # noqa: PLC0415

    read: list[Domains] = []

    def reading() -> Domains:
        read.append(Domains())
        return read[-1]

    monkeypatch.setattr(spark, "Domains", reading)
    spark._create_domains.cache_clear()
    sites = [spark._find_site(f"https://www.{name}.example/") for name in "abc"]
    assert sites == ["a.example", "b.example", "c.example"]
    assert len(read) == 1


JOB = "from scrapy_boilerplate.cli import main; raise SystemExit(main())"
LIMIT = 600
"""Seconds for a job; on an idle machine it takes a tenth."""


@pytest.mark.posix("spark-submit is a script")
def test_submitted_to_executors_of_their_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a driver and executors must not share: the folder they run in, files, a model of one's
    own, the statistics of sites."""
    spark = Path(pytest.importorskip("pyspark").__file__).parent
    if shutil.which("java") is None:
        pytest.skip("no java: apt-get install openjdk-17-jre-headless")
    (tmp_path / "job.py").write_text(JOB, encoding="ascii")
    shutil.copytree(find_model_folder("news"), tmp_path / "mine")
    pages = [{"id": n, "url": f"https://a.com/{n}", "html": site_page(n)} for n in range(4)]
    stored = json_lines(tmp_path / "stored.jsonl", pages)
    settings = {
        "spark.ui.enabled": "false",
        "spark.sql.shuffle.partitions": "2",
        "spark.executorEnv.PYTHONPATH": str(REPO),
    }
    options = [part for item in settings.items() for part in ("--conf", "=".join(item))]
    batch = ("batch", "stored.jsonl", "-o", "out", "--engine", "spark", "--site")
    done = subprocess.run(
        [str(spark / "bin" / "spark-submit"), "--master", "local-cluster[2,1,1024]", *options,
         "job.py", *batch, "--extractor", "./mine"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(REPO), "PYSPARK_PYTHON": sys.executable,
             "SPARK_LOCAL_IP": "127.0.0.1"},
        stderr=subprocess.PIPE,
        timeout=LIMIT,
        check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr.decode()
    monkeypatch.chdir(tmp_path)  # rows name the model as the command does
    settings_here = BatchSettings(extractor="./mine")
    job = Job(inputs=find_inputs([stored]), settings=settings_here, site=True)
    run_job(job, tmp_path / "local", RowPool(settings_here))
    assert lines_in(tmp_path / "out") == lines_in(tmp_path / "local")
    rows = map(json.loads, lines_in(tmp_path / "out"))
    assert [row["site_pages"] for row in rows] == [len(pages) - 1] * len(pages)


PYTHON = """#!/bin/sh
set -e
{python} -m venv --without-pip "$3"
cp here.pth "$3"/lib/python*/site-packages/
printf '#!/bin/sh\\necho "$*" > installed\\n' > "$3"/bin/pip
printf '#!/bin/sh\\ntar -czf "$4" -C "$2" .\\n' > "$3"/bin/venv-pack
chmod +x "$3"/bin/pip "$3"/bin/venv-pack
"""
"""Stands in for `python -m venv`: the packages are those of these tests, `pip` notes what it is
asked for, `venv-pack` is `tar`."""
DEFAULTS = """
spark.default.parallelism 1
spark.driver.extraJavaOptions -XX:TieredStopAtLevel=1 -XX:+UseSerialGC
spark.driver.host 127.0.0.1
spark.executor.extraJavaOptions -XX:TieredStopAtLevel=1 -XX:+UseSerialGC
spark.ui.enabled false
"""


@pytest.mark.posix("bash, and a script for `python`")
def test_yarn_job_of_the_documentation_on_an_executor_here(tmp_path: Path) -> None:
    """As it stands in docs/cluster.md, but for YARN and the network: the cluster is one executor of
    its own, which has no Python with our packages but that of the packed environment."""
    parquet = pytest.importorskip("pyarrow.parquet")
    spark = Path(pytest.importorskip("pyspark").__file__).parent
    if shutil.which("java") is None:
        pytest.skip("no java: apt-get install openjdk-17-jre-headless")
    for name in ("bin", "conf", "archives"):
        (tmp_path / name).mkdir()
    python = tmp_path / "bin" / "python"
    python.write_text(PYTHON.format(python=shlex.quote(sys.executable)), encoding="utf-8")
    python.chmod(0o755)
    (tmp_path / "here.pth").write_text("\n".join([str(REPO), *sys.path]), encoding="utf-8")
    (tmp_path / "conf" / "spark-defaults.conf").write_text(DEFAULTS, encoding="ascii")
    pages_warc(tmp_path / "archives" / "a.warc.gz", 3)
    code = find_block("docs/cluster.md", "python -m venv env && env/bin/pip install "
                      "'scrapy-boilerplate-removal[spark]' venv-pack").code  # fmt: skip
    for here, there in {
        "--master yarn --deploy-mode cluster": "--master 'local-cluster[1,1,1024]'",
        " /shared/": f" {tmp_path}/",
    }.items():
        assert here in code
        code = code.replace(here, there)
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PY")}
    path = f"{tmp_path / 'bin'}:{spark / 'bin'}:{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-e", "-c", code],
        cwd=tmp_path,
        env={**kept, "PATH": path, "SPARK_CONF_DIR": str(tmp_path / "conf"),
             "SPARK_LOCAL_IP": "127.0.0.1"},
        stderr=subprocess.PIPE,
        timeout=LIMIT,
        check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr.decode()
    installed = (tmp_path / "installed").read_text().split()
    assert installed == ["install", "scrapy-boilerplate-removal[spark]", "venv-pack"]
    assert (tmp_path / "out" / "_SUCCESS").exists()
    rows = parquet.read_table(tmp_path / "out", columns=["headline", "site"]).to_pylist()
    assert sorted((row["headline"], row["site"]) for row in rows) == [
        (f"Page {number}", f"site{number % 2}.example") for number in range(3)
    ]
