"""The ``chamfer`` command: puts the subcommands together and turns errors into exit codes.

A command is a module of `chamfer.cli.commands`, imported when the command is called. It has ``DESCRIPTION`` and
``EPILOG`` for its help, ``add_to(parser)``, which adds its options, and ``run(arguments)``, which returns an exit code.
Results go to standard output, everything else to standard error.

====  ==================================================
0     done
1     the data or the computation is at fault
2     the command line is
130   interrupted
====  ==================================================
"""

from __future__ import annotations

import argparse
import contextlib
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Any, NoReturn

import chamfer
from chamfer.cli.console import OUTPUT, CommandError, complain, notes, show

COMMANDS = {  # and what they do, in a line
    "cluster": "cluster the rows of a table",
    "choose": "how many clusters? suggestions with a reason each",
    "describe": "what is in each cluster: sizes, typical rows, what sets it apart",
    "cut": "labels from a tree",
    "plot": "a picture of a tree",
    "compare": "every linkage side by side, against known classes",
    "explore": "a page to explore a tree in a browser",
    "export": "a tree as Newick or JSON",
    "demo": "cluster handwritten digits with every linkage: a table and a picture",
    "info": "versions, threads, instruction set and BLAS, for bug reports",
    "completion": "let your shell complete commands and options",
}


class HelpFormatter(argparse.HelpFormatter):
    """Help that has room for the names of options, and whose examples stay on lines of their own, to be pasted."""

    def __init__(self, prog: str, **options: Any) -> None:
        super().__init__(prog, **{"max_help_position": 30, **options})

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        return text if text.startswith("examples:") else super()._fill_text(text, width, indent)


class Parser(argparse.ArgumentParser):
    """A parser whose errors guess what was meant.

    Commands have parsers of the same kind.
    """

    def __init__(self, **options: Any) -> None:
        super().__init__(**{"formatter_class": HelpFormatter, **options})
        self.suggest_on_error = False  # Python's own guesses, from 3.14 on
        self._words: list[str] = []

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Parse; words that nobody knows are refused here, by the parser of the command."""
        self._words = list(sys.argv[1:] if args is None else args)
        found, unknown = super().parse_known_args(args, namespace)
        if unknown:
            self.error(f"unrecognized arguments: {' '.join(unknown)}")
        return found, unknown

    def error(self, message: str) -> NoReturn:
        """Exit, with a guess if an option is misspelt, which may be why another one is missed."""
        from chamfer.inputs import did_you_mean  # with NumPy and SciPy, which --version does without

        known = self._option_string_actions
        options = [word.split("=")[0] for word in self._words if word.startswith("--") and word != "--"]
        # A beginning of an option stands for all of it.
        misspelt = (each for each in options if not any(option.startswith(each) for option in known))
        super().error(message + next(filter(None, (did_you_mean(each, known) for each in misspelt)), ""))

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        try:
            super()._check_value(action, value)
        except argparse.ArgumentError as error:
            from chamfer.inputs import did_you_mean

            error.message += did_you_mean(value, action.choices or ())
            raise


class CommandParser(Parser):
    """The parser of a command, which learns its options when it is used."""

    def __init__(self, command: str, **options: Any) -> None:
        super().__init__(**options)
        self._command, self._filled = command, False

    def fill(self) -> None:
        """Add what the command's module says."""
        if self._filled:
            return
        self._filled = True
        module = import_module(f"chamfer.cli.commands.{self._command}")
        self.description, self.epilog = module.DESCRIPTION, module.EPILOG
        module.add_to(self)
        self.set_defaults(run=module.run, parser=self)

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Parse the words after the command."""
        self.fill()
        return super().parse_known_args(args, namespace)


def build_parser(filled: bool = False) -> argparse.ArgumentParser:
    """Make the parser of the whole command line; with the options of all commands if `filled`."""
    parser = Parser(
        prog="chamfer",
        description="Hierarchical clustering with Chamfer linkage.",
        epilog="'chamfer COMMAND --help' explains a command.",
    )
    parser.add_argument("--version", action="version", version=f"chamfer {chamfer.__version__}")
    subparsers = parser.add_subparsers(title="commands", metavar="COMMAND", parser_class=CommandParser)
    for name, line in COMMANDS.items():
        command = subparsers.add_parser(name, help=line, command=name)
        if filled:
            command.fill()
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line.

    Parameters
    ----------
    argv : sequence of str, optional
        Arguments without the program's name; those of the process by default.

    Returns
    -------
    int
        Exit code.
    """
    for stream in (sys.stdout, sys.stderr):
        # A terminal without block characters shows question marks instead of a traceback.
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")
    parser = build_parser()
    arguments = parser.parse_args(argv)
    if not hasattr(arguments, "run"):  # no command was given
        parser.print_help(sys.stderr)
        return 2
    try:
        with notes(shown=not getattr(arguments, "quiet", False)):
            code: int = arguments.run(arguments)
        show("")  # what others have printed
        return code
    except (CommandError, ValueError, OSError, MemoryError, ImportError) as error:
        if isinstance(error, BrokenPipeError):
            return _reader_left()
        complain(f"chamfer: error: {_describe(error)}")
        if isinstance(error, OSError) and error.filename == OUTPUT:
            _discard_output()
        return 1
    except KeyboardInterrupt:
        complain("chamfer: interrupted")
        return 130


def _describe(error: Exception) -> str:
    """Say what went wrong, and in which file."""
    if isinstance(error, OSError) and error.strerror:
        return error.strerror if error.filename is None else f"{error.filename}: {error.strerror}"
    return str(error) or type(error).__name__


def _reader_left() -> int:
    """Stop without a word when the reader of a pipe has seen enough, as ``head`` does."""
    _discard_output()
    return 141


def _discard_output() -> None:
    """Write what is left to nowhere; Python would try again at its end, and complain."""
    with contextlib.suppress(OSError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


if __name__ == "__main__":
    raise SystemExit(main())
