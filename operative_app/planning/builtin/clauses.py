# ruff: noqa: E501 - a pattern or a list of words reads best on one line
"""Cuts a masked goal into clauses, one for each thing to do."""

from __future__ import annotations

import re

from rapidfuzz.distance import OSA

from operative_app.planning.builtin.masking import PART

PAGE_VERBS = (  # noqa: SIM905 - a list of words
    "delete remove edit download like approve reject cancel rename archive share play pause pay export print "
    "reply follow unfollow mute unmute duplicate start stop restart refresh show hide view expand collapse accept "
    "decline agree deny confirm save send submit apply publish post update verify request join leave donate clear "
    "reset undo redo enable disable complete finish place review track customise customize configure personalise "
    "personalize redeem claim renew extend upgrade downgrade reopen resolve assign snooze preview browse reschedule "
    "rebook retry import merge bookmark favourite favorite block unblock resend begin launch withdraw connect "
    "disconnect regenerate calculate redo revoke restore revert recalculate activate reactivate deactivate install "
    "uninstall enrol enroll unsubscribe hide unhide unlink unpin unstar unarchive minimise minimize maximise maximize "
    "star pin validate authorise authorize acknowledge apply withdraw onboard resume skip forward retweet repost upvote downvote"
).split()
"""Verbs that name a control of the page."""

GOAL_VERBS = [
    "book",
    "reserve",
    "order",
    "buy",
    "purchase",
    "create",
    "make",
    "subscribe",
    "register",
    "convert",
    "schedule",
    "rent",
    "hire",
    "invite",
    "sign",
    "transform",
    "generate",
]
"""Verbs of the known task shapes."""

_OWN_VERBS = (  # noqa: SIM905 - a list of words
    "open visit navigate browse load head search look hunt google click press tap push hit choose select pick "
    "take type enter write put input insert paste key fill set change tick untick check uncheck mark unmark turn "
    "switch activate deactivate deselect add proceed continue move go scroll wait hover point double-click double "
    "right-click right upload attach solve read tell report get find what what's whats how count make ensure "
    "assert give copy extract say sort arrange log let close dismiss back return provide untick show which who "
    "when where is are don't dont never do list collect fetch translate compare summarize summarise watch call "
    "email install use turn checkout filter narrow know drag"
).split()

VERBS = frozenset({*PAGE_VERBS, *GOAL_VERBS, *_OWN_VERBS})

CONTROL_WORDS = frozenset(
    (  # noqa: SIM905 - a list of words
        "compare fork flag vote rate label tag transfer deposit claim return exchange watch nudge poke scan sync "
        "zoom rotate crop mirror trade bid boost feature highlight quote lock unlock ignore escalate endorse sponsor tip"
    ).split()
)
"""Names of controls that may as well be a noun or ask for a judgement: read as such only beside clauses that are sure."""

