"""Store the current state of tables that share a store, for a hall."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the table."""
    op.create_table(
        "tables",
        sa.Column("program", sa.String(32), nullable=False),
        sa.Column("table_name", sa.Text, nullable=False),
        sa.Column("told", sa.DateTime(timezone=True), nullable=False),
        sa.Column("data", sa.JSON, nullable=False),
        sa.PrimaryKeyConstraint("program", name="pk_tables"),
    )
