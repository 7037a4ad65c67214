"""A drawn evening: its plan, and the camera that goes on from film to film."""

from __future__ import annotations

from collections import Counter
from urllib.request import urlopen

from benchmarks.evening_films import EVENING, SEATS, story_of
from benchmarks.table_stream import TableStream
from benchmarks.whole_evening import SERIES
from datasets.clips.story import DealStep
from webapp.shipped_recording import DEMO_CLIP


def test_fool_of_the_last_game_ends_the_series_and_each_game_is_dealt_by_the_fool_before() -> None:
    lost = Counter(plan.fool for plan in EVENING)
    assert lost[EVENING[-1].fool] == SERIES > lost.total() - lost[EVENING[-1].fool]
    assert [plan.dealer for plan in EVENING[1:]] == [plan.fool for plan in EVENING[:-1]]


def test_game_given_up_before_a_card_is_laid_ends_with_the_deal() -> None:
    number = next(number for number, plan in enumerate(EVENING, 1) if plan.bouts == 0)
    (deal,) = story_of(EVENING[number - 1], number).steps
    assert isinstance(deal, DealStep)
    assert (deal.dealer, deal.seats[0]) == (EVENING[number - 1].dealer, SEATS[1])


def test_stream_goes_on_after_its_film() -> None:
    stream = TableStream(rate=200.0)
    stream.wait_at_start(DEMO_CLIP)
    with stream.served() as address, urlopen(address) as answer:
        for _ in range(40):  # more pictures than the second that is repeated has
            assert answer.readline() == b"--picture\r\n"
            assert answer.readline() == b"Content-Type: image/jpeg\r\n"
            size = int(answer.readline().partition(b":")[2])
            assert answer.readline() == b"\r\n"
            assert answer.read(size)[:2] == b"\xff\xd8"
            assert answer.readline() == b"\r\n"
