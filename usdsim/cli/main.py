"""Entry point of the ``usdsim`` command: arguments, error lines and exit codes."""

from __future__ import annotations

import argparse
import io
import logging
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from usdsim import __version__
from usdsim.core.boundary import origin
from usdsim.core.errors import UsdsimError, meant
from usdsim.core.extras import absence

from . import info, validate, view
from .console import Console
from .conversion import compare, convert
from .conversion.options import in_flags
from .examples import EXAMPLES
from .installation import assets, completion, doctor, schemas
from .learning import play, train
from .many import batch, dataset
from .simulation import demo, simulate

__all__ = ["build_parser", "main"]

_COMMANDS = (
    convert,
    compare,
    batch,
    dataset,
    info,
    validate,
    simulate,
    view,
    demo,
    train,
    play,
    assets,
    schemas,
    doctor,
    completion,
)

_EPILOG = """\
exit codes:
  0  done, nothing to report
  1  failed, or findings
  2  wrong usage
  3  converted, with warnings
"""


_JSON = "What --json prints is listed key by key in the documentation, 'JSON output'."


class _Formatter(argparse.RawDescriptionHelpFormatter):
    """Help that says every default that says something."""

    def _get_help_string(self, action: argparse.Action) -> str | None:
        told = "default" in (action.help or "") or action.default is argparse.SUPPRESS
        says = type(action.default) in (int, float) or bool(action.default)
        return f"{action.help}; default: %(default)s" if says and not told else action.help


class _CommandParser(argparse.ArgumentParser):
    """Lets options stand between the files a command takes: ``convert SRC --check DST``."""

    _mixing = False

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Parse options first, and what is left as files."""
        if self._mixing:
            return super().parse_known_args(args, namespace)
        self._mixing = True
        try:
            return self.parse_known_intermixed_args(args, namespace)
        finally:
            self._mixing = False


def build_parser() -> argparse.ArgumentParser:
    """The complete argument parser; importing it loads neither pxr nor an engine."""
    parser = argparse.ArgumentParser(
        prog="usdsim",
        description="Author, convert and simulate physics on OpenUSD stages.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"usdsim {__version__}")
    commands = parser.add_subparsers(
        dest="command", required=True, metavar="COMMAND", parser_class=_CommandParser
    )
    for module in _COMMANDS:
        name = module.__name__.rpartition(".")[2]
        # Without docstrings (python -OO), a command is told by its name.
        summary = (module.__doc__ or name).splitlines()[0].rstrip(".")
        command = commands.add_parser(
            name, help=summary, description=summary + ".", epilog=_examples(name),
            formatter_class=_Formatter,
        )  # fmt: skip
        module.add_arguments(command)
        command.add_argument("--json", action="store_true", help="print one JSON document instead")
        command.add_argument("--debug", action="store_true", help="show tracebacks and all logging")
        command.set_defaults(run=module.run, parser=parser, own_parser=command)
    return parser


def _examples(name: str) -> str:
    """Text below the options of a command."""
    lines = [f"  usdsim {name} {rest}".rstrip() for rest in EXAMPLES[name]]
    return "\n".join(["examples:", *lines, "", _JSON])


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line.

    Args:
        argv: arguments without the program's name; None: those of the process.

    Returns:
        The exit code: 0 done, 1 failed or findings, 2 wrong usage, 3 converted with
        warnings.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # Names of files may hold bytes that are no text.
            stream.reconfigure(errors="backslashreplace")
    given = sys.argv[1:] if argv is None else argv
    if sorted(given) == ["--json", "--version"]:
        Console(json_output=True).result(doctor.versions())
        return 0
    arguments, unknown = build_parser().parse_known_args(given)
    if unknown:
        arguments.own_parser.error(_unknown(arguments.own_parser, unknown))
    logging.basicConfig(format="usdsim: %(message)s", level=logging.WARNING)
    with _verbosity(logging.DEBUG if arguments.debug else logging.ERROR):
        return _run(arguments)


def _unknown(parser: argparse.ArgumentParser, words: Sequence[str]) -> str:
    """Words that a command does not take, and what may have been meant."""
    options = [option for action in parser._actions for option in action.option_strings]
    asked = [meant(w.partition("=")[0].replace("_", "-"), options) for w in words if w[0] == "-"]
    return " ".join([f"unrecognized arguments: {' '.join(words)}.", *filter(None, asked)])


@contextmanager
def _verbosity(level: int) -> Iterator[None]:
    """Set the library's log level for a command; whoever calls `main` gets theirs back."""
    logger = logging.getLogger("usdsim")
    before = logger.level
    logger.setLevel(level)
    try:
        yield
    finally:
        logger.setLevel(before)


def _run(arguments: argparse.Namespace) -> int:
    console = Console(json_output=arguments.json)
    try:
        return int(arguments.run(arguments, console))
    except BrokenPipeError:
        # The reader has closed the pipe (`usdsim info x | head`): nothing is left to say.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except KeyboardInterrupt:
        console.error("Interrupted", "interrupted")
        return 1
    except Exception as error:
        if arguments.debug:
            raise
        flagged = getattr(arguments, "flagged", ())
        console.error(type(error).__name__, in_flags(_describe(error), flagged))
        return 1


def _describe(error: Exception) -> str:
    if isinstance(error, ModuleNotFoundError) and (text := absence(error)):
        return text
    if isinstance(error, UsdsimError | ImportError | OSError):
        return str(error)
    place = origin(error)
    whose = "--debug shows what called it" if place else "a defect of usdsim; --debug shows where"
    return f"{type(error).__name__}: {error}{place} ({whose})"


if __name__ == "__main__":
    sys.exit(main())
