"""``chamfer completion``: what a shell needs to complete our commands."""

from __future__ import annotations

import argparse

from chamfer.cli.console import CommandError

_SHELLS = ("bash", "zsh", "fish", "tcsh")


DESCRIPTION = "Print a script by which a shell completes the commands and options of chamfer."
EPILOG = """examples:
  chamfer completion bash > ~/.local/share/bash-completion/completions/chamfer
  chamfer completion fish > ~/.config/fish/completions/chamfer.fish
  chamfer completion zsh > "${fpath[1]}/_chamfer"
"""


def add_to(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument("shell", choices=_SHELLS)


def run(arguments: argparse.Namespace) -> int:
    """Print the script."""
    try:
        import shtab
    except ImportError as error:
        raise CommandError("completion needs shtab; install it with: pip install 'chamfer[cli]'") from error
    from chamfer.cli import build_parser

    print(shtab.complete(build_parser(filled=True), shell=arguments.shell))
    return 0
