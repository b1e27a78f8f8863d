"""What is a column about, by the words of its name and of its label?

Whole words count, never parts of them: "stage" is not about age. A word that is made of known words
without a rest, such as "placesize" or "agegr", counts as these.
"""

import re
from collections.abc import Container, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal
from unicodedata import combining, normalize

# Which words in a name or a label say what others know about a person?
#
# Graded by how well a neighbour or a colleague would know it; in English, German, French, Spanish,
# Italian, Dutch, Polish, Swedish and Portuguese. Words stand here without accents and in small
# letters, as `plain` makes them.


Kind = Literal["visible", "often", "sometimes", "sensitive", "opinion", "identifier", "weight"]


@dataclass(frozen=True)
class RoleTopic:
    """What some words are about, and how well it is known."""

    name: str
    kind: Kind


def _set(text: str) -> frozenset[str]:
    return frozenset(text.split())


WORDS: dict[RoleTopic, str] = {
    RoleTopic("sex", "visible"): (
        "sex gender geschlecht geschlechts geschl sexe genre sexo genero sesso genere geslacht plec"
        " plci kon"
    ),
    RoleTopic("age", "visible"): (
        "age agegroup alter alters edad eta leeftijd leeftijds wiek wieku alder alders idade"
    ),
    RoleTopic("birth", "visible"): (
        "birth birthday birthdate birthyear born dob yob geburt geburts geboren naissance"
        " nacimiento nascita nascimento geboorte urodzenia urodzenie fodelse fodelsear fodd"
    ),
    RoleTopic("place", "visible"): (
        "place residence settlement town city municipality village urban rural urbanicity locality"
        " location postcode postal zip zipcode neighbourhood neighborhood plz wohnort ort gemeinde"
        " stadt dorf kreis commune ville lieu domicile municipio ciudad localidad lugar comune"
        " citta luogo residenza gemeente woonplaats plaats stad miejscowosc miasto"
        " gmina powiat miejsce zamieszkania kommun tatort bostadsort postnummer cidade"
        " localidade concelho freguesia residencia"
    ),
    RoleTopic("region", "visible"): (
        "region regions county province district nuts bundesland bezirk kanton canton departement"
        " regio provincie wojewodztwo wojewodztwa voivodeship regione provincia regiao distrito"
        " lan landskap"
    ),
    RoleTopic("country", "visible"): (
        "country nationality citizenship birthplace nationalitat nationalitaet staatsangehorigkeit"
        " staatsangehoerigkeit pays nationalite citoyennete pais nacionalidad ciudadania paese"
        " cittadinanza nazionalita nationaliteit kraj kraju obywatelstwo narodowosc medborgarskap"
        " nationalitet nacionalidade cidadania"
    ),
    RoleTopic("marital status", "often"): (
        "marital marstat married marriage civil familienstand verheiratet matrimonial matrimoniale"
        " conjugal conyugal coniugale civile burgerlijke gehuwd cywilny malzenski civilstand"
        " conjugale"
    ),
    RoleTopic("education", "often"): (
        "education edu educ school schooling degree qualification isced bildung bildungs"
        " schulabschluss ausbildung ausbildungs etudes diplome educacion estudios istruzione"
        " scolarita opleiding opleidings onderwijs wyksztalcenie wyksztalcenia utbildning"
        " utbildnings educacao escolaridade"
    ),
    RoleTopic("occupation", "often"): (
        "occupation occupational occ job profession professional prof employment employed employer"
        " industry isco nace beruf berufs erwerb erwerbs erwerbsstatus branche metier emploi csp"
        " ocupacion empleo profesion trabajo occupazione lavoro professione beroep beroeps werk"
        " zawod praca pracy yrke yrkes sysselsattning arbete ocupacao profissao emprego trabalho"
    ),
    RoleTopic("household", "often"): (
        "household hh family children kids haushalt haushalts kinder menage foyer enfants hogar"
        " hijos familia famiglia figli huishouden huishoudens gezin kinderen gospodarstwo"
        " gospodarstwa dzieci hushall hushalls barn agregado filhos"
    ),
    RoleTopic("ethnicity", "often"): (
        "ethnicity ethnic race ancestry origin migrant migration immigrant migrationshintergrund"
        " herkunft herkunfts ethnie origine immigre etnia etnico origen raza herkomst etniciteit"
        " etniczna pochodzenie etnicitet ursprung origem raca"
    ),
    RoleTopic("height", "sometimes"): (
        "height stature korpergrosse koerpergroesse taille estatura altura altezza statura lengte"
        " lichaamslengte wzrost langd"
    ),
    RoleTopic("dwelling", "sometimes"): (
        "tenure owner ownership homeowner rent rented tenant housing dwelling miete mieter wohnung"
        " eigentumer logement locataire proprietaire vivienda alquiler abitazione affitto alloggio"
        " woning huur mieszkanie mieszkania boende bostad hyra habitacao alojamento"
    ),
    RoleTopic(
        "vehicle", "sometimes"
    ): "car cars vehicle voiture coche automobile samochod fahrzeug",
    RoleTopic("health", "sensitive"): (
        "health healthy illness ill disease diagnosis diagnosed condition disability disabled"
        " depress depression depressed mental bmi cancer hiv medication icd hospital symptom"
        " symptoms pain therapy handicap birthweight gesundheit krankheit diagnose behinderung"
        " sante maladie salud enfermedad discapacidad salute malattia disabilita gezondheid ziekte"
        " zdrowie zdrowia choroba choroby niepelnosprawnosc halsa sjukdom saude doenca deficiencia"
    ),
    RoleTopic("money", "sensitive"): (
        "income wage wages salary earnings debt debts benefit benefits wealth savings poverty"
        " einkommen einkommens gehalt lohn schulden vermogen revenu revenus salaire dette ingreso"
        " ingresos salario renta deuda reddito stipendio inkomen loon dochod dochodu dochody"
        " wynagrodzenie zarobki inkomst inkomster skuld renda rendimento divida"
    ),
    RoleTopic("unemployment", "sensitive"): (
        "unemployment unemployed unemp arbeitslos arbeitslosigkeit chomage paro desempleo"
        " disoccupazione werkloos werkloosheid bezrobocie bezrobotny arbetslos desemprego"
    ),
    RoleTopic("habits", "sensitive"): (
        "alcohol alc smoke smoker smoking cigarettes cigarette drug drugs abuse drinking gambling"
        " tobacco alkohol rauchen raucher alcool fumeur tabac fumar tabaco fumo roken palenie"
        " rokning drogen drogas"
    ),
    RoleTopic("crime", "sensitive"): (
        "crime criminal conviction convicted arrest arrested offence offense victim prison violence"
        " straftat delit delito reato misdrijf przestepstwo brott violencia gewalt"
    ),
    RoleTopic("belief", "sensitive"): (
        "religion religious belief party vote voted voting politics political konfession partei"
        " religione partido voto religia wyznanie godsdienst kerk religiao"
    ),
    RoleTopic("sexuality", "sensitive"): (
        "sexual sexuality orientation pregnant pregnancy abortion contraception schwanger grossesse"
        " embarazo gravidanza zwanger ciaza gravid gravidez"
    ),
    RoleTopic("opinion", "opinion"): (
        "satisfaction satisfied trust opinion attitude happiness happy importance important agree"
        " zufriedenheit vertrauen confiance confianza fiducia vertrouwen zaufanie fortroende"
    ),
    RoleTopic("identity", "identifier"): (
        "id ids ident identifier uuid guid pid caseid recordid respid serial name surname lastname"
        " firstname forename fullname email mail phone telephone mobile address street ssn nino"
        " passport iban nachname vorname adresse strasse telefon nom prenom rue apellido apellidos"
        " nombre direccion dni nif cognome nome indirizzo telefono naam achternaam adres bsn"
        " nazwisko imie pesel ulica efternamn namn adress personnummer sobrenome endereco cpf"
    ),
    RoleTopic("weight", "weight"): (
        "weight weights wt wts wgt wght pond ponderation ponderacion ponderacao ponderazione"
        " gewicht gewichtung hochrechnung weging weegfactor poids peso pesi waga wagi vikt vikter"
        " fexp"
    ),
}
"""All words by what they are about."""

