"""How Alembic runs the steps: on the connection that ``webapp.store.database`` lends, in its transaction."""

from __future__ import annotations

from alembic import context

from webapp.store.database import VERSION_TABLE
from webapp.store.schema import metadata

context.configure(
    connection=context.config.attributes["connection"], target_metadata=metadata, version_table=VERSION_TABLE
)
context.run_migrations()
