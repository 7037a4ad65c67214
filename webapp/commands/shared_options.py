"""
Turn groups of arguments that several commands share into frozen options.

Each command's module has ``call(arguments)``, which makes its options and runs it; nothing behind that gets an
``argparse.Namespace``.
"""

from __future__ import annotations

import argparse

from webapp.commands.match_header import HeaderOptions
from webapp.commands.option_groups import THIS_MACHINE
from webapp.commands.options import ServingOptions, TableOptions
from webapp.live.match_options import DetectorOptions, FileOptions, KeepingOptions


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
