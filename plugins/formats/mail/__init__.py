"""Convert mail messages; attachments become documents of their own."""

from plugins.formats.mail.internet_mail import eml_rendition
from plugins.formats.mail.outlook import msg_rendition
