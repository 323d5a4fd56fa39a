"""Check a text against a collection: the command, the tab, the operation of the API, and annotated copies."""

EXAMPLES = """\
examples:
  vouch check report.md --collection papers    check each statement of a report against a collection
  vouch check answer.txt --question "How many people work there?"
  llm "Sum up the annual report" | vouch check - --doc annual-report.pdf
  vouch check report.md --export checked.html  write it with its marks and the places that prove it
  vouch check draft.docx --annotated reviewed.docx       the draft, with a comment on each statement

Each statement is searched for on its own, in addition to what the question finds. A source that it cites ([3],
(Holm, 2020), a footnote, a link) is read first if it is in the collection, and Vouch tells you if it does not say this.
marks: \u2713 confirmed by a place   \u2717 contradicted by a place   \u25cb not confirmed: shows a place, but no proof
       - no claim, so nothing to check
"""
"""The examples below the help of the command."""
