"""`vouch serve`: the page is served until the user stops it."""

from __future__ import annotations

from argparse import Namespace
from contextlib import ExitStack

from indexing import Collection, default_home
from rag import load_profile
from ui.cli.password import password_of


def serve(args: Namespace) -> int:
    """Run `vouch serve`: it returns when the user stops it."""
    from ui.access import open_access
    from ui.settings import ui_settings
    from ui.state import open_state
    from ui.web.server import ServerAddress

    if args.collection:
        Collection.open(args.collection).close()  # a mistyped name is reported before the page starts
    server_address = ServerAddress(args.host, args.port, args.accounts, args.root_path, args.share, args.mcp)
    profile = load_profile(args.profile)
    if args.log_format:
        profile = profile.model_copy(update={"ui": profile.ui | {"log_format": args.log_format}})
    with ExitStack() as stack:
        state = stack.enter_context(open_state(default_home()))
        access = open_access(state, ui_settings(profile), accounts=args.accounts)
        from ui.web import serve as serve_page  # imports Gradio: errors in the options are reported before that

        serve_page(server_address, args.collection, profile, state, access, password_of(args))
    return 0
