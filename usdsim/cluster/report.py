"""Job reports: what became of each block."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from typing import Any

__all__ = ["BlockResult", "JobReport"]


@dataclass(frozen=True)
class BlockResult:
    """Outcome of one block."""

    block: int
    status: str
    """``done``, ``failed``, ``crashed`` or ``timeout``."""
    message: str = ""
    """Reason why it is not done."""
    result: dict[str, Any] = field(default_factory=dict)
    """Record of its results."""


@dataclass(frozen=True)
class JobReport:
    """Results of all blocks, in order."""

    blocks: tuple[BlockResult, ...]

    @property
    def failed(self) -> tuple[BlockResult, ...]:
        """Blocks that are not done."""
        return tuple(block for block in self.blocks if block.status != "done")

    def to_json(self) -> str:
        """The report as JSON."""
        document = {"blocks": [asdict(b) for b in self.blocks], "failed": len(self.failed)}
        return json.dumps(document, indent=1) + "\n"
