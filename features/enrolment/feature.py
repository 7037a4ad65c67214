"""
Declare the enrolment of decks: `kozyr enrol`, the option `--deck`, the decks that set-up offers and teaches, and what
they learn from corrected cards on the page of matches.
"""

from __future__ import annotations

from features.enrolment.deck_names import deck_name
from features.enrolment.options import EnrolOptions
from webapp.features import Command, Feature, JobKind
from webapp.live.match_options import DECK, DetectorOptions, checked
from webapp.loadable import Loadable

FEATURE = Feature(
    "enrolment",
    commands=(
        Command(
            "enrol",
            "Learn the look of your own deck from its cards shown once.",
            (EnrolOptions,),
            Loadable("features.enrolment.command:run"),
            after="review",
            is_for_players=True,
        ),
    ),
    option_flags={
        DetectorOptions: {
            DECK: {
                "flags": ("--deck",),
                "type": checked(deck_name),
                "metavar": "NAME",
                "help": "your own deck, shown before with 'kozyr enrol NAME'",
            }
        }
    },
    wraps_detector=Loadable("features.enrolment.decks_at_table:with_deck"),
    decks=Loadable("features.enrolment.decks_at_table:DECKS"),
    routes=(Loadable("features.enrolment.routes:deck_corrections"),),
    page_parts={"labelled": "deck_corrections.html"},
    jobs=(JobKind("learn-corrections", Loadable("features.enrolment.corrections_job:learn_corrections")),),
)
