"""Worker of limited loading: loads the file its parent names, and writes down what that made."""

from __future__ import annotations

import logging
import pickle
from pathlib import Path
from typing import Any

from usdsim.core.errors import UsdsimError
from usdsim.core.workers import serve
from usdsim.usd.stored import StoredStage

from .load import load_model

__all__: list[str] = []


def _answer(request: dict[str, Any]) -> dict[str, Any]:
    outcome: tuple[Any, ...] | UsdsimError
    try:
        model = load_model(request["path"], **request["options"])
        # What a converter made is one layer; a stage of somebody else may have others.
        stage = StoredStage.of(model.stage, flatten=model.conversion is None)
        outcome = model.compiled, stage, model.report, model.conversion, model.visuals
    except UsdsimError as error:
        outcome = error
    except MemoryError:
        return {"status": "crashed", "message": "it needs more memory than it was given"}
    Path(request["out"]).write_bytes(pickle.dumps(outcome))
    return {"status": "done"}


if __name__ == "__main__":
    logging.disable(logging.CRITICAL)
    serve(_answer)
