"""An evening of five games on one table page: a correction, a resignation, a player who joins, a series and its end."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from playwright.sync_api import Page, expect

from referee.record import Header
from tests.browser.conftest import Table, soon
from webapp.live.game_setup import GameSetup
from webapp.live.series import Series
from webapp.live.shared_setup import SharedSetup
from webapp.match.log import MatchLog
from webapp.store.evenings import FinishedGame

Lay = Callable[..., Table]
Open = Callable[..., Page]
SEATS = ("Anna", "Boris", "Vera")
LAST = {"trump": "h", "turnup": None, "talon": 0, "bout": 9, "beaten_off": 5}
LEAD: dict[str, Any] = {"at": 1.0, "event": "placed", "card": "7s"}


class Evening:
    """The games that the page orders, each from its last bout, with what was played before on the board."""

    def __init__(self, table: Table, shared_setup: SharedSetup) -> None:
        self.table, self.shared_setup = table, shared_setup
        self.games: tuple[FinishedGame, ...] = ()

    def begin(self) -> GameSetup:
        """Begin the game that was ordered: the leader has one card left, everybody else two."""
        setup = self.shared_setup.take_up()
        assert setup is not None
        self.games += self.table.board.newest.own_games
        lead = setup.lead or setup.seats[0]
        hands = {seat: 1 if seat == lead else 2 for seat in setup.seats}
        start = {**LAST, "hands": hands, "heap_count": 36 - sum(hands.values()), "attacker": lead}
        header = {"kozyr": 1, "rules": setup.rules, "seats": list(setup.seats), "dealer": setup.dealer, "start": start}
        self.table.board.clear()
        self.table.match = MatchLog(Header.parse(header))
        self.table.match.open()
        self.table.board.publish(earlier=self.games)
        self.table.show()
        return setup

    def lost_by_taking(self, setup: GameSetup) -> str:
        """Let the leader go out; of two players the one who takes is the fool. Return the defender."""
        lead = setup.lead or setup.seats[0]
        defender = setup.seats[(setup.seats.index(lead) + 1) % len(setup.seats)]
        self.table.happens({**LEAD, "by": lead}, {"at": 3.0, "event": "swept", "to": defender})
        return defender


def test_five_games_make_an_evening(lay: Lay, open_page: Open) -> None:
    shared_setup = SharedSetup(GameSetup(source="0", seats=SEATS[:2]), begins=True)
    table = lay(shared_setup=shared_setup)
    evening = Evening(table, shared_setup)
    table.board.publish(series=Series(3))
    page = open_page(table.address)

    def lost() -> dict[str, int]:
        return dict(table.board.newest.evening["lost"])

    score, next_game = page.locator(".ending .score"), page.get_by_role("button", name="Next game", exact=True)

    evening.lost_by_taking(evening.begin())  # the first: Boris is the fool
    expect(score).to_contain_text("Series to 3: ")
    assert lost() == {"Anna": 0, "Boris": 1}
    next_game.click()
    soon(page, lambda: shared_setup.is_asked)

    setup = evening.begin()  # the second, led by the fool's left, with a card that was read wrongly
    assert (setup.dealer, setup.lead) == ("Boris", "Anna")
    table.happens({**LEAD, "by": "Anna"})
    page.locator(".bout .card").first.click()
    sheet = page.get_by_role("dialog")
    sheet.get_by_role("button", name="Another card").click()
    sheet.get_by_role("button", name="eight of spades").click()
    expect(page.locator('.bout .card[data-card="8s"]')).to_be_visible()
    expect(page.locator(".put-right span")).to_have_text("7♠ was 8♠.")
    table.happens({"at": 9.0, "event": "swept", "to": "Boris"})
    expect(score).to_contain_text("Series to 3: ")
    assert lost() == {"Anna": 0, "Boris": 2}
    next_game.click()
    soon(page, lambda: shared_setup.is_asked)

    evening.begin()  # the third is given up before a card is laid
    page.get_by_role("button", name="Give up").click()
    page.get_by_role("dialog").get_by_role("button", name="Anna", exact=True).click()
    soon(page, lambda: table.presses)
    table.happens({"at": 1.0, "event": "pressed", "button": "resign", "by": "Anna"})
    expect(score).to_contain_text("Series to 3: ")
    assert lost() == {"Anna": 1, "Boris": 2}

    page.get_by_role("button", name="Who plays next").click()  # Vera joins for the fourth
    page.get_by_role("dialog").get_by_label("Name").fill("Vera")
    page.keyboard.press("Enter")
    page.get_by_role("dialog").get_by_role("button", name="Next game").click()
    soon(page, lambda: shared_setup.is_asked)
    setup = evening.begin()
    assert (setup.seats, setup.dealer, setup.lead) == (SEATS, "Anna", "Boris")
    table.happens({"at": 1.0, "event": "pressed", "button": "resign", "by": "Vera"})
    table.happens({"at": 2.0, "event": "pressed", "button": "resign", "by": "Anna"})
    expect(page.locator(".ending")).to_be_visible()
    assert lost() == {"Anna": 2, "Boris": 2, "Vera": 0}, "the last who gives up is the fool"
    next_game.click()
    soon(page, lambda: shared_setup.is_asked)

    evening.begin()  # the fifth ends the series
    for seat in ("Vera", "Anna"):
        table.happens({"at": 3.0, "event": "pressed", "button": "resign", "by": seat})
    expect(score).to_contain_text("The fool of the series: Anna")
    expect(page.get_by_role("button", name="Another series to 3")).to_be_visible()
    page.get_by_role("button", name="End the evening").click()
    expect(page.get_by_role("dialog").get_by_role("heading")).to_have_text("The fool of the evening: Anna")
    expect(page.get_by_role("dialog").locator("tbody tr")).to_have_count(3)
