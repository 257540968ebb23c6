"""Files are replaced completely or not at all, wherever their writer is killed."""

from __future__ import annotations

import errno
import itertools
import os
import signal
import sys
from pathlib import Path

import pytest

from usdsim.core import locks, transaction
from usdsim.core.errors import FileError
from usdsim.core.transaction import Transaction, digest, replacing

CALLS = ("rename", "replace", "link", "unlink", "rmdir", "mkdir", "fsync")
"""System calls that change what a reader, or the next writer, finds."""


def write(target, text, owned=None):
    """A result of a file and two others, all with one text, and what it owns."""
    with Transaction(target) as transaction:
        transaction.stage("parts/one.txt").write_text(text)
        transaction.stage("layers").mkdir()
        for name in ("a.txt", "b.txt"):
            (transaction.stage("layers") / name).write_text(text)
        names = transaction.place()
        transaction.staged.write_text("\n".join([text, *(n for _, n in sorted(names.items()))]))
        contents = transaction.contents()
        transaction.commit(owned)
    return contents


def read(target):
    """The one text of a result; every file it names has to have it."""
    text, layers, part = target.read_text().split("\n")
    assert (target.parent / layers / "a.txt").read_text() == text
    assert (target.parent / part).read_text() == text
    return text


def everything(folder):
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def killed_at(call, work):
    """Run `work` in a process that kills itself before its n-th changing system call."""
    child = os.fork()
    if child == 0:
        count = 0

        def wrapped(function):
            def run(*arguments, **options):
                nonlocal count
                if count == call:
                    os.kill(os.getpid(), signal.SIGKILL)
                count += 1
                return function(*arguments, **options)

            return run

        for name in CALLS:
            setattr(os, name, wrapped(getattr(os, name)))
        try:
            work()
        finally:
            os._exit(0)
    _, status = os.waitpid(child, 0)
    return os.WIFSIGNALED(status)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_killed_anywhere_leaves_no_empty_folder(tmp_path):
    """A result without other files over one that had some."""

    def plain(to, own):
        with Transaction(to) as transaction:
            transaction.staged.write_text("plain")
            transaction.commit(own)

    for calls in itertools.count():
        folder = tmp_path / f"at_{calls}"
        folder.mkdir()
        target = folder / "main.txt"
        owned = write(target, "old")
        finished = not killed_at(calls, lambda to=target, own=owned: plain(to, own))
        with replacing(folder / "other.txt") as staged:
            staged.write_text("")
        new = target.read_text() == "plain"
        names = ["main.txt", "other.txt"] if new else ["layers", "main.txt", "other.txt", "parts"]
        assert sorted(p.name for p in folder.iterdir()) == names
        if finished:
            break
    assert calls > 5


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_killed_anywhere_leaves_the_old_or_the_new_result(tmp_path):
    seen, calls = [], 0
    while True:
        folder = tmp_path / f"at_{calls}"
        folder.mkdir()
        (folder / "parts").mkdir()
        (folder / "parts" / "mine.txt").write_text("not ours")
        target = folder / "main.txt"
        owned = write(target, "old")
        finished = not killed_at(calls, lambda to=target, own=owned: write(to, "new", own))
        seen.append(read(target))
        # Whoever writes next, whatever it is, removes what the killed one left.
        with replacing(folder / "other.txt") as staged:
            staged.write_text("")
        assert read(target) == seen[-1]
        left = {name for name in everything(folder) if name not in ("other.txt", "main.txt")}
        assert len(left) == 4
        assert "parts/mine.txt" in left
        assert len(list(folder.iterdir())) == 4
        assert not [p for p in folder.iterdir() if p.name.startswith(".")]
        if finished:
            break
        calls += 1
    assert calls > 15
    assert seen == sorted(seen, reverse=True)
    assert {"old", "new"} == set(seen)


@pytest.mark.parametrize("call", ["replace", "link", "fsync", "rename"])
def test_a_failing_call_changes_nothing(tmp_path, monkeypatch, call):
    target = tmp_path / "main.txt"
    owned = write(target, "old")
    before = everything(tmp_path)

    def full(*_arguments, **_options):
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(os, call, full)
        if call == "link":
            patched.setattr(os, "rename", full)
        with pytest.raises(FileError, match=r"main\.txt.*No space left"):
            write(target, "new", owned)
    assert everything(tmp_path) == before
    write(target, "new", owned)
    assert read(target) == "new"
    assert len(everything(tmp_path)) == 4


def test_files_of_others_are_neither_replaced_nor_removed(tmp_path):
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "one.txt").write_text("mine")
    (tmp_path / "layers").write_text("mine too")
    target = tmp_path / "main.txt"
    owned = write(target, "old")
    assert sorted(owned) == ["layers_1", "parts/one_1.txt"]
    (tmp_path / "layers_1" / "a.txt").write_text("edited")
    write(target, "new", owned)
    left = everything(tmp_path)
    assert left["parts/one.txt"] == b"mine"
    assert left["layers"] == b"mine too"
    assert left["layers_1/a.txt"] == b"edited"
    assert "parts/one_1.txt" not in left
    assert read(target) == "new"


