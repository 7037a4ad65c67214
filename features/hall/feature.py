"""Declare the hall: `kozyr hall` with its routes and page, what a table reports to it, and the option `--notify`."""

from __future__ import annotations

from features.hall.options import HALL_PORT, NOTIFY, HallOptions
from webapp.features import Command, Feature
from webapp.live.match_options import KeepingOptions, checked
from webapp.loadable import Loadable

FEATURE = Feature(
    "hall",
    commands=(
        Command(
            "hall",
            "Serve one page over all tables that share a store.",
            (HallOptions,),
            Loadable("features.hall.command:run"),
            {"port": {"help": f"port to serve the page at (default: {HALL_PORT})"}},
            after="matches",
        ),
    ),
    routes_elsewhere=(Loadable("features.hall.routes:described_hall"),),
    option_flags={
        KeepingOptions: {
            NOTIFY: {
                "flags": ("--notify",),
                "type": checked(Loadable("features.hall.notification:checked_address")),
                "metavar": "URL",
                "help": "POST every line to this address as JSON, signed with $KOZYR_NOTIFY_SECRET where it is set",
            }
        }
    },
    reporters=Loadable("features.hall.reporters:reporters_of"),
)
