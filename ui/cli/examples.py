"""The examples that `vouch --help` and each command's --help show below their options."""

from __future__ import annotations

EXAMPLES = """\
examples:
  vouch index reports/                         read every document in a folder
  vouch ask "What drove revenue in 2023?"      answer, each sentence with its source
  vouch ask "..." --overlay pages/             draw the cited pages too, with the proof boxed
  vouch serve                                  do the same in a browser, on this machine only

Each command explains itself: vouch ask --help
Collections live in $VOUCH_HOME, or ~/.local/share/vouch. Nothing leaves this machine.
"""
INDEX_EXAMPLES = """\
examples:
  vouch index report.pdf slides/ scan.tiff     read files, and folders with all they hold
  vouch index archive/ --collection archive    read into a collection of its own
  vouch index locked.pdf --password -          ask for the password (or set VOUCH_PASSWORD)

Files already indexed are skipped, and changed ones are replaced. Ctrl-C keeps every document that is complete.
exit code: 0 all is well, 1 something failed (the table says what), 2 nothing was usable, 130 you stopped it
"""
SEARCH_EXAMPLES = """\
examples:
  vouch search "net income 2023"               rank what bears on it, best first, without an answer
  vouch search "the map" --mode image          find pages by their pixels
  vouch search "how many?" --json | jq .evidence

Each line says which of the queries found it; the queries stand above.
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

marks: \u201d quoted   = computed from cells   \u2713 supported by its source   ~ supported in part
       ! not supported, no box shown   \u25cb not checked   - no claim, so nothing to check
When nothing found answers well enough, Vouch says so and lists where it looked.
"""
LIST_EXAMPLES = """\
examples:
  vouch list                                   name all collections
  vouch list --collection papers               list the documents of one, with pages, sizes and ids
  vouch list --collection papers --json
"""
REMOVE_EXAMPLES = """\
examples:
  vouch remove report.pdf --collection papers  take out one document; its file stays where it is
  vouch remove --all --collection papers       delete the whole collection

vouch list --collection papers shows names and ids; vouch compact gives the disk space back.
"""
STATS_EXAMPLES = """\
examples:
  vouch stats                                  measure the only collection, or the one called default
  vouch stats --collection papers --json
"""
COMPACT_EXAMPLES = """\
examples:
  vouch compact --collection papers            give back what many removed or replaced documents took
"""
RESOLVE_EXAMPLES = """\
examples:
  vouch resolve vouch1:AAAA                    look in all collections; exports have an anchor beside each source
  vouch resolve vouch1:AAAA --collection papers --json

exit code: 0 the place is known, 1 the document changed, 2 it is not there or this is no anchor
"""
CONNECT_EXAMPLES = """\
examples:
  vouch connect                                find what runs here: Ollama, LM Studio, llama.cpp, vLLM
  vouch connect http://127.0.0.1:11434/v1 --model qwen3-vl:8b       take this model of this server
  vouch connect https://models.example.org/v1 --key-env EXAMPLE_KEY  take a service (the variable holds the key)
  vouch connect model.gguf --mmproj mmproj.gguf --to local.yaml     run a file in this process: no server

The model is asked whether it holds to a JSON schema, sees images, and how long its context is; then one question, to
show that it answers. No document is shown to it, and nothing is downloaded. The profile is then given to the other
commands: vouch ask "..." --profile connected.yaml
exit code: 0 the profile is written, 1 there are several models to choose from, 2 none answers
"""
DOCTOR_EXAMPLES = """\
examples:
  vouch doctor                                 look at folder, disk and embedders
  vouch doctor --profile mine.yaml             look at the model of your own profile too
  vouch doctor --collection papers             see whether that collection can be opened

exit code: 0 all is well, 1 something has to be changed (the line says what)
"""
SERVE_EXAMPLES = """\
examples:
  vouch serve                                  serve this machine only
  vouch serve --host 0.0.0.0 --auth-file who.txt         serve others too, who log in
  vouch serve --root-path https://NAME/PATH    stand behind a proxy that serves it there
  vouch serve --mcp                            offer tools to a language model: http://127.0.0.1:7860/gradio_api/mcp/

Programs: curl http://127.0.0.1:7860/api says what they can ask, and how.
"""
