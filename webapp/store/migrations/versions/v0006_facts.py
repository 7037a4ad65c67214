"""The facts of a match are kept with it, so that the library need not read every record."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the table."""
    op.create_table(
        "facts",
        sa.Column("match", sa.String(40), nullable=False),
        sa.Column("lines", sa.Integer, nullable=False),
        sa.Column("data", sa.JSON, nullable=False),
        sa.PrimaryKeyConstraint("match", name="pk_facts"),
        sa.ForeignKeyConstraint(["match"], ["matches.match"], name="fk_facts_match", ondelete="CASCADE"),
    )
