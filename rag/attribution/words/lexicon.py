"""The words that checking knows: numbers, months, negations, synonyms and opposites. Data, no code.

English first, with the German and French words that numbers and dates come with. Keys are lower case.
"""

from __future__ import annotations


def _words(text: str, between: str | None = None) -> list[str]:
    return text.split(between)


NUMBER_WORDS = {
    word: value
    for value, words in enumerate(
        _words(
            "zero|one eins|two zwei deux|three drei trois|four vier quatre|five fünf cinq|six sechs|seven sieben sept|"
            "eight acht huit|nine neun neuf|ten zehn dix|eleven onze|twelve zwölf douze|thirteen dreizehn|"
            "fourteen vierzehn|fifteen fünfzehn|sixteen sechzehn|seventeen siebzehn|eighteen achtzehn|"
            "nineteen neunzehn",
            "|",
        )
    )
    for word in words.split()
} | {
    word: 10 * tens
    for tens, words in enumerate(
        _words(
            "twenty zwanzig|thirty dreißig|forty vierzig|fifty fünfzig|sixty sechzig|seventy siebzig|eighty achtzig|"
            "ninety neunzig",
            "|",
        ),
        2,
    )
    for word in words.split()
}
FALSE_NUMBERS = frozenset({"sept"})
"""The number words that more often mean something else: they are no number unless a digit stands there."""

ORDINALS = {
    word: value
    for value, word in enumerate(
        _words("first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth"), 1
    )
}

MONTHS = {
    name: number
    for number, names in enumerate(
        _words(
            "january januar janvier jan|february februar février feb|march märz mars mar|april avril apr|may mai|"
            "june juni juin jun|july juli juillet jul|august août aug|september septembre sep sept|"
            "october oktober octobre oct|november novembre nov|december dezember décembre dec",
            "|",
        ),
        1,
    )
    for name in names.split()
}

HEDGES = _words("about approximately around roughly nearly almost some circa ca approx estimated")
BOUNDS = {
    "no more than": -1,
    "not more than": -1,
    "up to": -1,
    "at most": -1,
    "less than": -1,
    "fewer than": -1,
    "under": -1,
    "below": -1,
    "maximum of": -1,
    "no less than": 1,
    "not less than": 1,
    "no fewer than": 1,
    "at least": 1,
    "more than": 1,
    "greater than": 1,
    "over": 1,
    "above": 1,
    "exceeding": 1,
    "exceeded": 1,
    "minimum of": 1,
}
LABELS = _words(
    "table figure fig section sec chapter note item page pages p pp step appendix level part no equation eq exhibit "
    "version v question type phase grade class register abbildung abb tabelle tab seite kapitel"
)
"""The words before a number that make it a name ("Table 2")."""

NEGATIONS = frozenset(
    _words(
        "not no never none neither nor without cannot nobody nothing nowhere hardly barely unable nicht kein keine "
        "keinen keiner ohne nie niemals ne pas jamais sans"
    )
)

STOP = frozenset(
    _words(
        "a an the and or but of to in on at by for from with as that this these those it its is are was were be been "
        "being am has have had having do does did done will would shall should can could may might must there here "
        "then than so such which who whom whose what when where while also into onto over under about per their his "
        "her our your my we they he she you i them us him me if both each any all some more most other same own very "
        "just only out up down off again once during before after above below between through s t re ve ll d m "
        "according amounted came totalled totaled stood equalled equaled reported recorded figure value amount "
        "respectively approximately around roughly nearly almost circa approx until since because due der die das den "
        "dem des ein eine einen einem einer und oder aber von zu im am auf bei für mit als dass ist sind war waren "
        "wird werden hat haben le la les l un une et ou de du dans sur par pour avec est sont"
    )
)
"""The words too common to prove anything; negations are not among them."""

