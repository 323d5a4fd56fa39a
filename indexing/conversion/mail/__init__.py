"""Convert mail messages; attachments become documents of their own."""

from indexing.conversion.mail.internet_mail import eml_rendition
from indexing.conversion.mail.outlook import msg_rendition

__all__ = ["eml_rendition", "msg_rendition"]
