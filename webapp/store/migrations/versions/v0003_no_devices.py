"""Devices belong to a machine, not to a store: the table that never held one goes."""

from __future__ import annotations

from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Drop the table, and what points to it."""
    with op.batch_alter_table("corrections") as corrections:
        corrections.drop_constraint("fk_corrections_device", type_="foreignkey")
        corrections.drop_column("device")
    op.drop_table("devices")
