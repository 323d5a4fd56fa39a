"""The options of `vouch models`. Nothing heavy is imported here."""

from __future__ import annotations

import argparse


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the verbs of `vouch models`, each with its options; without one, models are listed."""
    parser.add_argument("--json", action="store_true", help="print the list as JSON and nothing else")
    verbs = parser.add_subparsers(dest="verb", metavar="VERB", title="verbs")
    verbs.add_parser("list", help="list the models that are here, and those that can be had (default)")
    get = verbs.add_parser("get", help="fetch a model by its name, after showing its licence and size")
    get.add_argument("name", metavar="NAME", help="a name of the list, or hf:OWNER/REPO:QUANT for a GGUF")
    get.add_argument("--yes", "-y", action="store_true", help="do not ask before fetching")
    get.add_argument("--accept", metavar="LICENCE", help="accept a licence that forbids commercial use, by its name")
    get.add_argument("--use", action="store_true", help="use it at once, as vouch models use does")
    use = verbs.add_parser("use", help="let a model write answers, or embed a collection")
    use.add_argument("name", metavar="NAME", nargs="?", help="a model that is here")
    use.add_argument("--quotes", action="store_true", help="answer with quotes again, without a model")
    use.add_argument("--without", metavar="ROLE", choices=("reranker", "verifier"), help="do without a model again")
    use.add_argument("--collection", "-c", metavar="NAME", help="rebuild this collection with the embedder")
    import_ = verbs.add_parser("import", help="take a model from files that are here")
    import_.add_argument("path", metavar="PATH", help="a .gguf file, the folder of a checkpoint, or a packed file")
    import_.add_argument("--mmproj", metavar="FILE", help="the vision part of a .gguf file")
    roles = ("text", "visual", "reranker", "verifier")
    import_.add_argument("--role", choices=roles, help="of a checkpoint (default: by its configuration)")
    import_.add_argument("--name", metavar="NAME", help="the name of the model here (default: that of the file)")
    pack = verbs.add_parser("pack", help="write models into one file for a machine without network")
    pack.add_argument("names", metavar="NAME", nargs="+", help="models that are here")
    pack.add_argument("--to", metavar="FILE", required=True, help="the .tar file to write")
    remove = verbs.add_parser("remove", help="delete a model from this machine")
    remove.add_argument("name", metavar="NAME", help="a model that is here")
    verbs.add_parser("suggest", help="name three ways to a model that writes the answers")
    calibrate = verbs.add_parser("calibrate", help="find the threshold of a verifier on claims that were judged")
    calibrate.add_argument("name", metavar="NAME", help="a verifier that is here")
    form = 'lines of JSON: {"text": ..., "claim": ..., "supported": true}'
    calibrate.add_argument("--pairs", metavar="FILE", required=True, help=form)
    calibrate.add_argument(
        "--precision", type=float, default=0.95, metavar="P",
        help="the share of confirmed claims that have to be right (default: %(default)s)",
    )  # fmt: skip
    pair = verbs.add_parser("compare", help="ask your own questions with two profiles, side by side")
    pair.add_argument("--collection", "-c", metavar="NAME", default="default", help="the collection to ask")
    pair.add_argument("--first", metavar="P", default="embedded", help="a profile (default: %(default)s, quotes)")
    pair.add_argument("--second", metavar="P", default="default", help="another (default: %(default)s, your own)")
    pair.add_argument("--questions", metavar="FILE", help="a question a line (default: the latest asked on the page)")
    pair.add_argument("--limit", type=int, default=20, metavar="N", help="the most questions (default: %(default)s)")
    pair.add_argument("--json", action="store_true", help="print all answers as JSON and nothing else")
