"""Spark gives the rows of the local engine."""

import gzip
import json
import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from scrapy_boilerplate.batch.inputs import find_inputs
from scrapy_boilerplate.batch.job import Job, run_job
from scrapy_boilerplate.batch.output import OutputError
from scrapy_boilerplate.batch.pages import InputError, ReadOptions
from scrapy_boilerplate.batch.pool import RowPool
from scrapy_boilerplate.extractors import Options, find_model_folder
from tests.batch.stored import NO_HTML, json_lines, page, pages_warc
from tests.conftest import REPO
from tests.documented import find_block
from tests.site_pages import site_page


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
def run_on_spark(session: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    from scrapy_boilerplate.batch import spark  # noqa: PLC0415

    monkeypatch.setattr(spark, "create_session", lambda: session)
    monkeypatch.setattr(type(session), "stop", lambda _self: None)
    return spark.run_on_spark


def sorted_rows(folder: Path) -> list[dict[str, Any]]:
    """The rows of a folder without empty values: the rows of Spark have a value in each column."""
    files = [path for path in folder.glob("part-*") if path.suffix in (".json", ".jsonl")]
    lines = [json.loads(line) for file in files for line in file.read_bytes().splitlines()]
    return sorted(
        ({name: value for name, value in row.items() if value is not None} for row in lines),
        key=lambda row: str(row["id"]),
    )


def test_rows_are_those_of_the_local_engine(run_on_spark: Any, tmp_path: Path) -> None:
    """JSON lines and Parquet."""
    parquet, arrow = pytest.importorskip("pyarrow.parquet"), pytest.importorskip("pyarrow")
    pages = [{"id": str(n), "url": f"https://a.example/é{n}", "html": site_page(n)}
             for n in range(12)]  # fmt: skip
    folder = tmp_path / "stored"
    folder.mkdir()
    parquet.write_table(arrow.Table.from_pylist(pages[8:]), folder / "stored.parquet")
    others = [{"id": "none", "html": site_page(1)}, {"id": "bad", "url": "https://small.com"}]
    others += [{"id": "large", "html": "a" * 100_001}]
    json_lines(folder / "stored.jsonl", [*pages[:8], *others])
    pool, reading = RowPool(Options(extractor="num-words")), ReadOptions(max_bytes=100_000)
    job = Job(inputs=find_inputs([folder]), pool=pool, reading=reading)
    run_job(job, tmp_path / "local")
    run_on_spark(job, tmp_path / "spark")
    expected = sorted_rows(tmp_path / "local")
    assert sorted_rows(tmp_path / "spark") == expected
    assert len(expected) == 15
    [large] = [row for row in expected if row["id"] == "large"]
    assert "100,000 bytes" in large["error"]


def test_jobs_that_spark_cannot_do(run_on_spark: Any, tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text(page(1), encoding="utf-8")
    job = Job(inputs=find_inputs([tmp_path / "a.html"]))
    with pytest.raises(OutputError, match="exists already"):
        run_on_spark(job, tmp_path)
    with pytest.raises(OutputError, match="Spark does not write CSV"):
        run_on_spark(replace(job, file_format="csv"), tmp_path / "out")
    with pytest.raises(InputError, match="Spark cannot read"):
        run_on_spark(job, tmp_path / "out")


def run_block(first: str, replaced: dict[str, str], names: dict[str, Any]) -> None:
    """Run a block of docs/usage/cluster.md, with other names of files and machines."""
    code = find_block("docs/usage/cluster.md", first).code
    for here, there in replaced.items():
        assert here in code
        code = code.replace(here, there)
    exec(compile(code, "docs/usage/cluster.md", "exec"), names)  # noqa: S102 - our own documentation


def test_job_of_the_documentation(session: Any, tmp_path: Path) -> None:
    rows = [(str(n), f"https://a.example/{n}", site_page(n)) for n in range(2)]
    pages = session.createDataFrame(rows, "id string, url string, html string").coalesce(1)
    pages.write.parquet(str(tmp_path / "pages"))
    first = "from scrapy_boilerplate.batch.spark import label"
    run_block(first, {"s3a://mine/": f"{tmp_path}/"}, {"spark": session})
    labelled = session.read.parquet(str(tmp_path / "rows")).collect()
    assert sorted(row["headline"] in site_page(int(row["id"])) for row in labelled) == [True, True]


@pytest.mark.posix("a script replaces `aws`")
def test_common_crawl_job_of_the_documentation(session: Any, tmp_path: Path) -> None:
    pages_warc(tmp_path / "kept.warc.gz", 3)
    aws = tmp_path / "bin" / "aws"
    aws.parent.mkdir()
    aws.write_text(f'#!/bin/sh\necho "$3" >> {tmp_path}/asked\ncp {tmp_path}/kept.warc.gz "$4"\n')
    aws.chmod(0o755)
    (tmp_path / "warc.paths.gz").write_bytes(gzip.compress(b"crawl-data/a.warc.gz\n"))
    replaced = {
        '"aws"': repr(str(aws)),
        '"warc.paths.gz"': repr(str(tmp_path / "warc.paths.gz")),
        "repartition(400)": "repartition(2)",
        '"s3a://mine/news-2024-05"': repr(str(tmp_path / "rows")),
    }
    run_block("import subprocess", replaced, {"spark": session, "__name__": "__main__"})
    rows = session.read.parquet(str(tmp_path / "rows")).collect()
    assert sorted(row["headline"] for row in rows) == ["Page 0", "Page 1", "Page 2"]
    assert {row["text"].count("naïve") + len(row["blocks"]) for row in rows} == {3}
    assert (tmp_path / "asked").read_text() == "s3://commoncrawl/crawl-data/a.warc.gz\n"


def test_label_of_a_dataframe(session: Any, tmp_path: Path) -> None:
    from scrapy_boilerplate.batch.spark import label  # noqa: PLC0415

    model = tmp_path / "mine"
    shutil.copytree(find_model_folder("news"), model)
    options = Options(extractor=str(model))
    rows: list[Any] = [(n, f"https://a.example/{n}", site_page(n), 1) for n in range(3)]
    rows += [(None, None, None, 1)]
    schema = "id bigint, url string, html string, other int"
    pages = session.createDataFrame(rows, schema).coalesce(1)
    rows_by_id = {row["id"]: row for row in label(pages, options).collect()}
    assert rows_by_id["2"]["headline"] in site_page(2)
    assert rows_by_id["2"]["extractor"] == str(model)
    assert rows_by_id["2"]["site_pages"] is None
    assert {block["label"] for block in rows_by_id["2"]["blocks"]} >= {"headline", "full_text"}
    assert NO_HTML in rows_by_id[None]["error"]
    with pytest.raises(ValueError, match="a column 'html'"):
        label(pages.drop("html"))


PYTHON = """#!/bin/sh
set -e
{python} -m venv --without-pip "$3"
cp here.pth "$3"/lib/python*/site-packages/
printf '#!/bin/sh\\necho "$*" > installed\\n' > "$3"/bin/pip
printf '#!/bin/sh\\ntar -czf "$4" -C "$2" .\\n' > "$3"/bin/venv-pack
chmod +x "$3"/bin/pip "$3"/bin/venv-pack
"""
"""Replaces `python -m venv`: it has the packages of these tests, `pip` writes down its arguments,
`venv-pack` is `tar`."""
DEFAULTS = """
spark.default.parallelism 1
spark.driver.extraJavaOptions -XX:TieredStopAtLevel=1 -XX:+UseSerialGC
spark.driver.host 127.0.0.1
spark.executor.extraJavaOptions -XX:TieredStopAtLevel=1 -XX:+UseSerialGC
spark.sql.shuffle.partitions 2
spark.ui.enabled false
"""
LIMIT = 600
"""Seconds for a job; on an idle machine it takes a tenth."""


@pytest.mark.posix("bash, and a script for `python`")
def test_yarn_job_of_the_documentation_on_an_executor_here(tmp_path: Path) -> None:
    """As in docs/usage/cluster.md, but for YARN and the network: the cluster is one executor of its
    own, whose only Python with our packages is the packed environment."""
    parquet = pytest.importorskip("pyarrow.parquet")
    spark = Path(pytest.importorskip("pyspark").__file__).parent
    if shutil.which("java") is None:
        pytest.skip("no java: apt-get install openjdk-17-jre-headless")
    for name in ("bin", "conf", "pages"):
        (tmp_path / name).mkdir()
    python = tmp_path / "bin" / "python"
    python.write_text(PYTHON.format(python=shlex.quote(sys.executable)), encoding="utf-8")
    python.chmod(0o755)
    (tmp_path / "here.pth").write_text("\n".join([str(REPO), *sys.path]), encoding="utf-8")
    (tmp_path / "conf" / "spark-defaults.conf").write_text(DEFAULTS, encoding="ascii")
    lines = [{"url": f"https://site{n % 2}.example/{n}", "html": site_page(n)} for n in range(6)]
    json_lines(tmp_path / "pages" / "a.jsonl", lines)
    install = "env/bin/pip install --find-links dist 'scrapy-boilerplate-removal[spark]' venv-pack"
    code = find_block("docs/usage/cluster.md", f"python -m venv env && {install}").code
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
    assert installed == shlex.split(install)[1:]
    assert (tmp_path / "out" / "_SUCCESS").exists()
    rows = parquet.read_table(tmp_path / "out", columns=["error", "site"]).to_pylist()
    assert sorted((row["error"], row["site"]) for row in rows) == [
        (None, f"site{number // 3}.example") for number in range(6)
    ]
