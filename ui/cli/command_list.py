"""The commands of `vouch`, in the order of its help, with the examples that each one's --help shows."""

from __future__ import annotations

from vouch.hooks import Command, additions, with_added

EXAMPLES = """\
examples:
  vouch demo                                   read the sample documents that come with Vouch, ask, draw the pages
  vouch index reports/                         read every document in a folder
  vouch ask "What drove revenue in 2023?"      answer, with a source for every sentence
  vouch ask "..." --overlay pages/             draw the cited pages too, with the proof boxed
  vouch serve                                  do the same in a browser, on this machine only

Each command has its own help: vouch ask --help
Collections live in $VOUCH_HOME, or ~/.local/share/vouch. Nothing leaves this machine.
"""
DEMO_EXAMPLES = """\
examples:
  vouch demo                                   one question, and its pages in demo-output/
  vouch demo "What does a ticket cost?" --overlay pages/

The documents become the collection samples, which vouch ask, serve and list have too; vouch remove -c samples --all
deletes it.
"""
_INDEX_EXAMPLES = """\
examples:
  vouch index --samples                        read the sample documents that come with Vouch
  vouch index report.pdf slides/ scan.tiff     read files, and folders with everything in them
  vouch index archive/ --collection archive    read it into its own collection
  vouch index locked.pdf --password -          ask for the password (or set VOUCH_PASSWORD)
{sources}
Files already indexed are skipped, and changed ones are replaced. Ctrl-C keeps every document that is complete.
exit code: 0 all is well, 1 something failed (see the table), 2 nothing could be read, 130 stopped by Ctrl-C
"""
REINDEX_EXAMPLES = """\
examples:
  vouch reindex -c papers --text colbert --checkpoint ~/models/C      embed all texts with your own model
  vouch reindex -c papers --text minilm        go back to the embedder that comes with Vouch
  vouch reindex -c papers --parse              parse the stored copies of its files again, with this version of Vouch
  vouch reindex -c papers                      continue a reindex that was stopped
  vouch reindex -c papers --discard            discard a reindex that was stopped

The collection answers as before until the new version is complete and replaces it in one step. Ctrl-C or a kill loses
nothing: run the same command again to continue. Documents keep their names, tags, dates, notes and anchors; their files
are not needed. Meanwhile nothing else can be written to the collection, and its tables need twice the space:
docs/upgrading.md.
exit code: 0 all is well, 1 something failed (see the table), 2 nothing could be read, 130 stopped by Ctrl-C
"""
SEARCH_EXAMPLES = """\
examples:
  vouch search "net income 2023"               list what was found, best first, without an answer
  vouch search "the map" --mode image          find pages by their pixels
  vouch search "how many?" --json | jq .evidence

Each line says which of the queries found it; the queries are listed above.
"""
ASK_EXAMPLES = """\
examples:
  vouch ask "How many people work there?"
  vouch ask "What was net income?" --doc 10k-2023.pdf --doc 10k-2022.pdf
  vouch ask "Who chairs the board?" --json | jq .sentences
  vouch ask "What fell in March?" --overlay pages/
  vouch ask "How many people?" --mode text     compare the modes text, image (pixels of pages), multi (both)
  vouch ask "Where is this sold?" --image label.png
  vouch ask "Why did costs rise?" --method cot --profile mine.yaml      your model writes, and Vouch checks

marks: \u201d quoted   = computed from cells   \u2713 confirmed by its source   \u2717 contradicted by its source
       \u25cb not confirmed: its source is where the model points, not a proof   - no claim
If nothing that it finds answers well enough, Vouch says so and lists where it looked.
"""
LIST_EXAMPLES = """\
examples:
  vouch list                                   list all collections
  vouch list --collection papers               list the documents of one, with pages, sizes and ids
  vouch list --collection papers --json
"""
REMOVE_EXAMPLES = """\
examples:
  vouch remove report.pdf --collection papers  remove one document; its file stays where it is
  vouch remove --all --collection papers       delete the whole collection

vouch list --collection papers shows names and ids; vouch compact frees the disk space.
"""
STATS_EXAMPLES = """\
examples:
  vouch stats                                  describe the only collection, or the one called default
  vouch stats --collection papers --json
"""
COMPACT_EXAMPLES = """\
examples:
  vouch compact --collection papers            free the space of removed and replaced documents
"""
RESOLVE_EXAMPLES = """\
examples:
  vouch resolve vouch1:AAAA                    look in all collections; exports have an anchor beside each source
  vouch resolve vouch1:AAAA --collection papers --json

exit code: 0 the place was found, 1 the document has changed, 2 not found, or not an anchor
"""
CONNECT_EXAMPLES = """\
examples:
  vouch connect                                find what runs here: Ollama, LM Studio, llama.cpp, vLLM
  vouch connect http://127.0.0.1:11434/v1 --model qwen3-vl:8b       use this model of this server
  vouch connect https://models.example.org/v1 --key-env EXAMPLE_KEY  use an online service (the variable holds the key)
  vouch connect model.gguf --mmproj mmproj.gguf --to local.yaml     run a model file, without a server
  vouch connect small.gguf --to local.yaml --add small    print the lines for a second model: vouch ask --model small

The model is tested for JSON schemas, for images and for the length of its context, and asked one question to show that
it answers. It sees no document, and nothing is downloaded. Then give the profile to the other commands:
vouch ask "..." --profile connected.yaml
exit code: 0 the profile was written, 1 there are several models to choose from, 2 no model answered
"""
DOCTOR_EXAMPLES = """\
examples:
  vouch doctor                                 check the home folder, the disk and the embedders
  vouch doctor --profile mine.yaml             check the model of your own profile too
  vouch doctor --collection papers             check that this collection can be opened

exit code: 0 all is well, 1 something has to be changed (the line says what)
"""
SERVE_EXAMPLES = """\
examples:
  vouch serve                                  serve this machine only
  vouch serve --accounts --host 0.0.0.0        serve other people too, who log in (vouch admin user add)
  vouch serve --root-path https://NAME/PATH    serve behind a reverse proxy at this address
  vouch serve --mcp                            offer tools to a language model: http://127.0.0.1:7860/mcp
  vouch serve --accounts --mcp                 the same, for programs that send a token (vouch admin token add)

For programs: curl http://127.0.0.1:7860/api/v1/openapi.json describes what they can ask (docs/api.md).
"""
FEEDBACK_EXAMPLES = """\
examples:
  vouch feedback export judged/                write questions.yaml and its documents
  vouch feedback list --json                   print every judgement with its note, one line of JSON each

A sentence that was judged right, or whose box was moved, gives its question a gold box; wrong and wrong place give
none, but `list` has them.
Measure on this set with: vouch eval questions --data judged/ --out run/
exit code: 0 written, 1 something was left out (see stderr), 2 nothing to write
"""


