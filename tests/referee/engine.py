"""
Independent implementation of Durak, with which the referee is compared: it deals the cards and knows every hand.

Written from the rules alone with simple mutable lists; it shares no code with the referee, so that both make different
mistakes. :class:`tests.referee.hands.Hands` has the position and the legal plays; this module changes the position and
determines the result. :mod:`random_play` chooses the plays.
"""

from __future__ import annotations

from tests.referee.hands import Hands


class Deal(Hands):
    """One deal, from the shuffled pack to its result. Cards are text, seats are names in clockwise order."""

    # plays

    def attack(self, seat: str, cards: tuple[str, ...]) -> None:
        self.thrown = self.thrown or (bool(self.pairs) and not self.taking)
        for card in cards:
            self.leaves_hand(seat, card)
            self.pairs.append([card, None])
        self.passed, self.let = set(), set()
        self.refilled, self.shown_drawn_by = {}, None
        self.holder_laid = True
        if not self.taking:
            self.last_attacker = seat
        # First who is out: then another may be the nearest to the defender, and is asked.
        self.find_end()
        self._next_holder_if_empty()

    def leaves_hand(self, seat: str, card: str) -> None:
        """Lay the card on the table."""
        self.hands[seat].remove(card)
        self.seen[seat].discard(card)
        self.aside.discard(card)
        self.laid_by[card] = seat
        if not self.hands[seat] and seat not in self.ran_out:
            self.ran_out.append(seat)

    def _next_holder_if_empty(self) -> None:
        """Pass the hand-over on from a seat without cards."""
        gone = self.house["throw_order"] == "handoff" and not self.taking and not self.hands[self.holder]
        if gone and any(seat != self.holder for seat in self.attackers()):
            self._hand_over()

    def beat(self, card: str, over: str, seat: str | None = None) -> None:
        """Beat a card. ``seat``: who did it instead of the defender."""
        self.leaves_hand(seat or self.defender, card)
        next(pair for pair in self.pairs if pair[0] == over)[1] = card
        self.find_end()

    def pass_on(self, card: str, show: bool) -> None:
        if show:
            self.shown_cards.add(card)
            self.seen[self.defender].add(card)
        else:
            self.leaves_hand(self.defender, card)
            self.pairs.append([card, None])
        self.attacker, self.defender = self.defender, self.next_in(self.defender)
        self.limit = self.limit_against(self.defender)
        self.passed, self.let = set(), set()
        self.holder, self.holder_laid, self.closed = self.attacker, True, False
        self.last_attacker = self.attacker
        self.find_end()
        self._next_holder_if_empty()

    def stop(self, seat: str) -> None:
        """Let an attacker pass."""
        self.passed.add(seat)
        if self.house["throw_order"] == "handoff" and not self.taking and seat == self.holder:
            self._hand_over()

    def _hand_over(self) -> None:
        """
        Ask the others one after the other, clockwise from the seat that laid last; when all decline the attack is over.
        """
        if self.holder_laid:
            self.to_ask = self.after(self.holder)
        while self.to_ask:
            seat = self.to_ask.pop(0)
            if seat in self.attackers():
                self.holder, self.holder_laid = seat, False
                return
        self.closed = True

    def stop_all(self) -> None:
        """Announce for all attackers that they have finished."""
        self.passed.update(self.attackers())
        if self.house["throw_order"] == "handoff" and not self.taking:
            self.closed = True

    def take(self) -> None:
        self.taking = True
        if not self.house["low_limit_gives"]:
            beats = sum(self.laid_by[pair[1]] == self.defender for pair in self.pairs if pair[1] is not None)
            limits = [self.house_limit()]
            if self.house["limit_by_hand"]:
                limits.append(len(self.hands[self.defender]) + beats)
            self.limit = min((limit for limit in limits if limit is not None), default=None)
        self.passed, self.let, self.closed = set(), set(), False

    def sweep(self, astray: dict[str, str] | None = None) -> list[tuple[str, int]]:
        """Clear the bout; the draws that are due. ``astray``: cards that lie there by mistake, and who laid them."""
        self.was_taken = bool(self.unbeaten)
        for card, seat in (astray or {}).items():
            self.leaves_hand(seat, card)
            if not self.was_taken:
                self.heap.append(card)
                continue
            self.hands[self.defender].append(card)
            self.seen[self.defender].add(card)
            if seat != self.defender:
                self.from_table[self.defender].add(card)
        if self.was_taken:
            for card in self.cards:
                if self.laid_by[card] != self.defender:
                    self.from_table[self.defender].add(card)
            self.hands[self.defender] += self.cards
            self.seen[self.defender].update(self.cards)
            self.ran_out = [seat for seat in self.ran_out if seat != self.defender]
        else:
            self.heap += self.cards
            self.beaten_off += 1
        self.pairs = []
        self.closed = True
        self.refilled, self.shown_drawn_by = {}, None
        everybody = [seat for seat in [self.attacker, *self.after(self.attacker)] if seat not in self.out]
        if self.house["draw_order"] == "attackers_then_defender":
            everybody = [seat for seat in everybody if seat != self.defender] + [self.defender]
        due, left = [], len(self.talon)
        for seat in everybody:
            full = self.at_start[seat] if self.house["draw_to"] == "start_of_bout" else self.house["hand_size"]
            count = min(left, full - len(self.hands[seat]))
            if count > 0:
                due.append((seat, count))
                left -= count
        self.due = due
        return due

    def draw(self, seat: str, count: int) -> None:
        self.has_drawn.add(seat)
        self.refilled.setdefault(seat, set()).update(self.talon[:count])
        self.hands[seat] += self.talon[:count]
        self.ran_out = [other for other in self.ran_out if other != seat]
        del self.talon[:count]
        if self.lies_under and self.shown not in self.talon:
            self.lies_under = False
            self.shown_drawn_by = seat
            self.seen[seat].add(self.shown)

    def swap(self, seat: str, card: str) -> None:
        self.hands[seat].remove(card)
        self.seen[seat].discard(card)
        self.hands[seat].append(self.shown)
        self.seen[seat].add(self.shown)
        if self.lies_under:
            self.talon[self.talon.index(self.shown)] = card
            self.shown = card
        elif self.shown_drawn_by is not None:
            gives = self.shown_drawn_by
            self.hands[gives].remove(self.shown)
            self.seen[gives].discard(self.shown)
            self.hands[gives].append(card)
            self.seen[gives].add(card)
            self.shown_drawn_by = None

    # result

    def find_end(self) -> None:
        if self.house["end_check"] == "immediate" and not self.talon:
            self.drop_out()

    def drop_out(self) -> None:
        """Drop empty hands out, and end the deal if that decides it."""
        if self.talon:
            return
        # Who has a card unbeaten before him must take it, unless having run out has won already.
        gone = [seat for seat in self.ran_out if not self.hands[seat] and seat not in self.out]
        stays = self.defender if self.unbeaten and not self._has_won_with(gone) else None
        self.out += [seat for seat in gone if seat != stays]
        if not self.out:
            return
        if self.house["result"] == "first_out_wins":
            self._first_out_wins()
            return
        sides = {tuple(self.side(seat)) for seat in self.seats if seat not in self.out}
        kind = "fool" if self.house["teams"] == "none" else "team-fool"
        if len(sides) == 1:
            self.result = (kind, list(sides.pop()))
        elif not sides:
            lost = self.house["all_out"] == "defender_loses"
            self.result = (kind, self.side(self.defender)) if lost else ("draw", [])

    def _has_won_with(self, gone: list[str]) -> bool:
        """Check whether the deal is won for the defender's side once these are out."""
        if self.house["result"] == "last_with_cards_loses":
            return False
        alone = self.house["teams"] == "none" or self.house["team_end"] == "first_player_out"
        return alone or all(seat in self.out + gone for seat in self.side(self.defender))

    def _first_out_wins(self) -> None:
        first = self.out[0]
        if self.house["teams"] == "none":
            self.result = ("winner", [first])
        elif self.house["team_end"] == "first_player_out":
            self.result = ("team-winner", self.side(first))
        else:
            team = next((self.side(s) for s in self.seats[:2] if all(p in self.out for p in self.side(s))), None)
            self.result = ("team-winner", team) if team else None

    def go_on(self) -> None:
        """Drop players who are out after the last draw, and begin the next bout."""
        self.drop_out()
        if self.result:
            return
        attacker, defender = self.attacker, self.defender
        teams = self.house["teams"] != "none"
        if self.was_taken:
            if teams:
                self.begin(self.next_of_side(attacker), self.next_of_side(defender))
            else:
                self.begin(self.next_in(defender))
            return
        if defender in self.out and self.house["defender_out_next"] == "same_attacker":
            if teams:
                again = attacker if attacker not in self.out else self.next_of_side(attacker)
                self.begin(again, self.next_of_side(defender))
            else:
                self.begin(attacker if attacker not in self.out else self.next_in(attacker))
            return
        leads = defender
        if defender in self.out:
            leads = self.next_of_side(defender) if teams else self.next_in(defender)
        self.begin(leads, self.next_of_side(attacker) if teams else None)
