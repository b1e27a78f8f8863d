"""Which column says whose row it is, where a file has several rows for a person?"""

from unveil.records.base import Record


class PersonColumn(Record, frozen=True, kw_only=True):
    """A column with one value for each person, on every row of theirs."""

    column: str
    n_rows: int
    n_people: int  # a row without a value counts as a person of its own

    @property
    def counts(self) -> str:
        """Rows and people, in words that follow the name of the column."""
        return f"repeats: {self.n_rows:,} rows of {self.n_people:,} people"


class PeopleByKeys(Record, frozen=True, kw_only=True):
    """How many people, not rows, share their keys; a missing key is a level.

    A person is as exposed as the row of theirs whose keys the fewest people have.
    """

    person: PersonColumn
    n_unique: int  # people with keys that no one else has
    percent: float  # of all people
    k: int  # the smallest number of people who share the keys of a row
    global_risk: float | None  # the mean over people of 1 / k of theirs; None with weights
