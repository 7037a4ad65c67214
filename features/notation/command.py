"""``kozyr convert INPUT OUTPUT``: convert a match from the record to the notation, or back."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from features.notation.notated_game import NotatedGame, games_of_record, record_lines
from features.notation.options import ConvertOptions
from features.notation.parser import read_games
from features.notation.writer import write_games
from webapp.errors import NotationError, OutputLostError, UnusableInputError, WrongCallError
from webapp.output import say_text
from webapp.private_file import write_whole
from webapp.text_input import read_standard_input, read_text_file

ENDINGS = {".jsonl": "record", ".durak": "notation"}
"""Format of a file by its suffix."""

STANDARD = "-"


def run(options: ConvertOptions) -> int:
    """Read all of INPUT, then write all of OUTPUT, or nothing if something is unusable; return the exit status."""
    source, target = formats(options.source, options.target, options.to)
    name = options.source
    games = _READERS[source](_read(name), name)
    text = _WRITERS[target](games)
    if options.target == STANDARD:
        say_text(text.removesuffix("\n"))
    else:
        _write(Path(options.target), text.encode("utf-8", errors="backslashreplace"), options.overwrites)
    return 0


def formats(source: str, target: str, to: str | None) -> tuple[str, str]:
    """
    Return the formats of input and output: ``record`` or ``notation``, by the files' suffixes, else by ``to``.

    >>> formats("a.jsonl", "a.durak", None), formats("-", "a.jsonl", None), formats("a.durak", "-", "notation")
    (('record', 'notation'), ('notation', 'record'), ('notation', 'notation'))
    """
    read, written = ENDINGS.get(Path(source).suffix.lower()), ENDINGS.get(Path(target).suffix.lower())
    if to is not None and written not in (None, to):
        raise WrongCallError(f"expected --to {written} with {target}, got --to {to}; leave --to out")
    written = to or written or (_other(read) if read and target == STANDARD else None)
    if written is None:
        raise WrongCallError(
            f"expected an OUTPUT ending in {' or '.join(ENDINGS)}, got {target}; name it so, or say --to record or "
            "--to notation"
        )
    return read or _other(written), written


def _other(kind: str) -> str:
    return "notation" if kind == "record" else "record"


def _games_of_notation(content: bytes, name: str) -> tuple[NotatedGame, ...]:
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        column = len(content[content.rfind(b"\n", 0, error.start) + 1 : error.start].decode("utf-8")) + 1
        raise NotationError(
            f"{name}:{line}:{column}: expected text in UTF-8, got byte {content[error.start]:#04x}"
        ) from None
    return read_games(text, name)


_READERS: Mapping[str, Callable[[bytes, str], tuple[NotatedGame, ...]]] = {
    "record": lambda content, name: games_of_record(content.split(b"\n"), name),
    "notation": _games_of_notation,
}
_WRITERS: Mapping[str, Callable[[tuple[NotatedGame, ...]], str]] = {
    "record": lambda games: "".join(f"{line}\n" for line in record_lines(games)),
    "notation": write_games,
}


def _read(name: str) -> bytes:
    if name == STANDARD:
        return read_standard_input()
    try:
        return read_text_file(Path(name))
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise UnusableInputError(
            f"expected a record or a game in notation that can be read, got {name}: {reason}; check the path"
        ) from None


def _write(path: Path, content: bytes, force: bool) -> None:
    """
    Write the whole file or none. A different file that exists is replaced only with ``force``.

    Raises :class:`OutputLostError`.
    """
    try:
        path = path.resolve()
        if path.exists() and not force:
            if path.is_file() and path.read_bytes() == content:
                return
            raise OutputLostError(
                f"expected an OUTPUT that is not there yet, got {path}; name another, or overwrite it with --force"
            )
        if path.exists() and not path.is_file():
            path.write_bytes(content)
            return
        write_whole(path, content)
    except OSError as error:
        raise OutputLostError(
            f"The operating system refused: {path}: {error.strerror}; name another file for the game"
        ) from None
