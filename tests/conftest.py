"""
Settings for all tests: a separate data folder, kept results, profiles of hypothesis, the number of parallel workers,
and the mark of tests that only the full run needs.
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from benchmarks import stored_results
from tests.sample_size import is_nightly
from vision.data_home import HOME_VARIABLE
from vision.detection import networks

LABORATORY = Path(__file__).parent / "lab"
WORKERS_AT_MOST = 4
"""Memory of a worker with its networks and, in tests of pages, a Chromium: some 600 MB."""

# Properties have no time limit, and `make test` uses the same examples each time; `make nightly` draws new ones.
settings.register_profile(
    "kozyr", derandomize=not is_nightly(), deadline=None, suppress_health_check=[HealthCheck.too_slow], database=None
)
settings.load_profile("kozyr")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """Return one more than the number of cores: tests wait for pages and processes, and a worker collects for 12 s."""
    return min((os.cpu_count() or 1) + 1, WORKERS_AT_MOST)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark as thorough: the tests of the laboratory, and the cases of a test beyond its number of ordinary ones."""
    cases: defaultdict[str, list[pytest.Item]] = defaultdict(list)
    for item in items:
        if item.path.is_relative_to(LABORATORY):
            item.add_marker("thorough")
        elif item.get_closest_marker("ordinary"):
            cases[item.nodeid.partition("[")[0]].append(item)
    for all_cases in cases.values():
        (count,) = next(all_cases[0].iter_markers("ordinary")).args
        ordinary = {number * len(all_cases) // count for number in range(count)}
        for number, item in enumerate(all_cases):
            if number not in ordinary:
                item.add_marker("thorough")


@pytest.fixture(scope="session", autouse=True)
def network_results(request: pytest.FixtureRequest) -> Iterator[None]:
    """Store what the networks answer between tests, workers and runs; not where pytest stores nothing."""
    with pytest.MonkeyPatch.context() as patch:
        if hasattr(request.config, "cache"):
            patch.setattr(stored_results.StoredNetwork, "folder", Path())
            patch.setitem(networks.KINDS, ".onnx", networks.KINDS[".onnx"])
            stored_results.store_results(request.config.cache.mkdir("networks"))
        yield


@pytest.fixture(scope="session", autouse=True)
def data_folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Use a temporary data folder for decks and matches."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(HOME_VARIABLE, str(tmp_path_factory.mktemp("home")))
        patch.delenv("KOZYR_STORE", raising=False)
        yield