def test_a_running_writer_is_no_leftover(tmp_path):
    with replacing(tmp_path / "slow.txt") as slow:
        slow.write_text("slow")
        with replacing(tmp_path / "quick.txt") as quick:
            quick.write_text("quick")
        assert slow.exists()
    assert sorted(p.name for p in tmp_path.iterdir()) == ["quick.txt", "slow.txt"]


def test_a_journal_cannot_remove_what_lies_elsewhere(tmp_path):
    (tmp_path / "precious.txt").write_text("x")
    folder = tmp_path / "out"
    staging = folder / ".usdsim-forged"
    staging.mkdir(parents=True)
    known = digest(tmp_path / "precious.txt")
    paths = f'{{"../precious.txt": "{known}", "{tmp_path}/precious.txt": "{known}"}}'
    (staging / "journal.json").write_text(f'{{"placed": {{}}, "replaced": {paths}}}')
    with replacing(folder / "a.txt") as staged:
        staged.write_text("")
    assert (tmp_path / "precious.txt").exists()
    assert [p.name for p in folder.iterdir()] == ["a.txt"]


def test_devices_and_links_are_never_opened(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    os.symlink("/etc/hostname", tmp_path / "link")
    assert digest(tmp_path / "pipe") == digest(tmp_path / "link") == digest(tmp_path) == ""


@pytest.mark.parametrize("name", ["", "folder", "x" * 300, "a\0b"])
def test_impossible_targets_are_file_errors(tmp_path, name):
    (tmp_path / "folder").mkdir()
    with pytest.raises(FileError), replacing(tmp_path / name) as staged:
        staged.write_text("")
    assert [p.name for p in tmp_path.iterdir()] == ["folder"]


def test_the_folder_of_a_file_is_made_where_it_can_be(tmp_path):
    with replacing(tmp_path / "no" / "such" / "file") as staged:
        staged.write_text("kept")
    with pytest.raises(FileError), replacing(tmp_path / "no" / "such" / "file" / "below") as staged:
        staged.write_text("")
    assert (tmp_path / "no" / "such" / "file").read_text() == "kept"


def test_pipes_and_devices_are_neither_written_nor_replaced(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to("/dev/null")
    for name in ("pipe", "link"):
        with pytest.raises(FileError, match="no regular file"), replacing(tmp_path / name) as file:
            file.write_text("")
    assert (tmp_path / "pipe").is_fifo()
    assert (tmp_path / "link").readlink() == Path("/dev/null")


@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="needs /proc")
def test_all_is_on_the_disk_before_the_result_changes(tmp_path, monkeypatch):
    """Power may be lost after any call: what a new result refers to is synced before it comes."""
    synced, replaced = [], []
    fsync, replace = os.fsync, os.replace
    monkeypatch.setattr(
        os, "fsync", lambda fd: (synced.append(Path(f"/proc/self/fd/{fd}").readlink()), fsync(fd))
    )
    monkeypatch.setattr(os, "replace", lambda a, b: (replaced.append(list(synced)), replace(a, b)))
    with Transaction(tmp_path / "main.txt") as transaction:
        transaction.stage("parts/one.txt").write_text("new")
        transaction.staged.write_text("new")
        transaction.commit()
    (before,) = replaced
    names = [path.name for path in before]
    assert {"main", "one.txt", "journal.json", "parts"} <= set(names)
    assert before[-1] == tmp_path  # Where the folder of the parts is named.
    assert synced[-1] == tmp_path
    assert len(synced) > len(before)


def interrupted(line, work):
    """Do something with an interrupt before the n-th line that runs in the two modules."""
    left = [line]

    def trace(frame, event, _):
        if frame.f_code.co_filename not in (transaction.__file__, locks.__file__):
            return None
        left[0] -= event == "line"
        if left[0] == 0:
            raise KeyboardInterrupt
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        work()
    except KeyboardInterrupt:
        return True
    finally:
        sys.settrace(before)
    return False


def test_interrupts_at_any_line_lose_nothing_and_hold_no_lock(tmp_path):
    target = tmp_path / "result"
    owned = {"old": write(target, "old")}
    for line in itertools.count(1, 3):
        late = interrupted(line, lambda: write(target, "new", owned["old"]))
        found = read(target)
        owned["new"] = owned["old"] if found == "old" else write(target, "new")
        owned["old"] = write(target, "old", owned["new"])
        assert not list(tmp_path.glob(".usdsim-*")), line
        if not late:
            break
    assert found == "new" and line > 100
