#!/bin/sh
# Make a collection by an earlier commit, as the fixture of its format: make.sh COMMIT FORMAT
# Run it from the root of the repository, with the Python that runs the tests in $PYTHON. It needs /documents, empty.
set -eu
here=$(dirname "$0")
old=$(mktemp -d)
git archive "$1" | tar -x -C "$old"
"$PYTHON" "$here/documents.py" /documents
(cd "$old" && VOUCH_HOME="$old/home" "$PYTHON" -m ui.cli index /documents --collection old)
rm -f "$old/home/old/writer.lock" "$here/format-$2.zip"
(cd "$old/home" && "$PYTHON" -m zipfile -c "$OLDPWD/$here/format-$2.zip" old)
rm -r "$old"
