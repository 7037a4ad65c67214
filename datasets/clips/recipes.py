"""
The recipe of a clip as one value: game, people, table, camera, mishaps and seeds.

A recipe is written by hand (``DEMO``) or drawn at random from a seed with some values fixed (``drawn``).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any

import numpy as np

from datasets.clips import table_tops
from datasets.clips.arms import ArmStyle, DrawnArm, as_colour
from datasets.clips.camera_and_light import Mishaps
from datasets.clips.choreography import Choreographer
from datasets.clips.director import Director
from datasets.clips.faults import MENU, offend
from datasets.clips.free_play import FreePlayer
from datasets.clips.ground_truth import set_times
from datasets.clips.habits import Habits, with_habits
from datasets.clips.motion import Performance
from datasets.clips.overlays import Overlays
from datasets.clips.painter import Light, Painter, face_height_px, model_arms
from datasets.clips.plain_players import NoSuchDealError, Wish, find_story
from datasets.clips.played_games import Manners, PlayedGame, play_until
from datasets.clips.projection import drawn_outlines
from datasets.clips.stage import PinholeCamera, Stage
from datasets.clips.story import DealStep, LayStep, Story, SweepStep
from datasets.clips.table_things import print_on_cloth, set_table
from datasets.clips.webcam import Webcam, WebcamStyle, style_of
from datasets.decks.deck_art import DeckError
from datasets.decks.library import EXTREME, RESERVED, load_decks
from referee.cards import pack
from referee.rulebook import PRESETS

NAMES = ("Anya", "Boris", "Vera", "Gleb", "Dina", "Egor")
SKINS = ((138, 170, 222), (120, 152, 208), (150, 182, 230), (84, 112, 160), (128, 160, 216), (58, 80, 122))
SLEEVES = ((60, 58, 150), (98, 70, 42), (82, 96, 70), (150, 150, 152), (44, 44, 48), (120, 150, 190))
LONGEST_STORY = 400
"""Number of steps; more than fit into any clip."""
LOT_SIGNS = 500_000
"""Offset of the seeds of random layouts in clips from those in training."""
TALLEST_FACE_PX = 520


@dataclass(frozen=True, slots=True)
class Recipe:
    """
    A clip. With ``wish`` the plain players of the shipped recording play it; without, any preset is played.

    ``seconds``: how long it is about. ``talon``: cards left when it begins; None: it begins before the deal.
    ``faults``: how many, ``menu``: which may be made. ``deck``: a deck of ``datasets.decks.library``, or
    ``invented-SEED``; a reserved one only where ``reserved``. ``plays``: no game, but these plays one after the other
    (``datasets.clips.free_play``). ``webcam``: camera faults, None: none. ``overlays``: graphics drawn over the film
    (``datasets.clips.overlays``). ``arms``: what of ``ArmStyle`` is the same for all people; ``shade`` darkens their
    skin and sleeves. ``lingers``: seconds (a range) for which fingers stay on what they lay.
    """

    seed: int
    wish: Wish | None = None
    rules: str = "podkidnoy-36"
    options: Mapping[str, Any] = field(default_factory=dict)
    seats: int = 3
    seconds: float = 90.0
    talon: int | None = 8
    faults: int = 0
    menu: tuple[str, ...] = MENU
    manners: Manners = field(default_factory=Manners)
    habits: Habits = field(default_factory=Habits)
    mishaps: Mishaps = field(default_factory=Mishaps)
    camera: PinholeCamera = field(default_factory=PinholeCamera)
    surface: str = "wood"
    light: Light = field(default_factory=Light)
    deck: str = "own"
    reserved: bool = False
    fps: int = 25
    crf: int = 24
    preset: str = "medium"
    plays: tuple[str, ...] = ()
    webcam: WebcamStyle | None = None
    overlays: tuple[str, ...] = ()
    arms: Mapping[str, Any] = field(default_factory=dict)
    lingers: tuple[float, float] | None = None


DEMO = Recipe(7, Wish(seats=NAMES[:3], widest=4, given_on=2))


def arm_styles(recipe: Recipe, seats: tuple[str, ...]) -> dict[str, ArmStyle]:
    """Draw a hand and a sleeve for every seat; at random tables some have short sleeves, watches, long fingers."""
    rng = np.random.default_rng((recipe.seed, 5))
    colours = [SLEEVES[i] for i in rng.permutation(len(SLEEVES))]
    skins = [SKINS[i] for i in rng.permutation(len(SKINS))]
    found = {
        seat: ArmStyle(skins[i], colours[i], left=bool(rng.random() < 0.15), bulk=float(rng.uniform(0.9, 1.08)), seed=i)
        for i, seat in enumerate(seats)
    }
    if recipe.wish is not None:
        return found
    for seat, style in found.items():
        shade = float(rng.uniform(0.5, 1.25))
        sleeve = as_colour(np.clip(np.multiply(style.sleeve, shade) + rng.normal(0, 14, 3), 8, 225))
        skin = as_colour(np.clip(style.skin * rng.uniform(0.92, 1.06, 3), 20, 240))
        cuff = float(rng.choice([-196.0, -215.0, -290.0, -470.0], p=[0.4, 0.25, 0.15, 0.2]))
        found[seat] = replace(
            style, skin=skin, sleeve=sleeve, cuff_mm=cuff, watch=bool(rng.random() < 0.3),
            stretch=float(rng.uniform(0.92, 1.08)), seed=recipe.seed * 7 + style.seed,
        )  # fmt: skip
    fixed = dict(recipe.arms)
    shade = float(fixed.pop("shade", 1.0))
    for seat, style in found.items():
        skin, sleeve = as_colour(np.multiply(style.skin, shade)), as_colour(np.multiply(style.sleeve, shade))
        found[seat] = replace(replace(style, skin=skin, sleeve=sleeve), **fixed) if recipe.arms else style
    return found


def story_of(recipe: Recipe) -> Story:
    """Return the story that is played."""
    if recipe.wish is not None:
        return find_story(recipe.wish, recipe.seed)
    for attempt in range(60):
        try:
            story = _one_deal(recipe, np.random.default_rng((recipe.seed, 21, attempt)))
        except NoSuchDealError:
            continue
        if story is not None:
            return story
    raise NoSuchDealError(
        f"expected a deal of {recipe.rules} with {recipe.faults} faults from seed {recipe.seed}, found none in 60; "
        "wish for less or take another seed"
    )


def _one_deal(recipe: Recipe, rng: np.random.Generator) -> Story | None:
    """Play one deal; return None if it is too short or has no occasion for the faults."""
    seats = NAMES[: recipe.seats]
    filmed = recipe.talon is None
    game = PlayedGame.dealt(recipe.rules, dict(recipe.options), seats, rng, recipe.manners, filmed)
    if filmed and (not game.talon or game.state.rules.turn_up != "under_talon"):
        filmed = False
    if not filmed:
        play_until(game, LONGEST_STORY, recipe.talon)
        if game.over:
            return None
        game.begin_here()
    guessed = round(recipe.seconds / 1.35)
    left = recipe.faults
    due = np.sort(rng.uniform(2, guessed * 0.5, left)) if left else np.zeros(0)
    while not game.over and len(game.steps) < guessed:
        if (
            left
            and len(game.steps) >= due[len(due) - left]
            and not any(isinstance(s, DealStep) for s in game.steps[-1:])
        ):
            for fault in (recipe.menu[i] for i in rng.permutation(len(recipe.menu))):
                if offend(game, fault):
                    left -= 1
                    break
        if not game.over:
            game.turn()
    if left and game.over and "game-over" in recipe.menu and offend(game, "game-over"):
        left -= 1
    enough = len(game.steps) >= 0.45 * guessed or (game.over and len(game.steps) >= 12)
    return game.story() if enough and left <= recipe.faults // 3 and _fits(game.story()) else None


def _fits(story: Story) -> bool:
    """Check whether the table has room for the game's bouts."""
    return max((len(bout) for bout in _attacks(story)), default=0) <= 8


