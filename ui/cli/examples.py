"""The examples that `vouch --help` and each command's --help show below their options."""

from __future__ import annotations

EXAMPLES = """\
examples:
  vouch index --samples                        read the sample documents that come with Vouch
  vouch index reports/                         read every document in a folder
  vouch ask "What drove revenue in 2023?"      answer, each sentence with its source
  vouch ask "..." --overlay pages/             draw the cited pages too, with the proof boxed
  vouch serve                                  do the same in a browser, on this machine only

Each command explains itself: vouch ask --help
Collections live in $VOUCH_HOME, or ~/.local/share/vouch. Nothing leaves this machine.
"""
INDEX_EXAMPLES = """\
examples:
  vouch index --samples                        read the sample documents that come with Vouch
  vouch index report.pdf slides/ scan.tiff     read files, and folders with all they hold
  vouch index archive/ --collection archive    read into a collection of its own
  vouch index https://HOST/PAGE --profile mine.yaml   read a web page; web_hosts in the profile names its host
  vouch index locked.pdf --password -          ask for the password (or set VOUCH_PASSWORD)
  vouch index --zotero ~/Zotero -c library     read a Zotero library: its PDFs, records, tags and collections

Files already indexed are skipped, and changed ones are replaced. Ctrl-C keeps every document that is complete.
exit code: 0 all is well, 1 something failed (the table says what), 2 nothing was usable, 130 you stopped it
"""
REINDEX_EXAMPLES = """\
examples:
  vouch reindex -c papers --text colbert --checkpoint ~/models/C      embed all texts by a model of yours
  vouch reindex -c papers --text minilm        go back to the embedder that comes with Vouch
  vouch reindex -c papers --shards 4           split it into four databases, or into another number
  vouch reindex -c papers --parse              read the kept copies of its files anew, by this version of Vouch
  vouch reindex -c papers                      bring an older format up to date; or go on with what was stopped
  vouch reindex -c papers --discard            give up what was stopped

The collection answers as before until the new version is whole; then that takes its place, in one step. Ctrl-C or a
kill loses nothing: the same command goes on. Documents keep names, tags, dates, notes and anchors; their files are not
needed. Meanwhile nothing else is written to the collection, and its tables take their space twice: docs/upgrading.md.
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
       \u2717 contradicted by its source   ! not supported, no box shown   \u25cb not checked   - no claim
When nothing found answers well enough, Vouch says so and lists where it looked.
"""
CHECK_EXAMPLES = """\
examples:
  vouch check report.md --collection papers    hold each statement of a report against a collection
  vouch check answer.txt --question "How many people work there?"
  llm "Sum up the annual report" | vouch check - --doc annual-report.pdf
  vouch check report.md --export checked.html  write it down with its marks and the places that prove it
  vouch check draft.docx --annotated reviewed.docx       the draft, with a comment on each statement

A statement is searched for by itself, besides what the question finds. A source that it cites ([3], (Holm, 2020), a
footnote, a link) is read first, if it is in the collection, and you are told where it does not say this.
marks: \u2713 supported by its source   ~ supported in part   \u2717 contradicted by a place   ! not supported
       \u25cb nothing was found that proves it   - no claim, so nothing to check
"""
AUDIT_EXAMPLES = """\
examples:
  vouch audit paper.pdf --bibliography mine.bib          hold its references against a bibliography of yours
  vouch audit paper.pdf -b mine.bib --export seen.pdf    box every entry of the paper, coloured, with a comment
  vouch audit paper.pdf -b mine.bib --bibtex fixed.bib   write the entries with errors as their records have them
  vouch audit paper.pdf -c papers --sources cited/       check what the paper says of the papers that it cites, too
  vouch audit draft.bbl -b mine.bib --fail-on invented,missing --json        fail in CI

verdicts: \u2713 real   \u2260 real, with errors (which, with both values)   ! likely invented   ? unknown
Unknown is no sign of a fake: no source covers the work, or none could be reached. What is asked over the network is
chosen in the section audit of a profile; nothing is unless it says so. Ctrl-C keeps what is done, in the report too.
exit code: 0 done, 1 an outcome that --fail-on names is there, 2 nothing could be audited, 130 you stopped it
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
  vouch connect small.gguf --to local.yaml --add small    a second model, chosen by its name: vouch ask --model small

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
CONFIRM_EXAMPLES = """\
examples:
  vouch confirm data                           decide on each pair of a reference and a part of its paper
  vouch confirm data --port 7870               where 7862 is taken

DIR is what `vouch eval construct mcitebench` made. Every decision is kept at once, in DIR/decisions.json; the same
construct command again, with --confirmed, applies them and asks no model.
"""
SERVE_EXAMPLES = """\
examples:
  vouch serve                                  serve this machine only
  vouch serve --host 0.0.0.0 --auth-file who.txt         serve others too, who log in
  vouch serve --root-path https://NAME/PATH    stand behind a proxy that serves it there
  vouch serve --on ray                         have the nodes of a Ray cluster search the shards of collections
  vouch serve --mcp                            offer tools to a language model: http://127.0.0.1:7860/mcp
  vouch serve --accounts --mcp                 the same, to whoever sends a token (vouch admin token add)

Programs: curl http://127.0.0.1:7860/api says what they can ask, and how.
"""
