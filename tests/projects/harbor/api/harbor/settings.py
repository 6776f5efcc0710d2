"""Settings of the API, read from the environment."""

import os

PARTNER_TIMEOUT = float(os.environ.get("HARBOR_PARTNER_TIMEOUT", "3"))
PARTNER_KEY = os.environ.get("HARBOR_PARTNER_KEY", "")
