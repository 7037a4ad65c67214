"""The limits of the gate (:mod:`vision.motion.background_subtraction`)."""

from __future__ import annotations

from dataclasses import dataclass, field

from vision.motion.camera_sway import CameraSwaySettings


@dataclass(frozen=True, slots=True)
class LightSettings:
    """
    How a change of light is measured: as the median ratio per colour, of a few pixels for all.

    Set by hand, 2026-11.
    """

    step_px: int = 8
    """Every so many pixels one is taken, across and down. Higher: quicker, noisier; lower: dearer."""
    darkest: float = 20.0
    """Darker pixels of the background (0..255) say nothing: their ratio is noise. Higher: less is left to tell light
    from cards by; lower: noise counts."""
    brightest: float = 235.0
    """... nor do brighter ones, which clip ..."""
    clipped: float = 250.0
    """... or pixels that are brighter than this now. Higher, either: clipped pixels count; lower: less is left to tell
    light from cards by."""
    least_pixels: int = 60
    """With fewer pixels left nothing is measured. Higher: dark tables are never adjusted; lower: a card decides."""
    least_change: float = 0.015
    """A smaller change of the ratio is noise. Higher: slow dusk becomes foreign in steps; lower: the background
    trembles."""
    least_ratio: float = 0.2
    """What becomes darker than by this factor is no change of light: a hand before the lens. Higher: a lamp switched
    off leaves all foreign; lower: a hand is taken out as a shade."""
    most_ratio: float = 5.0
    """The same for what becomes brighter."""
    dark_below: float = 85.0
    """What a colour has below this is dark and has a gain of its own. Higher: cloth is dark too; lower: few pixels tell
    it."""
    bright_from: float = 170.0
    """The same for what is bright from here on, as white cards are. Higher: few pixels tell it; lower: cards share the
    gain of the cloth."""
    least_tone: int = 6
    """With fewer pixels a tone has the picture's gain: one in ``step_px`` squared of a card's. Higher: few cards on the
    table are foreign when the light drifts; lower: their print decides."""
    row_told: float = 0.4
    """A row of the picture of which so much can be told, and so many rows, give the bands of a flickering lamp. Higher:
    arms hide the bands; lower: a few spots make some."""
    row_spread: float = 0.15
    """The middle half of a row's ratios lies this close together, or the row says nothing. Higher: arms are taken for
    bands; lower: noise in the dark hides them."""
    row_blur_px: float = 3.0
    """Rows' gains are smoothed over so many. More: narrow bands stay; fewer: noise makes some."""
    least_band: float = 0.02
    """Bands that differ by less are noise. Higher: faint flicker moves pale cards; lower: dearer."""
    most_band: float = 0.35
    """What differs by more is no flicker but a shadow. Higher: shadows are taken out; lower: strong flicker stays."""


