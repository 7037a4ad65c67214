"""Reach the workers of a Dask cluster (``pip install 'kozyr[cluster]'``)."""

from __future__ import annotations

import importlib
from contextlib import ExitStack
from typing import Any

from webapp.errors import WrongCallError, one_line

ANSWERS_WITHIN_S = 10
"""So long a scheduler is waited for, seconds. More helps on a slow line; less says sooner that it isn't there."""


def client_of(parts: ExitStack, address: str | None, workers: int = 1) -> Any:
    """
    Return the client of the scheduler at an address; None: of one with so many workers on this machine. ``parts``
    closes it. ``WrongCallError`` where the library or the scheduler is not there.
    """
    try:
        distributed: Any = importlib.import_module("distributed")
    except ImportError:
        raise WrongCallError(
            "expected dask.distributed for --workers and --dask, which is not installed; "
            "pip install 'kozyr[cluster]', or leave them away"
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
