"""Which words in a name or a label say what others know about a person?

Graded by how well a neighbour or a colleague would know it; in English, German, French, Spanish,
Italian, Dutch, Polish, Swedish and Portuguese. Words stand here without accents and in small
letters, as `naming.plain` makes them.
"""

from dataclasses import dataclass
from typing import Literal

Kind = Literal["visible", "often", "sometimes", "sensitive", "opinion", "identifier", "weight"]


@dataclass(frozen=True)
class Topic:
    """What some words are about, and how well it is known."""

    name: str
    kind: Kind


def _set(text: str) -> frozenset[str]:
    return frozenset(text.split())


WORDS: dict[Topic, str] = {
    Topic("sex", "visible"): (
        "sex gender geschlecht geschlechts geschl sexe genre sexo genero sesso genere geslacht plec"
        " plci kon"
    ),
    Topic("age", "visible"): (
        "age agegroup alter alters edad eta leeftijd leeftijds wiek wieku alder alders idade"
    ),
    Topic("birth", "visible"): (
        "birth birthday birthdate birthyear born dob yob geburt geburts geboren naissance"
        " nacimiento nascita nascimento geboorte urodzenia urodzenie fodelse fodelsear fodd"
    ),
    Topic("place", "visible"): (
        "place residence settlement town city municipality village urban rural urbanicity locality"
        " location postcode postal zip zipcode neighbourhood neighborhood plz wohnort ort gemeinde"
        " stadt dorf kreis commune ville lieu domicile municipio ciudad localidad lugar comune"
        " citta luogo residenza gemeente woonplaats plaats stad miejscowosc miasto"
        " gmina powiat miejsce zamieszkania kommun tatort bostadsort postnummer cidade"
        " localidade concelho freguesia residencia"
    ),
    Topic("region", "visible"): (
        "region regions county province district nuts bundesland bezirk kanton canton departement"
        " regio provincie wojewodztwo wojewodztwa voivodeship regione provincia regiao distrito"
        " lan landskap"
    ),
    Topic("country", "visible"): (
        "country nationality citizenship birthplace nationalitat nationalitaet staatsangehorigkeit"
        " staatsangehoerigkeit pays nationalite citoyennete pais nacionalidad ciudadania paese"
        " cittadinanza nazionalita nationaliteit kraj kraju obywatelstwo narodowosc medborgarskap"
        " nationalitet nacionalidade cidadania"
    ),
    Topic("marital status", "often"): (
        "marital marstat married marriage civil familienstand verheiratet matrimonial matrimoniale"
        " conjugal conyugal coniugale civile burgerlijke gehuwd cywilny malzenski civilstand"
        " conjugale"
    ),
    Topic("education", "often"): (
        "education edu educ school schooling degree qualification isced bildung bildungs"
        " schulabschluss ausbildung ausbildungs etudes diplome educacion estudios istruzione"
        " scolarita opleiding opleidings onderwijs wyksztalcenie wyksztalcenia utbildning"
        " utbildnings educacao escolaridade"
    ),
    Topic("occupation", "often"): (
        "occupation occupational occ job profession professional prof employment employed employer"
        " industry isco nace beruf berufs erwerb erwerbs erwerbsstatus branche metier emploi csp"
        " ocupacion empleo profesion trabajo occupazione lavoro professione beroep beroeps werk"
        " zawod praca pracy yrke yrkes sysselsattning arbete ocupacao profissao emprego trabalho"
    ),
    Topic("household", "often"): (
        "household hh family children kids haushalt haushalts kinder menage foyer enfants hogar"
        " hijos familia famiglia figli huishouden huishoudens gezin kinderen gospodarstwo"
        " gospodarstwa dzieci hushall hushalls barn agregado filhos"
    ),
    Topic("ethnicity", "often"): (
        "ethnicity ethnic race ancestry origin migrant migration immigrant migrationshintergrund"
        " herkunft herkunfts ethnie origine immigre etnia etnico origen raza herkomst etniciteit"
        " etniczna pochodzenie etnicitet ursprung origem raca"
    ),
    Topic("height", "sometimes"): (
        "height stature korpergrosse koerpergroesse taille estatura altura altezza statura lengte"
        " lichaamslengte wzrost langd"
    ),
    Topic("dwelling", "sometimes"): (
        "tenure owner ownership homeowner rent rented tenant housing dwelling miete mieter wohnung"
        " eigentumer logement locataire proprietaire vivienda alquiler abitazione affitto alloggio"
        " woning huur mieszkanie mieszkania boende bostad hyra habitacao alojamento"
    ),
    Topic("vehicle", "sometimes"): "car cars vehicle voiture coche automobile samochod fahrzeug",
    Topic("health", "sensitive"): (
        "health healthy illness ill disease diagnosis diagnosed condition disability disabled"
        " depress depression depressed mental bmi cancer hiv medication icd hospital symptom"
        " symptoms pain therapy handicap birthweight gesundheit krankheit diagnose behinderung"
        " sante maladie salud enfermedad discapacidad salute malattia disabilita gezondheid ziekte"
        " zdrowie zdrowia choroba choroby niepelnosprawnosc halsa sjukdom saude doenca deficiencia"
    ),
    Topic("money", "sensitive"): (
        "income wage wages salary earnings debt debts benefit benefits wealth savings poverty"
        " einkommen einkommens gehalt lohn schulden vermogen revenu revenus salaire dette ingreso"
        " ingresos salario renta deuda reddito stipendio inkomen loon dochod dochodu dochody"
        " wynagrodzenie zarobki inkomst inkomster skuld renda rendimento divida"
    ),
    Topic("unemployment", "sensitive"): (
        "unemployment unemployed unemp arbeitslos arbeitslosigkeit chomage paro desempleo"
        " disoccupazione werkloos werkloosheid bezrobocie bezrobotny arbetslos desemprego"
    ),
    Topic("habits", "sensitive"): (
        "alcohol alc smoke smoker smoking cigarettes cigarette drug drugs abuse drinking gambling"
        " tobacco alkohol rauchen raucher alcool fumeur tabac fumar tabaco fumo roken palenie"
        " rokning drogen drogas"
    ),
    Topic("crime", "sensitive"): (
        "crime criminal conviction convicted arrest arrested offence offense victim prison violence"
        " straftat delit delito reato misdrijf przestepstwo brott violencia gewalt"
    ),
    Topic("belief", "sensitive"): (
        "religion religious belief party vote voted voting politics political konfession partei"
        " religione partido voto religia wyznanie godsdienst kerk religiao"
    ),
    Topic("sexuality", "sensitive"): (
        "sexual sexuality orientation pregnant pregnancy abortion contraception schwanger grossesse"
        " embarazo gravidanza zwanger ciaza gravid gravidez"
    ),
    Topic("opinion", "opinion"): (
        "satisfaction satisfied trust opinion attitude happiness happy importance important agree"
        " zufriedenheit vertrauen confiance confianza fiducia vertrouwen zaufanie fortroende"
    ),
    Topic("identity", "identifier"): (
        "id ids ident identifier uuid guid pid caseid recordid respid serial name surname lastname"
        " firstname forename fullname email mail phone telephone mobile address street ssn nino"
        " passport iban nachname vorname adresse strasse telefon nom prenom rue apellido apellidos"
        " nombre direccion dni nif cognome nome indirizzo telefono naam achternaam adres bsn"
        " nazwisko imie pesel ulica efternamn namn adress personnummer sobrenome endereco cpf"
    ),
    Topic("weight", "weight"): (
        "weight weights wt wts wgt wght pond ponderation ponderacion ponderacao ponderazione"
        " gewicht gewichtung hochrechnung weging weegfactor poids peso pesi waga wagi vikt vikter"
        " fexp"
    ),
}
"""All words by what they are about."""

WEAK: dict[Topic, str] = {
    Topic("region", "visible"): "state area land",
    Topic("occupation", "often"): "work",
    Topic("household", "often"): "persons",
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
    " pnr pessoa inquirido aluno dni nif bsn pesel cpf"
)
"""Words for a person, or for the number of one."""

PERSONS_NUMBERED = _set(
    "case subject subj usubj pt pers member child mother fall proband cas caso geval"
)
"""Words for a person where a word for a number stands beside them."""

NUMBERS = _set(
    "id ids ident identifier uuid guid no nr num number code key ref nummer numero numer kennung"
)
"""Words for a number that is given to somebody or something."""

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

BODY_WEIGHT = Topic("body weight", "sometimes")


def _by_word(words: dict[Topic, str]) -> dict[str, Topic]:
    return {word: topic for topic, text in words.items() for word in text.split()}


TOPIC_OF = _by_word(WORDS)
WEAK_TOPIC_OF = _by_word(WEAK)
