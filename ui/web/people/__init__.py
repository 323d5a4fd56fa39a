"""The people of a server with accounts of roles: how each is known, and the pages where they come in."""

from ui.web.people.doorkeeper import Doorkeeper, PeopleOfServer, accounts_of
from ui.web.people.doors import Doors
from ui.web.people.sso import SingleSignOn

__all__ = ["Doorkeeper", "Doors", "PeopleOfServer", "SingleSignOn", "accounts_of"]
