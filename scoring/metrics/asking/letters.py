r"""The letter in a judge's reply, as a person would read it.

A letter comes with the name of the rule that read it. The prompt asks for the letter alone on the last line, which is
the first rule. Models also write ``**Final answer:** B``, ``\boxed{C}``, ``{"verdict": "C"}``, or the option in full.
Each such place is a *claim*; the claims of a reply must agree, or the last one must be marked as final. A letter in
prose is no claim, and a doubtful reply has no letter: to ask again is cheaper than a wrong verdict.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final


class Rule(StrEnum):
    """The rule that read a letter; stored with the verdict."""

    LAST_LINE = "last_line"
    JSON = "json"
    TAG = "tag"
    BOXED = "boxed"
    LONE_LINE = "lone_line"
    STATEMENT = "statement"
    OPTION = "option"
    END = "end"

    @property
    def label(self) -> str:
        """The rule in words."""
        return _LABELS[self]


_LABELS = {
    Rule.LAST_LINE: "the letter alone on the last line",
    Rule.JSON: "a field of a JSON object",
    Rule.TAG: "a tag around the letter",
    Rule.BOXED: "a LaTeX box",
    Rule.LONE_LINE: "the letter alone on another line, or with a bullet or a label",
    Rule.STATEMENT: "a statement of the answer",
    Rule.OPTION: "an option, written out",
    Rule.END: "the letter after the last sentence",
}


LONGEST_VERDICT: Final = 400
"""Characters of a stored verdict."""


@dataclass(frozen=True)
class Reading:
    """A verdict (of FanOutQA's judge a letter) and the rule that read it, if there are several."""

    letter: str
    rule: Rule | None = None


LONGEST_LINE: Final = 4000
"""Characters of a line that are read at once."""
LONGEST_REPLY: Final = 1000
"""Lines of a reply that are read, from its end."""

# --- Preparation -----------------------------------------------------------------------------------------------------

_THOUGHT_END = re.compile(
    r"</\s*(?:think|thinking|thought|thoughts|reasoning|scratchpad|analysis|reflection)\s*>|◁/think▷"
    r"|<\|channel\|>\s*final\s*<\|message\|>|<\|end_of_thought\|>",
    re.IGNORECASE,
)
_THOUGHT_START = re.compile(
    r"<\s*(?:think|thinking|thought|reasoning|scratchpad)\s*>|◁think▷|<\|channel\|>\s*analysis", re.IGNORECASE
)
_SPECIAL = re.compile(r"<\|[^|<>\n]{1,40}\|>|</s>|<s>|<(?:end_of_turn|eos|pad)>|\[/?INST\]", re.IGNORECASE)
_LOOKALIKES = str.maketrans("АВСЕΑΒΕ", "ABCEABE")
_LONELY_LOOKALIKE = re.compile(r"(?<!\w)[АВСЕΑΒΕ](?!\w)")

_QUOTES = "*_`~\"'“”‘’«»"
_EMPHASISED = re.compile(rf"[{_QUOTES}]+\s*\(?([A-Fa-f])\)?[.,:;]?\s*[{_QUOTES}]+(?!\w)")
_LATEX_LETTER = re.compile(
    r"\\(?:text|textbf|mathbf|mathrm|textrm|textit|mathit|bf|rm)\s*\{?\s*\(?([A-F])\)?\s*\}?(?![\w])"
)
_MARKUP = re.compile(r"\\[a-zA-Z]+\s*|\\[()\[\]]|[*`~${}]|(?<!\w)_+|_+(?!\w)|</?[A-Za-z][^<>]{0,40}>")
_BULLET = re.compile(r"^[^\w(\[【「『（\"'“‘]+")


# --- Rule one --------------------------------------------------------------------------------------------------------

# The letter alone, with any enclosing marks: B, (B), **B**, B., "B", **(B).**
_OPENING = r"[\s*_`\"'“‘(\[]*"
_CLOSING = r"[\s*_`\"'”’)\].]*"
_ALONE = re.compile(rf"{_OPENING}([A-F]){_CLOSING}")


def letter_of_last_line(reply: str) -> str | None:
    r"""The capital that is alone on the last line that is not blank, as the prompt asks; otherwise ``None``.

    It may be enclosed in brackets, quotes, emphasis and a full stop.

    >>> letter_of_last_line("Both name Oslo.\n\nC\n\nC")
    'C'
    >>> [letter_of_last_line(line) for line in ("(B)", "**B**", "B.", "**(B).**", " `E` ")]
    ['B', 'B', 'B', 'B', 'E']
    >>> [letter_of_last_line(line) for line in ("my answer is plan B", "C\nThank you!", "b", "G", "")]
    [None, None, None, None, None]
    """
    lines = reply.strip().splitlines()
    match = _ALONE.fullmatch(lines[-1].strip()) if lines else None
    return match[1] if match else None


# --- Places where a reply states its letter --------------------------------------------------------------------------

_NOUN = (
    r"(?:answers?|verdict|choice|option|letter|conclusion|classification|category|judge?ment|grade|rating|evaluation"
    r"|result|selection|decision|label|assessment|output|determination|relationship|case|response|character|overall|description|fit|match)"
)
_KEY = re.compile(
    r"[\"'](?P<key>[\w -]+)[\"']\s*:\s*[\"']\s*(?:option\s+)?\(?(?P<letter>[A-Fa-f])\)?"
    r"\s*(?:[.:)\-–—][^\"'\n]*)?[\"']"
)
_KEY_NAME = re.compile(
    rf"(?:(?:final|correct|my|best|chosen|selected)?[_ -]*{_NOUN})(?:[_ -](?:letter|option|choice))?", re.IGNORECASE
)
_TAG = re.compile(
    rf"<\s*(?P<tag>(?:final[_ -]?|correct[_ -]?)?{_NOUN}|final)\s*>\s*(?:option\s+)?[(*\"]*\s*(?P<letter>[A-Fa-f])\s*"
    r"(?:[).:*\"][^<\n]*)?<\s*/",
    re.IGNORECASE,
)
_BOXED = re.compile(
    r"\\f?boxed\s*\{+\s*(?:\\[a-zA-Z]+\s*\{?\s*)*(?:option\s*|answer\s*:?\s*)?\(?\s*(?P<letter>[A-Fa-f])\s*\)?\.?\s*\}",
    re.IGNORECASE,
)

_FOREIGN = (
    r"(?:submitted|submissions?|expert|experts|reference|given|gold|golden|users?|models?|systems?|candidates?|students?"
    r"|their|its|his|her|provided|original|proposed|truth|two|both|each|first|second|previous|initial|earlier|wrong"
    r"|incorrect|preliminary|tentative|actual|other|no|possible)"
)
_MARKER = (
    rf"(?:(?<!\w)(?:{_NOUN}|Antwort|Réponse|Respuesta|Risposta|Resposta|Ответ)"
    r"|答案|结论|结果|选项|判断|评判|回答|答え|正解|判定|정답|답)"
)
_FILLER = (
    r"(?:\s*\([^()]{0,40}\))?(?:\s+(?:here|for\s+this\s+\w+|in\s+this\s+\w+|(?:that|which)\s+(?:best\s+)?(?:applies|describes"
    r"|fits|matches|represents|captures)(?:\s+\w+){0,6}|to\s+(?:the|this)\s+\w+|(?:from|among)(?:\s+\w+){1,4}"
    r"|about\s+the\s+\w+|letter|selected|chosen|(?:of|between|for|to)\s+the\s+(?:submitted\s+answer|submission|two\s+answers"
    r"|comparison)(?:\s+(?:and|with)\s+the\s+expert(?:\s+answer)?)?)|,\s+(?:therefore|thus|then|hence),)?"
)
_CONNECTOR = (
    r"\s*(?:(?:is|was|would\s+be|should\s+be|will\s+be|must\s+be|remains|est|ist|es|è|=|:|→|->|=>|-|–"
    r"|—|为|是|は|です)\s*)+"
)
_HEDGE = (
    r"(?:(?:clearly|therefore|thus|hence|simply|definitely|certainly|most\s+likely|likely|probably|best(?:\s+described)?"
    r"|indeed|still|then|just|now|as|by|to\s+be|also|again|once\s+more)\s*[,:]?\s+)*"
)
_OBJECT = r"(?:(?:the\s+)?(?:single\s+)?(?:letter|option|choice|answer|category|case|character|选项|选)\s*:?\s*)?"
_BRACKETED = r"[(\[【「『<《]{1,3}\s?(?P<bracketed>[A-Fa-f])\s?[)\]】」』>》]{1,3}"
_WORD = "0-9A-Z_a-zÀ-ɏͰ-ӿ"  # \w includes Chinese characters, which have no spaces between words
_BARE = rf"(?<![{_WORD}'’/.+-])(?P<bare>[A-F])(?![{_WORD}'’+#%&/°]|-[{_WORD}]|\s*[+#*=/])"
_LETTER = rf"(?:{_BRACKETED}|{_BARE})"
_LOW = r"(?:(?<=[:=]\s)(?P<low>[a-f])(?=[\s.)]*$))"
_IS_OPTION = r"(?:option|category|case|choice|letter|answer)"

_STATEMENTS = tuple(
    re.compile(pattern, re.IGNORECASE if "(?i:" not in pattern else 0)
    for pattern in (
        rf"(?i:(?P<marker>{_MARKER}){_FILLER}{_CONNECTOR}{_HEDGE}{_OBJECT})(?:{_LETTER}|{_LOW})",
        (
            rf"(?i:\bnot\s+(?:{_IS_OPTION}\s+)?)[(\[]?[A-F][)\]]?,?(?i:\s+but\s+(?:rather\s+|instead\s+)?(?:{_IS_OPTION}\s+)?)"
            rf"{_LETTER}"
        ),
        (
            r"(?i:\b(?:I|we)(?:['’]\w+|\s+\w+){0,3}?\s+(?:choose|select|pick|go\s+with|answer|assign|conclude|chose|settle\s+on"
            r"|opt\s+for|say|print|output|(?:assign|classify|rate|judge|label|grade|mark|categori[sz]e)(?:\s+(?:this|it|the\s+submission|the\s+submitted"
            rf"\s+answer))?(?:\s+as)?)(?:\s+(?:that\s+)?(?:it|this)\s+is)?\s*:?\s*(?:the\s+)?(?:{_IS_OPTION}\s*)?(?:is\s+|as\s+|:\s*)?(?:an?\s+)?)"
            rf"{_LETTER}"
        ),
        (
            r"(?i:(?:^|[.!,;]\s+)(?:so|thus|therefore|hence|accordingly|consequently|in\s+conclusion|in\s+summary|conclusion|overall"
            rf"|finally|i\.e\.)\s*[,:]?\s*(?:(?:it|this)\s+is\s+|it['’]s\s+|I\s+say\s+)?(?:(?:the\s+)?{_IS_OPTION}\s+)?){_LETTER}(?=[\s.!)]*$)"
        ),
        (
            r"(?i:^(?:.{0,20}\b(?:think|believe|say|guess|conclude)\s+(?:that\s+)?)?(?:it['’]s|(?:it|this)\s+is|that['’]s|that\s+is)\s+"
            rf"(?:an?\s+)?){_LETTER}(?=[\s.!)]*$)"
        ),
        rf"(?i:\(\s*{_IS_OPTION}\s*:?\s*){_BARE}\s*\)",
        rf"(?:→|->|=>|⇒|⟹)\s*{_LETTER}(?=[\s.!)]*$)",
        rf"(?i:\bmakes?\s+(?:this|it|the)\s+(?:an?\s+)?(?:\w+\s+)?(?:{_IS_OPTION}\s+)?){_LETTER}(?=[\s.!,)]|$)",
        (
            r"(?i:\b(?:falls?\s+(?:under|into|in)|corresponds?\s+to|match(?:es)?|fits(?:\s+into)?|(?:described|captured|classified"
            r"|categori[sz]ed|represented)\s+(?:by|as)|belongs\s+(?:to|in)|points?\s+to|leads?\s+(?:me\s+)?to|aligns\s+with"
            rf"|this\s+is|it\s+is|it['’]s|that\s+is|that['’]s|which\s+is|means)\s+(?:the\s+)?{_IS_OPTION}\s*:?\s*){_LETTER}"
        ),
        (
            r"(?i:\b(?:falls?\s+(?:under|into|in)|corresponds?\s+to|(?:described|captured|classified|categori[sz]ed|represented)"
            rf"\s+(?:by|as)|points?\s+to|leads?\s+(?:me\s+)?to|aligns\s+with)\s+){_LETTER}"
        ),
        (
            rf"(?i:(?:\b{_IS_OPTION}\s+)?){_LETTER}(?i:(?:,\s+)?\s+(?:(?:is|seems|appears(?:\s+to\s+be)?|would\s+be|must\s+be|remains)"
            r"\s+(?:clearly\s+|therefore\s+|thus\s+|indeed\s+|my\s+)?(?:the\s+)?(?:only\s+|single\s+|most\s+|best\s+|final\s+)*(?:correct"
            r"|right|best|appropriate|accurate|fitting|suitable|applicable|answer|choice|option|verdict|fit)\b|applies\b|fits\s+best"
            r"|best\s+(?:describes|fits|captures|matches|applies)))"
        ),
        rf"(?:应选|选择|故选|所以选|因此选|选)\s*(?:选项)?\s*[:是]?\s*{_LETTER}",
    )
)
_TURNED_DOWN = re.compile(
    r"(?:\b(?:not|never|cannot|nor|neither|doubt|rejecting|reject|hardly)|n['’]t)(?:\s+\w+){0,3}\s*$|\b(?:if|whether|unless"
    r"|suppose|supposing|initially|at\s+first|tempting|tempted|first\s+(?:thought|glance|impression)|(?:in|according\s+to)\s+the\s+(?:submission|submitted|expert|reference))\b",
    re.IGNORECASE,
)
_FOREIGN_BEFORE = re.compile(rf"(?<!\w){_FOREIGN}(?:['’]s?)?(?:\s+\w+)?\s+$|[\[(]$", re.IGNORECASE)
_FINAL = re.compile(
    r"\b(?:final|finally|overall|correct(?:ed|ion)|actually|revised|therefore|thus|hence|conclusion|instead|so)\b|最终|因此|所以",
    re.IGNORECASE,
)
_SECOND_LETTER = re.compile(
    r"[\s)\]】」,.]*(?:\bor\b(?:\s+\w+)?|\band\b|/|,|&|或|、|和|und|ou|\bto\b)\s*(?:option\s*)?[(\[\"']*[A-F](?![\w'’])"
)
_GOES_ON = re.compile(
    r"\s*$|\s*[,;:!?)\]。，；！、]|\s*[-–—(→]|\s*\.\s*$|\.?\s*[\n)]"
    r"|\s+(?:because|since|as|given|due|for|here|based|rather|not|instead|with|which|meaning|per|according|though|although|in\s"
    r"|on\s|even|despite|but|,)"
    r"|\s+(?:The|There|It|This)\b"
    r"|\.\s+(?:[(\[\"“*]|\d|[^\x00-\x7f]|(?:The|It|This|That|These|Both|All|There|Because|Since|As|While|Although|Even|Every|Each|Here|I"
    r"|We|In|No|None|Only|Most|Some|They|Its|However|Note|Reason|Reasoning|Explanation|Justification|Rationale|Submission|Submitted"
    r"|Expert|Answers?|Contains?|Superset|Subset|Disagreement|Same|Differ\w*|Therefore|Thus|So|For|Given|Not|My|And|But|What|When"
    r"|Where|A|An|Nothing|If|Hope|Let|Please|Thank\w*|Option|To|Of|By|On|At|Also|Hence|Overall|Summary|Details?)\b)"
)
_ARTICLE_GOES_ON = re.compile(
    r"\s*$|\s*[,;:!)\]。，；！、]|\s*[-–—(→]|\s*\.\s*$|\.\s|\s+(?:because|since|given|due|based|rather|not)\b|\s+The\s+submi"
)

_MEANINGS: Final = re.compile(
    r"the\s+(?:submitted|submission|answers?\b|response)|submi|there\s+is\b|sub-?set|super-?set|contains?\s+(?:all|the\s+same)"
    r"|(?:contains\s+)?(?:all\s+)?(?:the\s+)?same\s+details|disagree|conflict|contradict|differences|the\s+differences"
    r"|answers\s+differ|does\s+not\s+answer|invalid|提交|两个答案|答案",
    re.IGNORECASE,
)
_OPTION_LINE = re.compile(
    rf"(?:(?:option|choice|answer|选项)\s+)?(?:{_BRACKETED}|(?P<bare>[A-F]))\s*[).:,\-–—=。，]*\s*[(（]?(?P<text>\S.*)",
    re.IGNORECASE,
)
_OPTION_DELIMITED = re.compile(r"(?i:(?:option|choice|选项)\s+)?(?:[(\[][A-F][)\]][.:]?|[A-F]\s?[().:\-–—=])")
_LONE = re.compile(
    rf"(?:(?P<label>(?:final\s+)?{_NOUN}|final|print|option\s+selected|选项|答案|选)\s*[:=]?\s*)?[(\[【「『<\"']*(?P<letter>[A-Fa-f])[)\]】」』>\"']*(?P<again>(?:[\s,;.]+"
    r"[(\[]?(?P=letter)[)\]]?)*)[\s.,:;!。)\]✅✓✔️]*",
    re.IGNORECASE,
)
_CONTENT_FOLLOWS = re.compile(r"(?:expert|submi|reference|gold|question)[^:]*:\s*$", re.IGNORECASE)
_NUMBERED_LETTER = re.compile(r"\d+[.)]\s*([(\[]?[A-F][)\]]?\.?)")
_DOUBT = re.compile(
    r"\b(?:wait|hmm+|on\s+second\s+thought|not\s+right|re-?consider\w*|correction|re-?check|re-?evaluate|actually)\b",
    re.IGNORECASE,
)
_AT_THE_END = re.compile(rf"\w{{3,}}[)\"”]?[.!。]\s*(?:{_BRACKETED}|(?P<bare>[A-F]))[\s.]*$")
_SENTENCE = re.compile(r"(?<=[.!?。！？])(?<!\b[A-Z]\.)\s+(?=[A-Z(*\"“])|(?<=[。！？])")


def read(reply: str) -> Reading | None:
    r"""The letter that a person would read out of a reply, and the rule that read it.

    >>> [read(text).letter for text in ("Answer: B", "**Final answer:** B", r"\boxed{C}", "- C", "It is not B but C.")]
    ['B', 'B', 'C', 'C', 'C']
    >>> [read(text) for text in ("A better answer names both.", "B or C", "<think>It is C", "Vitamin C")]
    [None, None, None, None]
    """
    # What follows the model's thoughts; a reply that ends within them has no verdict.
    text = _THOUGHT_END.split(reply)[-1]
    if _THOUGHT_START.search(text):
        return None
    text = unicodedata.normalize("NFKC", _SPECIAL.sub("\n", text))
    text = _LONELY_LOOKALIKE.sub(lambda letter: letter[0].translate(_LOOKALIKES), text)
    if not text.strip():
        return None
    lines: list[str] = []
    for line in text.splitlines()[-LONGEST_REPLY:]:
        # Of a very long line its beginning and its end, where a verdict is, so that no reply takes long to read.
        is_long = len(line) > LONGEST_LINE
        parts = [line[: LONGEST_LINE // 4], line[-LONGEST_LINE // 2 :]] if is_long else [line]
        lines += [part for part in parts if part.strip()]
    letter = letter_of_last_line(text)
    if letter is not None:
        # Three different letters in the last three lines are the options, not a verdict.
        listed = {match[1] for line in lines[-3:] if (match := _ALONE.fullmatch(line.strip()))}
        return None if len(listed) == 3 else Reading(letter, Rule.LAST_LINE)
    plain = [_plain(line) for line in lines]
    if not any(_NUMBERED_LETTER.fullmatch(line) for line in plain[:-1]):
        plain[-1] = _NUMBERED_LETTER.sub(r"\1", plain[-1])
    claims = sorted(_claims(lines, plain), key=lambda claim: claim[0])
    if not claims:
        return None
    last_line, last, is_final = claims[-1]
    if any(_DOUBT.search(line) for line in plain[last_line + 1 :]):
        return None
    # The letter on which the claims agree, or the last one's if it is marked as final.
    letters = {claim.letter for _, claim, _ in claims}
    same_line = {claim.letter for line, claim, _ in claims if line == last_line}
    if len(letters) > 1 and (not is_final or len(same_line) > 1):
        return None
    return last


def _plain(line: str) -> str:
    """A line without markup; an emphasised or quoted letter gets brackets, which say as much."""
    line = _LATEX_LETTER.sub(r"(\1)", line)
    line = _EMPHASISED.sub(r" (\1) ", line)
    line = " ".join(_MARKUP.sub("", line).split())
    return _BULLET.sub("", line).strip()


def _claims(lines: Sequence[str], plain: Sequence[str]) -> Iterator[tuple[int, Reading, bool]]:
    """The letters that lines name, each with the number of its line, and with whether the text marks it as the final
    word, so that earlier ones do not count."""
    # Options in a list of options do not count: the reply repeats or discusses them one by one.
    options = {number: letter for number, line in enumerate(plain) if (letter := _option(line, any_text=True))}
    listed = {
        number
        for number, letter in options.items()
        if any(options.get(near, letter) != letter for near in (number - 1, number + 1))
    }
    for number, (line, text) in enumerate(zip(lines, plain, strict=True)):
        marked = bool(_FINAL.search(text))
        # Letters in JSON, in tags and in LaTeX boxes.
        formatted = [(key, Rule.JSON) for key in _KEY.finditer(line) if _KEY_NAME.fullmatch(key["key"].strip())]
        formatted += [(tag, Rule.TAG) for tag in _TAG.finditer(line)]
        formatted += [(box, Rule.BOXED) for box in _BOXED.finditer(line)]
        for match, rule in formatted:
            yield number, Reading(match["letter"].upper(), rule), marked
        if formatted:
            continue
        lone = _LONE.fullmatch(text)
        if lone and _stands_alone(lone, number, plain):
            is_final = marked or (number == len(lines) - 1 and not lone["label"])
            yield number, Reading(lone["letter"].upper(), Rule.LONE_LINE), is_final
        elif number not in listed and (option := _option(text)):
            yield number, Reading(option, Rule.OPTION), marked
        else:
            yield from ((number, Reading(letter, Rule.STATEMENT), is_final) for letter, is_final in _stated(text))
    if (end := _AT_THE_END.search(plain[-1])) and not _SECOND_LETTER.search(plain[-1]):
        yield len(lines) - 1, Reading((end["bracketed"] or end["bare"]).upper(), Rule.END), False


def _stands_alone(lone: re.Match[str], number: int, plain: Sequence[str]) -> bool:
    """Whether a line with nothing but a letter is a verdict, and not a text that the reply quotes."""
    if number and _CONTENT_FOLLOWS.search(plain[number - 1]):
        return False
    if lone["letter"].islower() and not lone["label"]:
        return number in (0, len(plain) - 1)
    return True


def _option(line: str, *, any_text: bool = False) -> str | None:
    """The letter of an option that a line writes out: ``(C) The submitted answer contains …``."""
    option = _OPTION_LINE.fullmatch(line)
    if not option:
        return None
    letter: str = option["bracketed"] or option["bare"]
    if not letter.isupper():
        return None
    if any_text:
        return letter if _OPTION_DELIMITED.match(line) else None
    if not _MEANINGS.match(option["text"]) or (letter == "A" and not _OPTION_DELIMITED.match(line)):
        return None
    turned_down = re.search(r"\?|\b(?:no|incorrect|wrong|does not apply|not applicable)\W*$", line, re.IGNORECASE)
    return None if turned_down else letter


def _stated(line: str) -> Iterator[tuple[str, bool]]:
    """The letters that the sentences of a line state, and whether each is marked as final."""
    for sentence in _SENTENCE.split(line) if len(line) > 60 else [line]:
        if sentence.rstrip().endswith("?"):
            continue
        for pattern in _STATEMENTS:
            for match in pattern.finditer(sentence):
                letter = _accepted(match, sentence)
                if letter is not None:
                    yield letter, bool(_FINAL.search(sentence[: match.end()]))


def _accepted(match: re.Match[str], sentence: str) -> str | None:
    groups = match.groupdict()
    bracketed, bare, low = groups.get("bracketed"), groups.get("bare"), groups.get("low")
    before, after = sentence[: match.start()], sentence[match.end() :]
    if _TURNED_DOWN.search(before) or _SECOND_LETTER.match(after):
        return None
    if groups.get("marker") and _FOREIGN_BEFORE.search(before):
        return None
    letter: str = bracketed or bare or low or ""
    if bare and match.end() == match.end("bare"):
        goes_on = _ARTICLE_GOES_ON if bare == "A" else _GOES_ON
        if not goes_on.match(after):
            return None
    return letter.upper()
