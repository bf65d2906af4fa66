"""What reading an answer takes from its language: numbers, months, and the few words that turn a statement round.

A language without an entry is read as English, with its own separators where these are known. Words of the scripts
that only one entry uses count in every language: answers quote them, and nothing else is written like them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from functools import cache, cached_property
from typing import Final

from scoring.metrics.text.answer_names import folded_name


def _words(text: str) -> frozenset[str]:
    """Words as people write them, and as answers are read: without accents, and Korean in single letters."""
    return frozenset(text.split()) | frozenset(map(folded_name, text.split()))


def _numbers(text: str, first: int = 0) -> dict[str, int]:
    """Names of the whole numbers from *first* on; several of one number are joined by a stroke."""
    numbers = {name: value for value, names in enumerate(text.split(), first) for name in names.split("|")}
    return numbers | {folded_name(name): value for name, value in numbers.items()}


def _scales(**names: str) -> dict[str, int]:
    """Names of powers of ten, by the power: ``_scales(e6="million millions")``."""
    powers = {name: 10 ** int(power.removeprefix("e")) for power, text in names.items() for name in text.split()}
    return powers | {folded_name(name): value for name, value in powers.items()}


def _below_100(small: str, tens: str, compounds: str = "", units: str = "") -> dict[str, int]:
    """Names of the numbers from 0 on and of 20, 30 and so on; of those between as a pattern says, if they are one word.

    Args:
        small: Those from 0 on.
        tens: Those of 20 to 90.
        compounds: With ``{ten}`` and ``{unit}``; empty for several words.
        units: Those of 1 to 9 in such a word.
    """
    names = _numbers(small)
    for ten, value in zip(tens.split(), range(20, 100, 10), strict=True):
        joined = (compounds.format(ten=ten, unit=unit) for unit in units.split())
        names |= {folded_name(name): value + unit for unit, name in enumerate((ten, *joined))}
    return names


def _months(text: str) -> dict[str, int]:
    return _numbers(text, 1)


@dataclass(frozen=True, eq=False)
class Language:
    """Words in lower case; apart from the separators."""

    thousands: str = ","
    decimal: str = "."
    numbers: Mapping[str, int] = field(default_factory=dict)
    """Numbers below 100 that are one word, or several words with hyphens or spaces, here with hyphens."""
    ordinals: Mapping[str, int] = field(default_factory=dict)
    scales: Mapping[str, int] = field(default_factory=dict)
    """Words that multiply the number before them."""
    months: Mapping[str, int] = field(default_factory=dict)
    yes: frozenset[str] = frozenset()
    no: frozenset[str] = frozenset()
    or_: frozenset[str] = frozenset()
    and_: frozenset[str] = frozenset()
    tens_and: frozenset[str] = frozenset()
    """Between a ten and a unit: *vinte e um*."""
    to: frozenset[str] = frozenset()
    """Between the ends of a range."""
    between: frozenset[str] = frozenset()
    """Words before a range whose ends are joined by “and”."""
    negations: frozenset[str] = frozenset()
    wrong: frozenset[str] = frozenset()
    """Words for a rejected answer, such as wrong."""
    copulas: frozenset[str] = frozenset()
    contrasts: frozenset[str] = frozenset()
    """Words that begin another clause."""
    bounds: frozenset[str] = frozenset()
    """Words before a number that is not reached, or exceeded."""
    minus: frozenset[str] = frozenset()
    articles: frozenset[str] = frozenset()
    small: frozenset[str] = frozenset()
    """Words around an answer that say nothing."""
    answer: frozenset[str] = frozenset()
    """Nouns that announce the answer."""
    unknown: tuple[str, ...] = ()
    """Parts of sentences that say that there is no answer; a single word does so where nothing else is said."""
    part_before: frozenset[str] = frozenset()
    """Words that make another name of the name after them."""
    titles: frozenset[str] = frozenset()
    """Words before a name that may be missing."""
    nothing: frozenset[str] = frozenset()
    """A whole answer that means 0."""

    @cached_property
    def number_words(self) -> frozenset[str]:
        """All words of which numbers are made."""
        return frozenset(self.numbers) | frozenset(self.ordinals) | frozenset(self.scales)

    @cached_property
    def most_words(self) -> int:
        """Most words of one of `numbers`."""
        return 1 + max((name.count("-") for name in self.numbers), default=0)


_ENGLISH: Final = Language(
    numbers=_below_100(
        "zero one two three four five six seven eight nine ten eleven twelve|dozen thirteen fourteen fifteen sixteen "
        "seventeen eighteen nineteen",
        "twenty thirty forty fifty sixty seventy eighty ninety",
    ),
    ordinals=_numbers(
        "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth "
        "fifteenth sixteenth seventeenth eighteenth nineteenth twentieth",
        1,
    )
    | {"thirtieth": 30, "fortieth": 40, "fiftieth": 50},
    scales=_scales(
        e2="hundred",
        e3="thousand",
        e5="lakh",
        e6="million millions mn mio",
        e7="crore",
        e9="billion billions bn",
        e12="trillion tn",
    ),
    months=_months(
        "january|jan february|feb march|mar april|apr may june|jun july|jul august|aug september|sep|sept october|oct "
        "november|nov december|dec"
    ),
    yes=_words("yes yeah yep true correct affirmative"),
    no=_words("no nope false incorrect negative"),
    or_=_words("or"),
    and_=_words("and"),
    to=_words("to through till until"),
    between=_words("between from"),
    negations=_words("not never neither nor without except unlike cannot isnt wasnt arent werent doesnt didnt"),
    wrong=_words("wrong incorrect false untrue"),
    copulas=_words("is was are were be been seems would isnt wasnt arent werent"),
    contrasts=_words("but however whereas instead rather although though"),
    bounds=_words("than least most over under below above exceeding beyond nearly almost"),
    minus=_words("minus negative"),
    articles=_words("the a an"),
    small=_words(
        "the a an it its is was are were be this that these those he she they there i we my in on at by from of to for "
        "as with so think believe guess probably likely therefore thus hence and final correct answer option choice "
        "called named about approximately around roughly circa simply just only exactly"
    ),
    answer=_words("answer solution result"),
    unknown=(
        "unanswerable",
        "not answerable",
        "no answer",
        "noanswer",
        "n a",
        "none",
        "unknown",
        "cannot be answered",
        "can not be answered",
        "cannot be determined",
        "can not be determined",
        "cannot answer",
        "not enough information",
        "insufficient information",
        "not specified",
        "not stated",
        "not mentioned",
        "not given",
        "not provided",
        "no information",
        "dont know",
        "do not know",
        "do not say",
        "does not say",
        "do not state",
        "does not state",
        "do not mention",
        "does not mention",
        "dont say",
        "doesnt say",
        "doesnt mention",
        "not known",
        "not sure",
        "no one knows",
    ),
    part_before=_words(
        "new north south east west northern southern eastern western upper lower inner outer papua equatorial san "
        "santa los las vice deputy anti non"
    ),
    titles=_words("mr mrs ms dr prof professor sir dame president king queen"),
    nothing=_words("none nil nothing"),
)
_LATIN: Final[dict[str, Language]] = {
    "en": _ENGLISH,
    "de": Language(
        thousands=".",
        decimal=",",
        numbers=_below_100(
            "null eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn fünfzehn sechzehn "
            "siebzehn achtzehn neunzehn",
            "zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig",
            "{unit}und{ten}",
            "ein zwei drei vier fünf sechs sieben acht neun",
        ),
        ordinals=_numbers("erste|erster zweite|zweiter dritte|dritter vierte|vierter funfte|funfter", 1),
        scales=_scales(
            e2="hundert",
            e3="tausend tsd",
            e6="million millionen mio",
            e9="milliarde milliarden mrd",
            e12="billion billionen bio",
        ),
        months=_months(
            "januar|jan februar|feb marz|mar april|apr mai juni|jun juli|jul august|aug september|sep|sept oktober|okt "
            "november|nov dezember|dez"
        ),
        yes=_words("ja jawohl wahr richtig korrekt"),
        no=_words("nein falsch unwahr inkorrekt"),
        or_=_words("oder"),
        and_=_words("und"),
        to=_words("bis"),
        between=_words("zwischen von"),
        negations=_words("nicht kein keine keinen nie weder ohne"),
        wrong=_words("falsch unwahr"),
        copulas=_words("ist war sind waren"),
        contrasts=_words("sondern aber jedoch"),
        bounds=_words("als mindestens hochstens uber unter fast"),
        minus=_words("minus"),
        articles=_words("der die das den dem des ein eine einen einem einer"),
        small=_words("der die das den dem es er sie ist war sind in im am an von zu als ich glaube also und antwort"),
        answer=_words("antwort losung ergebnis"),
        unknown=("nicht beantwortbar", "unbekannt", "keine antwort", "weiss nicht", "weiss es nicht", "nicht bekannt"),
        part_before=_words("neu neue nord sud ost west"),
        titles=_words("herr frau dr prof konig konigin"),
    ),
    "fr": Language(
        thousands=" ",
        decimal=",",
        numbers=_numbers(
            "zero un deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize"
        )
        | {"vingt": 20, "trente": 30, "quarante": 40, "cinquante": 50}
        | _numbers("dix-sept dix-huit dix-neuf", 17)
        | _numbers(
            "soixante soixante-et-un soixante-deux soixante-trois soixante-quatre soixante-cinq soixante-six "
            "soixante-sept soixante-huit soixante-neuf soixante-dix soixante-et-onze soixante-douze soixante-treize "
            "soixante-quatorze soixante-quinze soixante-seize soixante-dix-sept soixante-dix-huit soixante-dix-neuf "
            "quatre-vingt|quatre-vingts quatre-vingt-un quatre-vingt-deux quatre-vingt-trois quatre-vingt-quatre "
            "quatre-vingt-cinq quatre-vingt-six quatre-vingt-sept quatre-vingt-huit quatre-vingt-neuf quatre-vingt-dix "
            "quatre-vingt-onze quatre-vingt-douze quatre-vingt-treize quatre-vingt-quatorze quatre-vingt-quinze "
            "quatre-vingt-seize quatre-vingt-dix-sept quatre-vingt-dix-huit quatre-vingt-dix-neuf",
            60,
        ),
        scales=_scales(
            e2="cent cents",
            e3="mille",
            e6="million millions",
            e9="milliard milliards md mds mrd",
            e12="billion billions",
        ),
        months=_months(
            "janvier|janv fevrier|fevr mars avril|avr mai juin juillet|juil aout septembre|sept octobre|oct "
            "novembre|nov decembre|dec"
        ),
        yes=_words("oui vrai exact correct"),
        no=_words("non faux inexact incorrect"),
        or_=_words("ou"),
        and_=_words("et"),
        tens_and=_words("et"),
        to=_words("a jusqua"),
        between=_words("entre de"),
        negations=_words("pas jamais ni sans"),
        wrong=_words("faux fausse incorrect"),
        copulas=_words("est etait sont nest netait"),
        contrasts=_words("mais"),
        bounds=_words("que moins plus"),
        minus=_words("moins"),
        articles=_words("le la les un une des l"),
        small=_words("le la les un une il elle est etait ce cest a au en de du par dans je crois donc et reponse"),
        answer=_words("reponse resultat"),
        unknown=("sans reponse", "inconnu", "pas de reponse", "ne sais pas"),
        part_before=_words("nouveau nouvelle"),
        titles=_words("m mme dr roi reine"),
    ),
    "es": Language(
        thousands=".",
        decimal=",",
        numbers=_below_100(
            "cero uno dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince dieciséis "
            "diecisiete dieciocho diecinueve",
            "veinte treinta cuarenta cincuenta sesenta setenta ochenta noventa",
        )
        | _numbers("veintiuno|veintiún veintidós veintitrés veinticuatro veinticinco veintiséis veintisiete", 21)
        | _numbers("veintiocho veintinueve", 28),
        scales=_scales(
            e2="cien ciento", e3="mil", e6="millón millones mill", e9="millardo millardos", e12="billón billones"
        ),
        months=_months(
            "enero|ene febrero|feb marzo|mar abril|abr mayo junio|jun julio|jul agosto|ago septiembre|sep octubre|oct "
            "noviembre|nov diciembre|dic"
        ),
        yes=_words("sí verdadero cierto correcto"),
        no=_words("no falso incorrecto"),
        or_=_words("o u"),
        and_=_words("y e"),
        tens_and=_words("y"),
        to=_words("a hasta"),
        between=_words("entre de"),
        negations=_words("no nunca ni sin"),
        wrong=_words("falso incorrecto"),
        copulas=_words("es era son fue"),
        contrasts=_words("sino pero"),
        bounds=_words("que menos mas"),
        minus=_words("menos"),
        articles=_words("el la los las un una"),
        small=_words("el la los las un una es era fue en de del por a creo que y respuesta"),
        answer=_words("respuesta resultado"),
        unknown=("sin respuesta", "desconocido", "no se sabe", "no lo se"),
        part_before=_words("nuevo nueva"),
    ),
    "it": Language(
        thousands=".",
        decimal=",",
        numbers=_below_100(
            "zero uno due tre quattro cinque sei sette otto nove dieci undici dodici tredici quattordici quindici "
            "sedici diciassette diciotto diciannove",
            "venti trenta quaranta cinquanta sessanta settanta ottanta novanta",
            "{ten}{unit}",
            "uno due tre quattro cinque sei sette otto nove",
        )
        | _numbers("ventuno", 21)
        | _numbers("ventotto", 28),
        scales=_scales(
            e2="cento", e3="mille mila", e6="milione milioni mln", e9="miliardo miliardi mld mrd", e12="bilione bilioni"
        ),
        months=_months(
            "gennaio|gen febbraio|feb marzo|mar aprile|apr maggio|mag giugno|giu luglio|lug agosto|ago settembre|set "
            "ottobre|ott novembre|nov dicembre|dic"
        ),
        yes=_words("sì vero corretto giusto"),
        no=_words("no falso sbagliato errato"),
        or_=_words("o oppure"),
        and_=_words("e ed"),
        to=_words("a fino"),
        between=_words("tra fra da"),
        negations=_words("non mai ne senza"),
        wrong=_words("falso sbagliato"),
        copulas=_words("e era sono"),
        contrasts=_words("ma bensi"),
        minus=_words("meno"),
        articles=_words("il lo la i gli le un una"),
        small=_words("il lo la i gli le e era in a di del da risposta"),
        answer=_words("risposta risultato"),
        unknown=("senza risposta", "sconosciuto", "non lo so"),
    ),
    "pt": Language(
        thousands=".",
        decimal=",",
        numbers=_below_100(
            "zero um dois três quatro cinco seis sete oito nove dez onze doze treze catorze|quatorze quinze "
            "dezesseis|dezasseis dezessete|dezassete dezoito dezenove|dezanove",
            "vinte trinta quarenta cinquenta sessenta setenta oitenta noventa",
        ),
        scales=_scales(
            e2="cem cento",
            e3="mil",
            e6="milhão milhões mi",
            e9="bilhão bilhões bi",
            e12="trilhão trilhões bilião biliões tri",
        ),
        months=_months(
            "janeiro|jan fevereiro|fev marco|mar abril|abr maio|mai junho|jun julho|jul agosto|ago setembro|set "
            "outubro|out novembro|nov dezembro|dez"
        ),
        yes=_words("sim verdadeiro correto certo"),
        no=_words("não falso incorreto errado"),
        or_=_words("ou"),
        and_=_words("e"),
        tens_and=_words("e"),
        to=_words("a ate"),
        between=_words("entre de"),
        negations=_words("nao nunca nem sem"),
        wrong=_words("falso errado incorreto"),
        copulas=_words("e era sao foi"),
        contrasts=_words("mas"),
        minus=_words("menos"),
        articles=_words("o a os as um uma"),
        small=_words("o a os as um uma e era foi em no na de do da por resposta"),
        answer=_words("resposta resultado"),
        unknown=("sem resposta", "desconhecido", "nao sei"),
    ),
    "nl": Language(
        thousands=".",
        decimal=",",
        numbers=_below_100(
            "nul een twee drie vier vijf zes zeven acht negen tien elf twaalf dertien veertien vijftien zestien "
            "zeventien achttien negentien",
            "twintig dertig veertig vijftig zestig zeventig tachtig negentig",
            "{unit}en{ten}",
            "een twee drie vier vijf zes zeven acht negen",
        ),
        scales=_scales(e2="honderd", e3="duizend", e6="miljoen mln", e9="miljard mld", e12="biljoen"),
        months=_months(
            "januari|jan februari|feb maart|mrt april|apr mei juni|jun juli|jul augustus|aug september|sep oktober|okt "
            "november|nov december|dec"
        ),
        yes=_words("ja waar juist correct"),
        no=_words("nee onwaar onjuist incorrect"),
        or_=_words("of"),
        and_=_words("en"),
        to=_words("tot"),
        between=_words("tussen van"),
        negations=_words("niet geen nooit noch zonder"),
        wrong=_words("fout onjuist"),
        copulas=_words("is was zijn waren"),
        contrasts=_words("maar"),
        minus=_words("min"),
        articles=_words("de het een"),
        small=_words("de het een is was in op van door het antwoord"),
        answer=_words("antwoord resultaat"),
        unknown=("geen antwoord", "onbekend", "weet het niet", "weet ik niet"),
    ),
    "sv": Language(
        thousands=" ",
        decimal=",",
        numbers=_below_100(
            "noll en|ett två tre fyra fem sex sju åtta nio tio elva tolv tretton fjorton femton sexton sjutton arton "
            "nitton",
            "tjugo trettio fyrtio femtio sextio sjuttio åttio nittio",
            "{ten}{unit}",
            "ett två tre fyra fem sex sju åtta nio",
        ),
        scales=_scales(
            e2="hundra", e3="tusen", e6="miljon miljoner mn", e9="miljard miljarder md mdr", e12="biljon biljoner"
        ),
        months=_months(
            "januari|jan februari|feb mars april|apr maj juni|jun juli|jul augusti|aug september|sep oktober|okt "
            "november|nov december|dec"
        ),
        yes=_words("ja jo sant rätt korrekt"),
        no=_words("nej falskt fel inkorrekt"),
        or_=_words("eller"),
        and_=_words("och"),
        to=_words("till"),
        between=_words("mellan fran"),
        negations=_words("inte ej aldrig utan"),
        wrong=_words("fel falskt"),
        copulas=_words("ar var"),
        contrasts=_words("men"),
        minus=_words("minus"),
        articles=_words("en ett den det"),
        small=_words("en ett den det ar var i pa av till svar"),
        answer=_words("svar svaret"),
        unknown=("inget svar", "okand", "vet inte"),
    ),
}
_OTHER_SCRIPTS: Final[dict[str, Language]] = {
    "ru": Language(
        thousands=" ",
        decimal=",",
        numbers=_below_100(
            "ноль один два три четыре пять шесть семь восемь девять десять одиннадцать двенадцать тринадцать "
            "четырнадцать пятнадцать шестнадцать семнадцать восемнадцать девятнадцать",
            "двадцать тридцать сорок пятьдесят шестьдесят семьдесят восемьдесят девяносто",
        ),
        scales=_scales(
            e2="сто",
            e3="тыс тысяча тысячи тысяч",
            e6="млн миллион миллиона миллионов",
            e9="млрд миллиард миллиарда миллиардов",
            e12="трлн триллион триллиона триллионов",
        ),
        months=_months(
            "январь|января|янв февраль|февраля|февр|фев март|марта|мар апрель|апреля|апр май|мая июнь|июня|июн "
            "июль|июля|июл август|августа|авг сентябрь|сентября|сент|сен октябрь|октября|окт ноябрь|ноября|нояб|ноя "
            "декабрь|декабря|дек"
        ),
        yes=_words("да верно правда правильно"),
        no=_words("нет неверно неправда ложь неправильно"),
        or_=_words("или"),
        and_=_words("и"),
        to=_words("до"),
        between=_words("между от"),
        negations=_words("не ни без"),
        wrong=_words("неверно неправильно"),
        contrasts=_words("а но"),
        bounds=_words("чем более менее"),
        minus=_words("минус"),
        small=_words("это в на из с к по я думаю ответ был была было"),
        answer=_words("ответ"),
        unknown=("нет ответа", "неизвестно", "не знаю"),
    ),
    "zh": Language(
        yes=_words("是 是的 对 對 正确 正確"),
        no=_words("否 不 不是 不对 不對 错 錯 错误 錯誤 不正确 不正確 没有 沒有"),
        negations=_words("不是 并非 並非 而非 不在"),
        answer=_words("答案是 答案为 答案為 答案"),
        unknown=("无法回答", "無法回答", "不知道", "未知", "没有答案", "沒有答案"),
    ),
    "ja": Language(
        yes=_words("はい そうです 正しい"),
        no=_words("いいえ 違います 間違い"),
        answer=_words("答えは 正解は"),
        unknown=("回答不能", "わかりません", "分かりません", "不明", "答えられません"),
    ),
    "ko": Language(
        scales=_scales(e4="만", e8="억", e12="조"),
        yes=_words("예 네 맞다 맞아요 맞습니다 그렇습니다"),
        no=_words("아니요 아니오 아니다 아닙니다 틀리다 틀렸습니다"),
        answer=_words("정답은 답은"),
        unknown=("알 수 없", "모르겠"),
    ),
    "ar": Language(
        scales=_scales(e2="مئة مائة", e3="ألف آلاف", e6="مليون ملايين", e9="مليار مليارات", e12="تريليون"),
        months=_months("يناير فبراير مارس أبريل مايو يونيو يوليو أغسطس سبتمبر أكتوبر نوفمبر ديسمبر"),
        yes=_words("نعم صحيح"),
        no=_words("لا خطأ كلا"),
        or_=_words("او"),
        negations=_words("ليس ليست"),
        unknown=("لا اعرف",),
    ),
    "th": Language(
        months=_months("มกราคม กุมภาพันธ์ มีนาคม เมษายน พฤษภาคม มิถุนายน กรกฎาคม สิงหาคม กันยายน ตุลาคม พฤศจิกายน ธันวาคม"),
        yes=_words("ใช่ จริง"),
        no=_words("ไม่ใช่ ไม่จริง ไม่ เท็จ"),
        unknown=("ไม่ทราบ", "ไม่รู้"),
    ),
}
_SEPARATORS: Final = {
    **dict.fromkeys(("da", "id", "tr", "el", "ro", "hr", "sl", "sr", "vi", "ca", "gl", "is", "fo"), (".", ",")),
    **dict.fromkeys(("nb", "nn", "no", "fi", "pl", "cs", "sk", "uk", "bg", "hu", "et", "lv", "lt", "be"), (" ", ",")),
}
"""Thousands and decimal separator of further languages."""
_SEPARATORS_OF_REGIONS: Final = {
    **dict.fromkeys(("de-ch", "de-li", "it-ch"), ("’", ".")),
    **{
        f"es-{region}": (",", ".")
        for region in ("419", "bz", "cu", "do", "gt", "hn", "mx", "ni", "pa", "pe", "pr", "sv", "us")
    },
    "en-za": (" ", ","),
    **{f"ar-{region}": (".", ",") for region in ("dz", "lb", "ly", "ma", "mr", "tn")},
}
"""Those of regions whose decimal separator is another than that of their language in Unicode's CLDR."""


