"""What a name or a label is about: by whole words, in nine languages."""

from collections import Counter

import pytest

from unveil.describing.words import find_topic, numbers_people, vocabulary, words_of

TOPICS = {
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
    "marital status": "marital_status Familienstand etat_civil estado_civil stato_civile"
    " burgerlijke_staat stan_cywilny civilstånd",
    "education": "edu eduspec Bildung études estudios istruzione opleiding wykształcenie utbildning"
    " escolaridade",
    "occupation": "socprof job Beruf emploi ocupación professione beroep zawód yrke profissão"
    " ISCO08",
    "household": "hhsize Haushaltsgröße menage hogar famiglia huishouden gospodarstwo hushåll"
    " agregado",
    "health": "health depress BMI Gesundheit santé salud salute zdrowie hälsa saúde"
    " age_at_diagnosis birthweight region_health",
    "money": "income wage Einkommen salaire ingresos reddito inkomen dochód inkomst rendimento",
    "unemployment": "unempdur chômage",
    "habits": "smoke alcabuse",
    "height": "height estatura altezza wzrost längd Körpergröße",
    "weight": "weight wt wt1 pond Gewicht poids peso waga vikt",
    "identity": "id ID name surname email pesel personnummer",
}
NOTHING = (
    "stage message average language manage usage percentage essex agency agenda sport report x v1"
    " ls emcc sexton wkabint garage alternative kontakt 1 _ §"
)


@pytest.mark.parametrize("topic", TOPICS)
def test_a_name_is_about(topic):
    assert {name: find_topic(name) for name in TOPICS[topic].split()} == dict.fromkeys(
        TOPICS[topic].split(), topic
    )


def test_a_part_of_a_word_says_nothing():
    assert [name for name in NOTHING.split() if find_topic(name)] == []


@pytest.mark.parametrize(
    ("label", "topic"),
    [
        ("Age in whole years", "age"),
        ("In which country were you born?", "country"),
        ("Geschlecht der Befragten", "sex"),
        ("Stage of the disease", "health"),
        ("Satisfaction with the region", "opinion"),
        ("Own means, asked from age 18", ""),
        ("Which of the following things matters more than your age", ""),
        ("Message of the day", ""),
    ],
)
def test_a_label_speaks_where_the_name_does_not(label, topic):
    assert find_topic("v1", label) == topic
    assert find_topic("income", label) == "money"


def test_words_are_parted_by_signs_digits_and_capitals():
    assert words_of("ageGroup_2b/SEXRatio") == ["age", "group", "b", "sex", "ratio"]


def test_a_number_of_people_is_told_from_that_of_other_things():
    people = (
        "patient_id PatientID PATIENTID patient Respondent pid person_nr case_no subjid USUBJID id"
        " study_id nhs_number personnummer id_paciente lopnr pidp idno customerNumber Løpenummer"
    )
    others = (
        "household_id hhid region_id hospital_id school_id interviewer_id ward_id visit_id surname"
        " name case subject patient_age respondent_spending persons age income street number v1"
    )
    assert [name for name in people.split() if not numbers_people(name)] == []
    assert [name for name in others.split() if numbers_people(name)] == []


# The file of words


def test_words_are_plain_and_in_one_topic_alone():
    topics = vocabulary()["topics"]
    texts = [
        (name, text)
        for name, topic in topics.items()
        for kind in ("words", "weak")
        for text in topic.get(kind, {}).values()
    ]
    topics_of = Counter(
        word for word, _ in {(w, name) for name, text in texts for w in text.split()}
    )
    assert [word for word, n in topics_of.items() if n > 1] == []
    for words in (text.split() for _, text in texts):
        assert [word for word in words if words_of(word) != [word]] == []
        assert len(words) == len(set(words))


def test_lists_are_plain():
    for texts in vocabulary()["lists"].values():
        for words in (text.split() for text in texts.values()):
            assert [word for word in words if words_of(word) != [word]] == []
            assert len(words) == len(set(words))


def test_every_topic_has_words_of_nine_languages_or_a_grade_that_may_do_without():
    topics = vocabulary()["topics"]
    graded = {"visible", "often", "sometimes"}
    known = graded | {"sensitive", "opinion", "identifier", "weight"}
    assert {topic["known"] for topic in topics.values()} == known
    for name, topic in topics.items():
        assert bool(topic.get("reason")) == (topic["known"] in graded), name
        assert name in ("vehicle", "opinion") or len(topic["words"]) == 9, name
