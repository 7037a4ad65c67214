"""`kozyr hall`: one page over all tables that share a store."""

from __future__ import annotations

import argparse
import time
from contextlib import ExitStack

from vision.data_home import data_home
from webapp.commands.interruption import ending_when_asked
from webapp.commands.keeping import open_matches
from webapp.commands.long_work import BesideTheGame
from webapp.commands.page_addresses import announce_page, own_names, secured
from webapp.commands.pairing import pairing_for
from webapp.store.labelled_pictures import FOLDER as LABELLED
from webapp.store.labelled_pictures import LabelledPictures
from webapp.web.app import create_hall_app
from webapp.web.app_services import AppServices
from webapp.web.pairing import Ask
from webapp.web.port import HALL_PORT
from webapp.web.serving import Service

GLANCE_S = 0.5
"""A blocked wait would not hear ctrl-C on Windows."""


def run_hall(arguments: argparse.Namespace) -> int:
    """Serve the page of the hall until ctrl-C."""
    if arguments.port is None:
        arguments.port = HALL_PORT
    with ExitStack() as parts:
        parts.enter_context(ending_when_asked())
        service = Service.take(arguments.host, arguments.port)
        parts.callback(service.stop)
        authority = secured(service, arguments)
        matches = open_matches(parts, arguments.store, arguments.films)
        long_work = BesideTheGame(matches, arguments.store, arguments.films)
        parts.callback(long_work.jobs.stop)
        pairing = pairing_for(arguments)
        services = AppServices(
            hosts=own_names(arguments.host),
            matches=matches,
            pairing=None if pairing.ask is Ask.NEVER else pairing,
            addresses=service.addresses_elsewhere,
            authority=authority,
            long_work=long_work,
            labelled=LabelledPictures(data_home() / LABELLED),
        )
        service.start(create_hall_app(services, matches.tables))
        announce_page("the hall", arguments, service, pairing)
        while True:
            time.sleep(GLANCE_S)
