"""``python -m chamfer`` is the ``chamfer`` command."""

from chamfer.cli import main

if __name__ == "__main__":
    raise SystemExit(main())
