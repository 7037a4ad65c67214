"""Parts of the belief: options, rates, merging, decisions, reasons, and the cost of a line."""

from __future__ import annotations

import random
from dataclasses import replace
from math import exp, isclose, log

import pytest
from msgspec import structs

from benchmarks.simulation.score import events_of
from benchmarks.simulation.simulated_games import Setting, game_of
from referee.belief.belief import Belief
from referee.belief.decide import THRESHOLDS, Decision, Outcome, why
from referee.belief.hypotheses import Budget, Hypothesis, Judgements, advance, merge, position_key
from referee.belief.interpretation import Interpretation
from referee.belief.rates import RATES, SensorModel
from referee.belief.reported_event import reported_event
from referee.belief.unseen_events import UnexplainedLine, search_unseen
from referee.belief.update import LIMITS, LaterLine, PoorFit, Update
from referee.cards import Card
from referee.corrections import RecordLine
from referee.events import Lifted, Swept, TableEvent
from referee.header import Header
from referee.record import event_from_json
from referee.rulebook import FaultId
from tests.referee.belief.table import BOUT, DRAWS, HEADER, HEAP, belief_after, event, placed

SEATS = ("A", "B", "C")


def options(line: dict[str, object]) -> list[tuple[str | None, float, str]]:
    reported = reported_event(event_from_json(line), SEATS)
    return [
        (
            None if option.event is None else type(option.event).__name__,
            round(exp(option.log_likelihood), 3),
            option.cue,
        )
        for option in reported.options
    ]


def test_uncertain_event_has_one_option_for_each_alternative() -> None:
    line = placed(
        1, "7s", "A", confidence=0.8, alternatives=[["7c", 0.1]], otherwise=[[None, 0.06], [{"by": "B"}, 0.04]]
    )
    assert options(line) == [
        ("Placed", 0.8, "told"),
        ("Placed", 0.1, "card"),
        (None, 0.06, "nothing"),
        ("Placed", 0.04, "by"),
    ]


def test_event_without_a_seat_has_one_option_for_each_seat() -> None:
    assert options(placed(1, "7s", None)) == [("Placed", 0.333, "seat")] * 3


def test_an_event_with_confidence_zero_is_still_reported() -> None:
    assert options(placed(1, "7s", "A", confidence=0))[0] == ("Placed", 0.0, "told")
    assert options(placed(1, "7s", "A", confidence=0, alternatives=[["8s", 1.0]]))[0] == ("Placed", 0.0, "told")


def test_rate_of_missed_events_rises_with_the_alternatives() -> None:
    sure, doubted = event_from_json(placed(1, "7s", "A")), event_from_json(placed(1, "7s", "A", confidence=0.6))
    good, bad = SensorModel(), SensorModel()
    for _ in range(60):
        good = good.after(sure)
        bad = bad.after(doubted)
    assert good.level() < 0.2 < SensorModel().level() < 1.9 < bad.level()
    assert good.rates(RATES).unseen_card < RATES.unseen_card / 5
    assert good.rates(RATES).fault == RATES.fault
    assert good.after(event_from_json(event("pressed", 1, button="take"))) == good
    assert SensorModel().after(event_from_json(placed(1, "7s", None))).uncertain == 1


@pytest.mark.parametrize(("uncertain", "level"), [(0, 0.1), (400, 0.1), (20_000, 2.0)])
def test_level_of_a_camera_is_known_after_any_number_of_events(uncertain: int, level: float) -> None:
    assert SensorModel(100_000, uncertain).level() == pytest.approx(level)


def some_hypotheses() -> tuple[Hypothesis, ...]:
    doubted = event("swept", 3, to="B", confidence=0.6, otherwise=[[{"to": "heap"}, 0.4]])
    belief, _ = belief_after(*BOUT, doubted)
    return belief.beam


def test_hypotheses_of_equal_positions_are_merged() -> None:
    beam = some_hypotheses()
    twice, dropped = merge([*beam, *beam], 100, 50.0)
    assert len(twice) == len(beam)
    assert dropped == 0.0
    assert all(isclose(exp(one.log_weight), exp(other.log_weight)) for one, other in zip(twice, beam, strict=True))


def test_the_order_of_merging_does_not_matter() -> None:
    beam = list(some_hypotheses())
    wanted = {hypothesis.key: hypothesis.log_weight for hypothesis in merge(beam, 100, 50.0)[0]}
    for seed in range(5):
        random.Random(seed).shuffle(beam)
        found = {hypothesis.key: hypothesis.log_weight for hypothesis in merge(beam, 100, 50.0)[0]}
        assert found.keys() == wanted.keys()
        assert all(isclose(found[key], wanted[key]) for key in wanted)


def test_the_share_of_dropped_hypotheses_is_reported() -> None:
    beam = some_hypotheses()
    kept, dropped = merge(beam, 1, 50.0)
    assert len(kept) == 1
    assert isclose(dropped, 1 - exp(beam[0].log_weight))
    assert merge([], 5, 9.0) == ((), 0.0)


