"""The database behind one door."""


class UnitOfWork:
    def __init__(self, session):
        self.session = session

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        if error is None:
            self.session.commit()
        else:
            self.session.rollback()


def book(session, berth):
    session.add(berth)
    session.commit()


def release(session, berth):
    with UnitOfWork(session) as unit:
        unit.session.delete(berth)
