"""Announcements: what changed between two positions that players should hear."""

from __future__ import annotations

from dataclasses import replace

from referee.game import GameState, Phase
from referee.rules.lead import later_leaders
from referee.rulings import Announcement


def announcements(before: GameState, after: GameState) -> tuple[Announcement, ...]:
    """
    Return what ``after`` brings that did not hold in ``before``; nothing where no rules are judged.

    What no longer holds when a position goes back is the same difference the other way round.
    """
    found: list[Announcement] = []
    if after.phase is Phase.FREE:
        return ()

    def say(kind: str, /, **facts: object) -> None:
        found.append(Announcement(kind, facts))

    is_dealt = after.deals != before.deals
    bout, was = after.bout, None if is_dealt else before.bout
    refill, talon = after.refill, after.ledger.talon
    if refill.turnup is not None and refill.turnup is not before.refill.turnup:
        say("turnup", seat=refill.holder, card=refill.turnup)
    if is_dealt or talon != before.ledger.talon:
        say("talon", count=talon)
    if after.new_trump is not None and after.new_trump != before.new_trump:
        card, seat = after.new_trump
        say("trump", trump=card.suit, card=card, seat=seat)
    if after.out != before.out:
        for seat in after.out:
            if is_dealt or seat not in before.out:
                say("out", seat=seat)
    if after.lead is not None and (is_dealt or after.lead != before.lead):
        say("lead", seat=after.lead[0], reason=after.lead[1])
    if bout is not None and bout is not was:
        if bout.ended is not None:
            if after.due and (was is None or (was.ended is None and was.number <= bout.number)):
                say("draw", due=after.due, talon=talon)
        else:
            if was is not None and was.limit != bout.limit:
                say("limit", count=bout.limit)
            is_new = was is None or was.number != bout.number
            # A transfer that is taken back gives the turn back without a word.
            is_passed_on = was is not None and len(bout.attacks) >= len(was.attacks)
            players = (bout.attacker, bout.defender)
            if is_new or (is_passed_on and was is not None and players != (was.attacker, was.defender)):
                say("turn", attacker=bout.attacker, defender=bout.defender)
    if after.result is not None and before.result is None:
        say("result", kind=after.result.kind, seats=after.result.seats)
        losses, teams = after.session.losses, after.seating.teams
        say("score", losses={"+".join(team): losses[team[0]] for team in teams} if teams else losses)
        say("deal", **next_deal(after))
    elif after.session.dealers != before.session.dealers and (after.result is not None or not after.dealt):
        say("deal", **next_deal(after))
    return tuple(found)


def undone(was: GameState, now: GameState) -> tuple[Announcement, ...]:
    """Return what is announced when the position goes back: what no longer holds, and the counts as they are again."""
    gone = (announcement for announcement in announcements(now, was) if announcement.can_be_withdrawn)
    counts = (announcement for announcement in announcements(was, now) if announcement.kind in ("talon", "limit"))
    return (*(announcement.withdrawn() for announcement in gone), *counts)


def next_deal(state: GameState) -> dict[str, object]:
    """Return who deals next and who leads then (None: not known yet). Before the first deal that is the next one."""
    deal = state.session.deal + (state.result is not None)
    session = replace(state.session, deal=deal)
    leaders = later_leaders(state.replace(session=session, out=()))
    return {
        "dealer": session.dealer,
        "leads": leaders[0][0] if leaders is not None and len(leaders[0]) == 1 else None,
        **({} if session.dealer is not None else {"dealers": session.dealers}),
    }