WEAK: dict[RoleTopic, str] = {
    RoleTopic("region", "visible"): "state area land",
    RoleTopic("occupation", "often"): "work",
    RoleTopic("household", "often"): "persons",
}
"""Words that mean something only in a name in which no other word does."""

FILLERS = _set(
    "size gr grp group groups cat category class code cd nr no num number type kind year yr date"
    " day month of at in level lvl band bands status stat jahr datum gruppe gruppen annee groupe"
    " ano anno fecha data grupo gruppo jaar klasse rok grupa spec soc dur grosse groesse name"
    " id years head own"
)
"""Words that may stand beside another in one word and change nothing: placesize, agegr."""

PERSONS = _set(
    "patient person participant respondent client customer user pupil student employee worker"
    " citizen resident applicant taxpayer donor nhs mrn ssn nino pid pidp respid patientin"
    " teilnehmer befragte kunde klient versicherte personne patiente repondant paciente persona"
    " participante encuestado cliente alumno paziente partecipante rispondente persoon deelnemer"
    " klant pacjent osoba osoby uczestnik respondenta deltagare kund elev lopnr personnummer persnr"
    " pnr pessoa inquirido aluno dni nif bsn pesel cpf pasient ansatt lopenr lopenummer lnr fnr"
    " fodselsnummer cpr henkilo henkilotunnus potilas vastaaja asiakas pacient respondens beteg"
)
"""Words for a person, or for the number of one."""