def test_position_key_differs_for_different_continuations() -> None:
    keys = [
        position_key(belief_after(*lines)[0].state)
        for lines in ((), BOUT[:1], BOUT, (*BOUT, HEAP), (*BOUT, HEAP, *DRAWS))
    ]
    assert len(set(keys)) == len(keys)


def test_option_that_contradicts_the_position_is_dropped() -> None:
    belief, _ = belief_after()
    ledger = belief.state.ledger.replace(heap_count=5)
    broken = Hypothesis(belief.state.replace(ledger=ledger), 0.0)
    assert advance(broken, Swept(at=1.0, to="heap"), RATES, Budget(1, Judgements(1))) is None


def test_taking_back_a_legal_play_has_a_low_weight() -> None:
    belief, _ = belief_after(*BOUT[:1])
    found = advance(belief.best, Lifted(at=2.0, card=Card.parse("7s"), by="A"), RATES, Budget(1, Judgements(1)))
    assert found is not None
    assert isclose(found[2], log(RATES.taken_back))


def test_budget_is_spent() -> None:
    budget = Budget(1, Judgements(1))
    assert (budget.spend(), budget.spend()) == (True, False)


def test_judgement_is_made_once_a_position() -> None:
    belief, _ = belief_after(*BOUT[:1])
    budget, lifted = Budget(9, Judgements(1)), Lifted(at=2.0, card=Card.parse("7s"), by="A")
    found = advance(belief.best, lifted, RATES, budget)
    again = advance(belief.best, replace_at(lifted, 2.0), RATES, budget)
    assert found is not None
    assert again is not None
    assert again[0] is found[0]
    assert budget.left == 7
    later = advance(belief.best, replace_at(lifted, 3.0), RATES, budget)
    assert later is not None
    assert later[0] is not found[0]
    assert position_key(later[0]) == position_key(found[0])


def test_judgements_forget_old_positions() -> None:
    judgements, first = Judgements(5), belief_after()[0].state
    lead = event_from_json(BOUT[0])
    after = judgements.of(first, lead)
    for _ in range(5):
        judgements.of(first.replace(), lead)
    kept = judgements.of(first, lead)
    assert kept is after
    for _ in range(10):
        judgements.of(first.replace(), lead)
    new = judgements.of(first, lead)
    assert new is not after
    assert new is not None
    assert after is not None
    assert new[1] == after[1]


def replace_at(event: TableEvent, at: float) -> TableEvent:
    return structs.replace(event, at=at)


def calls_of(belief: Belief, event: TableEvent, place: int) -> tuple[int, float]:
    seats = belief.header.seats
    update = Update(reported_event(event, seats), place, seats, RATES, LIMITS, Judgements(1))
    beam = update.of(belief.beam)
    return LIMITS.calls - update.budget.left, sum(exp(hypothesis.log_weight) for hypothesis in beam)


@pytest.mark.ordinary(1)
@pytest.mark.parametrize("number", range(2))
def test_line_stays_within_its_budget_and_weights_sum_to_one(number: int) -> None:
    game = game_of(number, Setting(level=2.0, breakers=0.05, silent_wrong=0.01))
    belief = Belief(Header.parse(game.truth.header))
    for line, observed in enumerate(events_of(game), start=2):
        calls, total = calls_of(belief, observed, line - 1)
        # A step that has begun is finished: one hypothesis with all its options.
        assert calls <= LIMITS.calls + 150
        assert isclose(total, 1.0) or total == 0.0
        belief.observe(RecordLine(line, observed))


def test_weight_dropped_by_the_budget_is_counted_as_lost() -> None:
    beam = some_hypotheses()
    poor = replace(LIMITS, calls=1, retries=0)
    reported = reported_event(event_from_json(DRAWS[0]), SEATS)
    found = Update(reported, 4, SEATS, RATES, poor, Judgements(1)).of(beam)
    assert any(hypothesis.is_fallback for hypothesis in found)
    assert isclose(sum(exp(hypothesis.log_weight) for hypothesis in found), 1.0)


def poor_fit_with(*lines: tuple[tuple[TableEvent, ...], bool], faults: tuple[FaultId, ...] = ()) -> PoorFit:
    """Return a hypothesis with these unseen events and silent errors by line, from the line with the ordinal 1 on."""
    last = None
    for place, (unseen, silent) in enumerate(lines, start=1):
        last = Interpretation(last, place, None, "told", unseen, (), (), 0.0, is_silent_error=silent)
    return PoorFit(some_hypotheses()[0].replace(last=last), (), faults)


def test_lines_filtered_again_get_one_cause_only() -> None:
    swept = (Swept(at=0.0, to="heap"),)
    plain, missed, misread = ((), False), (swept, False), ((), True)
    without, earlier = poor_fit_with(plain, plain), poor_fit_with(missed, plain, plain)
    with_unseen, with_error = poor_fit_with(plain, missed), poor_fit_with(plain, misread)
    poorly = [without, earlier, with_unseen, with_error]
    assert LaterLine(first=2).chosen(poorly) == [without, earlier]


