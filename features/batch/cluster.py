"""Reach the workers of a Dask cluster (``pip install 'kozyr[cluster]'``)."""

from __future__ import annotations

import importlib
from contextlib import ExitStack
from typing import Any

from webapp.errors import WrongCallError, one_line

ANSWERS_WITHIN_S = 10
"""Seconds to wait for the scheduler's answer. More helps on a slow network; fewer report a missing one earlier."""


def client_of(parts: ExitStack, address: str | None, workers: int = 1) -> Any:
    """
    Return a client of the scheduler at ``address``; None: of a new one with ``workers`` processes on this machine.

    ``parts`` closes it. Raises ``WrongCallError`` if the library is not installed or the scheduler does not answer.
    """
    try:
        distributed: Any = importlib.import_module("distributed")
    except ImportError:
        option = "--workers" if address is None else "--dask"
        raise WrongCallError(
            f"expected dask.distributed for {option}, which is not installed; pip install 'kozyr[cluster]', or leave "
            f"{option} away"
        ) from None
    if address is None:
        cluster = distributed.LocalCluster(n_workers=workers, threads_per_worker=1, dashboard_address=None)
        return parts.enter_context(distributed.Client(parts.enter_context(cluster)))
    try:
        return parts.enter_context(distributed.Client(address, timeout=ANSWERS_WITHIN_S))
    except (OSError, TimeoutError, ValueError) as error:
        raise WrongCallError(
            f"expected a Dask scheduler at {address}, got {one_line(error) or type(error).__name__}; "
            "start one with: dask scheduler"
        ) from None
