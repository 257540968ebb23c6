"""Campaign of damaged and odd inputs over all doors: ``python tests/fuzz --seconds 60 --seed 0``.

Acceptable is a result, or an error of usdsim. Unacceptable is a crash, a hang, an exception of
somebody else, a state that is not finite without an error, something left behind, or a changed
input. Each distinct unacceptable outcome is kept with its input, made as small as it gets.
"""

from __future__ import annotations

import argparse
import collections
import json
import os
import queue
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
ACCEPTABLE = ("ok", "refused")
RENEWED = 1500
"""Cases after which a worker is replaced."""


class Worker:
    """A process that runs one case at a time; one that dies or is late is replaced."""

    def __init__(self, seed: int, limit: float, folder: Path):
        self._seed, self._limit, self._folder = seed, limit, folder
        self._process: subprocess.Popen[str] | None = None
        self._served = 0

    def ask(self, request: dict[str, Any]) -> dict[str, Any]:
        """Outcome of a case; ``crash`` and ``hang`` are the parent's to see."""
        if self._process is None or self._served >= RENEWED:
            self.stop()
            self._start()
        process = self._process
        assert process is not None and process.stdin is not None
        self._served += 1
        try:
            process.stdin.write(json.dumps(request) + "\n")
            process.stdin.flush()
            answer = self._await(process)
        except queue.Empty:
            self.stop(kill=True)
            return {"kind": "hang", "what": f"over {self._limit:g} s", "deep": True}
        except BrokenPipeError:
            answer = None
        if answer is None:
            code = process.wait()
            self._process = None
            return {"kind": "crash", "what": f"code {code}", "deep": True}
        outcome: dict[str, Any] = json.loads(answer)
        return outcome

    def _await(self, process: subprocess.Popen[str]) -> str | None:
        """The answer; a machine that is busy with other things makes no hang."""
        before, until = _cpu_seconds(process.pid), time.monotonic() + 12.0 * self._limit
        while True:
            try:
                return self._answers.get(timeout=0.5)
            except queue.Empty:
                used = _cpu_seconds(process.pid) - before
                if used > self._limit or time.monotonic() > until:
                    raise

    def stop(self, *, kill: bool = False) -> None:
        """End the process."""
        if self._process is None:
            return
        if kill:
            self._process.kill()
        elif self._process.stdin is not None:
            self._process.stdin.close()
        try:
            self._process.wait(20)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._process = None

    def _start(self) -> None:
        self._served = 0
        self._process = subprocess.Popen(
            [sys.executable, str(HERE / "worker.py"), str(self._folder), str(self._seed)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
            env={**os.environ, "TMPDIR": str(self._folder.parent)},
        )  # fmt: skip
        self._answers: queue.Queue[str | None] = queue.Queue()
        threading.Thread(target=_read, args=(self._process, self._answers), daemon=True).start()
        if self._answers.get(timeout=600) is None:
            raise RuntimeError("A worker does not start; run tests/fuzz/worker.py by hand.")


def _cpu_seconds(pid: int) -> float:
    """Processor time of a process so far [s]; 0 where the system does not say."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _read(process: subprocess.Popen[str], answers: queue.Queue[str | None]) -> None:
    assert process.stdout is not None
    for line in process.stdout:
        answers.put(line)
    answers.put(None)


def main() -> int:
    """Run a campaign; 1 if anything unacceptable happened."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--cases", type=int, default=10**9)
    parser.add_argument("--first", type=int, default=0, help="number of the first case")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--limit", type=float, default=10.0, help="longest time of a case [CPU s]")
    parser.add_argument("--keep", type=Path, default=Path("fuzz_findings"))
    arguments = parser.parse_args()
    counts: collections.Counter[str] = collections.Counter()
    seen: dict[tuple[str, str, str], int] = {}
    until = time.monotonic() + arguments.seconds
    with tempfile.TemporaryDirectory(prefix="usdsim-fuzz-") as folder:
        worker = Worker(arguments.seed, arguments.limit, Path(folder) / "case")
        number = arguments.first
        while time.monotonic() < until and number - arguments.first < arguments.cases:
            outcome = worker.ask({"number": number})
            if "door" not in outcome:  # The worker did not live to say so.
                outcome["door"], outcome["name"] = _case(number, arguments.seed)[:2]
                print(f"{outcome['kind']} {number} {outcome['door']} {outcome['name']}", flush=True)
            counts.update(["cases", outcome["kind"], f"door {outcome['door']}"])
            counts["past the first reader"] += bool(outcome["deep"])
            if outcome["kind"] not in ACCEPTABLE:
                where = f"{outcome['door']} {outcome['name']}"
                key = (outcome["kind"], where, outcome["what"])
                seen[key] = seen.get(key, 0) + 1
                if seen[key] == 1:
                    _keep(worker, number, outcome, arguments)
            number += 1
            if (number - arguments.first) % 500 == 0:
                print(json.dumps(dict(counts)), flush=True)
        worker.stop()
    print(json.dumps(dict(counts), indent=1))
    for (kind, door, what), times in sorted(seen.items(), key=lambda item: -item[1]):
        print(f"{times:6}  {kind}  {door}  {what}")
    return int(bool(seen))


def _case(number: int, seed: int) -> tuple[str, str, bytes]:
    """Door, file name and content of a case."""
    sys.path.insert(0, str(HERE))
    from worker import make_case

    return make_case(number, seed)[:3]


def _keep(worker: Worker, number: int, outcome: dict[str, Any], arguments: Any) -> None:
    """Write down a case, and the smallest part of its input that ends in the same way."""
    door, name, data = _case(number, arguments.seed)
    folder = arguments.keep / f"{arguments.seed}_{number}"
    folder.mkdir(parents=True, exist_ok=True)
    kept = folder / name
    request = {"file": str(kept), "name": name, "door": door, "rng": f"{arguments.seed}/{number}"}

    def same(content: bytes) -> bool:
        kept.write_bytes(content)
        found = worker.ask(request)
        return (found["kind"], found["what"]) == (outcome["kind"], outcome["what"])

    small = reduced(data, same) if outcome["kind"] != "hang" and same(data) else data
    kept.write_bytes(small)
    (folder / "outcome.json").write_text(json.dumps({**outcome, **request}, indent=1))
    print(f"kept {folder}: {outcome}", flush=True)


def reduced(data: bytes, same: Any, tries: int = 120) -> bytes:
    """A smaller input of the same outcome: ever smaller parts are left out while it lasts."""
    pieces = (
        data.split(b"\n") if data.count(b"\n") > 8 else [data[i : i + 1] for i in range(len(data))]
    )
    glue = b"\n" if data.count(b"\n") > 8 else b""
    size = max(1, len(pieces) // 2)
    while size >= 1 and tries > 0:
        at = 0
        while at < len(pieces) and tries > 0:
            fewer = pieces[:at] + pieces[at + size :]
            tries -= 1
            if fewer and same(glue.join(fewer)):
                pieces = fewer
            else:
                at += size
        size //= 2
    return glue.join(pieces)


if __name__ == "__main__":
    sys.exit(main())
