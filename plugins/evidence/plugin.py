"""What the plugin `evidence` adds to Vouch."""

from argparse import ArgumentParser

from vouch.hooks import Command, Export, Plugin

_EXAMPLES = """\
examples:
  vouch verify answer.vouch                          is it whole, and does it agree with itself?
  vouch verify answer.vouch --documents ~/papers     do these documents have the quotes, at the boxes?
  vouch verify answer.vouch --key minisign.pub       did the owner of this key sign it (answer.vouch.minisig)?

A pack is made by exporting an answer: --export answer.vouch of vouch ask, or Export on the page.
No network, collection or model is used. Exit code: 0 nothing was found wrong, 1 something was, 2 no usable pack.
"""


def verify_options(parser: ArgumentParser) -> None:
    """Add the options of `vouch verify`."""
    parser.add_argument("file", metavar="FILE", help="an evidence pack: NAME.vouch")
    parser.add_argument("--documents", metavar="FOLDER", help="where the cited documents are, under whatever names")
    parser.add_argument("--key", metavar="PUBLIC", help="the key that must have signed it: its file, or itself (RW...)")
    parser.add_argument("--format", choices=("text", "json"), default="text", help="default: %(default)s")


def sign_options(parser: ArgumentParser) -> None:
    """Add the options of `vouch sign`."""
    parser.add_argument("file", metavar="FILE", help="an evidence pack: NAME.vouch")
    parser.add_argument(
        "--key", required=True, metavar="SECRET", help="your secret key; made where there is no such file"
    )


_MAKE, _RUN = "plugins.evidence.making:pack_files", "plugins.evidence.command:verify"
_SIGN = "sign an evidence pack, by a key that is made when it is first used"
_SIGNS = "example:\n  vouch sign answer.vouch --key me.key  makes answer.vouch.minisig; at first the key and me.key.pub"
_SUMMARY = "verify an evidence pack: its files, its quotes and boxes, its sums"
PLUGIN = Plugin(
    name="evidence",
    summary="Write an answer as an evidence pack, and verify one.",
    exports=(Export("evidence", (".vouch",), "Evidence pack", "application/zip", _MAKE, cites=True),),
    commands=(
        Command("verify", _SUMMARY, "plugins.evidence.plugin:verify_options", _RUN, _EXAMPLES),
        Command("sign", _SIGN, "plugins.evidence.plugin:sign_options", "plugins.evidence.command:sign", _SIGNS),
    ),
)
