"""`kozyr enrol`: enrol your own deck from its cards, each shown once, and keep it in a small file."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from features.enrolment.confusable_cards import in_words
from features.enrolment.corrected_cards import forget, learn
from features.enrolment.deck_file import EnrolledDeck, load_deck
from features.enrolment.deck_names import deck_path
from features.enrolment.enrolment import Enrolment, Learnt, WantedDeck, keep_deck, sheet_path
from features.enrolment.known_deck import must_have_features
from features.enrolment.options import EnrolOptions
from referee.cards import PACK_SIZES, Card, pack
from vision.capture.sources import open_source
from vision.capture.stream_address import without_secrets
from vision.detection.card_detector import NetworkCardDetector, load_card_detector
from webapp.errors import UnusableInputError, WrongCallError
from webapp.output import note, say_json, say_text
from webapp.store.labelled_pictures import LabelledPictures

USUAL_PACK = 36
NAMED_AT_ONCE = 12
"""Most missing cards that are named; more are only counted."""
ASKED_AT_MOST = 8
"""Most doubtful names that are asked one by one; with more, rows in a given order are faster and more reliable."""


def run(options: EnrolOptions) -> int:
    """Enrol the deck, keep it, print missing, doubtful and similar cards; return 1 if something is left to do."""
    if options.from_corrections or options.forgets_corrections:
        return _of_corrections(options)
    path = deck_path(options.name)
    earlier = load_deck(options.name) if options.adds or options.source is None else None
    if options.source is None and not options.renamings:
        raise WrongCallError("expected a SOURCE that shows the cards, or --rename WAS=IS, got neither; name one")
    pack_size = options.pack or (earlier.pack_size if earlier else _pack_of(options.order))
    if earlier and earlier.pack_size != pack_size:
        raise WrongCallError(
            f"expected --pack {earlier.pack_size}, the pack of {options.name!r}, got {pack_size}; leave --more away "
            "to begin again"
        )
    if strange := [card for card in options.order if card not in pack(pack_size)]:
        raise WrongCallError(
            f"expected cards of a pack of {pack_size} in --order, got {strange[0]}; mend it, or name another --pack"
        )
    detector = load_card_detector(options.weights)
    must_have_features(detector.classifier)
    deck, status = earlier, 0
    if options.source is not None:
        learnt, notes = _shown(replace(options, pack=pack_size), options.source, detector, earlier)
        deck, status = learnt.deck, int(bool(notes))
        for sentence in (*notes, *_remarks(learnt, pack_size)):
            note(sentence)
    assert deck is not None
    deck = _renamed(deck, options.renamings)
    if not deck.views:
        raise UnusableInputError(
            "expected cards shown face up, whole and lying still, saw none in "
            f"{without_secrets(str(options.source))}; lay them apart in even light, a card at least 70 pixels tall"
        )
    stored = keep_deck(deck, path, detector.classifier)
    if 0 < len(stored.doubtful) <= ASKED_AT_MOST and sys.stdin.isatty() and not options.as_json:
        stored = keep_deck(_asked(stored, path), path, detector.classifier)
    _notify(stored, path, options.as_json)
    return status if not (stored.lacking or stored.doubtful) else 1


def _of_corrections(options: EnrolOptions) -> int:
    """Let the deck learn from kept pictures of corrected cards, or forget that; return 1 where it learns nothing."""
    others = (options.source, options.order, options.adds, options.renamings, options.pack)
    if any(others) or (options.from_corrections and options.forgets_corrections):
        which = "--from-corrections" if options.from_corrections else "--forget-corrections"
        raise WrongCallError(f"expected {which} alone, with the deck's name, got more; call it by itself")
    if options.forgets_corrections:
        is_dropped = forget(options.name)
        if options.as_json:
            say_json({"deck": options.name, "dropped": is_dropped})
        else:
            had = (
                "forgets what it had learned from corrections" if is_dropped else "had learned nothing from corrections"
            )
            say_text(f"{options.name}: {had}")
        return 0
    found = learn(options.name, LabelledPictures(), load_card_detector(options.weights))
    if options.as_json:
        say_json(found)
    else:
        for sentence in _told(found):
            say_text(sentence)
    return 0 if found["learnt"] else 1


WHY_NOT = {
    "none": "expected pictures of corrected cards of this deck's games, found none that shows a card; tick the box on "
    "*Games* (kozyr matches labelled --on), play with this deck and correct what is misread",
    "no-better": "that is no better, so the deck stays as it was shown; a card helps once there are two pictures of it",
    "own-worse": "it would read the cards that were shown worse, so the deck stays as it was shown",
}


def _told(found: Mapping[str, Any]) -> Iterator[str]:
    """Yield what came of the corrected cards, as lines for people."""
    used, name = found["used"], found["deck"]
    for card in found.get("cards", ()):
        (was, share), (now, later) = card["before"], card["after"]
        yield f"{card['card']}: before {was} ({share:.2f}), after {now} ({later:.2f})"
    if used:
        own = found["own"]
        yield (
            f"{name}: {found['before']} of {used} corrected cards right before, {found['after']} after, each read "
            f"without its own picture; degraded pictures of the cards shown: {own['before']} and {own['after']} of "
            f"{own['pictures']}"
        )
    dropped = "; what it had learned before is dropped" if found["dropped"] else ""
    yield f"{name}: " + ("learned; the next game uses it" if found["learnt"] else WHY_NOT[found["reason"]]) + dropped


def _pack_of(order: tuple[Card, ...]) -> int:
    """Return the smallest pack, from the usual one on, that holds the cards of the order."""
    fits = [size for size in PACK_SIZES if set(order) <= set(pack(size))]
    if order:
        return next((size for size in fits if size == len(order)), max(USUAL_PACK, fits[0]))
    return USUAL_PACK


def _shown(
    options: EnrolOptions, shows: str, detector: NetworkCardDetector, earlier: EnrolledDeck | None
) -> tuple[Learnt, tuple[str, ...]]:
    """Process the source until it ends, all cards were shown, or somebody stops a camera."""
    pack_size = options.pack or USUAL_PACK
    wanted = WantedDeck(options.name, pack_size, earlier, options.order)
    enrolment = Enrolment(detector, detector.classifier, wanted)
    with open_source(shows) as source:
        if source.live:
            note("show each card once, lying still for a second; ctrl-C when all were shown")
        wanted_count = len(options.order) or pack_size - len(earlier.learnt if earlier else ())
        reported = 0
        try:
            for frame in source:
                enrolment.feed(frame)
                if enrolment.still > reported:
                    reported = enrolment.still
                    note(f"cards shown: {reported}")
                    is_enough = source.live and reported >= wanted_count
                    if is_enough and len(enrolment.learnt().namings) >= wanted_count:
                        break
        except KeyboardInterrupt:
            if not source.live or not enrolment.steady:
                raise
        return enrolment.learnt(), tuple(source.notes)


def _remarks(learnt: Learnt, pack_size: int) -> tuple[str, ...]:
    notes = []
    if learnt.turned:
        notes.append("the camera looks from the far side: each picture was read backwards, as the order fits better so")
    if learnt.repeats:
        notes.append(f"cards shown more than once: {learnt.repeats} showings were put with the first of their card")
    if learnt.nameless:
        larger = next((size for size in sorted(PACK_SIZES) if size >= learnt.shown and size > pack_size), None)
        hint = f"; if the deck is larger, call it with --pack {larger}" if larger else ""
        notes.append(
            f"expected {pack_size} different cards, saw {learnt.shown}: {learnt.nameless} fit no card left over{hint}"
        )
    return tuple(notes)


def _renamed(deck: EnrolledDeck, renamings: tuple[tuple[Card, Card], ...]) -> EnrolledDeck:
    for was, now in renamings:
        if was not in deck.learnt:
            raise WrongCallError(f"expected --rename to begin with a card of the deck, got {was}, which was not shown")
        if now not in pack(deck.pack_size):
            raise WrongCallError(f"expected --rename to end with a card of a pack of {deck.pack_size}, got {now}")
        deck = deck.renamed(was, now)
    return deck


def _asked(deck: EnrolledDeck, path: Path) -> EnrolledDeck:
    note(f"some names are in doubt: look at {sheet_path(path)}, they are marked red")
    for card in deck.doubtful:
        while True:
            try:
                answer = input(f"{card} on that sheet is really (such as {card}; empty: don't know): ").strip()
            except EOFError:
                return deck
            if not answer:
                break
            try:
                now = Card.parse(answer)
                if now not in pack(deck.pack_size):
                    raise ValueError(f"expected a card of a pack of {deck.pack_size}, got {answer!r}")
            except ValueError as error:
                note(str(error))
                continue
            deck = deck.renamed(card, now)
            break
    return deck


def _notify(deck: EnrolledDeck, path: Path, as_json: bool) -> None:
    count = len(deck.learnt)
    if as_json:
        say_json(as_line(deck, path))
    else:
        say_text(f"{deck.name}: {count} of {deck.pack_size} cards learnt, kept in {path}; check {sheet_path(path)}")
        if deck.look_alikes:
            say_text(
                f"hard to tell apart in this light: {in_words(deck.look_alikes)}; more light or a nearer camera helps"
            )
        elif not deck.lacking:
            say_text("no two cards look alike in this light")
    if deck.lacking:
        few = len(deck.lacking) <= NAMED_AT_ONCE
        which = f" (missing {' '.join(map(str, deck.lacking))})" if few else ""
        smaller = " or, if the deck has no more, name its size with --pack" if count in PACK_SIZES else ""
        note(
            f"expected {deck.pack_size} cards, saw {count}{which}; show the others: kozyr enrol {deck.name!r} SOURCE "
            f"--more{smaller}"
        )
    if deck.doubtful:
        first, names = deck.doubtful[0], " ".join(map(str, deck.doubtful))
        one_by_one = (
            f"look at {sheet_path(path)}, then say kozyr enrol {deck.name!r} --rename {first}={first} for each, "
        )
        one_by_one += "or what it is instead"
        rows = "lay the cards out in rows and tell their names with --order"
        many = len(deck.doubtful) > ASKED_AT_MOST
        ways = f"{rows}; or {one_by_one}" if many else f"{one_by_one}; or {rows}"
        note(f"expected sure names, got {len(deck.doubtful)} in doubt ({names}): {ways}")


def as_line(deck: EnrolledDeck, path: Path) -> Mapping[str, Any]:
    return {
        "deck": deck.name,
        "file": str(path),
        "sheet": str(sheet_path(path)),
        "pack": deck.pack_size,
        "cards": [str(card) for card in pack(deck.pack_size) if card in deck.learnt],
        "missing": [str(card) for card in deck.lacking],
        "doubtful": [str(card) for card in deck.doubtful],
        "look_alikes": [[str(pair.one), str(pair.other), round(pair.share, 4)] for pair in deck.look_alikes],
        "weights": deck.weights,
    }
