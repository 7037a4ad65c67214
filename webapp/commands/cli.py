"""
Run the `kozyr` command line, and turn every error into a sentence and an exit status: 0 done, 1 something in the input
could not be used, 2 wrong call, 130 stopped by the user.

A command is the function that the parser sets as ``run``. Where all of its options are one value it gets that, else
what was parsed. Its module is imported here, when it is chosen: importing `watch` with OpenCV, the networks and Flask
takes seven times the processor time of importing `rules` (2026-11), and `kozyr doctor` has to run where some of them
are missing.
"""

from __future__ import annotations

import io
import logging
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from webapp.commands.interruption import STOPPED, leave_behind_what_hangs
from webapp.commands.options import parsed, read_options
from webapp.errors import KozyrError, one_line
from webapp.live.process_memory import limit_heaps
from webapp.output import note

TRACEBACK_VARIABLE = "KOZYR_TRACEBACK"
"""Environment variable: if set, a bug prints its traceback."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return the exit status. ``arguments``: None for those of the process, which ends with it."""
    limit_heaps()
    status = run(arguments)
    return leave_behind_what_hangs(status) if arguments is None else status


def run(arguments: Sequence[str] | None) -> int:
    if isinstance(sys.stdout, io.TextIOWrapper):  # JSON is UTF-8; undecodable file names become \\udcXX in it
        sys.stdout.reconfigure(encoding="utf-8", errors="backslashreplace")
    try:
        try:
            namespace = parsed(sys.argv[1:] if arguments is None else arguments)
            with logging_printed(namespace.verbose or 0):
                command = namespace.run.load()
                status: int = command(namespace if namespace.kind is None else read_options(namespace.kind, namespace))
        finally:
            sys.stdout.flush()
        return status
    except KeyboardInterrupt:
        return _say("stopped", STOPPED)
    except BrokenPipeError:
        _let_go_of_output()  # its reader has gone (``| head``)
        return STOPPED
    except SystemExit as end:  # --help and --version
        return end.code if isinstance(end.code, int) else 0
    except Exception as error:
        return _explain(error)


def _explain(error: Exception) -> int:
    if isinstance(error, KozyrError):
        return _say(one_line(error), error.status)
    if isinstance(error, _worded_errors()):
        return _say(one_line(error), 1)
    if isinstance(error, ImportError):
        return _say(f"expected the library {error.name} to be installed, got none; 'kozyr doctor' says what to do", 1)
    if isinstance(error, OSError):
        place = f"{error.filename}: " if error.filename else ""
        return _say(f"The operating system refused: {place}{error.strerror or repr(error)}; mend that", 1)
    if os.environ.get(TRACEBACK_VARIABLE):
        raise error
    return _say(
        f"Internal error: {type(error).__name__}: {one_line(error)}; please report it with what "
        f"{TRACEBACK_VARIABLE}=1 prints",
        1,
    )


def _worded_errors() -> tuple[type[Exception], ...]:
    """Return error classes of other packages whose text is a sentence; only loaded modules can have raised one."""
    named = (
        ("referee.errors", "RefereeError"),
        ("vision.capture.video_writer", "FilmError"),
        ("vision.capture.sources", "SourceError"),
        ("vision.detection.networks", "WeightsError"),
        ("webapp.errors", "OwnDeckError"),
    )
    return tuple(getattr(sys.modules[module], name) for module, name in named if module in sys.modules)


def _say(sentence: str, status: int) -> int:
    _let_go_of_output()
    note(sentence)
    return status


def _let_go_of_output() -> None:
    """Prevent an error of the interpreter at its end over a closed or full output."""
    try:
        sys.stdout.flush()
    except (OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


PACKAGES = ("vision", "webapp", "features")
SENTENCE = "kozyr: %(message)s"
FORMAT = "%(asctime)s.%(msecs)03d %(levelname)s %(name)s: %(message)s"


@contextmanager
def logging_printed(verbosity: int) -> Iterator[None]:
    """Print warnings (0), what happens (1: INFO) or every inference and track as well (2 and more: DEBUG)."""
    printer = logging.StreamHandler(sys.stderr)
    printer.setFormatter(logging.Formatter(FORMAT if verbosity else SENTENCE, datefmt="%H:%M:%S"))
    loggers = [logging.getLogger(name) for name in PACKAGES]
    levels = [logger.level for logger in loggers]
    for logger in loggers:
        logger.addHandler(printer)
        logger.setLevel((logging.WARNING, logging.INFO, logging.DEBUG)[min(verbosity, 2)])
    try:
        yield
    finally:
        for logger, level in zip(loggers, levels, strict=True):
            logger.removeHandler(printer)
            logger.setLevel(level)


if __name__ == "__main__":
    sys.exit(main())
