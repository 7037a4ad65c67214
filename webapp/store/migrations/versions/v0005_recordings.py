"""A match knows of which recording it was made, so that one that is watched again counts once."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column; of earlier matches it is not known."""
    op.add_column("matches", sa.Column("recording", sa.String(64), nullable=True))
