"""
Turn the parsed command line into the options of a command, and run it.

Nothing behind this module gets an ``argparse.Namespace``. Each command is imported when it runs: OpenCV and the
networks are slow to import, and `kozyr rules` needs neither.
"""

from __future__ import annotations

import argparse
from contextlib import ExitStack
from typing import TYPE_CHECKING

from webapp.commands.match_header import HeaderOptions
from webapp.commands.option_groups import EVERYWHERE, THIS_MACHINE
from webapp.commands.options import (
    AnalyseOptions,
    ConvertOptions,
    EnrolOptions,
    ReadOptions,
    RefereeOptions,
    ReviewOptions,
    ReviewsOptions,
    ServingOptions,
    TableOptions,
    TraceOptions,
)
from webapp.commands.rule_options import RuleOptions
from webapp.live.match_options import DetectorOptions, FileOptions, KeepingOptions

if TYPE_CHECKING:
    from webapp.store.matches import Matches


def header_options(arguments: argparse.Namespace) -> HeaderOptions:
    """Return the options about the match's header."""
    return HeaderOptions(
        rules=arguments.rules,
        options=tuple(arguments.options),
        seats=arguments.seats,
        start=arguments.start,
        pack=arguments.pack,
        tone=arguments.tone,
    )


def detector_options(arguments: argparse.Namespace) -> DetectorOptions:
    """Return which networks and which deck."""
    return DetectorOptions(arguments.weights, arguments.deck)


def keeping_options(arguments: argparse.Namespace, *, must_keep: bool) -> KeepingOptions:
    """Return whether and where the match is kept."""
    return KeepingOptions(
        arguments.keep,
        must_keep,
        arguments.store,
        arguments.films,
        arguments.film,
        arguments.table,
        arguments.resume,
    )


def serving_options(arguments: argparse.Namespace, usual_host: str = THIS_MACHINE) -> ServingOptions:
    """Return where the page is served; ``usual_host``: the address without ``--host``."""
    return ServingOptions(
        usual_host if arguments.host is None else arguments.host,
        arguments.port,
        arguments.tls,
        arguments.pair,
        arguments.pairing,
        opens_browser=not arguments.no_browser,
    )


def table_options(
    arguments: argparse.Namespace, *, must_keep: bool, is_paced: bool = True, usual_host: str = THIS_MACHINE
) -> TableOptions:
    """Return the options of a table with its page."""
    return TableOptions(
        serving_options(arguments, usual_host),
        detector_options(arguments),
        keeping_options(arguments, must_keep=must_keep),
        FileOptions(arguments.start, arguments.record, arguments.zones),
        arguments.language,
        as_json=arguments.json,
        exits=arguments.exit,
        is_paced=is_paced,
        notify=arguments.notify,
    )


def setup(arguments: argparse.Namespace) -> int:
    """Run `kozyr` alone."""
    from webapp.commands.watch import run_setup

    # Games are set up on a tablet or a phone, each of which needs a code.
    return run_setup(table_options(arguments, must_keep=False, usual_host=EVERYWHERE))


def demo(arguments: argparse.Namespace) -> int:
    """Run `kozyr demo`."""
    from webapp.commands.demo import run_demo

    options = table_options(arguments, must_keep=False, is_paced=not arguments.exit)
    return run_demo(options, header_options(arguments))


def watch(arguments: argparse.Namespace) -> int:
    """Run `kozyr watch`."""
    from vision.capture.phone import PHONE
    from webapp.commands.watch import run_watch

    usual_host = EVERYWHERE if arguments.source == PHONE else THIS_MACHINE  # a phone reaches no other
    options = table_options(arguments, must_keep=True, usual_host=usual_host)
    return run_watch(arguments.source, options, header_options(arguments))


def read(arguments: argparse.Namespace) -> int:
    """Run `kozyr read`."""
    from webapp.commands.read import run_read

    return run_read(
        ReadOptions(tuple(arguments.pictures), header_options(arguments), detector_options(arguments), arguments.json)
    )


def review(arguments: argparse.Namespace) -> int:
    """Run `kozyr review`."""
    from webapp.commands.review import run_review

    each = ReviewOptions(
        "",
        header_options(arguments),
        arguments.begin_s,
        arguments.language,
        detector_options(arguments),
        keeping_options(arguments, must_keep=True),
        FileOptions(arguments.start, arguments.record, arguments.zones),
    )
    clips = tuple(arguments.clip)
    return run_review(
        ReviewsOptions(clips, each, arguments.out, arguments.workers, arguments.dask, as_json=arguments.json)
    )


