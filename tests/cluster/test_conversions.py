"""Conversions as a job: pages of what became of each file, and what is done again."""

from __future__ import annotations

from pathlib import Path

import pytest
from cluster_jobs import CART

from usdsim.cluster import ConvertJob, LocalProcesses, run_job

MESH = CART.replace(
    "<worldbody>", '<asset><mesh name="m" file="m.obj"/></asset><worldbody>'
).replace('<geom size="0.1" mass="1"/>', '<geom type="mesh" mesh="m" mass="1"/>')
OBJ = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"


@pytest.fixture
def job(folder):
    robots = folder / "robots"
    robots.mkdir()
    (robots / "cart.xml").write_text(CART)
    (robots / "mesh.xml").write_text(MESH)
    (robots / "m.obj").write_text(OBJ)
    (robots / "bad.urdf").write_text('<robot name="<r">')
    return ConvertJob(out=str(folder / "usd"), source=str(robots), suffix=".usda", pictures=True)


def again(job: ConvertJob) -> list[str]:
    """Names of the files that a resumed run works on."""
    seen = []
    fresh = ConvertJob(**{k: v for k, v in job.document().items() if k != "kind"})
    run_job(fresh, LocalProcesses(workers=1), resume=True, progress=seen.append)
    return [Path(fresh._files[result.block]).name for result in seen]


def test_what_changed_or_is_new_is_converted_again_and_nothing_else(job, folder):
    report = run_job(job, LocalProcesses(workers=1))
    assert [block.status for block in report.blocks] == ["failed", "done", "done"]
    page = (folder / "usd" / "report.html").read_text()
    assert "2 done" in page and "bad.urdf" in page and 'src="cart.png"' in page
    parquet = pytest.importorskip("pyarrow.parquet")
    rows = parquet.read_table(folder / "usd" / "report.parquet").to_pylist()
    assert [row["status"] for row in rows] == ["failed", "done", "done"] and rows[0]["message"]
    assert again(job) == ["bad.urdf"]
    (folder / "robots" / "m.obj").write_text(OBJ.replace("v 1 0 0", "v 2 0 0"))
    assert again(job) == ["bad.urdf", "mesh.xml"]
    (folder / "robots" / "axle.xml").write_text(CART)
    (folder / "usd" / "cart.usda").unlink()
    assert sorted(again(job)) == ["axle.xml", "bad.urdf", "cart.xml"]
    (folder / "robots" / "bad.urdf").unlink()
    assert again(job) == []
