"""Rates of a camera without errors, so that only the rules decide."""

from __future__ import annotations

from referee.belief.rates import Rates

NEVER = 1e-12

ALL_SEEN = Rates(
    unseen_card=NEVER,
    unseen_sweep=NEVER,
    unseen_draw=NEVER,
    unseen_swap=NEVER,
    unseen_deal=NEVER,
    unseen_lift=NEVER,
    take=NEVER,
    misread=NEVER,
    misseated=NEVER,
    misplaced=NEVER,
    upside_down=NEVER,
    in_strokes=NEVER,
    adrift=NEVER,
    dropped=NEVER,
)
