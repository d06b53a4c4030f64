"""The kinds of calls, how often each is made, and what may become of a call beside an error."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location

from fuzz.draw import Draw

MODULES = (
    "fuzz.linkage_calls",
    "fuzz.constraint_calls",
    "fuzz.tree_calls",
    "fuzz.after_calls",
    "fuzz.source_calls",
    "fuzz.checkpoint_calls",
    "fuzz.estimator_calls",
    "fuzz.cli_calls",
    "fuzz.system_calls",
)


@dataclass(frozen=True)
class Kind:
    """A kind of calls.

    Parameters
    ----------
    call : function of a `Draw`
        Makes one call; raises what the library raises, or an `Outcome`.
    weight : float
        How often calls of this kind are made, beside those of the others.
    names : str
        A regular expression that every refusal must match: it names an argument.
    """

    call: Callable[[Draw], None]
    weight: float
    names: str


class Outcome(Exception):  # noqa: N818  # not every outcome is an error
    """What a kind found out by itself."""

    outcome = ""


class Wrong(Outcome):
    """The library gave something that is not right."""

    outcome = "wrong"


class Leaked(Outcome):
    """A process that the call started ended with an error that is no refusal."""

    outcome = "leak"


class Crashed(Outcome):
    """A process that the call started was ended by a signal."""

    outcome = "crash"


class Hung(Outcome):
    """A process that the call started did not end."""

    outcome = "hang"


class Skipped(Outcome):
    """This machine cannot make the call."""

    outcome = "skipped"


def load_kinds(modules: Sequence[str] = MODULES) -> dict[str, Kind]:
    """The kinds of some modules, each given by its name or by the path of its file."""
    found: dict[str, Kind] = {}
    for name in modules:
        if name.endswith(".py"):
            spec = spec_from_file_location("planted", name)
            module = module_from_spec(spec)
            spec.loader.exec_module(module)
        else:
            module = import_module(name)
        found |= module.KINDS
    return found
