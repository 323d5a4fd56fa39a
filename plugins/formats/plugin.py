"""What the plugin `formats` adds to Vouch."""

from vouch.hooks import DoctorCheck, FileFormat, Plugin

_TEXT = "plugins.formats.texts:text_rendition"
_MARKDOWN = "plugins.formats.markdown:markdown_rendition"
_CSV = "plugins.formats.texts:csv_rendition"
_DOCUMENT = "plugins.formats.office:document_rendition"
_SLIDES = "plugins.formats.office:slides_rendition"
_SPREADSHEET = "plugins.formats.office:spreadsheet_rendition"
_WEB = "plugins.formats.html:web_rendition"

PLUGIN = Plugin(
    name="formats",
    summary="Read Office files, web pages, mail and plain texts, by converting each to pages.",
    formats=(
        FileFormat(".txt", "text", ("text",), _TEXT),
        FileFormat(".text", "text", ("text",), _TEXT),
        FileFormat(".log", "text", ("text",), _TEXT),
        FileFormat(".rst", "text", ("text",), _TEXT),
        FileFormat(".md", "markdown", ("text",), _MARKDOWN),
        FileFormat(".markdown", "markdown", ("text",), _MARKDOWN),
        FileFormat(".csv", "csv", ("text",), _CSV),
        FileFormat(".tsv", "csv", ("text",), _CSV),
        FileFormat(".ipynb", "notebook", ("text",), "plugins.formats.notebook:notebook_rendition"),
        FileFormat(".eml", "mail", ("text",), "plugins.formats.mail:eml_rendition"),
        FileFormat(".msg", "outlook", ("ole",), "plugins.formats.mail:msg_rendition"),
        FileFormat(".docx", "docx", ("zip", "ole"), _DOCUMENT, program=True),
        FileFormat(".doc", "doc", ("ole", "rtf"), _DOCUMENT, program=True),
        FileFormat(".odt", "odt", ("zip",), _DOCUMENT, program=True),
        FileFormat(".rtf", "rtf", ("rtf",), _DOCUMENT, program=True),
        FileFormat(".pptx", "pptx", ("zip", "ole"), _SLIDES, program=True),
        FileFormat(".ppt", "ppt", ("ole",), _SLIDES, program=True),
        FileFormat(".odp", "odp", ("zip",), _SLIDES, program=True),
        FileFormat(".xlsx", "xlsx", ("zip", "ole"), _SPREADSHEET),
        FileFormat(".ods", "ods", ("zip",), _SPREADSHEET),
        FileFormat(".xls", "xls", ("ole",), _SPREADSHEET, program=True),
        FileFormat(".html", "html", ("text",), _WEB),
        FileFormat(".htm", "html", ("text",), _WEB),
        FileFormat(".xhtml", "html", ("text",), _WEB),
        FileFormat(".mhtml", "mhtml", ("text",), _WEB),
        FileFormat(".mht", "mhtml", ("text",), _WEB),
    ),
    checks=(DoctorCheck("programs", "plugins.formats.checks:programs"),),
)
