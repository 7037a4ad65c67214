"""Name something by its place, and import it when it is first needed: what declares it stays light to import."""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from typing import Generic, TypeVar, cast

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Loadable(Generic[T]):
    """
    Something by its place, ``MODULE:NAME``, imported when it is first needed.

    >>> Loadable("webapp.web.port:PORT").load()
    8036
    """

    place: str

    def load(self) -> T:
        module, _, name = self.place.partition(":")
        return cast(T, getattr(importlib.import_module(module), name))
