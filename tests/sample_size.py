"""
Number of games or examples of a test: some in ``make test``, all of them in ``make nightly``.

Only this module checks which of the two runs. What only the full run needs is marked instead (``tests/conftest.py``).
"""

from __future__ import annotations

import os

NIGHTLY_VARIABLE = "KOZYR_NIGHTLY"


def is_nightly() -> bool:
    """Check whether ``make nightly`` is running."""
    return bool(os.environ.get(NIGHTLY_VARIABLE))


def sample_size(some: int, *, nightly: int) -> int:
    """
    Return ``some`` in ``make test``, ``nightly`` in ``make nightly``.

    >>> sample_size(12, nightly=24) == (24 if is_nightly() else 12)
    True
    """
    return nightly if is_nightly() else some