PERSONS_NUMBERED = _set(
    "case subject subj usubj pt pers member child mother fall proband cas caso geval"
)
"""Words for a person where a word for a number stands beside them."""

NUMBERS = _set(
    "id ids ident identifier uuid guid no nr num number code key ref nummer numero numer kennung"
)
"""Words for a number that is given to a person or a thing."""

BARE_NUMBERS = _set("id ids ident identifier uuid guid caseid recordid")
"""Words that make a name that of a number, whatever else it says."""

OTHERS = _set(
    "visit episode admission encounter event record row line order item product invoice account"
    " interviewer doctor physician gp nurse teacher class classroom clinic practice centre center"
    " ward site cluster psu stratum batch device sensor sample specimen team department dept unit"
    " firm company business establishment shop store course wave panel round name surname street"
    " address email mail phone"
)
"""Words for what is numbered beside people."""

DATES = _set("date dates datum fecha")
"""Words that make a column a date, also where it is held as text."""

BODY = _set("body kg kilo kilos korper corps cuerpo corpo lichaams ciala kropps")
"""Words that make a weight that of a body."""

DESIGN = _set(
    "sampling survey sample design calibrated calibration expansion grossing stichprobe sondage"
    " encuesta campione steekproef urval amostra"
)
"""Words that make a weight that of a sample."""

ONLY_OF_SAMPLES = _set(
    "wt wts wgt wght pond ponderation ponderacion ponderacao ponderazione gewichtung hochrechnung"
    " weging weegfactor fexp"
)
"""Words for weights that no body has."""

BODY_WEIGHT = RoleTopic("body weight", "sometimes")


def _by_word(words: dict[RoleTopic, str]) -> dict[str, RoleTopic]:
    return {word: topic for topic, text in words.items() for word in text.split()}


TOPIC_OF = _by_word(WORDS)
WEAK_TOPIC_OF = _by_word(WEAK)


LONGEST_LABEL = 8
"""Words of a label that are looked at: long ones are questions that mention many things."""

_LETTERS = str.maketrans({"ł": "l", "Ł": "L", "ß": "ss", "ø": "o", "Ø": "O", "æ": "ae", "Æ": "AE"})
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_WORD = re.compile(r"[^\W\d_]+")
_CLAUSE_END = re.compile(r"[,;:(\[]")
_LONGEST_WORD = 40
_KNOWN = FILLERS.union(TOPIC_OF)
_OF_NUMBERS = PERSONS | PERSONS_NUMBERED | NUMBERS


@dataclass(frozen=True)
class TopicMatch:
    """What a column is about, and which of its texts says so."""

    topic: RoleTopic
    source: Literal["name", "label"]


def plain(text: str) -> str:
    """Text without accents; capitals stay, for they part words."""
    marked = normalize("NFKD", text.translate(_LETTERS))
    return "".join(letter for letter in marked if not combining(letter))


def tokens(text: str) -> list[str]:
    """The words of a name or a label: parted by other signs, digits, and capitals within."""
    parted = _CAMEL.sub(" ", plain(text))
    return [word.casefold() for word in _WORD.findall(parted)]