REFERRING = _words(
    "answer answers question questions quote quotes image images picture pictures text texts textual visual "
    "figure figures table tables chart charts graph diagram diagrams illustration document documents report paper "
    "article source sources evidence information data detail details context content description descriptions "
    "passage excerpt page slide section provided given available following relevant corresponding above below "
    "related supporting specific additional various based according shown seen described mentioned stated "
    "depicted illustrated indicated listed noted presented displayed show indicate illustrate depict display "
    "present provide include contain describe mention state list suggest reveal highlight support confirm "
    "conclude conclusion summary summarize overview analysis analyze evident see reflect point find finding "
    "findings look infer inferred derive derived refer reference result response regarding involve note "
    "explanation visually breakdown review representation emphasize"
)
"""The words with which a writer speaks of sources and of the own text: alone they claim nothing."""
CONNECTING = _words(
    "therefore thus hence however additionally furthermore moreover overall finally conclusively specifically "
    "firstly secondly lastly next then yet nevertheless nonetheless compared particularly namely respectively clearly "
    "explicitly directly notably "
    "consequently accordingly versus vs e.g i.e e i g including together"
)
"""The words that join or stress what is said and say nothing themselves: a text need not have them."""
INQUIRIES = _words(
    "look examine analyze analyse determine identify refer review consider check find compare focus count "
    "calculate compute evaluate explore break go use need answer help summarize proceed investigate address "
    "search verify gather locate assess combine sum add subtract divide multiply extract list provide construct "
    "read start"
)
"""The verbs of someone who looks for an answer: "let us examine", "we need to look at"."""
KNOWING = _words("see find know understand conclude infer note observe gather deduce derive learn confirm say state")
"""The verbs of someone who has found an answer: what follows them is claimed."""
SAYING = _words(
    "mention specify provide state show indicate discuss give describe detail information evidence determine "
    "answer address confirm explicit definitive conclusion"
)
"""The words that say of a source whether it says something: "does not specify", "no information"."""

AUXILIARIES = frozenset(
    _words(
        "is are was were be been being am has have had having do does did will would shall should can could may might "
        "must cannot isn't aren't wasn't weren't hasn't haven't hadn't doesn't don't didn't won't can't couldn't"
    )
)
"""The words behind which a sentence says what something does or is."""
DETERMINERS = frozenset(
    _words("a an the its their his her our your my this that these those any all some no each every")
)
"""The words that open a noun: a past form behind one is no predicate ("the planned cost")."""
LINKING = frozenset(
    _words(
        "cost costs take takes took taken hold holds held bring brings brought account accounts accounted earn earns "
        "earned lead leads led reach reaches reached contain contains contained make makes made receive received given "
        "based called"
    )
)
"""The verbs that only tie a value to its thing: "takes 35 minutes", "held 2,907 in cash"."""
PAST = frozenset(
    _words(
        "sank sunk fell fallen rose risen lost won broke broken burnt sold bought built went gone came gave given left "
        "kept met paid ran said sent spent stood told thought wrote written began begun ate beat became bit blew bred "
        "caught chose chosen cut dealt died drank drew drawn drove driven fought fed felt fled flew flown forbade "
        "forgot froze got grew grown hid hit hurt knew laid lay led lent lit meant put quit read rode rang sang sat "
        "saw seen shook shone shot shrank shut slept slid spoke spoken stole struck swam swept swore taught tore threw "
        "thrown woke wore worn withdrew withdrawn"
    )
)
"""The past forms of verbs that do not end in -ed."""
PARTICLES = (frozenset(("on", "off")), frozenset(("in", "out")))
"""The pairs of small words that turn a verb round: "switch on", "switch off"."""
LEADING = frozenset(_words("before after until than from to for by with without because if unless against instead"))
"""The words that say what the words behind them are to the rest: the order in time, the cause, from where, by whom."""

