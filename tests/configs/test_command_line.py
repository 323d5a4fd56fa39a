"""The line of a command: faults, spelling, and the colours of words."""

import pytest

from configs import CONTRADICTION, PROOF, UNCONFIRMED, CommandParser, Shades, did_you_mean


def parser() -> CommandParser:
    made = CommandParser(prog="prog")
    made.add_argument("--version", action="store_true")
    commands = made.add_subparsers(dest="command", metavar="COMMAND", required=True)
    ask = commands.add_parser("ask")
    ask.add_argument("question")
    ask.add_argument("--collection", "-c", required=True)
    ask.add_argument("--mode", choices=("text", "image"), default="text", help="where to look")
    ask.add_argument("--limit", type=int, default=5, help="how many (default: %(default)s)")
    ask.add_argument("--json", action="store_true", help="print JSON")
    commands.add_parser("search")
    return made


def told(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    """The one line that these words are answered with."""
    with pytest.raises(SystemExit) as stop:
        parser().parse_args(words)
    assert stop.value.code == 2
    said = capsys.readouterr()
    assert (said.out, said.err.count("\n")) == ("", 1)
    return said.err.rstrip("\n")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["aks", "x"], "prog: error: argument COMMAND: 'aks' is not known, did you mean ask? (there are: ask, search)"),
        (["--vresion", "search"], "prog: error: there is no option --vresion, did you mean --version?"),
        (["ask", "x", "--colection", "y"], "prog ask: error: there is no option --colection, did you mean --coll"),
        (["ask", "x", "--colection=y"], "prog ask: error: there is no option --colection, did you mean --collection?"),
        (["ask", "--colection", "y"], "prog ask: error: there is no option --colection, did you mean --collection?"),
        (["ask", "x", "-c", "y", "-z"], "prog ask: error: there is no option -z;"),
        (["ask", "x", "-c", "y", "--mode", "txt"], "'txt' is not known, did you mean text? (there are: text, image)"),
        (
            ["ask", "what", "is", "it", "-c", "y"],
            "unexpected arguments: is it: put quotes around words that belong together",
        ),
        (["ask", "x"], "prog ask: error: the following arguments are required: --collection/-c;"),
        (["ask", "x", "-c", "y", "--limit", "many"], "argument --limit: invalid int value: 'many';"),
    ],
)
def test_a_fault_is_one_line_with_a_hint(capsys: pytest.CaptureFixture[str], words: list[str], said: str) -> None:
    assert said in told(capsys, *words)


def test_a_terminal_obeys_nothing_in_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert "\x1b" not in told(capsys, "ask", "x", "-c", "y", "\x1b[2J")


def test_the_help_says_each_default_once(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        parser().parse_args(["ask", "--help"])
    said = " ".join(capsys.readouterr().out.split())
    assert "where to look (default: text)" in said
    assert "how many (default: 5)" in said
    assert said.count("default") == 2


KNOWN = ("--collection", "--compact", "--json", "-c")


@pytest.mark.parametrize(
    ("word", "said"),
    [
        ("--colection", ", did you mean --collection?"), ("--COLLECTION", ", did you mean --collection?"),
        ("--jsn", ", did you mean --json?"), ("--nothing-like-it", ""), ("", ""),
    ],
)  # fmt: skip
def test_the_nearest_known_name_is_offered(word: str, said: str) -> None:
    assert did_you_mean(word, KNOWN) == said


SHADES = [PROOF, CONTRADICTION, UNCONFIRMED]
LIGHT, DARK = "#faf9f6", "#1f2223"


def luminance(colour: str) -> float:
    parts = [part / 255 for part in bytes.fromhex(colour[1:])]
    red, green, blue = (p / 12.92 if p <= 0.03928 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    """As WCAG 2 counts it: words need 4.5."""
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("shades", SHADES)
def test_words_are_read_on_every_paper(shades: Shades) -> None:
    pairs = [
        (shades.light, LIGHT),
        (shades.light, shades.pale),
        (shades.deep, LIGHT),
        (shades.dark, DARK),
        (shades.dark, shades.pale_dark),
    ]
    assert [pair for pair in pairs if contrast(*pair) < 4.5] == []