def test_newest_line_is_explained_further_only_where_it_breaks_another_rule() -> None:
    plain, misread = ((), False), ((), True)
    without = poor_fit_with(plain, plain, faults=(FaultId.RANK_NOT_ON_TABLE,))
    same = poor_fit_with(misread, plain, faults=(FaultId.RANK_NOT_ON_TABLE,))
    another = poor_fit_with(misread, plain, faults=(FaultId.NOT_DEFENDER,))
    assert LaterLine(first=1, is_newest=True).chosen([without, same, another]) == [another]


LEGAL = Decision(Outcome.LEGAL, (), 0.01)


@pytest.mark.parametrize(
    ("outcome", "probability", "now", "later", "gives_way"),
    [
        (Outcome.ACCUSED, 0.99, Outcome.LEGAL, 0.1, True),
        (Outcome.ACCUSED, 0.99, Outcome.LEGAL, 0.6, False),
        (Outcome.ASKED, 0.8, Outcome.ACCUSED, 0.99, True),
        (Outcome.ASKED, 0.8, Outcome.LEGAL, 0.01, True),
        (Outcome.ASKED, 0.8, Outcome.LEGAL, 0.3, False),
        (Outcome.LEGAL, 0.01, Outcome.ACCUSED, 0.99, True),
        (Outcome.LEGAL, 0.01, Outcome.ASKED, 0.8, False),
    ],
)
def test_recorded_event_is_revised_only_by_clear_evidence(
    outcome: Outcome, probability: float, now: Outcome, later: float, gives_way: bool
) -> None:
    before, after = Decision(outcome, (), probability), Decision(now, (), later)
    assert before.is_superseded_by(after, THRESHOLDS) is gives_way


def test_uncertain_line_is_decided_later() -> None:
    doubt = replace(LEGAL, probability=0.5)
    assert [LEGAL.is_final(age, THRESHOLDS) for age in (0, 1)] == [False, True]
    assert [doubt.is_final(age, THRESHOLDS) for age in (1, 2, 3)] == [False, False, True]


def test_reasons_are_the_weights_of_lines_for_and_against() -> None:
    belief, _ = belief_after(placed(1, "7s", "A"), placed(2, "6d", "B", "7s"), event("lifted", 3, card="6d", by="B"))
    assert why(belief.beam, 1) == ()
    reasons = why(belief.beam, 2)
    assert [reason["weight"] for reason in reasons] == sorted((reason["weight"] for reason in reasons), reverse=True)
    guilty = [hypothesis for hypothesis in belief.beam if not hypothesis.is_fallback][:1]
    assert why(tuple(guilty), 2)[0]["cue"] == "nothing else explains it"


def test_reasons_name_the_events_of_the_other_explanation() -> None:
    doubted = placed(2, "6d", "B", "7s", confidence=0.5, alternatives=[["8s", 0.01]])
    belief, _ = belief_after(placed(1, "7s", "A"), doubted, event("lifted", 3, card="6d", by="B"))
    cues = {reason["cue"] for reason in why(belief.beam, 2)}
    assert cues & {"read as another card", "misread without a doubt", "what people did next"}


def test_reasons_are_unique() -> None:
    reported_lines = [placed(1, "7s", "A"), placed(2, "6d", "B", "7s", confidence=0.6, alternatives=[["8s", 0.01]])]
    reported_lines += [placed(3, "6c", "A", confidence=0.6), event("lifted", 4, card="6c", by="A")]
    belief, _ = belief_after(*reported_lines, event("lifted", 5, card="6d", by="B"), placed(6, "8s", "B", "7s"))
    counted = 0
    for place in range(1, 7):
        reasons = [(reason["cue"], reason["for"]) for reason in why(belief.beam, place)]
        assert len(set(reasons)) == len(reasons)
        counted += len(reasons)
    assert counted > 3


def test_header_of_a_camera_gives_the_usual_announcements() -> None:
    assert [announcement.kind for announcement in Belief(Header.parse(HEADER)).opening.announcements] == ["turn"]


def test_search_for_unseen_events_ends_with_its_budget() -> None:
    belief, _ = belief_after(*BOUT)
    drawn = event_from_json(DRAWS[0])
    options = reported_event(drawn, SEATS).options
    believed, line = belief.best, UnexplainedLine(drawn, 3, options)
    for calls in (1, 2, 3):
        found = list(search_unseen(believed, line, RATES, Budget(calls, Judgements(1)), floor=-60.0))
        assert len(found) < calls
    assert list(search_unseen(believed, line, RATES, Budget(500, Judgements(1)), floor=-60.0))


def test_sign_of_a_missed_event_raises_the_weight_of_unseen_events() -> None:
    assert SensorModel().rates(RATES, missed=0.4).unseen_card > 3 * SensorModel().rates(RATES).unseen_card
    assert SensorModel().rates(RATES, missed=0.001) == SensorModel().rates(RATES)


def test_impossible_uncertain_card_was_misread() -> None:
    sure, doubted = (event_from_json(placed(1, "7s", "A", confidence=share)) for share in (0.99, 0.9))
    assert SensorModel().rates_for(sure, RATES).impossible == RATES.impossible
    assert SensorModel().rates_for(doubted, RATES).impossible == RATES.impossible_in_doubt < RATES.impossible