def trace(arguments: argparse.Namespace) -> int:
    """Run `kozyr trace`."""
    from webapp.commands.trace import run_trace

    each = ReviewOptions(
        arguments.clip,
        header_options(arguments),
        language=arguments.language,
        detector=detector_options(arguments),
        files=FileOptions(arguments.start, zones=arguments.zones),
    )
    return run_trace(TraceOptions(each, arguments.begin_s, arguments.end_s, arguments.out, as_json=arguments.json))


def enrol(arguments: argparse.Namespace) -> int:
    """Run `kozyr enrol`."""
    from webapp.commands.enrol import run_enrol

    return run_enrol(
        EnrolOptions(
            arguments.name,
            arguments.source,
            arguments.pack,
            arguments.order,
            arguments.more,
            tuple(arguments.rename),
            arguments.weights,
            as_json=arguments.json,
        )
    )


def rules(arguments: argparse.Namespace) -> int:
    """Run `kozyr rules`."""
    from webapp.commands.rules import run_rules

    options = RuleOptions(arguments.name, tuple(arguments.options), arguments.language)
    return run_rules(options, as_json=arguments.json)


def referee(arguments: argparse.Namespace) -> int:
    """Run `kozyr referee`."""
    from webapp.commands.referee import run_referee

    asked = RuleOptions(arguments.rules, tuple(arguments.options), arguments.language)
    return run_referee(RefereeOptions(arguments.record, asked, arguments.json, arguments.states))


def analyse(arguments: argparse.Namespace) -> int:
    """Run `kozyr analyse`."""
    from webapp.commands.analyse import run_analyse

    return run_analyse(
        AnalyseOptions(
            arguments.source,
            arguments.playouts,
            arguments.seed,
            arguments.workers,
            arguments.dask,
            arguments.store,
            arguments.language,
            as_json=arguments.json,
        )
    )


def convert(arguments: argparse.Namespace) -> int:
    """Run `kozyr convert`."""
    from webapp.commands.convert import run_convert

    return run_convert(ConvertOptions(arguments.input, arguments.output, arguments.to, arguments.force))


def hall(arguments: argparse.Namespace) -> int:
    """Run `kozyr hall`."""
    from webapp.commands.hall import run_hall

    return run_hall(serving_options(arguments), arguments.store, arguments.films)


def doctor(arguments: argparse.Namespace) -> int:
    """Run `kozyr doctor`."""
    from webapp.commands.doctor import run_doctor

    return run_doctor(arguments.weights, as_json=arguments.json)


def matches(arguments: argparse.Namespace) -> int:
    """Run an action of `kozyr matches`."""
    if arguments.action == "replay-moment":
        return _replay_moment(arguments)
    from webapp.commands import matches as actions
    from webapp.live.keeping import open_matches

    if arguments.action == "delete":
        actions.check_delete(arguments.match, is_meant=arguments.yes)
    if arguments.action == "labelled":
        actions.keep_labelled(arguments.wish, as_json=arguments.json)
        return 0
    with ExitStack() as parts:
        kept = open_matches(parts, arguments.store, arguments.films)
        if arguments.action == "show":
            actions.show(kept, arguments.match, as_json=arguments.json)
        elif arguments.action == "export":
            actions.export_match(kept, arguments.match, arguments.file)
        elif arguments.action == "delete":
            actions.delete(kept, arguments.match)
        elif arguments.action == "moment":
            _moment(kept, arguments)
        elif arguments.action == "rejudge":
            _rejudge(kept, arguments)
        elif arguments.action == "scores":
            actions.print_scores(kept, as_json=arguments.json, as_csv=arguments.csv)
        else:
            actions.print_list(kept, as_json=arguments.json)
    return 0


def _replay_moment(arguments: argparse.Namespace) -> int:
    from webapp.commands.moments import print_replayed

    print_replayed(arguments.file, detector_options(arguments), arguments.language, as_json=arguments.json)
    return 0


def _moment(kept: Matches, arguments: argparse.Namespace) -> None:
    from webapp.commands.moments import write_moment

    write_moment(kept, arguments.match, arguments.line, arguments.file, with_film=arguments.film)


def _rejudge(kept: Matches, arguments: argparse.Namespace) -> None:
    from webapp.commands.rejudge import Rejudging, print_rejudged

    asked = Rejudging(
        arguments.match,
        arguments.from_film,
        arguments.rules,
        tuple(arguments.options),
        detector_options(arguments),
        arguments.language,
    )
    print_rejudged(kept, asked, as_json=arguments.json)
