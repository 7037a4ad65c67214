"""The first schema."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make all tables."""
    _create_matches()
    _create_corrections()


def _create_matches() -> None:
    """Create matches, their players and lines, and the devices."""
    op.create_table(
        "matches",
        sa.Column("match", sa.String(40), nullable=False),
        sa.Column("table_name", sa.Text, nullable=False),
        sa.Column("started", sa.DateTime(timezone=True), nullable=False),
        sa.Column("rules", sa.Text, nullable=False),
        sa.Column("seats", sa.JSON, nullable=False),
        sa.Column("versions", sa.JSON, nullable=False),
        sa.Column("lines", sa.Integer, nullable=False),
        sa.Column("seconds", sa.Float, nullable=False),
        sa.Column("result", sa.JSON),
        sa.Column("ended", sa.Boolean, nullable=False),
        sa.Column("film", sa.Text),
        sa.Column("writer", sa.String(32), nullable=False),
        sa.PrimaryKeyConstraint("match", name="pk_matches"),
    )
    op.create_index("ix_matches_started", "matches", ["started"])
    op.create_table(
        "players",
        sa.Column("match", sa.String(40), nullable=False),
        sa.Column("place", sa.Integer, nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("match", "place", name="pk_players"),
        sa.ForeignKeyConstraint(["match"], ["matches.match"], name="fk_players_match", ondelete="CASCADE"),
    )
    op.create_index("ix_players_name", "players", ["name"])
    op.create_table(
        "events",
        sa.Column("match", sa.String(40), nullable=False),
        sa.Column("line", sa.Integer, nullable=False),
        sa.Column("at", sa.Float),
        sa.Column("data", sa.JSON, nullable=False),
        sa.PrimaryKeyConstraint("match", "line", name="pk_events"),
        sa.ForeignKeyConstraint(["match"], ["matches.match"], name="fk_events_match", ondelete="CASCADE"),
    )
    op.create_table(
        "devices",
        sa.Column("device", sa.String(40), nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("role", sa.String(16), nullable=False),
        sa.Column("token_sha256", sa.String(64), nullable=False),
        sa.Column("paired", sa.DateTime(timezone=True), nullable=False),
        sa.Column("seen", sa.DateTime(timezone=True)),
        sa.PrimaryKeyConstraint("device", name="pk_devices"),
        sa.UniqueConstraint("token_sha256", name="uq_devices_token_sha256"),
    )


def _create_corrections() -> None:
    """Create the rulings, corrections and moments of lines."""
    op.create_table(
        "said",
        sa.Column("match", sa.String(40), nullable=False),
        sa.Column("after", sa.Integer, nullable=False),
        sa.Column("place", sa.Integer, nullable=False),
        sa.Column("line", sa.Integer, nullable=False),
        sa.Column("data", sa.JSON, nullable=False),
        sa.PrimaryKeyConstraint("match", "after", "place", name="pk_said"),
        _line_of_record("said", "match", "after"),
    )
    op.create_table(
        "corrections",
        sa.Column("match", sa.String(40), nullable=False),
        sa.Column("line", sa.Integer, nullable=False),
        sa.Column("about", sa.Integer),
        sa.Column("by", sa.Text),
        sa.Column("device", sa.String(40)),
        sa.PrimaryKeyConstraint("match", "line", name="pk_corrections"),
        sa.ForeignKeyConstraint(["device"], ["devices.device"], name="fk_corrections_device", ondelete="SET NULL"),
        _line_of_record("corrections", "match", "line"),
    )
    op.create_table(
        "moments",
        sa.Column("moment", sa.Integer, nullable=False),
        sa.Column("match", sa.String(40), nullable=False),
        sa.Column("line", sa.Integer, nullable=False),
        sa.Column("frame", sa.Integer, nullable=False),
        sa.Column("at", sa.Float, nullable=False),
        sa.Column("card", sa.String(4)),
        sa.Column("crop", sa.LargeBinary),
        sa.PrimaryKeyConstraint("moment", name="pk_moments"),
        _line_of_record("moments", "match", "line"),
    )
    op.create_index("ix_moments_match", "moments", ["match", "line"])


def _line_of_record(table: str, match: str, line: str) -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint(
        [match, line], ["events.match", "events.line"], name=f"fk_{table}_match", ondelete="CASCADE"
    )
