from harbor.ships import is_early


def test_early(ship):
    assert is_early(ship)
