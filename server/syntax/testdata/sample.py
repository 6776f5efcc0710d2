#!/usr/bin/env python3
"""It's a docstring with "quotes" # and no comment."""
import re

PATTERN = re.compile(r'\d+"\'' rb'x'.decode())  # it's "fine"
TEXT = '''a
# no comment "
''' + f"{value!r:>{width}} {{no}} {d['key']:%H:%M} {'饼干'}"


def half(a, b):
    """Half."""
    return a // b if a in'xyz' else f'''{
        a["x"]
    } // "rest"'''