def match_topic(name: str, label: str | None) -> TopicMatch | None:
    """What the name says, or else the label; None where neither has a known word."""
    topic = _match_name(tokens(name))
    if topic is not None:
        return TopicMatch(topic, "name")
    topic = _match_label(tokens(_CLAUSE_END.split(label or "", maxsplit=1)[0]))
    return None if topic is None else TopicMatch(topic, "label")


def is_of_sample(name: str, label: str | None) -> bool:
    """Whether the words say that a weight is that of a sample."""
    words = {part for word in tokens(f"{name} {label or ''}") for part in parts(word)}
    return bool(words & (DESIGN | ONLY_OF_SAMPLES))


def is_of_body(name: str, label: str | None) -> bool:
    """Whether the words say that a weight is that of a body."""
    return not BODY.isdisjoint(tokens(f"{name} {label or ''}"))


def is_person_number(name: str, label: str | None) -> Literal["person", "number"] | None:
    """Whether a name says that it numbers people, or something that may be people; else None.

    The label counts where the name says nothing, and only where it speaks of nothing else.
    """
    texts = [name] if label is None or match_topic(name, None) is not None else [name, label]
    if any(_is_person(_number_parts(text)) for text in texts):
        return "person"
    words = _number_parts(name)
    topic = _match_name(tokens(name))
    is_other = topic is not None and topic.kind != "identifier"
    if is_other or not words & BARE_NUMBERS or words & OTHERS:
        return None
    return "number"


def _is_person(words: set[str]) -> bool:
    """Whether the words name a person, or the number of one, and nothing else."""
    if not words <= _OF_NUMBERS:
        return False
    return bool(words & PERSONS or (words & PERSONS_NUMBERED and words & NUMBERS))


def _number_parts(text: str) -> set[str]:
    """The words of a text, with those parted that are made of a person and a number: patientid."""
    return {
        part
        for word in tokens(text)
        for part in ((word,) if word in OTHERS else _split_word(word, _OF_NUMBERS) or (word,))
    }


def is_of_date(name: str) -> bool:
    """Whether the name says that it is a date."""
    return not DATES.isdisjoint(part for word in tokens(name) for part in parts(word))


def _match_name(words: Sequence[str]) -> RoleTopic | None:
    """The last word decides; words for identifiers only where no other says anything."""
    found = [topic for word in words for topic in topics(word)]
    told = [topic for topic in found if topic.kind != "identifier"]
    if told:
        return told[-1]
    weak = [WEAK_TOPIC_OF[word] for word in words if word in WEAK_TOPIC_OF]
    return next(iter(found or weak), None)


def _match_label(words: Sequence[str]) -> RoleTopic | None:
    """A sensitive word goes first, then the first of all: labels mention what else was asked."""
    found = [topic for word in words[:LONGEST_LABEL] for topic in topics(word)]
    for kinds in (("sensitive", "opinion"), ("visible", "often", "sometimes", "weight")):
        for topic in found:
            if topic.kind in kinds:
                return topic
    return next(iter(found), None)


def topics(word: str) -> list[RoleTopic]:
    """What a word is about, or each of the known words it is made of."""
    return [TOPIC_OF[part] for part in parts(word) if part in TOPIC_OF]


@lru_cache(maxsize=4096)
def parts(word: str) -> tuple[str, ...]:
    """The known words that a word is made of, without a rest; itself where there are none."""
    if word in TOPIC_OF or len(word) > _LONGEST_WORD:
        return (word,)
    if word.endswith("s") and word[:-1] in TOPIC_OF and len(word) > 4:
        return (word[:-1],)
    made = _split_word(word, _KNOWN)
    return made if made is not None and any(part in TOPIC_OF for part in made) else (word,)


def _split_word(word: str, known: Container[str]) -> tuple[str, ...] | None:
    """Known words, one after the other, that make the whole of a word."""
    ways: dict[int, tuple[str, ...]] = {0: ()}
    for end in range(2, len(word) + 1):
        for start in sorted(ways):
            part = word[start:end]
            if len(part) > 1 and part in known:
                ways[end] = (*ways[start], part)
                break
    return ways.get(len(word))