_FILLER = re.compile(
    r"^(?:(?:please|pls|plz|kindly|now|just|ok(?:ay)?|so|well|hi|hello|hey|also|again"
    r"|(?:could|can|would|will) (?:you|u)(?: please)?(?: help me(?: to)?)?"
    r"|i(?:['’]d| would) (?:like|love)(?: you)? to|i (?:want|need)(?: you)? to|i want|you (?:should|must|can|have to|need to)"
    r"|go ahead and|let['’]?s|let us|try to|help me(?: to)?|make sure to|be sure to|remember to|try and|we (?:need|want) to"
    r"|there,?|here,?|on (?:this|the|that) (?:page|site|website)|in there|the goal is to|your task is to)\b[,:]?\s*)+",
    re.IGNORECASE,
)
_ORDER = re.compile(
    r"^(?:and\s+)?(?:(?:first(?:ly| of all)?|second(?:ly)?|third(?:ly)?|next|finally|lastly|last|then|after(?:wards| that)"
    r"|once (?:that is|that['’]s|you are|you['’]re) (?:done|there|finished)|when (?:that is|that['’]s) done|and|but|step \d+)"
    r"\b\s*[,:]?\s*)+",
    re.IGNORECASE,
)
_THANKS = re.compile(
    r"[\s,.!]*\b(?:please|thanks|thank you|thx)(?: (?:a lot|very much|in advance))?[\s,.!]*$", re.IGNORECASE
)
_ASIDE = re.compile(
    r"\s*\((?:(?:the )?(?:person|user|human)|me|you|i|myself|i (?:will )?do (?:that|it)(?: myself)?|optional(?:ly)?)[^()]*\)",
    re.IGNORECASE,
)
_HARD = re.compile(
    r"\s*(?:;|\n+|(?<![\s.][A-Za-z])(?<!\bNo)(?<!\bMr)(?<!\bDr)(?<!\bSt)(?<!\bMs)(?<!\bMrs)(?<!\be\.g)[.!?](?=\s|$)"
    r"|→|[-=]>|,?\s*\b(?:and then|then|after that|afterwards|and after that|and finally|, finally)\b[,:]?)\s*",
    re.IGNORECASE,
)
_SOFT = re.compile(r"\s*(?:,\s*(?:and|but|or)?|\b(?:and|but)\b|&)\s+", re.IGNORECASE)
_WANTED = re.compile(
    r"^(?:please\s+)?(?:i(?:['’]d| would) (?:like|love)(?: to (?:have|get|order))?|i (?:want|need)(?: to (?:have|get))?|i['’]ll (?:have|take)"
    r"|(?:can|could|may) i (?:have|get)|(?:get|give|bring|send) (?:me|us))\s+(?=(?:an?|one|two|three|four|five|some|\d+)\s+(?!new tab)\S)",
    re.IGNORECASE,
)
_AHEAD = re.compile(
    r"^(?:at|on|in) (?:the |my )?(?:check ?out|cart|basket|(?:next|review|payment|confirmation) page|results page)(?: page)?,?\s+(?=\S)",
    re.IGNORECASE,
)
_LISTED = re.compile(r"(?:^|(?<=\s))(?:\(?\d{1,2}[.)]|[-*•–])\s+")
_IMPERATIVE = re.compile(r"^[a-z]{3,}\s+(?:the|a|an|my|it|all|each|every|this|that|them|me)\b")
_NO_VERB = frozenset(
    (  # noqa: SIM905 - a list of words
        "for with from into onto the and but nor than via per under over about after before near only not any all "
        "both either that this these those every each also plus like through without within between during"
    ).split()
)
_QUESTIONS = frozenset({"what", "what's", "whats", "who", "which", "how", "where", "when"})
_WORD = re.compile(rf"[\w'’-]+|{PART}")


def split(text: str, *, also: frozenset[str] = frozenset(), alone: frozenset[str] = frozenset()) -> list[str]:
    """The clauses of a masked goal, in order, connecting and polite words taken off; never an empty one.

    Args:
        also: Verbs that begin a clause beside `VERBS`.
        alone: Those that need nothing behind them.
    """
    text = _ASIDE.sub("", text.replace("\r", "\n"))
    text = _spelled(re.sub(r"(?i)\b(?:go ahead and|try and)\s+", "", text))
    clauses: list[str] = []
    for piece in _hard_pieces(text):
        clauses.extend(_soft_pieces(piece, also, alone))
    cleaned = (clean(clause) for clause in clauses)
    return [clause for clause in cleaned if clause]


def clean(clause: str) -> str:
    """Take off fillers, connecting words, thanks and closing punctuation."""
    text = _WANTED.sub("order ", " ".join(clause.split()).strip(" ,;.!?"))
    while True:
        shorter = _FILLER.sub("", text)
        if not re.match(r"(?i)(?:first|second|third|last|next) (?:result|one|link|row|item|page)\b", shorter):
            shorter = _ORDER.sub("", shorter)
        shorter = _THANKS.sub("", shorter).strip(" ,;")
        ahead = _AHEAD.match(shorter)
        if ahead and starts_clause(shorter[ahead.end() :]):
            shorter = shorter[ahead.end() :]
        if shorter == text:
            return text
        text = shorter


def starts_clause(fragment: str) -> bool:
    """Whether the fragment begins with something to do, so that the comma or “and” before it separates clauses."""
    text = clean(fragment)
    words = _WORD.findall(text)
    if not words:
        return False
    first = words[0].casefold().replace("’", "'")
    if first in {"email", "mail", "phone", "call"} and not _IMPERATIVE.match(text):
        return False  # the label of a detail: “name Ada, email ada@example.org”
    if first in VERBS:
        return _verb_is_meant(text, [word.casefold() for word in words])
    if re.match(rf"(?i)(?:on|at) {PART}\s*,", text) or re.match(r"(?i)i(?:['’]ll| will)? (?:sign|log)[ -]?in", text):
        return True
    return bool(_IMPERATIVE.match(text)) and first not in _NO_VERB


