"""What every test stands on: a data folder of its own, never the user's."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from vision.data_home import HOME_VARIABLE


@pytest.fixture(scope="session", autouse=True)
def data_folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Decks and matches of the tests go to a folder that nobody else uses."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(HOME_VARIABLE, str(tmp_path_factory.mktemp("home")))
        patch.delenv("KOZYR_STORE", raising=False)
        yield
