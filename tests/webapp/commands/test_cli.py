"""Command line: exit statuses, and one sentence for every error."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.patience import PATIENCE_S
from webapp.commands import cli, doctor
from webapp.commands.options import TableOptions, commands_for_players
from webapp.errors import OutputLostError, UnusableInputError, WrongCallError

CommandResult = tuple[int, str, str]


@pytest.fixture
def kozyr(capsys: pytest.CaptureFixture[str]) -> Callable[..., CommandResult]:
    """Return a function that calls the command in this process: status, standard output, standard error."""

    def call(*arguments: str) -> CommandResult:
        status = cli.main(arguments)
        output = capsys.readouterr()
        return status, output.out, output.err

    return call


def assert_one_sentence(text: str) -> None:
    """Assert that the text is one line that message what was expected; never a traceback."""
    assert text.count("\n") == 1, text
    assert "Traceback" not in text


@pytest.mark.parametrize(
    ("call", "meant"),
    [
        (("wach",), "watch"),
        (("Review", "a.mp4"), "review"),
        (("demo", "--langage=ru"), "--language"),
        (("matches", "rejuge", "a"), "rejudge"),
        (("matches", "rejudge", "a", "--ruls", "free"), "--rules"),
        (("--no-brower",), "--no-browser"),
        (("demo", "--pair", "alway"), "always"),
    ],
)
def test_misspelled_word_is_answered_with_the_one_that_is_meant(
    kozyr: Callable[..., CommandResult], call: tuple[str, ...], meant: str
) -> None:
    status, out, err = kozyr(*call)
    assert (status, out) == (2, "")
    assert_one_sentence(err)
    assert err.endswith(f"; did you mean {meant}?\n")


def test_first_help_screen_shows_the_commands_of_players_first(kozyr: Callable[..., CommandResult]) -> None:
    out = kozyr("--help")[1]
    players, programs = out[out.index("for players:") :].split("for programs:")
    assert [line.split()[1] for line in players.splitlines() if line.startswith("  kozyr ")][1:] == list(
        commands_for_players()
    )
    assert [word for word in ("read", "review", "trace", "referee", "convert", "hall") if f"kozyr {word} " in programs]
    assert max(map(len, out.splitlines())) <= 80


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (("shuffle",), "shuffle"),
        (("watch",), "SOURCE"),
        (("read",), "PICTURE"),
        (("review", "a.mp4", "--seats", "A"), "two to six different names"),
        (("review", "a.mp4", "--seats", "A,A"), "two to six different names"),
        (("review", "a.mp4", "--set", "transfer"), "OPTION=VALUE"),
        (("review", "a.mp4", "--pack", "40"), "40"),
        (("review", "a.mp4", "--rules", "poker"), "poker"),
        (("review", "a.mp4", "--set", "colour=blue"), "colour"),
        (("review", "a.mp4", "--set", "attack_limit=lots"), "attack_limit"),
        (("demo", "--port", "eighty"), "a port from 0 to 65535"),
        (("demo", "--port", "70000"), "a port from 0 to 65535"),
        (("demo", "--speed", "2"), "--speed"),
        (("rules", "poker"), "poker"),
    ],
)
def test_usage_error_is_one_sentence_and_status_2(
    kozyr: Callable[..., CommandResult], call: tuple[str, ...], message: str
) -> None:
    status, out, err = kozyr(*call)
    assert status == 2
    assert out == ""
    assert message in err
    assert "expected" in err
    assert_one_sentence(err)


@pytest.mark.parametrize("call", [("--help",), ("demo", "--help"), ("--version",)])
def test_help_and_version_are_status_0(kozyr: Callable[..., CommandResult], call: tuple[str, ...]) -> None:
    status, out, _ = kozyr(*call)
    assert status == 0
    assert "kozyr" in out


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (WrongCallError("expected a, got b"), 2),
        (UnusableInputError("expected a, got b"), 1),
        (OutputLostError("expected a, got b"), 1),
        (OSError(28, "No space left on device"), 1),
        (ImportError("No module named 'cv2'", name="cv2"), 1),
        (AssertionError("a card in two places,\nas\nit seems"), 1),
        (RecursionError("too deep"), 1),
        (MemoryError(), 1),
    ],
)
def test_every_exception_becomes_one_sentence(
    kozyr: Callable[..., CommandResult], monkeypatch: pytest.MonkeyPatch, error: Exception, status: int
) -> None:
    def fail(arguments: object) -> int:
        raise error

    monkeypatch.setattr(doctor, "run", fail)
    came, _, err = kozyr("doctor")
    assert came == status
    assert err.startswith(("kozyr: expected", "kozyr: The operating system refused: ", "kozyr: Internal error: "))
    assert_one_sentence(err)


def test_ctrl_c_gives_status_130(kozyr: Callable[..., CommandResult], monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(arguments: object) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr(doctor, "run", interrupted)
    status, _, err = kozyr("doctor")
    assert status == 130
    assert_one_sentence(err)


def test_errors_of_other_packages_are_printed_unchanged(
    kozyr: Callable[..., CommandResult], monkeypatch: pytest.MonkeyPatch
) -> None:
    from vision.capture.sources import SourceError
    from vision.detection.networks import WeightsError

    for error in (SourceError("expected a camera, got none"), WeightsError("expected weights, got none")):

        def fail(arguments: object, error: Exception = error) -> int:
            raise error

        monkeypatch.setattr(doctor, "run", fail)
        assert kozyr("doctor") == (1, "", f"kozyr: {error}\n")


def test_internal_error_has_a_traceback_on_request(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(arguments: object) -> int:
        raise AssertionError("a card in two places")

    monkeypatch.setattr(doctor, "run", fail)
    monkeypatch.setenv(cli.TRACEBACK_VARIABLE, "1")
    with pytest.raises(AssertionError, match="two places"):
        cli.main(["doctor"])


@pytest.mark.parametrize(
    ("call", "host"),
    [
        ((), "0.0.0.0"),
        (("watch", "phone"), "0.0.0.0"),
        (("watch", "0"), "127.0.0.1"),
        (("demo",), "0.0.0.0"),
        (("demo", "--exit"), "127.0.0.1"),
        (("watch", "phone", "--host", "127.0.0.1"), "127.0.0.1"),
        (("--host", "192.168.1.5"), "192.168.1.5"),
    ],
)
def test_commands_for_other_devices_serve_on_all_interfaces(
    monkeypatch: pytest.MonkeyPatch, call: tuple[str, ...], host: str
) -> None:
    served: list[str] = []

    def run(*options: Any) -> int:
        served.extend(option.serving.host for option in options if isinstance(option, TableOptions))
        return 0

    for command in (
        "webapp.commands.setup.run_setup",
        "webapp.commands.watch.run_watch",
        "webapp.commands.demo.run_demo",
    ):
        monkeypatch.setattr(command, run)
    assert cli.main(call) == 0
    assert served == [host]


def test_rules_are_printed_as_json_lines(kozyr: Callable[..., CommandResult]) -> None:
    status, out, err = kozyr("rules", "--json")
    assert (status, err) == (0, "")
    names = [json.loads(line).get("rules") for line in out.splitlines()]
    assert "podkidnoy-36" in names


def run(*arguments: str, **more: Any) -> subprocess.CompletedProcess[str]:
    """Run the command as a process."""
    return subprocess.run(
        [sys.executable, "-m", "webapp.commands.cli", *arguments],
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        cwd=Path(__file__).parents[3],
        check=False,
        **more,
    )


def test_referee_process_reads_a_record_and_prints_rulings(table: Any) -> None:
    events = [
        {"at": 1, "event": "placed", "card": "9s", "by": "A"},
        {"at": 2, "event": "placed", "card": "7s", "by": "B", "on": "9s"},
    ]
    record = "\n".join(json.dumps(line) for line in (table.header, *events))
    done = run("referee", "-", "--json", input=record)
    rulings = [json.loads(line) for line in done.stdout.splitlines() if "ruling" in line]
    assert (done.returncode, done.stderr) == (0, "")
    assert [ruling["ruling"] for ruling in rulings] == ["legal", "illegal"]


def test_closed_pipe_causes_no_traceback() -> None:
    program = subprocess.Popen(
        [sys.executable, "-m", "webapp.commands.cli", "rules", "--json"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=Path(__file__).parents[3],
    )
    assert program.stdout is not None
    assert program.stderr is not None
    program.stdout.close()
    err = program.stderr.read()
    program.stderr.close()
    assert program.wait(120) in (0, 130)
    assert "Traceback" not in err
    assert "Exception ignored" not in err


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only Linux has a device that is always full")
def test_full_disk_of_standard_output_is_one_sentence() -> None:
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "webapp.commands.cli", "rules", "--json"],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            timeout=PATIENCE_S,
            cwd=Path(__file__).parents[3],
            check=False,
        )
    assert done.returncode == 1
    assert_one_sentence(done.stderr)
