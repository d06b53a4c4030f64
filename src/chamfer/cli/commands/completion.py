"""``chamfer completion``: what a shell needs to complete our commands."""

from __future__ import annotations

import argparse
from typing import Any

from chamfer.cli.console import CommandError

_SHELLS = ("bash", "zsh", "tcsh")


def add_completion(subparsers: Any) -> None:
    """Register the command."""
    parser = subparsers.add_parser(
        "completion",
        help="let your shell complete commands and options",
        description="Print a script by which a shell completes the commands and options of chamfer.",
        epilog="example: chamfer completion bash > ~/.local/share/bash-completion/completions/chamfer; "
        "for zsh, "
        '"chamfer completion zsh" goes to a file _chamfer in a folder of $fpath',
    )
    parser.add_argument("shell", choices=_SHELLS)
    parser.set_defaults(run=run_completion)


def run_completion(arguments: argparse.Namespace) -> int:
    """Print the script."""
    try:
        import shtab
    except ImportError as error:
        raise CommandError("completion needs shtab; install it with: pip install 'chamfer[cli]'") from error
    from chamfer.cli import build_parser

    print(shtab.complete(build_parser(), shell=arguments.shell))
    return 0