DIRECTIONS = frozenset(
    _words(
        "more most less least fewer few up down off only all none before after above below under over until again "
        "alone both out"
    )
)
"""The common words that turn what is said: a text must have them, though they are too common to find it by."""
TITLES = _words("mr mrs ms miss dr prof professor sir madam herr frau monsieur madame mme yes")
"""The words that address, or answer: they claim nothing of what is said."""
LIGHT = _words(
    "be do have get give go put come become remain happen appear part place kind type sort form way case thing item "
    "entry example instance name call define title titled topic heading header subject theme column row cell line "
    "sheet series bar axis legend label footnote note chapter section unit document website brochure presentation "
    "publication publish write author following total overall number amount figure "
    "well use need stand many too mean date likewise itself themselves minus plus divide multiply subtract add"
)
"""The words that carry no claim of their own beside the words that do: light verbs, and places in a document."""
PLACES = _words(
    "page slide column row line sheet paragraph table figure chart picture image heading title section caption box map "
    "diagram bullet footnote"
)
"""The places in a document: "the first page", "under the heading"."""
WE = _words(
    "company firm corporation group organisation organization cooperative authority agency team author authors "
    "paper study report article document bibliography researcher researchers they"
)
"""The words for who speaks in a document, which says "we" itself."""
_TIES = {
    "from": "from since off",
    "to": "to into onto toward towards",
    "for to": "for",
    "by with": "by with",
    "by with from": "using via through",
    "without": "without",
    "before": "before prior",
    "after": "after",
    "until to": "until till",
    "above": "above over",
    "below": "below under beneath",
    "against": "against",
    "between": "between",
    "than": "than",
    "": "of in on at within inside during as per about across among beside behind along near upon",
}
PREPOSITIONS = {word: frozenset(_words(kinds)) for kinds, words in _TIES.items() for word in words.split()}
"""The words that tie what follows to what stands before -> the ways in which they do; those of no way fit any."""
ENDINGS = frozenset(
    _words(
        "e ed ing ion ation ment ance ence al ial ical ic ive ity ness y ous ly s ure ary able ible th ledge "
        "ency ancy ent t en"
    )
) | {""}
"""The endings by which forms of one word differ: "implement", "implementation"."""
NEEDED_TIES = frozenset(_words("before after above over below under until since without against"))
"""The ties that a text must have, too."""
DENYING = frozenset(
    _words(
        "impossible unlikely fail fails failed failing lack lacks lacked lacking absent absence avoid avoids prevent "
        "prevents prevented refuse refuses refused deny denies denied rarely seldom few little instead rather than "
        "unless except excluding exclude only until but however though although"
    )
)
"""The words that may deny, limit or turn without a "not": beside them a negation more or less contradicts nothing."""
EXCEPTING = frozenset(_words("except excluding unless without but"))
"""The words behind which what is said does not hold."""
CLAUSES = frozenset(
    _words(
        "and or but that which who whom whose while whereas whether when where "
        "because if although though so nor yet then"
    )
)
"""The words at which a part of a sentence ends."""
RISING = frozenset(
    _words(
        "more higher greater larger bigger longer above over exceed exceeds exceeded exceeding rise rose risen rises "
        "increase increased increases grow grew grown grows gain gained up better faster older ahead most highest "
        "greatest largest biggest longest maximum max top best growth"
    )
)
FALLING = frozenset(
    _words(
        "less lower fewer smaller shorter below under fall fell fallen falls decrease decreased decreases drop "
        "dropped decline declined declines shrink shrank down worse slower younger least lowest fewest smallest "
        "shortest minimum min bottom worst reduction reduced"
    )
)
"""The words that say which of two numbers is the greater, or which of many the greatest."""
CHANGING = frozenset(
    _words(
        "rise rose risen rises increase increased increases grow grew grown grows gain gained growth fall fell "
        "fallen falls decrease decreased decreases drop dropped decline declined declines shrink shrank reduction "
        "reduced"
    )
)
"""Those of them that go from the first number to the second."""
SUPERLATIVES = frozenset(
    _words(
        "most highest greatest largest biggest longest maximum max top best least lowest fewest smallest shortest "
        "minimum min bottom worst"
    )
)

MEASURES = _words("how many much share percentage percent proportion number amount total value figure")
"""The words with which a question asks for a number: an answer is that number, and need not say them."""

