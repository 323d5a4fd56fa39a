"""Authenticate the people of a server with accounts, and serve the pages where they log in."""

from ui.web.people.doorkeeper import Doorkeeper, PeopleOfServer, accounts_of
from ui.web.people.doors import Doors
from ui.web.people.sso import SingleSignOn

__all__ = ["Doorkeeper", "Doors", "PeopleOfServer", "SingleSignOn", "accounts_of"]
