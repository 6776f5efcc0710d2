"""The HTTP face of the API. It asks the services and knows no SQL."""

from harbor import ships
from harbor.storage import release


def get_ship(cursor, ship_id):
    ship = ships.find_ship(cursor, ship_id)
    return {"name": ship.name, "late": ships.is_late(ship)}


def delete_berth(session, berth):
    release(session, berth)
    return {"released": berth.name}
