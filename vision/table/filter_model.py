"""The numbers of the card filter, and the log-ratios that they give."""

from __future__ import annotations

from dataclasses import dataclass
from math import log

import numpy as np


@dataclass(frozen=True, slots=True)
class FilterSettings:
    """
    Log-odds and costs in nats, shares and probabilities from 0 to 1, times in seconds, distances in card diagonals.

    Counted: ``python -m benchmarks.fit_actions`` on dev-bumped, dev-kitchen, pd-5, ph-quick, pw-deal, pw-gif and
    pw-rim (2,485 faces at rest, 2,218 places; 2026-11-26). The others were chosen by hand on development clips,
    2026-11, where no other source is given.
    """

    views: tuple[float, ...] = (0.0, 0.05, 0.175, 0.375, 0.6, 1.0)
    """Shares in view for which the probability of being found is given."""
    found_under_cards: tuple[float, ...] = (0.02, 0.02, 0.11, 0.89, 0.98, 0.99)
    """Counted (119 covered faces, 1,274 in plain view, found 0.998): kept below, because misses come in series."""
    found_under_arms: tuple[float, ...] = (0.1, 0.2, 0.4, 0.75, 0.9, 0.99)
    """Counted 0.31, 0.60, 0.91, 0.84; kept below: what arms hide is known less exactly than what cards hide."""
    changed_share: float = 0.2
    """
    Share of a card's visible place that must have changed since the card was last found for the place to count as
    changed.
    """
    changed_if_there: float = 0.07
    """Counted: 0.93 of the places of cards that lie there are unchanged."""
    unchanged_if_gone: float = 0.02
    """Over one inference 0.29 of 28 places are; but changes are kept until the card is found again."""

    laid_from: float = 3.0
    """Odds from which a card is confirmed: 0.95."""
    gone_from: float = -3.0
    """Odds from which it has gone."""
    most: float = 6.0
    """Highest odds, so that a card can go; and lowest, negative, however long a hand rests on it."""
    found: float = 3.0
    """What each inference adds that finds a confirmed card."""
    taken_per_s: float = 0.6
    """Rate at which a card leaves while hands touch it whole; a card under another is not pulled from there."""
    longest_s: float = 2.0
    """Longest time between two inferences over which it may leave."""
    streak: float = 3.0
    """Misses where no hand was add up to this at most: a camera that hunts for its focus misses the same cards."""
    streak_per_s: float = 4.0
    """Odds a second by which the limit of such misses grows, so that a card that lay for long ends after 1.5 s."""
    after_in_hand: int = 6
    """Inferences that must miss a turn-up seen in a hand before it ends: another will soon lie in its place."""

    new_clear: float = 3.0
    """Odds of a new claim that is found and read beyond doubt where the picture changed. Counted: 42 of 42 were cards
    without an arm, 14 of 27 beside one."""
    new_unclear: float = -0.5
    """Odds of any other claim where the picture changed. Counted: 5 of 14 were cards."""
    new_again: float = 4.0
    """What finding it again at rest adds if its place still has a change that no other card accounts for, or takes away
    if it has none and the card lies in full view."""
    own_share: float = 0.15
    """Least share of its place that a new card has to itself, beside other new ones."""
    pale_share: float = 0.04
    """Share of its place that must have changed if it is read beyond doubt: on a cloth of its colour only print."""
    replaced_confidence: float = 0.65
    """Confidence that is beyond doubt where another card lay that is not found any more."""
    replaced_read: float = 0.8
    """Probability of the name that is beyond doubt where another card lay that is not found any more."""
    unnoticed_s: float = 1.0
    """How long an unnoticed card must be found before it counts."""
    unnoticed_count: int = 3
    """Number of inferences in which an unnoticed card must be found before it counts."""
    unnoticed: tuple[float, float] = (2.0, 0.02)
    """Longest time between two of them, and most movement."""
    sighting: tuple[float, float] = (8.0, 0.04)
    """Longest time between two detections of one sighting (a hand may cover it), and most movement."""
    hand_on_free: float = 0.03
    """Share of a card that a hand may cover by the segmentation while it holds none."""
    same_card: float = 1 / 3
    """Odds, same card to another one of any name, from which two readings of a place are of one. By hand, 2026-11."""
    readings_split: int = 6
    """Newest readings of a sighting among which another card may have begun. Chosen by hand, 2026-11."""
    dealt_on: float = 0.5
    """Share of a card that the next one covers if cards are dealt onto each other. Chosen by hand, 2026-11."""

    held_share: float = 0.2
    """Share of a card above which an arm of the segmentation over it says that a hand holds it: in a real film of a
    riffle seen edge-on the packets' faces have 0.43 to 0.94, a laid card next to nothing once the hand has gone."""
    arm_on_free: float = 1.0
    """Cards that lie free and that the segmentation showed as an arm before this table was seen, of ``arms_judged``.
    Chosen by hand, 2026-11: one in fifty."""
    arms_judged: float = 50.0
    """Cards that it was judged by before this table was seen: the weight of ``arm_on_free``."""
    laid_to_held: float = 20.0
    """Odds that a card which came to rest was laid, and is not held in a resting hand. Chosen by hand, 2026-11."""

    name_floor: float = 0.003
    """Names agree by at least this probability, so that one wrong reading can't forbid a match."""
    untouched_floor: float = -2.0
    """Lowest score of disagreeing names of an untouched card."""
    unmoved: float = 0.12
    """A card found this close to where it lay untouched is the same, whatever it reads as now."""
    visited_s: float = 1.0
    """Seconds after a hand in which a clear reading of another name is another card, before a change is reported."""
    at_rest: tuple[float, float] = (0.0, 0.04)
    """Cost of a card at rest, and the standard deviation of its place."""
    vague: tuple[float, float] = (1.5, 0.12)
    """Cost of a half covered card, whose outline slides, and the standard deviation of its place."""
    moved: tuple[float, float] = (1.5, 0.4)
    """Cost of a card that was touched, and may have been pushed, and the standard deviation of its place."""
    carried_cost: float = 1.5
    """Cost of being at quite another place."""
    carried_per_diagonal: float = 0.3
    """Cost of each diagonal there."""
    carried_farthest: float = 3.0
    """Diagonals that cost."""
    no_match: float = -5.0
    """Scores up to this are no match."""
    no_match_untouched: float = -8.0
    """Scores up to this are no match of an untouched card."""

    steady: float = 0.1
    """A card whose corners are off by less is at rest."""
    corner_rate: float = 0.4
    """Share by which the corners of a card at rest follow the detection."""
    part_inside: float = 0.93
    """An outline within a card's to this share is what shows of the card,"""
    part_shrunk: float = 0.96
    """if it is smaller than that share of it."""
    open_share: float = 0.02
    """Arms over no more of a card's place leave it open."""
    reading_floor: float = 0.0005
    """No reading makes a name less probable. Of 1,128 readings of 61 open cards with 0.95 or more none was wrong (eight
    development clips, 2026-11-24); this leaves 0.03 for all other names together."""
    strip_share: float = 0.1
    """A reading of a card of which no more is in view counts ``strip_weight``. Of 53 clear readings of cards of
    invented decks with a tenth to a half in view 45 were right (2026-11-24)."""
    strip_slope: float = 0.4
    """Share of a card that must be in view beyond ``strip_share`` for its reading to count in full."""
    strip_weight: float = 0.7
    """Least weight of a reading."""
    alike: float = 0.17
    """
    Distance of two crops (``name_evidence``) at which the errors of their readings agree to exp(-1). On 11,383 pairs of
    inferences at 61 cards of eight development clips the errors agreed by 0.93 on average up to a distance of 0.11, by
    0.70 from there to 0.15, by 0.26 up to 0.31, beyond not at all (2026-11-24).
    """

    def found_share(self, view: float, arm: float) -> float:
        """
        Return the probability that a card is found of which the share ``view`` is in view, and arms hide ``arm``.

        >>> [round(FilterSettings().found_share(0.3, arm), 2) for arm in (0.2, 0.5)]
        [0.6, 0.62]
        """
        return float(
            np.interp(view, self.views, self.found_under_arms if arm > 1 - arm - view else self.found_under_cards)
        )

    def missed(self, view: float, arm: float, is_changed: bool) -> float:
        """
        Return the log-likelihood ratio, there to gone, of a card that was not found. ``view``, ``arm``: as above.

        ``is_changed``: the picture has changed at its place, and that is not counted yet: a change speaks once.

        >>> [round(FilterSettings().missed(view, 0.0, is_changed=True), 1) for view in (0.3, 1.0)]
        [-3.5, -7.2]
        >>> round(FilterSettings().missed(1.0, 0.0, is_changed=False), 1)
        -4.6
        """
        ratio = log(1 - self.found_share(view, arm))
        return ratio + log(self.changed_if_there / (1 - self.unchanged_if_gone)) if is_changed else ratio

    def carried(self, agreement: float, distance: float) -> float:
        """Return the score of a detection at quite another place. ``agreement``: as for ``match``."""
        far = min(distance, self.carried_farthest)
        return float(np.log(agreement + self.name_floor)) - self.carried_cost - self.carried_per_diagonal * far

    def match(self, agreement: float, distance: float, is_touched: bool) -> float | None:
        """
        Return the score of a detection near a card's place, None if it is no match.

        ``agreement``: probability that both have the same name.

        >>> match = FilterSettings().match
        >>> match(0.9, 0.0, True) > match(0.9, 0.1, True) > match(0.01, 0.0, True)
        True
        >>> match(0.0, 0.1, True) is None and match(0.0, 0.1, False) is not None
        True
        """
        named = float(np.log(agreement + self.name_floor))
        kinds = (self.at_rest, self.vague, *((self.moved,) if is_touched else ()))
        place = max(-cost - 0.5 * (distance / scale) ** 2 for cost, scale in kinds)
        if not is_touched and distance < self.unmoved:
            named = max(named, self.untouched_floor)
        score = named + place
        return score if score > (self.no_match if is_touched else self.no_match_untouched) else None
