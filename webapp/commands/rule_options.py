"""Other rules than a record's, as `kozyr referee` and `kozyr rules` take them from the command line."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from msgspec.structs import replace

from referee.errors import RulebookError
from referee.record import Header
from referee.rulebook import OPTIONS, rulebook
from webapp.errors import WrongCallError
from webapp.text.catalogue import LANGUAGES


@dataclass(frozen=True, slots=True)
class RuleOptions:
    """A rule set, options of it, and the language of the sentences; None and empty: as the record has it."""

    rules: str | None = None
    options: tuple[tuple[str, Any], ...] = ()
    language: str = LANGUAGES[0]

    def check(self) -> None:
        """Raise ``WrongCallError`` for an unknown rule set, option or value."""
        try:
            if self.rules is not None:
                rulebook(self.rules, dict(self.options))
            for name, value in self.options:
                if name not in OPTIONS or not OPTIONS[name].allows(value):
                    rulebook("podkidnoy-36", {name: value})
        except RulebookError as error:
            raise WrongCallError(str(error)) from None

    def header(self, header: Header) -> Header:
        """Return the record's header with these rules and options."""
        if self.rules is not None:
            header = replace(header, rules=self.rules, options={})
        return replace(header, options={**header.options, **dict(self.options)}) if self.options else header