def _attacks(story: Story) -> list[list[LayStep]]:
    bouts: list[list[LayStep]] = [[]]
    for step in story.steps:
        if isinstance(step, LayStep):
            bouts[-1] += [step] * sum(on is None for _, on in step.cards)
        elif isinstance(step, SweepStep):
            bouts.append([])
    return bouts


def set_stage(recipe: Recipe, seats: tuple[str, ...]) -> Stage:
    """Return the places of bout, talon and discard pile at this table."""
    if recipe.wish is not None:
        return Stage(seats, recipe.camera)
    rng = np.random.default_rng((recipe.seed, 6))
    low = recipe.camera.elevation_deg < 52
    side, up = float(rng.uniform(272, 300)), float(rng.uniform(-70, 100 if not low else 60))
    heap = (float(rng.uniform(280, 312)), float(rng.uniform(-90, 100)))
    if rng.random() < 0.15:
        # Both on one side, the heap beyond the talon.
        up, heap = 110.0 if not low else 80.0, (-side - 5, -105.0)
    if rng.random() < 0.15:  # the picture's edge cuts the discard pile
        width, height = recipe.camera.size
        left = np.sign(heap[0]) < 0
        share = float(rng.uniform(0.0, 0.03))
        edge = recipe.camera.on_table(np.array([width * (share if left else 1 - share), height * 0.5 + heap[1]]))
        heap = (float(edge[0]), float(edge[1]))
    columns, pitch = (4, (106.0, 148.0)) if recipe.seats > 4 else (3, (122.0, 150.0))
    bout = (float(rng.uniform(-10, 10)), float(rng.uniform(0, 26)))
    return Stage(seats, recipe.camera, (-side, up), heap, bout, columns, pitch)


