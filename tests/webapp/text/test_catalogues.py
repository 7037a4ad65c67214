"""Catalogues: complete in every language, with the plural rules of the language."""

from __future__ import annotations

import re
import string

import pytest
from babel.messages.pofile import read_po

from referee.belief.decide import CUES, OTHERWISE
from referee.cards import RANKS, Card
from webapp.text.catalogue import (
    FOLDER,
    LANGUAGES,
    chosen_language,
    counted,
    direction,
    messages,
    page_words,
    plural_forms,
)
from webapp.text.present import card_name, say

OTHERS = LANGUAGES[1:]
SAME_EVERYWHERE = {"page.rules_durek_platkowy", "page.rules_severnyi", "page.trump", "page.talon"}
"""Names of games and terms that other languages write alike."""


def slots(text: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name}


def test_each_language_has_a_catalogue() -> None:
    assert {path.stem for path in FOLDER.glob("*.po")} == set(LANGUAGES)


@pytest.mark.parametrize("language", LANGUAGES)
def test_catalogue_has_each_message_once_and_none_fuzzy(language: str) -> None:
    text = (FOLDER / f"{language}.po").read_text(encoding="utf-8")
    names = [line for line in text.splitlines() if line.startswith('msgid "')]
    assert len(names) == len(set(names))
    with (FOLDER / f"{language}.po").open("rb") as file:
        catalogue = read_po(file, locale=language)
    assert not any(message.fuzzy for message in catalogue if message.id)
    assert list(catalogue.obsolete) == []
    plain = {str(message.id): str(message.string) for message in catalogue if message.id and not message.pluralizable}
    assert plain == messages(language), "compiled from other catalogues: run make .venv/.test"


@pytest.mark.parametrize("language", OTHERS)
def test_every_language_has_all_messages_of_english(language: str) -> None:
    english, other = messages("en"), messages(language)
    assert set(english) == set(other)
    assert [name for name in english if bool(english[name]) != bool(other[name])] == []
    assert plural_forms("en").keys() == plural_forms(language).keys()


@pytest.mark.parametrize("language", OTHERS)
def test_placeholders_are_the_same_in_every_language(language: str) -> None:
    english, other = messages("en"), messages(language)
    page = [name for name in english if name.startswith("page.")]
    assert len(page) > 200
    assert [name for name in page if slots(english[name]) != slots(other[name])] == []


@pytest.mark.parametrize("language", OTHERS)
def test_no_message_is_left_in_english(language: str) -> None:
    english, other = messages("en"), messages(language)
    words = [name for name in english if len(english[name].split()) > 3 and name not in SAME_EVERYWHERE]
    assert len(words) > 250
    assert [name for name in words if english[name] == other[name]] == []


@pytest.mark.parametrize(
    ("language", "expected"),
    [
        ("en", ["0 cards", "1 card", "2 cards", "5 cards", "21 cards"]),
        ("ru", ["0 карт", "1 карта", "2 карты", "5 карт", "21 карта"]),
        ("fr", ["0 carte", "1 carte", "2 cartes", "5 cartes", "21 cartes"]),
        ("es", ["0 cartas", "1 carta", "2 cartas", "5 cartas", "21 cartas"]),
        ("he", ["0 קלפים", "קלף אחד", "2 קלפים", "5 קלפים", "21 קלפים"]),
    ],
)
def test_number_of_cards_follows_the_plural_rules(language: str, expected: list[str]) -> None:
    assert [counted("word.card", count, language) for count in (0, 1, 2, 5, 21)] == expected


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_number_has_a_plural_form_in_the_browser(language: str) -> None:
    for forms in plural_forms(language).values():
        assert "other" in forms
        assert all(forms.values())


def test_unknown_language_falls_back_to_english() -> None:
    with pytest.raises(ValueError, match="expected a language out of en, ru, fr, es, he, got 'tlh'"):
        messages("tlh")
    assert chosen_language("tlh", None, "he") == "he"


def test_hebrew_runs_from_right_to_left() -> None:
    assert [direction(language) for language in LANGUAGES] == ["ltr", "ltr", "ltr", "ltr", "rtl"]
    assert say("result.fool", "he", seats=("Anna",)) == "הדוראק: \u2068Anna\u2069."
    assert page_words("he")["trump"] == "שליט"


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_cue_for_or_against_a_fault_has_a_text(language: str) -> None:
    others = ("the rule is rarely broken", "what people did next", "nothing else explains it", "unseen", OTHERWISE)
    words = page_words(language)
    texts = [words[f"cue_{cue.replace(' ', '_')}"] for cue in (*CUES.values(), *others)]
    assert len(set(texts)) == len(set(CUES.values())) + len(others)


def test_french_punctuation_has_no_break_spaces() -> None:
    """Check that spaces before French ? ! ; : and within guillemets are no-break spaces."""
    texts = [text for text in messages("fr").values() if isinstance(text, str)]
    assert [text for text in texts if re.search(r" [?!;:»]|« ", text)] == []
    assert sum("\u202f?" in text for text in texts) > 10


