"""Worker of the campaign: makes the mutants it is told to make, and gives them to their doors.

A line of standard input asks for a case, a line of standard output answers. The process limits its
own memory, so that an input that asks for all of it ends in an error or here, not elsewhere.
"""

from __future__ import annotations

import faulthandler
import json
import os
import sys
from pathlib import Path
from random import Random

sys.path.insert(0, str(Path(__file__).resolve().parent))

from doors import CASES, run_case
from mutation import mutate
from seeds import seeds

__all__ = ["make_case", "serve"]

_MEMORY = 8 * 2**30


def make_case(number: int, seed: int) -> tuple[str, str, bytes, Random]:
    """Door, file name and content of a case, all decided by two numbers."""
    rng = Random(f"{seed}/{number}")
    door, suffix, _ = rng.choices(CASES, [weight for _, _, weight in CASES])[0]
    corpus = seeds()[suffix]
    data = mutate(rng.choice(corpus), ".npz" if suffix == ".state" else suffix, rng, corpus)
    return door, f"case{'.npz' if suffix == '.state' else suffix}", data, rng


def serve(folder: Path, seed: int) -> None:
    """Answer requests until there are no more."""
    try:
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    except ImportError:
        pass
    answers = os.fdopen(os.dup(1), "w")
    # What libraries print must not get into the answers.
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    faulthandler.enable()
    seeds()
    print("ready", file=answers, flush=True)
    for line in sys.stdin:
        request = json.loads(line)
        if "file" in request:
            kept = Path(request["file"])
            rng = Random(request["rng"])
            outcome = run_case(request["door"], request["name"], kept.read_bytes(), rng, folder)
        else:
            door, name, data, rng = make_case(request["number"], seed)
            outcome = run_case(door, name, data, rng, folder)
            outcome |= {"door": door, "name": name}
        print(json.dumps(outcome), file=answers, flush=True)


if __name__ == "__main__":
    serve(Path(sys.argv[1]), int(sys.argv[2]))