def language_named(name: str) -> Language:
    """The words of a language by its code, such as ``de`` or ``pt-BR``."""
    code = name.casefold().replace("_", "-")
    language = code.partition("-")[0]
    return _language(
        language if language in (*_LATIN, *_OTHER_SCRIPTS, *_SEPARATORS) else "en", _SEPARATORS_OF_REGIONS.get(code)
    )


@cache
def _language(code: str, of_region: tuple[str, str] | None) -> Language:
    own = _LATIN.get(code, _ENGLISH)
    known = {**_LATIN, **_OTHER_SCRIPTS}.get(code, own)
    thousands, decimal = of_region or _SEPARATORS.get(code, (known.thousands, known.decimal))
    merged: dict[str, object] = {"thousands": thousands, "decimal": decimal}
    for entry in fields(Language)[2:]:
        english = getattr(_ENGLISH, entry.name)
        parts = [getattr(language, entry.name) for language in (own, *_OTHER_SCRIPTS.values())]
        if isinstance(english, tuple):
            merged[entry.name] = tuple(text for part in parts for text in part)
        elif isinstance(english, frozenset):
            # Files say yes and no in English, whatever language their questions are in.
            merged[entry.name] = frozenset().union(*parts, *([english] if entry.name in ("yes", "no") else []))
        else:
            # English too, because systems write dates and large numbers in English whatever they are asked in.
            merged[entry.name] = {key: value for part in (english, *parts) for key, value in part.items()}
    return Language(**merged)  # type: ignore[arg-type]