JARGON = ("principal", "by the count", "heap", "the eye", "witness", "posterior", "hypothes")
"""Internal terms of the program that players do not know."""


def test_texts_contain_no_internal_terms() -> None:
    texts = {name: re.sub(r"\{\w+\}", "", text).lower() for name, text in messages("en").items()}
    assert {name: text for name, text in texts.items() if any(word in text for word in JARGON)} == {}


@pytest.mark.parametrize("language", LANGUAGES)
def test_noun_after_a_number_has_plural_forms(language: str) -> None:
    """Check that a noun after a number has a form for each plural, so that no text says "1 games"."""
    english = messages("en")
    nouns = [name for name, text in english.items() if re.search(r"\{(n|count)\} [a-z]+s\b", text)]
    # A deck has 24 cards at least, and the limit of a name is 32 characters.
    assert sorted(nouns) == ["page.deck_teach_how", "page.name_long"]
    assert {"put_right.gone", "page.match_minutes", "page.health_late"} <= plural_forms(language).keys()


CARDS = {"attack", "card", "cards", "claimed", "defence", "given", "kept", "left", "lower", "lowest", "on", "over"} | {
    "seen", "taken", "turnup", "unbeaten", "was"
}  # fmt: skip
"""Fields of messages that cards fill."""
LISTS = ("page.still_", "page.view_", "page.deck_", "page.seen_", "page.against_hands", "page.again_", "page.card_")
"""Beginnings of names of messages that list cards without a sentence, or in which the field is no card."""
BEFORE = {
    "fr": r"(?<!\w)(?:le|du|au|la|de la|à la|l['’]|de l['’]|à l['’]) ?$",
    "es": r"(?<!\w)(?:el|del|al|la|de la|a la) $",
}
"""What stands before the name of a card in a sentence."""
CONTRACTED = {"fr": r"\b(?:de|à) les? ", "es": r"\b(?:de|a) el "}


def forms_in(text: str) -> list[tuple[str, str]]:
    return [(name, spec or "") for _, name, spec, _ in string.Formatter().parse(text) if name in CARDS]


@pytest.mark.parametrize("language", LANGUAGES)
def test_messages_use_existing_forms_of_card_names(language: str) -> None:
    words = messages(language)
    forms = words["page.card_forms"].split("|")
    names = [words[f"page.rank_{rank}"] for rank in RANKS] + [words[f"page.index_{rank}"] for rank in "JQKAn"]
    assert {name.count("|") + 1 for name in names} <= {1, len(forms)}
    asked = {form for text in words.values() for _, form in forms_in(text)}
    assert asked <= set(forms)


@pytest.mark.parametrize("language", BEFORE)
@pytest.mark.parametrize("card", ["Ts", "Jh", "Qd", "Ac"])
def test_every_card_in_a_sentence_has_its_article(language: str, card: str) -> None:
    sentences = {
        name: forms_in(text)
        for name, text in messages(language).items()
        if forms_in(text) and not name.startswith(LISTS)
    }
    assert len(sentences) > 60
    shown = card_name(Card.parse(card), language)
    for name, fields in sentences.items():
        text_shown = say(name, language, who="Anna", **{field: Card.parse(card) for field, _ in fields})
        before = [text_shown[: found.start()] for found in re.finditer(shown, text_shown)]
        assert len(before) == len(fields)
        assert [text_shown for word in before if not re.search(BEFORE[language], word, re.IGNORECASE)] == []
        assert not re.search(CONTRACTED[language], text_shown)


@pytest.mark.parametrize(
    ("name", "language", "expected"),
    [
        ("fault.does-not-beat", "en", "The ten of spades does not beat the queen of hearts."),
        ("fault.does-not-beat", "ru", "Десятка пик не бьёт даму червей."),
        ("fault.no-such-attack", "ru", "Десятку пик положили на даму червей, а это не карта захода."),
        ("fault.does-not-beat", "fr", "Le dix de pique ne bat pas la dame de cœur."),
        (
            "fault.too-early",
            "fr",
            "Anna va trop vite\u202f: il faut d'abord répondre au valet de pique, à l'as de trèfle.",
        ),
        ("fault.too-early", "es", "Anna se adelanta: primero hay que responder a la jota de picas, al as de tréboles."),
        ("page.against_talon", "es", "Usted dice que el mazo se acabó; lo veo encima de la jota de picas."),
        ("page.told_beat", "ru", "Anna кладёт десятку пик на короля бубён"),
    ],
)
def test_spoken_cards_have_the_form_that_the_sentence_needs(name: str, language: str, expected: str) -> None:
    ten, queen, king, jack, ace = map(Card.parse, ("Ts", "Qh", "Kd", "Js", "Ac"))
    facts = {"by": "Anna", "who": "Anna", "cards": (ten,), "over": queen, "unbeaten": (jack, ace), "seen": jack}
    assert say(name, language, True, **facts, card=ten, on=king) == expected