def rehearse(recipe: Recipe) -> tuple[Performance, dict[tuple[str, str], DrawnArm]]:
    """Deal, play, choreograph, build the hands, and compute when a camera could be certain of each step."""
    if recipe.plays:
        return _rehearse_free(recipe)
    story = story_of(recipe)
    seats = story.start.seats
    stage = set_stage(recipe, seats)
    rng = np.random.default_rng((recipe.seed, 2))
    if recipe.wish is not None:
        performance = Choreographer(stage, rng).perform(story)
        arms = model_arms(stage, arm_styles(recipe, seats), recipe.light)
    else:
        performance = Director(stage, rng, habits=recipe.habits).stage_play(story, recipe.seconds)
        performance.fps = recipe.fps
        performance.room = recipe.mishaps.happen(
            performance.seconds, recipe.fps, recipe.camera.size, np.random.default_rng((recipe.seed, 8))
        )
        wanted = [(action.seat, action.hand) for action in performance.actions]
        arms = model_arms(stage, arm_styles(recipe, seats), recipe.light, wanted)
    set_times(performance, drawn_outlines(stage.camera, arms))
    return performance, arms


def _rehearse_free(recipe: Recipe) -> tuple[Performance, dict[tuple[str, str], DrawnArm]]:
    """Choreograph cards that are handled without a game."""
    seats = NAMES[: recipe.seats]
    rng = np.random.default_rng((recipe.seed, 2))
    # The whole picture is the zone of the bout: a card is gone once it is out of the picture.
    corners = [
        recipe.camera.on_table(np.array([x, y])) for x in (0, recipe.camera.size[0]) for y in (0, recipe.camera.size[1])
    ]
    wide, tall = np.ptp(np.array(corners), axis=0)
    stage = Stage(seats, recipe.camera, bout_mm=(0.0, 0.0), columns=1, pitch_mm=(float(wide), float(tall) / 2))
    cards = [card for card in pack(52) if str(card) in faces_of(recipe)]
    player = FreePlayer(stage, rng, habits=recipe.habits, pack=[cards[k] for k in rng.permutation(len(cards))])
    if recipe.lingers is not None:
        player.tempo = replace(player.tempo, press=recipe.lingers)
    performance = player.play(recipe.plays, recipe.seconds)
    performance.fps = recipe.fps
    performance.room = recipe.mishaps.happen(
        performance.seconds, recipe.fps, recipe.camera.size, np.random.default_rng((recipe.seed, 8))
    )
    wanted = [(action.seat, action.hand) for action in performance.actions]
    arms = model_arms(stage, arm_styles(recipe, seats), recipe.light, wanted)
    set_times(performance, drawn_outlines(stage.camera, arms))
    return performance, arms


def webcam_of(recipe: Recipe) -> Webcam | None:
    """Return the webcam's faults, if the recipe has any."""
    return None if recipe.webcam is None else Webcam(recipe.webcam, np.random.default_rng((recipe.seed, 42)))


def light_of(recipe: Recipe) -> Light:
    """Return the light, with the webcam's shutter if it has its own."""
    style = recipe.webcam
    if style is None or not (style.shutter_ms or style.rolling_ms):
        return recipe.light
    rate = style.rate or recipe.fps
    shutter = style.shutter_ms * rate / 1000 if style.shutter_ms else recipe.light.shutter
    return replace(recipe.light, shutter=shutter, rolling=style.rolling_ms * rate / 1000)


def overlays_of(recipe: Recipe, seconds: float) -> Overlays | None:
    """Return the graphics drawn over the film of ``seconds``, if any."""
    if not recipe.overlays:
        return None
    return Overlays(recipe.overlays, faces_of(recipe), seconds, np.random.default_rng((recipe.seed, 43)))