_SYNONYMS = (
    "rise rose risen increase grow grew grown growth climb gain",
    "fall fell fallen decrease decline drop shrink shrank reduce reduction less lower fewer",
    "buy bought purchase acquire",
    "sell sold",
    "begin began begun start commence",
    "end finish conclude",
    "show shown display depict illustrate demonstrate present",
    "use used utilise utilize employ",
    "build built construct erect",
    "help assist aid assistance",
    "need require",
    "big large huge",
    "fast quick rapid",
    "revenue sales turnover",
    "cost expense",
    "profit earnings",
    "pay paid payment",
    "person people",
    "child children kid kids",
    "company firm corporation",
    "annual yearly",
    "make made",
    "get got obtain receive",
    "give gave given provide",
    "keep kept retain maintain",
    "lose lost loss",
    "find found discover",
    "say said state",
    "choose chose chosen select",
    "important significant key major considerable considerably substantial",
    "allow permit enable let",
    "replace substitute",
    "contain include comprise",
    "method approach technique",
    "car vehicle automobile",
    "remove delete",
    "happen occur",
    "hold held",
    "take took taken",
    "carry transport",
    "ensure guarantee",
    "additional further extra",
    "press push",
    "hazard danger",
    "write wrote written",
    "percent percentage share proportion",
    "overall total",
    *_words(
        "often frequently|mainly primarily chiefly mostly|enough sufficient sufficiently adequate|"
        "located situated|difficult hard challenging|whole entire|majority bulk|leave depart departure|close shut|"
        "arrive arrival|"
        "boat ship vessel|pupil student|staff personnel workforce|customer client|illness disease sickness|"
        "inspect examine|fix repair mend|prohibit forbid ban|answer reply respond response|try tried attempt|"
        "goal objective aim|result outcome|rule regulation|error mistake|fault defect|damage harm|"
        "improve enhance|evaluate assess|believe think thought|produce manufacture|gather collect|"
        "arrange organise organize|change alter modify|divide split|stop cease halt|wide broad|"
        "correct accurate|cheap inexpensive|safe secure|rich wealthy|achieve attain|"
        "speak spoke spoken talk|sink sank sunk|break broke broken|drive drove driven|eat ate eaten|"
        "fly flew flown|go went gone|know knew known|lead led|meet met|run ran|see saw seen|send sent|"
        "spend spent|stand stood|teach taught|tell told|win won",
        "|",
    ),
)
SYNONYMS = {word: group.split()[0] for group in _SYNONYMS for word in group.split()}
"""The words -> the word that stands for all that mean the same here."""

_OPPOSITES = (
    "rise/fall more/less more/fewer increase/decrease higher/lower high/low up/down before/after above/below "
    "first/last largest/smallest big/small biggest/smallest highest/lowest minimum/maximum most/least always/never "
    "begin/end open/close opened/closed with/without buy/sell profit/lose gain/lose profit/loss import/export "
    "left/right north/south east/west northern/southern eastern/western early/late earlier/later old/new young/old "
    "positive/negative include/exclude allow/forbid allow/prohibit accept/reject success/failure succeed/fail "
    "win/lose internal/external input/output long/short longer/shorter longest/shortest better/worse best/worst "
    "male/female men/women add/remove push/pull enable/disable asset/liability assets/liabilities strong/weak "
    "stronger/weaker add/subtract agree/disagree fast/slow faster/slower hot/cold warm/cool outside/inside even/odd "
    "public/private domestic/foreign summer/winter morning/evening day/night weekdays/weekends like/unlike "
    "majority/minority possible/impossible available/unavailable able/unable legal/illegal known/unknown "
    "common/rare gross/net approve/reject credit/debit lend/borrow lender/borrower cheap/expensive "
    "increases/decreases top/bottom upper/lower front/rear "
    "alone/together"
)
OPPOSITES = frozenset(frozenset(pair.strip().split("/")) for pair in _OPPOSITES.split())
