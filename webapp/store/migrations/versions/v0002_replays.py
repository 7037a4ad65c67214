"""Replays that were judged once are kept, so that a long match opens at once."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the table."""
    op.create_table(
        "replays",
        sa.Column("match", sa.String(40), nullable=False),
        sa.Column("lines", sa.Integer, nullable=False),
        sa.Column("judged_by", sa.String(64), nullable=False),
        sa.Column("data", sa.LargeBinary, nullable=False),
        sa.PrimaryKeyConstraint("match", name="pk_replays"),
        sa.ForeignKeyConstraint(["match"], ["matches.match"], name="fk_replays_match", ondelete="CASCADE"),
    )
