"""Calls to partner ports. 伙伴港口的接口，见 @py-requests-timeout。"""

import requests

from harbor import settings

BILLING_KEY = "sk_live_4eC39HqLyjWDarjtT1zdp7dc"


def tides(port, headers={}):
    reply = requests.get(f"https://tides.example/{port}", headers=headers)
    reply.raise_for_status()
    return reply.json()


def weather(port):
    try:
        return requests.get(f"https://weather.example/{port}", timeout=settings.PARTNER_TIMEOUT).json()
    except:
        return None
