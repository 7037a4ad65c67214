"""Run `kozyr hall`: serve one page over all tables that share a store."""

from __future__ import annotations

import time
from contextlib import ExitStack
from dataclasses import replace

from features.hall.options import HALL_PORT, HallOptions
from features.hall.routes import create_hall_app
from webapp.commands.background_work import BackgroundWork
from webapp.commands.interruption import ending_when_asked
from webapp.commands.pairing import announce_page, own_names, pairing_for, secured
from webapp.live.match_files import open_matches
from webapp.store.labelled_pictures import LabelledPictures
from webapp.web.app_services import Addresses, AppConfig
from webapp.web.pairing import Ask
from webapp.web.serving import Service

GLANCE_S = 0.5
"""A blocked wait would not hear ctrl-C on Windows."""


def run(asked: HallOptions) -> int:
    port = HALL_PORT if asked.serving.port is None else asked.serving.port
    options, store, films = replace(asked.serving, port=port), asked.store, asked.films
    with ExitStack() as parts:
        parts.enter_context(ending_when_asked())
        service = Service.take(options.host, port)
        parts.callback(service.stop)
        authority = secured(service, options)
        matches = open_matches(parts, store, films)
        long_work = BackgroundWork(matches, store, films)
        parts.callback(long_work.jobs.stop)
        pairing = pairing_for(options)
        services = AppConfig(
            addresses=Addresses(own_names(options.host), service.addresses_elsewhere),
            matches=matches,
            pairing=None if pairing.ask is Ask.NEVER else pairing,
            authority=authority,
            long_work=long_work,
            labelled=LabelledPictures(),
        )
        service.start(create_hall_app(services, matches.tables))
        announce_page("the hall", options, service, pairing)
        while True:
            time.sleep(GLANCE_S)
