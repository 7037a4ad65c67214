"""Print the packages' log on standard error while a command with `-v` or `-vv` runs."""

from __future__ import annotations

import logging
import sys
from collections.abc import Iterator
from contextlib import contextmanager

PACKAGES = ("vision", "webapp")
FORMAT = "%(asctime)s.%(msecs)03d %(levelname)s %(name)s: %(message)s"


@contextmanager
def logging_printed(verbosity: int) -> Iterator[None]:
    """Print nothing (0), what happens (1: INFO) or every look and track as well (2 and more: DEBUG)."""
    if not verbosity:
        yield
        return
    printer = logging.StreamHandler(sys.stderr)
    printer.setFormatter(logging.Formatter(FORMAT, datefmt="%H:%M:%S"))
    loggers = [logging.getLogger(name) for name in PACKAGES]
    levels = [logger.level for logger in loggers]
    for logger in loggers:
        logger.addHandler(printer)
        logger.setLevel(logging.INFO if verbosity == 1 else logging.DEBUG)
    try:
        yield
    finally:
        for logger, level in zip(loggers, levels, strict=True):
            logger.removeHandler(printer)
            logger.setLevel(level)