def faces_of(recipe: Recipe) -> dict[str, np.ndarray]:
    """Return the pictures of the deck's faces and back, straight RGBA."""
    height = min(face_height_px(recipe.camera), TALLEST_FACE_PX)
    if recipe.deck.startswith("invented-"):
        from datasets.decks.invented import invent_deck

        deck = invent_deck(int(recipe.deck.removeprefix("invented-")), height)
    elif recipe.deck.startswith("lot-"):
        from datasets.faces.face import TRAINING_SIGNS, lot_deck
        from datasets.faces.signs import load_signs

        # lot-SEED or lot-SEED-RELATION; none of the signs that training or checking sees.
        _, seed, *relation = recipe.deck.split("-")
        deck = lot_deck(int(seed), load_signs(TRAINING_SIGNS + LOT_SIGNS, 24, 24), None, *relation)
    else:
        deck, *others = load_decks(recipe.deck.split("+"), height_px=height, reserved=recipe.reserved)
        if others:  # cards of two decks, by lot
            chance, decks = np.random.default_rng((recipe.seed, 11)), [deck, *others]
            mixed = {
                name: decks[int(chance.choice(len(decks)))].faces.get(name, face) for name, face in deck.faces.items()
            }
            backs = [deck.back for deck in decks if deck.back is not None]
            deck = replace(deck, faces=mixed, back=backs[0] if backs else None)
    if recipe.plays and deck.back is not None:
        return {**deck.faces, "back": deck.back}
    lacks = [name for name in (f"{r}{s}" for r in "6789TJQKA" for s in "shdc") if name not in deck.faces]
    if lacks or deck.back is None:
        raise DeckError(f"expected a deck with all faces and a back, got {recipe.deck} without {lacks or 'a back'}")
    return {**deck.faces, "back": deck.back}


def set_up(
    recipe: Recipe,
    stage: Stage,
    arms: dict[tuple[str, str], DrawnArm],
    faces: dict[str, np.ndarray] | None = None,
) -> Painter:
    """Lay the table and build its painter. ``faces``: other cards than the recipe's."""

    def dress(canvas: np.ndarray, scale: float) -> None:
        if not recipe.plays:
            set_table(canvas, stage, scale, recipe.light.lamp, recipe.seed)
        elif recipe.seed % 2:  # cards are laid anywhere: nothing stands in their way, but the cloth may bear print
            print_on_cloth(canvas, recipe.camera, scale, np.random.default_rng((recipe.seed, 10)))

    surface = table_tops.lay(
        recipe.surface, recipe.camera, np.random.default_rng((recipe.seed, 3)), dress, _room_of(recipe, stage)
    )
    return Painter(
        recipe.camera, faces or faces_of(recipe), arms, surface, light_of(recipe),
        np.random.default_rng((recipe.seed, 4)),
    )  # fmt: skip


def _room_of(recipe: Recipe, stage: Stage) -> table_tops.Surroundings | None:
    """Return where the table ends and who sits on its far side."""
    if recipe.wish is not None:
        return None
    rng = np.random.default_rng((recipe.seed, 9))
    far, side = float(rng.uniform(330, 560)), float(rng.uniform(520, 800))
    people = []
    for seat, style in arm_styles(recipe, stage.seats).items():
        angle = stage.seat_angle(seat)
        if np.sin(angle) < -0.4:
            x, y = np.cos(angle) * min(side, 460.0), -far - float(rng.uniform(60, 140))
            people.append(((float(x), y), style.sleeve))
    return table_tops.Surroundings(far, side, tuple(people))


