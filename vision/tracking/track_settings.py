"""The limits of tracking (:mod:`vision.tracking.tracker`), and the facts that several of its steps share."""

from __future__ import annotations

from dataclasses import dataclass

from vision.detection.z_order import LIES_ACROSS

UNDER_TALON = 0.1
"""A turn-up shares so much of its area, 0 to 1, with the talon on it. Higher: one that hardly looks out is a card of
the bout; lower: a card laid at the talon is the turn-up. Set by hand, 2026-11."""
NO_CARD = 0.5
"""What is called no card more surely than this, 0 to 1, is none. Higher: cups are followed; lower: worn cards aren't.
Set by hand, 2026-11."""


@dataclass(frozen=True, slots=True)
class TrackSettings:
    """
    Limits for matching and for trusting. Shares are from 0 to 1, of an area or of all probability.

    Set by hand, 2026-11, where no other source is named.
    """

    least_confidence: float = 0.35
    """Weaker detections begin no track. Higher: half-covered cards are lost; lower: more claims that are none."""
    weakest_confidence: float = 0.2
    """Weaker ones are not used at all; between the two a card that is followed is found again where it is read surely
    by its name. Higher: cards that the edge cuts come and go; lower: what has gone seems to lie there."""
    settles: float = 0.7
    """What is read as surely as this is a card, and no arm, where it lies still. Higher: cards at the picture's edge
    that are hard to read stay arms; lower: fists are cards."""
    settles_free: float = 0.5
    """So is what is read as surely as this ... Higher: small cards at the picture's edge stay arms; lower: what nobody
    can read is told by a guess."""
    arm_on_card: float = 0.05
    """... where the segmenter sees no more of an arm on it than this. Higher: fists are cards; lower: a finger's shadow
    keeps a small card an arm."""
    at_rest: float = 0.02
    """Two looks in a row that find a card this close together (in card diagonals) have seen it at rest. Higher: a card
    carried slowly lies there; lower: noise keeps it moving."""
    arm_cover: float = 0.08
    """A detection hidden by arms by more than this is in a hand, or not to be read now. Higher: held cards are laid;
    lower: cards are told only once all hands are gone."""
    same_place: float = 0.3
    """Centres this close (in card diagonals) may be the same card lying still or knocked. Higher: a card laid close by
    is the one that lay there; lower: a knocked card is another."""
    unmoved: float = 0.12
    """A card found this close (in card diagonals) to where it lay untouched is the same whatever it reads as now.
    Higher: a card laid exactly there is the one before; lower: a misread look is a new card."""
    steady: float = 0.1
    """A card whose corners are off by less than this (in card diagonals) lies still. Higher: corners of a card that
    slips are averaged; lower: they tremble."""
    corner_rate: float = 0.4
    """Share by which a still card's corners follow what is found. Higher: they tremble; lower: they lag."""
    duplicate_iou: float = 0.7
    """Two detections that share this much of their union, with one name, are one card. Higher: doubles are followed;
    lower: of two cards laid exactly on each other one is lost."""
    duplicate_names: float = 0.3
    """As likely two such detections must have one name. Higher: doubles are followed; lower: two cards laid exactly on
    each other are one."""
    name_floor: float = 0.0005
    """No look may exclude a name more strongly than this: classifiers err. Of 1,128 looks that read one of 61 open
    cards as something by 0.95 or more none was wrong (eight development clips, 2026-11-24); this leaves 0.03 for all
    other names. Higher: more looks to be sure; lower: one wrong look decides."""
    stranger: float = 0.03
    """How likely a card from outside the pack is, beside one of it: read clearly, and again, it is no card of the pack
    and has no name (``name_prior``). Higher: misreadings leave the pack; lower: foreign cards are named as cards of
    it."""
    alike: float = 0.17
    """Two looks at a card that lies as it lay err alike, to exp(-1), where their crops are this far apart
    (``look_novelty``). On 11,383 pairs of looks at 61 cards of eight development clips the errors of two agree to 0.93
    on average up to a distance of 0.11, to 0.70 from there to 0.15, to 0.26 up to 0.31, beyond not at all
    (2026-11-24). Higher: a wrong first look stays; lower: looks at one picture sum up to certainty."""
    crops_kept: int = 8
    """So many crops of a card are remembered, those last counted. More: dearer; fewer: what comes again after other
    light counts again."""
    sharper: float = 1.1
    """A look that shows a card so many times as sharp as any before says what those could not: it counts as a first
    one. Higher: a name read while the camera hunted for its focus stays; lower: noise makes looks count anew."""
    blurred: float = 0.8
    """Of the sharpest look at it a blurred card shows less than this. Higher: noise blurs cards, and they are told
    later; lower: names are told that were read in a blur."""
    blur_power: float = 2.0
    """A look counts with this power of how sharp it is beside the sharpest. Higher: blurred looks say nothing; lower:
    they outvote a sharp one."""
    most_weight: float = 4.0
    """Older looks fade beyond this weight, so that a name once wrong can still be put right. Higher: later; lower: one
    look flips a name."""
    strip_share: float = 0.1
    """A look at a card of which so much is in view counts for ``least_weight`` ..."""
    strip_slope: float = 0.4
    """... and at one of which so much more is in view for all. Higher, either: covered cards are told with more doubt;
    lower: strips misname them."""
    least_weight: float = 0.7
    """The least that any look counts: one that says 0.97 says 0.78 of a strip then. Of 53 such readings of cards of
    which a tenth to a half was in view, of invented decks, 45 were right (the script is not kept here, 2026-11-24).
    Higher: strips misname cards; lower: a card of which only a strip shows gets no name."""
    visible_share: float = 0.25
    """With less of a card in view, not finding it means nothing. Higher: cards under others stay when they are gone;
    lower: they go when they are covered."""
    full_view: float = 0.6
    """With more than this in view a card lies open: what reads otherwise there, or was never explained, is none.
    Higher: covered cards keep wrong names; lower: half-covered ones lose theirs."""
    stirred_share: float = 0.05
    """A card whose place changed less than this was not touched: a shadow's rim, a neighbour's edge. Higher: a card
    that is replaced keeps its name; lower: shadows touch cards."""
    changed_share: float = 0.2
    """So much of a card's visible place must have changed before it can be gone. Higher: cards gone from under others
    stay; lower: cards that are overlooked go."""
    fresh_share: float = 0.35
    """So much of a new card's own place must have changed: on a white cloth only its print and rim do. Higher: cards
    laid on cards are lost; lower: claims where nothing happened are cards."""
    pale_share: float = 0.04
    """The same where one is found and read beyond doubt: on a cloth of its own colour only its print changes."""
    pale_confidence: float = 0.75
    """So surely it must be found for that ..."""
    pale_read: float = 0.95
    """... and read. Higher, either: pale cards are lost; lower: claims where nothing happened are cards."""
    replaced_confidence: float = 0.65
    """So surely found where it lies in the place of another that is not found again. Higher: cards exchanged on the
    spot are missed; lower: badly found ones are replaced."""
    replaced_read: float = 0.8
    """... and so surely read as another. Higher: cards laid exactly on others are missed where they are small; lower: a
    card that is misread after a hand was there lies under another."""
    overlooked_s: float = 1.0
    """What is found and read so surely (``pale_confidence``, ``pale_read``) where no change was told is a card after so
    many seconds ... Longer: cards that came with a jump of the light are told later; shorter: graphics are cards."""
    overlooked_looks: int = 3
    """... and so many looks ... More: later; fewer: a passing picture is a card."""
    overlooked_gap_s: float = 2.0
    """... no further apart than this, in seconds. Longer: what came and went is one card; shorter: a card that an arm
    hides in between begins anew."""
    held_rest: float = 0.04
    """What was read beyond doubt under fingers is the card that lies there once they have gone, if it is this close (in
    card diagonals) to where it was. Higher: a card laid on one that was put back is that one; lower: fingers that hide
    a corner move it."""
    held_gap_s: float = 8.0
    """... and no longer after, in seconds. Longer: what a hand held up there is laid; shorter: beside resting hands
    cards are told later."""
    part_inside: float = 0.93
    """An outline that lies within a known card's to this share of it ... Lower: a card pushed a little is half hidden;
    higher: the outline of a half-hidden card wanders, and it is not at rest."""
    part_shrunk: float = 0.96
    """... and is smaller than this share of it, is what shows of that card. Higher: noise hides parts; lower: a card of
    which little is hidden wanders."""
    open_share: float = 0.02
    """Arms over no more of a card's place than this leave it open. Higher: a card under a finger tip was seen to lie
    free; lower: a shadow's rim lies on it."""
    own_share: float = 0.15
    """A new card must have so much of its place to itself, beside other new ones. Higher: covered cards are lost;
    lower: one card is outlined twice."""
    unexplained_share: float = 0.35
    """A change as large as this much of a card, next to cards, is more than shadows and a card pushed aside. Higher: a
    card not made out accuses; lower: shadows keep faults from being called."""
    looks_to_go: int = 2
    """Looks in a row that must miss a card before it is gone. More: told later; fewer: a card that is overlooked
    once is lifted."""
    unvisited_s: float = 1.5
    """A card where no hand was seen since is gone only after so many seconds: a camera hunts for its focus. Longer:
    what an overlooked hand took is told later; shorter: a blurred picture lifts cards."""
    looks_after_pull: int = 6
    """The same for a turn-up seen in a hand: another will soon be put in its place."""
    still_looks: int = 2
    """A card found at one place by so many looks in a row rests there; one found by fewer was glimpsed. More: told
    later; fewer: a card carried past lies there."""
    lies_on: float = LIES_ACROSS
    """A new card shares so much with one that was not under it yet when that was found. Higher: cards laid across
    others lie beside them; lower: neighbours lie across each other."""
    least_left: float = 0.12
    """A claim that would leave less than this in view of a card that the same look has found again is none ..."""
    least_kept: float = 0.8
    """... if it would take more of what was in view than leaves this. Higher, either: cards laid squarely on others
    are lost; lower: one card is outlined twice."""
    readable: float = 0.42
    """A claim read less surely than this, on top of a card found again more surely, is an echo of that card. Higher:
    cards read badly are lost; lower: cards are seen double."""
    echo_overlap: float = 0.5
    """So much an echo shares with its card. Higher: echoes are cards; lower: cards beside it are echoes."""
    under_talon: float = UNDER_TALON
    """A turn-up that was not made out at first shares so much with the talon on it. Higher: a turn-up that is pushed in
    deep stays unknown; lower: a card beside the talon is taken for it."""
    unmistakable: float = 0.9
    """So surely is a card read that can't become unreadable by being touched. Higher: replaced cards keep their names;
    lower: a look at a hand makes a new card."""
    pulled_share: float = 0.9
    """So surely read elsewhere, where no other card lies, a turn-up that isn't found at its place is in a hand. Higher:
    exchanges pass for draws; lower: a card like it pulls it."""
    nameless: float = 0.25
    """A card that has no name surer than this is one that nobody can read. Higher: doubtful names are withheld; lower:
    guesses are told as names."""
    looks_to_know: int = 4
    """A card seen fewer times than this is asked about where it isn't found, though nothing touched it. More: dearer;
    fewer: cards found by chance go."""
    visited_s: float = 1.0
    """What reads as another card, so long after a hand was there, waits for the gate to say what changed; then it is
    the same card, misread. A blurred look must be ``unmistakable`` for that. Longer: misread cards are put right
    later; shorter: of cards laid quickly on each other two are one."""
    elsewhere_share: float = 0.5
    """So surely a look must name a card that it knows again at quite another place; less may be anything. Higher: a
    card pushed across the table is another; lower: another card is taken for it."""
