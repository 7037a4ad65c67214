"""Fixtures of the core that the tests of features use, too."""

from __future__ import annotations

from tests.browser.conftest import browser, lay, open_page
from tests.webapp.commands.conftest import filmed_match, kozyr
from tests.webapp.conftest import board, header, match, table
from tests.webapp.store.conftest import begin, open_store, postgres_server, postgres_url, store, url