def index_examples() -> str:
    """Return the examples of `vouch index`, with those of the sources that plugins add."""
    sources = "".join(f"  {source.example}\n" for source in additions("sources") if source.example)
    return _INDEX_EXAMPLES.format(sources=sources)


_COMMANDS = "ui.cli.commands"
_OPTIONS = "ui.cli.options"

COMMANDS: tuple[Command, ...] = (
    Command(
        "demo", "read the sample documents, answer a question on them, and draw the cited pages",
        f"{_OPTIONS}:demo_options", "ui.cli.commands:demo", DEMO_EXAMPLES,
    ),
    Command(
        "index", "read documents into a collection",
        f"{_OPTIONS}:index_options", "ui.cli.index:index", index_examples(),
    ),
    Command(
        "reindex", "rebuild a collection with another embedder or this version of Vouch",
        f"{_OPTIONS}:reindex_options", "ui.cli.index:reindex", REINDEX_EXAMPLES,
    ),
    Command(
        "ask", "answer a question, with a source for every sentence",
        f"{_OPTIONS}:ask_options", f"{_COMMANDS}:ask", ASK_EXAMPLES,
    ),
    Command(
        "search", "rank the passages, tables and figures for a question, without answering it",
        f"{_OPTIONS}:search_options", f"{_COMMANDS}:search", SEARCH_EXAMPLES,
    ),
    Command(
        "list", "list the collections, or the documents of one",
        f"{_OPTIONS}:list_options", f"{_COMMANDS}:list_", LIST_EXAMPLES,
    ),
    Command(
        "remove", "remove documents from a collection, or delete it",
        f"{_OPTIONS}:remove_options", f"{_COMMANDS}:remove", REMOVE_EXAMPLES,
    ),
    Command(
        "stats", "show how large a collection is and how it was made",
        f"{_OPTIONS}:stats_options", f"{_COMMANDS}:stats", STATS_EXAMPLES,
    ),
    Command(
        "compact", "free the disk space of removed and replaced documents",
        f"{_OPTIONS}:add_collection", f"{_COMMANDS}:compact", COMPACT_EXAMPLES,
    ),
    Command(
        "resolve", "find the place that an anchor points to, wherever its document is now",
        f"{_OPTIONS}:resolve_options", "ui.cli.commands:resolve", RESOLVE_EXAMPLES,
    ),
    Command(
        "eval", "run benchmarks, report and compare the results: vouch eval --help",
        "ui.cli.parser:eval_options", "ui.cli.parser:evaluate",
    ),
    Command(
        "feedback", "export people's judgements of answers as an evaluation set",
        f"{_OPTIONS}:feedback_options", "ui.cli.feedback:feedback", FEEDBACK_EXAMPLES,
    ),
    Command(
        "serve", "start a web page for uploading, asking and reading",
        f"{_OPTIONS}:serve_options", "ui.cli.commands:serve", SERVE_EXAMPLES,
    ),
    Command(
        "connect", "find a language model, test what it supports, and write a profile for it",
        f"{_OPTIONS}:connect_options", "ui.cli.connect:connect", CONNECT_EXAMPLES,
    ),
    Command(
        "doctor", "check everything that a profile needs, and say what to change",
        f"{_OPTIONS}:doctor_options", "ui.cli.doctor:doctor", DOCTOR_EXAMPLES,
    ),
)  # fmt: skip
"""The commands of the core."""


def every_command() -> tuple[Command, ...]:
    """Return the commands of the core, then those of the plugins."""
    return with_added(COMMANDS, [command for command in additions("commands") if not command.group])
