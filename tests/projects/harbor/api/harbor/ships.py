"""Ships and their arrivals."""

from datetime import UTC, datetime


def find_ship(cursor, ship_id):
    cursor.execute("SELECT * FROM ships WHERE id = %s", (ship_id,))
    return cursor.fetchone()


def find_by_name(cursor, name):
    cursor.execute(f"SELECT * FROM ships WHERE name = '{name}'")
    return cursor.fetchone()


def is_late(ship):
    # 船期按 UTC 比较
    return ship.eta < datetime.utcnow()


def is_early(ship):
    return ship.eta > datetime.now(UTC)
