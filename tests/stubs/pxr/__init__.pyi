# OpenUSD ships no types: to checkers of programs, all of it may be anything.
from typing import Any

def __getattr__(name: str) -> Any: ...