def _starts_with(fragment: str, also: frozenset[str], alone: frozenset[str]) -> bool:
    """Whether the fragment begins with one of these verbs."""
    words = _WORD.findall(clean(fragment)) if also else []
    if not words:
        return False
    first = words[0].casefold()
    next_cut = re.match(r"[\w’'-]+\s*(?:,|\.|;|$|and\b|then\b)", clean(fragment))
    return (
        first in alone if next_cut else first in also and words[min(1, len(words) - 1)].casefold() not in {"is", "are"}
    )


def _verb_is_meant(text: str, words: list[str]) -> bool:
    """Tell an order from a noun that is written like a verb: “check” in “name, check number”."""
    if len(words) == 1:
        return words[0] in {
            "submit",
            "send",
            "save",
            "confirm",
            "checkout",
            "subscribe",
            "back",
            "search",
            "verify",
            "continue",
            "register",
            "download",
            "pay",
        }
    if words[0] in _QUESTIONS:
        return bool(
            re.match(r"(?i)(?:how (?:many|much)|what(?:['’]?s| is| are| was| were| does| do) |which|who) ?", text)
        )
    if words[0] == "use":
        return bool(re.match(r"(?i)use (?:the|my|an?|it|\d|first|second|third|last)\b", text))
    return not re.match(r"(?i)\w+\s*[:=]", text) and words[1] not in {"is", "are", "and", "of"}


_OFTEN = [
    "search",
    "open",
    "click",
    "press",
    "choose",
    "select",
    "enter",
    "type",
    "check",
    "scroll",
    "subscribe",
    "download",
    "convert",
    "create",
    "order",
    "submit",
    "confirm",
    "close",
    "continue",
    "customise",
    "customize",
    "upload",
    "remove",
    "delete",
]
_NO_SLIP = frozenset("chose pen opens closed clock types sort scrolls".split())  # noqa: SIM905 - a list of words


def _spelled(text: str) -> str:
    """Slips of the pen in the verbs that goals begin with: “serach”, “opne”, “clik”; “chose” is “choose” there."""

    def corrected(found: re.Match[str]) -> str:
        word = found["word"]
        folded = word.casefold()
        if folded == "chose":
            return found["lead"] + "choose"
        if folded in VERBS or folded in CONTROL_WORDS or folded in _NO_SLIP:
            return found[0]
        best = [verb for verb in _OFTEN if _is_slip_of(folded, verb)]
        return found["lead"] + best[0] if len(best) == 1 else found[0]

    return re.sub(
        r"(?i)(?P<lead>(?:^|[,;.\n→&>]\s*|\b(?:and|then|please|you|to)\s+))(?P<word>[a-z]{4,12})(?=\s)", corrected, text
    )


def _is_slip_of(word: str, verb: str) -> bool:
    """Two letters changed about, one left out, or one doubled."""
    if sorted(word) == sorted(verb):
        return OSA.distance(word, verb) == 1
    if len(verb) < 5 or abs(len(word) - len(verb)) != 1:
        return False
    return OSA.distance(word, verb) == 1 and (len(word) < len(verb) or re.search(r"(.)\1", word) is not None)


def _hard_pieces(text: str) -> list[str]:
    text = text.strip()
    if _LISTED.match(text) and (len(_LISTED.findall(text)) > 1 or "\n" in text):
        text = "\n".join(piece for piece in _LISTED.split(text) if piece.strip())
    elif ":" in text.split("\n", 1)[0] and "\n" in text:
        text = re.sub(r"(?m)^\s*(?:\(?\d{1,2}[.)]|[-*•–])\s+", "", text)
    return [piece for piece in _HARD.split(text) if piece and piece.strip()]


def _soft_pieces(piece: str, also: frozenset[str], alone: frozenset[str]) -> list[str]:
    pieces: list[str] = []
    start = 0
    for found in _SOFT.finditer(piece):
        rest = piece[found.end() :]
        is_clause = starts_clause(rest) or _starts_with(rest, also, alone)
        if found.start() >= start and piece[start : found.start()].strip() and is_clause:
            before = piece[start : found.start()]
            is_place = re.match(
                r"(?i)\s*(?:on|at|in|under|inside|within|using|from) (?:the )?\S+(?: \S+){0,3}\s*$", before
            )
            if is_place and "," in found[0]:
                continue  # “on SITE, search …”: the place belongs to what follows
            pieces.append(before)
            start = found.end()
    pieces.append(piece[start:])
    return pieces
