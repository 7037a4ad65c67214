"""Confirmation: evidence is reported in order, once no further inference can change it."""

from __future__ import annotations

from dataclasses import replace

from referee.cards import Card
from referee.events import Drawn, Placed, Reread
from tests.vision.observed import BARE, begun, hand, lying, noticed
from vision.actions.evidence import Confirmation, Evidence

OPEN = Evidence(Placed(at=1.0, card=Card.parse("7s"), by="A"), stable_at=1.5, key=2)
PLAIN = Evidence(Drawn(at=1.2, by="B"))


def same_evidence(evidence: Evidence) -> Evidence:
    """Return the evidence unchanged."""
    return evidence


def reread(was: str, card: str, key: int = 2) -> Evidence:
    """Return evidence that a card is another."""
    return Evidence(Reread(at=1.3, was=Card.parse(was), card=Card.parse(card)), key=key)


def test_certain_evidence_is_reported_at_once() -> None:
    queue = Confirmation()
    assert queue.confirm([PLAIN], same_evidence, 1.2) == (PLAIN,)
    assert not queue.waiting


def test_uncertain_evidence_waits_until_its_time() -> None:
    queue = Confirmation()
    assert queue.confirm([OPEN], same_evidence, 1.0) == ()
    assert queue.waiting
    assert queue.confirm([], same_evidence, 1.49) == ()
    assert queue.confirm([], same_evidence, 1.5) == (OPEN,)


def test_evidence_that_became_certain_is_reported_at_once() -> None:
    queue = Confirmation()
    queue.confirm([OPEN], same_evidence, 1.0)
    plain = replace(OPEN, stable_at=None)
    assert queue.confirm([], lambda _: plain, 1.1) == (plain,)


def test_evidence_is_reported_in_order() -> None:
    queue = Confirmation()
    assert queue.confirm([OPEN], same_evidence, 1.0) == ()
    assert queue.confirm([PLAIN], same_evidence, 1.2) == ()
    assert queue.waiting == (OPEN, PLAIN)
    assert queue.confirm([], same_evidence, 1.5) == (OPEN, PLAIN)


def test_disproved_evidence_is_not_reported() -> None:
    queue = Confirmation()
    queue.confirm([OPEN, PLAIN], same_evidence, 1.2)
    assert queue.confirm([], lambda change: None if change is OPEN else change, 1.3) == (PLAIN,)


def test_waiting_card_is_reported_with_its_revised_name() -> None:
    queue = Confirmation()
    changes, seen = begun()
    doubtful = replace(lying(2, "7s", 1), confidence=0.6)
    seen = replace(seen, at=2.0, bout=(doubtful,))
    assert queue.confirm(noticed(changes, seen, hand(1, "A", 1.5)), changes.seen_now, 0.1) == ()
    seen = replace(seen, at=2.2, bout=(lying(2, "7c", 1),))
    found = noticed(changes, seen, hand(1, "A", 1.5))
    assert [type(line.event) for line in found] == [Reread]
    (placed,) = queue.confirm(found, changes.seen_now, 0.3)
    assert isinstance(placed.event, Placed)
    assert placed.event.card == Card.parse("7c")


def test_reported_card_is_revised_with_each_change() -> None:
    queue, other = Confirmation(), replace(OPEN, key=3)
    queue.confirm([other], same_evidence, 1.0)
    first, second = reread("7s", "7c"), reread("7c", "7d")
    queue.confirm([first], same_evidence, 1.3)
    queue.confirm([second], same_evidence, 1.4)
    assert queue.confirm([], same_evidence, 1.5) == (other, first, second)


def test_end_reports_all_waiting_evidence_in_order() -> None:
    queue = Confirmation()
    queue.confirm([OPEN], same_evidence, 1.0)
    assert queue.flush([PLAIN]) == (OPEN, PLAIN)
    assert queue.waiting == ()


def test_table_at_rest_needs_no_inference() -> None:
    changes, queue = begun()[0], Confirmation()
    queue.confirm(changes.update(BARE, (), 3.0), changes.seen_now, 3.0)
    assert not queue.waiting