def drawn(seed: int, **fixed: Any) -> Recipe:
    """
    Draw a random recipe. ``fixed`` are the values of a list of clips (see ``docs/clips.md``): ``rules``, ``seats``,
    ``deck``, ``surface``, ``elevation``, ``height`` (720, 1080), ``fps``, ``seconds``, ``talon`` (a number, or
    ``"deal"``), ``faults``, ``menu``, ``reserved``, ``free``, ``habits`` (``quiet``, or a table of NAME = CHANCE),
    ``mishaps`` (``none``, or a table of NAME = TIMES), ``plays`` (no game, but these plays), ``scale`` (pixels for a
    millimetre), ``webcam`` (``drawn``, or a table of faults), ``overlays`` (drawn over the film), ``light``, ``arms``
    (tables of what is fixed of ``Light`` and ``ArmStyle``), ``lingers`` (s, a range).
    """
    rng = np.random.default_rng((seed, 31))
    rules = str(fixed.get("rules") or rng.choice(["podkidnoy-36"] * 4 + ["perevodnoy"] * 2 + sorted(PRESETS)))
    allowed = PRESETS[rules].players
    seats = int(fixed.get("seats") or rng.choice(allowed))
    height = int(fixed.get("height") or rng.choice([720, 720, 720, 1080]))
    elevation = float(fixed.get("elevation") or rng.choice([90, 78, 68, 60, 52, 45, 40]) + rng.uniform(-1.5, 0))
    scale = height / 720
    camera = PinholeCamera(
        (round(1280 * scale), height), min(elevation, 89.0), float(rng.uniform(1.32, 1.5)) * scale,
        float(rng.uniform(52, 66)), float(rng.normal(0, 1.2)),
    )  # fmt: skip
    if "scale" in fixed:
        camera = PinholeCamera(
            camera.size, camera.elevation_deg, float(fixed["scale"]), camera.view_deg, camera.roll_deg
        )
    lamp_side = float(rng.uniform(0, 2 * np.pi))
    slant = float(rng.uniform(0.25, 0.9))
    warm = float(rng.uniform(-0.06, 0.09))
    light = Light(
        (slant * np.cos(lamp_side), slant * np.sin(lamp_side), 1.15),
        (1 - warm, 1.0, 1 + warm),
        float(rng.uniform(0.08, 0.32)),
        float(rng.uniform(0.8, 3.2)),
        float(rng.uniform(0.2, 0.75)),
        (float(rng.uniform(0.25, 0.75)), float(rng.uniform(0.2, 0.7))),
        float(rng.uniform(0.28, 0.5)),
        float(rng.uniform(0.0, 0.8)),
        float(rng.uniform(0.88, 1.12)),
        float(rng.uniform(0.82, 1.1)),
    )
    light = replace(light, **known(fixed.get("light", {}), Light, "light"))
    talon: int | None = int(rng.integers(0, 13))
    if fixed.get("talon") == "deal" or ("talon" not in fixed and rng.random() < 0.15):
        talon = None
    elif "talon" in fixed:
        talon = int(fixed["talon"])
    options = {"throw_order": "free"} if fixed.get("free", bool(rng.random() < 0.3)) else {}
    surface = str(fixed.get("surface") or rng.choice(sorted(set(table_tops.SURFACES) - table_tops.KEPT)))
    faults = fixed["faults"] if "faults" in fixed else int(rng.choice([0, 1, 1, 2, 3]))
    fps, crf = int(fixed.get("fps") or rng.choice([25, 30])), int(rng.integers(20, 29))
    habits, mishaps = Habits.drawn(rng), Mishaps.drawn(rng)
    if isinstance(fixed.get("habits"), Mapping):
        habits = with_habits(habits, [f"{name}={chance}" for name, chance in fixed["habits"].items()])
    elif fixed.get("habits") == "quiet":
        habits = Habits.quiet()
    if isinstance(fixed.get("mishaps"), Mapping):
        mishaps = replace(mishaps, **fixed["mishaps"])
    elif fixed.get("mishaps") == "none":
        mishaps = Mishaps()
    return Recipe(
        seed, None, rules, options, seats, float(fixed.get("seconds") or rng.uniform(60, 120)), talon, int(faults),
        tuple(fixed.get("menu") or MENU), Manners(), habits, mishaps, camera, surface, light,
        str(fixed.get("deck") or "own"), bool(fixed.get("reserved", False)), fps, crf, "veryfast",
        tuple(fixed.get("plays") or ()), style_of(fixed.get("webcam"), seed),
        tuple(fixed.get("overlays") or ()), known(fixed.get("arms", {}), ArmStyle, "arms", "shade"),
        _span(fixed.get("lingers")),
    )  # fmt: skip


def known(words: Mapping[str, Any], kind: Any, place: str, *more: str) -> dict[str, Any]:
    """
    Read a table of a list of clips whose keys are the fields of ``kind``, or ``more``; ValueError for another key.
    """
    names = {field.name for field in fields(kind)} | set(more)
    if strange := sorted(words.keys() - names):
        raise ValueError(f"expected {place} with some of {', '.join(sorted(names))}, got {', '.join(strange)}")
    return {name: tuple(value) if isinstance(value, list) else value for name, value in words.items()}


def _span(words: Any) -> tuple[float, float] | None:
    return None if words is None else (float(words[0]), float(words[1]))


def is_reserved(deck: str) -> bool:
    """Check whether the deck is reserved for checks."""
    return deck in RESERVED


def is_extreme(deck: str) -> bool:
    """Check whether a deck of the recipe has one index a card, or faces that are not pale paper."""
    if deck.startswith("invented-"):
        from datasets.decks import invented

        return invented.is_extreme(int(deck.removeprefix("invented-")))
    return not EXTREME.isdisjoint(deck.split("+"))
