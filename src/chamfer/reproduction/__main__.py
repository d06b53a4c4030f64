"""``python -m chamfer.reproduction``: the command without the rest of the command line."""

import argparse
import sys

from chamfer.reproduction.command import DESCRIPTION, add_arguments, reproduce

if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="chamfer reproduce", description=DESCRIPTION)
    add_arguments(parser)
    try:
        sys.exit(reproduce(parser.parse_args()))
    except (ValueError, OSError) as error:
        parser.error(str(error))
