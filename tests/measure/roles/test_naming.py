"""What a column is about, by whole words of its name and label."""

import pytest

from unveil.measure.roles.vocabulary import match_topic, tokens

ABOUT = {
    "sex": "sex SEX gender Geschlecht sexe sexo sesso geslacht płeć kön q1_sex rSex sex_2",
    "age": "age AGE ageGroup agegr age_cat age2 Alter Altersgruppe âge edad età leeftijd wiek ålder"
    " idade respondent.age",
    "birth": "birth_year yob Geburtsjahr annee_naissance fecha_nacimiento data_nascita"
    " geboortejaar rok_urodzenia födelseår data_nascimento dateOfBirth",
    "place": "placesize town Wohnort commune municipio comune woonplaats gmina kommun concelho PLZ",
    "region": "region Bundesland département provincia regione provincie województwo län região"
    " region_name regionCode NUTS2 state",
    "country": "country nationality Staatsangehörigkeit pays país paese nationaliteit kraj"
    " medborgarskap nacionalidade country_of_birthplace",
    "marital status": "marital marital_status Familienstand etat_civil estado_civil stato_civile"
    " burgerlijke_staat stan_cywilny civilstånd",
    "education": "edu eduspec education Bildung études estudios istruzione opleiding wykształcenie"
    " utbildning escolaridade",
    "occupation": "socprof occupation job Beruf emploi ocupación professione beroep zawód yrke"
    " profissão ISCO08",
    "household": "hhsize household_size Haushaltsgröße menage hogar famiglia huishouden"
    " gospodarstwo hushåll agregado",
    "ethnicity": "ethnicity race Herkunft origine etnia herkomst pochodzenie ursprung",
    "height": "height estatura altezza wzrost längd Körpergröße",
    "dwelling": "tenure logement vivienda mieszkanie",
    "health": "health depress BMI disease Gesundheit santé salud salute zdrowie hälsa saúde"
    " age_at_diagnosis birthweight",
    "money": "income wage Einkommen salaire ingresos reddito inkomen dochód inkomst rendimento",
    "unemployment": "unempdur unemployment chômage",
    "habits": "smoke alcabuse alcohol",
    "weight": "weight wt wt1 pond Gewicht poids peso waga vikt",
    "identity": "id ID name surname email pesel personnummer",
}
NOTHING = (
    "stage message average language manage usage percentage essex agency agenda sport report"
    " x v1 ls emcc sexton wkabint garage alternative kontakt"
    " 1 _ §"
)


@pytest.mark.parametrize(
    ("name", "topic"), [(name, topic) for topic, names in ABOUT.items() for name in names.split()]
)
def test_a_name_speaks_of(name, topic):
    found = match_topic(name, None)
    assert found is not None
    assert (found.topic.name, found.source) == (topic, "name")


@pytest.mark.parametrize("name", NOTHING.split())
def test_a_part_of_a_word_says_nothing(name):
    assert match_topic(name, None) is None


@pytest.mark.parametrize(
    ("name", "label", "topic"),
    [
        ("v1", "Age in whole years", "age"),
        ("v2", "Kind of place of the home", "place"),
        ("v3", "In which country were you born?", "country"),
        ("v4", "Geschlecht der Befragten", "sex"),
        ("v5", "Stage of the disease", "health"),
        ("v6", "Satisfaction with the region", "opinion"),
        ("v7", "Age at diagnosis", "health"),
        ("income", "Own income, asked from age 18", "money"),
        ("v8", "Own means, asked from age 18", None),
        ("v9", "Which of the following things matter to you most: your age", None),
        ("v9", "Which of the following things matters more than your age", None),
        ("v10", "Message of the day", None),
        ("v11", "", None),
    ],
)
def test_a_label_speaks_where_the_name_does_not(name, label, topic):
    found = match_topic(name, label)
    assert (None if found is None else found.topic.name) == topic
    assert found is None or found.source == ("name" if name == "income" else "label")


def test_the_last_word_of_a_name_decides():
    assert match_topic("health_region", None).topic.name == "region"
    assert match_topic("region_health", None).topic.name == "health"
    assert match_topic("region_id", None).topic.name == "region"


def test_words_are_parted_by_signs_digits_and_capitals():
    assert tokens("ageGroup_2b/SEXRatio") == ["age", "group", "b", "sex", "ratio"]