@dataclass(frozen=True, slots=True)
class MotionSettings:
    """
    Limits of the gate. Levels are of 0..255, shares of an area from 0 to 1, pixels those of the reduced picture.

    Set by hand, 2026-11.
    """

    width_px: int = 320
    """Width of the reduced picture: a card is still 15 px wide and a frame takes a millisecond. Higher: dearer; lower:
    a finger is noise."""
    foreign_levels: float = 16.0
    """A pixel this far from the background is foreign; noise of a reduced picture stays under 5. Higher: pale cards on
    pale cloth are overlooked; lower: shadows are arms."""
    pale_levels: float = 10.0
    """The same on a pale cloth, from which a card differs by little but its print ..."""
    pale_from: float = 140.0
    """... that is one whose darkest colour is this bright, in the middle of all pixels. Higher: cards on a grey cloth
    are overlooked; lower: shadows on it are arms."""
    moving_levels: float = 11.0
    """A pixel this far from the frame before moves. Higher: a slow hand rests; lower: noise moves."""
    moving_share: float = 0.02
    """Of a picture that is nearly all foreign so much must move for it not to be still. Higher: learned anew while a
    hand still waves; lower: noise keeps the table hidden."""
    still_s: float = 0.12
    """Residue lying still for so long is part of the table: three frames at 25 a second. Longer: all is told later;
    shorter: a hand that halts is a card."""
    part_s: float = 0.4
    """A part of a restless patch that lies still for so long is part of the table, whatever flickers beside it. Longer:
    a card beside a flickering shadow is told later; shorter: a hand that halts is learned in parts."""
    part_px: int = 40
    """Such a part has so many pixels at least: a third of a small card. More: cards half hidden wait; fewer: more
    looks."""
    ask_s: float = 0.4
    """An arm that lies still all over for so long is looked at: it may be a card at the picture's edge. Longer: such
    cards are told later; shorter: a look whenever a hand halts."""
    outline_px: int = 6
    """An outline stays if no more pixels than this came or went beyond its rim. Higher: a finger that moves is still;
    lower: under a flickering lamp nothing is."""
    sure_s: float = 1.0
    """So is a part of an arm that lies still for so long while the rest moves. And still for so long, what reads as a
    card is one, though an arm touches it: nobody holds a card so still in the hand. Longer: cards under resting hands
    are told later; shorter: cards held up are laid."""
    card_share: float = 0.6
    """Of such a still part cards must make up so much for all of it to be table. Higher: cards at the edge that throw a
    shadow stay arms for longer; lower: a hand that holds cards is table."""
    held_share: float = 0.03
    """A card of which arms, as a look sees them, hide this much is held or being laid, however still it lies. Higher:
    cards held up are laid; lower: a finger beside a card keeps it from being told."""
    hand_share: float = 0.15
    """What a look takes for a hand shows so much of a card's area beside the cards. Higher: a card held by two finger
    tips is laid; lower: print and shadows hold cards."""
    flicker_s: float = 2.0
    """What is restless for so long without a pause will not come to rest, and nothing waits for it. Longer: things are
    told late beside a flickering lamp; shorter: slow pushes are not waited for."""
    quiet_percentile: float = 3.0
    """A patch is as quiet as this percentile of its pixels: a few may flicker. Higher: a twitching finger rests;
    lower: one flickering pixel keeps a card from being seen."""
    arm_share: float = 0.0025
    """Smaller patches at the edge are no arm: a thumb of 12 x 12 px. Higher: finger tips are residue; lower: a card at
    the edge is an arm."""
    floating_share: float = 0.006
    """A moving patch that touches no edge is an arm from this size on; a sliding card is smaller. Higher: sleeves of
    the table's colour are lost; lower: a card pushed along is a hand."""
    floating_moving: float = 0.08
    """So much of such a patch must move. Higher: a slow hand is residue; lower: a flickering card is a hand."""
    speck_px: int = 6
    """Patches of fewer pixels are noise and block coding. Higher: a card's sliver is overlooked; lower: more looks."""
    contact_px: int = 4
    """An arm meets the edge over at least so many pixels. Higher: thin wrists float; lower: specks at the edge are
    arms."""
    contact_gap_px: int = 12
    """Gaps along the edge up to this are bridged within one arm. Higher: two arms side by side are one; lower: a
    striped sleeve is two arms."""
    same_contact: float = 0.2
    """An arm's contact moves less than this, in widths of the picture, across and down together, from frame to frame.
    Higher: arms that meet swap places; lower: a quick arm is split anew."""
    reaches_px: float = 30.0
    """Where an arm that is known meets the edge anew it has reached there, if its finger tips were this near a frame
    ago, on the reduced picture: a hand's width and its way in a frame. Higher: arms that come in beside another's tip
    are that one; lower: an arm that reaches across quickly is two. Set by hand, 2026-11."""
    rest_s: float = 6.0
    """An arm quite still for so long is an object to be lived with; what it hides stays hidden. Longer: a glass at the
    edge hides the table longer; shorter: a resting hand stops being one."""
    ghost_s: float = 0.4
    """So long a still patch at the edge waits before its outline is judged. Longer: cards an arm has bared are seen
    later; shorter: an arm that halts is judged."""
    black_levels: int = 12
    """Grey levels up to which what lies round a film's picture is black. Higher takes dark cloth for it; lower misses
    black that was badly coded. Set by hand, 2026-11."""
    black_share: float = 0.01
    """Share of the picture that such black takes at least. Higher leaves corners; lower asks for an edge at specks."""
    ghost_rim_px: int = 12
    """An outline of fewer pixels says nothing. Higher: small ghosts stay; lower: noise decides."""
    ghost_drawn: float = 1.3
    """An outline drawn so many times as strongly in the background as in the picture is a ghost's. Higher: ghosts stay
    arms; lower: pale arms are ghosts."""
    relight_share: float = 0.55
    """With more than this foreign, the light or the camera changed, not a card. Higher: a new lamp leaves all foreign;
    lower: two arms over the table are a new lamp."""
    known_share: float = 0.2
    """With less than this foreign a picture shows the table that was remembered. Higher: another table is taken for it;
    lower: a film that comes back to the table with an arm over it begins anew."""
    relight_s: float = 0.4
    """So long it must be still then before the background is learned anew. Longer: blind for longer; shorter: learned
    with the lamp still warming up."""
    spread_share: float = 0.15
    """With this share of the picture's parts touched by something foreign it is no arm: was the camera bumped? Higher:
    bumps are overlooked; lower: the dear search is tried for every arm."""
    bump_moving: float = 0.3
    """Of what is foreign less than this may move for a bump to be looked for: the camera is at rest again. Higher:
    tried while arms move; lower: a bump with a hand in the picture is found late."""
    bump_every_s: float = 0.3
    """So often the background is tried in another place. Longer: found later; shorter: dearer, 7 ms a try."""
    bump_gain: float = 0.5
    """Laid there it must leave at most this share of what was foreign. Higher: wrong places are believed; lower: with
    cards moved too, the right one isn't."""
    bump_px: float = 20.0
    """A bump moves the picture's corners by at most this. Higher: wrong places are found; lower: a hard bump is a new
    table."""
    table_share: float = 0.4
    """A patch in so many of the picture's parts, but still for ``settle_s``, is the table as it lies now. Higher: a
    pulled cloth stays foreign; lower: an arm that rests is the table."""
    settle_s: float = 1.5
    """See ``table_share``. Longer: what lies on a pulled cloth is seen later; shorter: an arm that rests is learned."""
    settled_share: float = 0.8
    """So much of that patch must have been still for so long. Higher: one moving hand keeps the table hidden; lower:
    arms are learned with it."""
    learning_rate: float = 0.03
    """Share by which the background follows each frame where all is calm. Higher: slow shadows are never foreign, and
    what moves slowly fades into the table; lower: it lags behind the light."""
    dark_levels: float = 6.0
    """A picture darker than this on average shows nothing. Higher: dim rooms are blind; lower: noise in the dark is
    judged."""
    flat_levels: float = 3.0
    """A picture with less spread than this shows nothing: a cap on the lens, a hand before it. Higher: a bare pale
    table is blind; lower: a hand before the lens is judged."""
    light: LightSettings = field(default_factory=LightSettings)
    sway: CameraSwaySettings = field(default_factory=CameraSwaySettings)
