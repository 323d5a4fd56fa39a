"""Find the bibliography of a paper of any format, and split it into entries with their boxes."""

from plugins.audit.references.entries.assembly import Bibliography
from plugins.audit.references.entries.reading import references_of
