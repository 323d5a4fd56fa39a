"""The examples that `vouch --help` and each command's --help show below their options."""

from __future__ import annotations

EXAMPLES = """\
examples:
  vouch index reports/                         read every document in a folder
  vouch ask "What drove revenue in 2023?"      an answer, each sentence with its source
  vouch ask "..." --overlay pages/             and the cited pages, with the proof boxed
  vouch serve                                  the same in a browser, on this machine only

Each command explains itself: vouch ask --help
Collections live in $VOUCH_HOME, or ~/.local/share/vouch. Nothing leaves this machine.
"""
INDEX_EXAMPLES = """\
examples:
  vouch index report.pdf slides/ scan.tiff     folders are walked
  vouch index archive/ --collection archive    a collection of its own
  vouch index locked.pdf --password -          asks for the password

Files already indexed are skipped, changed ones replaced. Ctrl-C keeps every document that is complete.
exit code: 0 all well, 1 something failed (the table says what), 2 nothing usable, 130 stopped
"""
SEARCH_EXAMPLES = """\
examples:
  vouch search "net income 2023"               what would be looked at, best first, without an answer
  vouch search "the map" --mode image          pages by their pixels
  vouch search "how many?" --json | jq .evidence

Each line says which of the queries found it; the queries stand above.
"""
ASK_EXAMPLES = """\
examples:
  vouch ask "How many people work there?"
  vouch ask "What was net income?" --doc 10k-2023.pdf --doc 10k-2022.pdf
  vouch ask "Who chairs the board?" --json | jq .sentences
  vouch ask "What fell in March?" --overlay pages/
  vouch ask "How many people?" --mode text     compare: text, image (what pages look like), multi (both)
  vouch ask "Where is this sold?" --image label.png
  vouch ask "Why did costs rise?" --method cot --profile mine.yaml      a model of yours writes, Vouch checks

marks: \u201d quoted   = computed from cells   \u2713 supported by its source   ~ supported in part
       ! not supported, no box shown   \u25cb not checked
When nothing found answers well enough, Vouch says so and lists where it looked.
"""
SERVE_EXAMPLES = """\
examples:
  vouch serve                                  this machine only
  vouch serve --host 0.0.0.0 --auth-file who.txt         for others too, who log in
  vouch serve --root-path /vouch               behind a proxy that serves it there
  vouch serve --mcp                            tools for a language model: http://127.0.0.1:7860/gradio_api/mcp/
"""
