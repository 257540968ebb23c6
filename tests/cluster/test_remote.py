"""Remote folders: sources and results of conversions by addresses of fsspec."""

from __future__ import annotations

import sys
import uuid
import zipfile

import pytest
from cluster_jobs import CART

from usdsim.cluster import ConvertJob, LocalProcesses, run_job
from usdsim.cluster.remote import fetch_folder, publish_folder
from usdsim.core.errors import FileError, UnsupportedError

fsspec = pytest.importorskip("fsspec")


@pytest.fixture
def store(folder, monkeypatch):
    """A folder of an object store in memory, and a cache of this test's own."""
    monkeypatch.setenv("USDSIM_CACHE_DIR", str(folder / "cache"))
    memory = fsspec.filesystem("memory")
    root = f"/{uuid.uuid4().hex}"
    yield memory, root
    memory.rm(root, recursive=True) if memory.exists(root) else None


def test_robots_of_a_store_are_converted_into_it_once(store):
    memory, root = store
    memory.pipe(f"{root}/robots/arms/cart.xml", CART.encode())
    memory.pipe(f"{root}/robots/bad.urdf", b'<robot name="<r">')
    job = ConvertJob(
        out=f"memory:/{root}/usd", source=f"memory:/{root}/robots", suffix=".usda"
    )  # fmt: skip
    report = run_job(job, LocalProcesses(workers=1))
    assert [block.status for block in report.blocks] == ["done", "failed"]
    assert b"PhysicsRigidBodyAPI" in memory.cat(f"{root}/usd/arms/cart.usda")
    assert memory.exists(f"{root}/usd/_report.json") and memory.exists(f"{root}/usd/_job.json")
    with pytest.raises(FileError, match="resume it"):
        run_job(job)
    memory.pipe(f"{root}/robots/bad.urdf", b'<robot name="r"><link name="a"/></robot>')
    seen = []
    written = memory.modified(f"{root}/usd/arms/cart.usda")
    assert not run_job(job, LocalProcesses(1), resume=True, progress=seen.append).failed
    assert len(seen) == 1, "what did not change is not converted again"
    assert memory.modified(f"{root}/usd/arms/cart.usda") == written
    assert memory.exists(f"{root}/usd/bad.usda")


def test_archives_and_file_addresses_are_sources(store, folder):
    with zipfile.ZipFile(folder / "robots.zip", "w") as archive:
        archive.writestr("robots/cart.xml", CART)
        archive.writestr("robots/deep/cart.xml", CART)
    out = folder / "usd"
    job = ConvertJob(
        out=out.as_uri(), source=f"zip://robots::{folder}/robots.zip", suffix=".usda"
    )  # fmt: skip
    assert not run_job(job, LocalProcesses(workers=1)).failed
    assert (out / "cart.usda").is_file() and (out / "deep" / "cart.usda").is_file()


def test_copies_follow_the_store(store):
    memory, root = store
    url = f"memory:/{root}/parts"
    memory.pipe({f"{root}/parts/a": b"1", f"{root}/parts/b": b"2"})
    folder = fetch_folder(url)
    memory.rm(f"{root}/parts/b")
    memory.pipe(f"{root}/parts/a", b"3")
    assert fetch_folder(url) == folder
    assert {p.name: p.read_bytes() for p in folder.iterdir()} == {"a": b"3"}
    (folder / "c").write_bytes(b"4")
    assert publish_folder(url) == 2 and publish_folder(url) == 0
    assert memory.cat(f"{root}/parts/c") == b"4"


def test_what_cannot_be_opened_is_refused_in_words(store, folder, monkeypatch):
    job = ConvertJob(out=str(folder / "out"), source="nowhere://robots")
    with pytest.raises(FileError, match="nowhere"):
        run_job(job)
    with pytest.raises(FileError, match="holds no robot"):
        run_job(ConvertJob(out=str(folder / "out"), source="memory://nothing/there"))
    monkeypatch.setitem(sys.modules, "fsspec.core", None)
    with pytest.raises(UnsupportedError, match=r"fsspec"):
        run_job(ConvertJob(out=str(folder / "out"), source="memory://robots"))
    assert not (folder / "out").exists()
