"""Random inputs of every kind; ``python -m tests.webapp.fuzz`` makes as many as time permits."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from flask.testing import FlaskClient

from tests.sample_size import sample_size
from tests.webapp.fuzz import NAMES, fuzz, fuzzed_client, refuse_or_answer, refuse_or_die, targets
from vision.capture.decoder_process import DecoderDiedError
from webapp.errors import KozyrError

INPUTS = sample_size(30, nightly=150)
OF_GAMES = sample_size(4, nightly=30)
"""Inputs of `http games`, each of which is judged several times."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("fuzz")


@pytest.fixture(scope="module")
def client(folder: Path) -> Iterator[FlaskClient]:
    with fuzzed_client(folder) as opened:
        yield opened


@pytest.mark.parametrize("name", NAMES)
def test_random_input_is_answered_or_refused_with_one_sentence(name: str, folder: Path, client: FlaskClient) -> None:
    make, work = targets(folder, client, Counter())[name]
    fuzz(make, work, OF_GAMES if name == "http games" else INPUTS, seed=1)


def test_check_finds_a_refusal_without_expected() -> None:
    def refuse() -> None:
        raise KozyrError("no")

    with pytest.raises(AssertionError, match="expected a sentence"):
        refuse_or_answer(refuse, KozyrError)
    with pytest.raises(KozyrError):
        refuse_or_answer(refuse, ValueError)


def test_death_of_a_decoder_is_counted_and_is_an_error_unless_known_or_by_the_limit() -> None:
    def die(*, by_limit: bool) -> None:
        raise DecoderDiedError("expected a film, got none", by_limit=by_limit)

    deaths = Counter[str]()
    refuse_or_die(deaths, "heic", lambda: die(by_limit=False))
    refuse_or_die(deaths, "mp4", lambda: die(by_limit=True))
    with pytest.raises(AssertionError, match="refuses this mp4, got one that died"):
        refuse_or_die(deaths, "mp4", lambda: die(by_limit=False))
    assert deaths == {"heic": 1, "mp4, by the limit": 1, "mp4": 1}
