"""What did people answer to the five questions about the context?"""

from unveil.judge.factors import QUESTIONS
from unveil.records.dossier import Factor
from unveil.release.model import ProjectFile


def factors_of(project: ProjectFile) -> tuple[Factor, ...]:
    """Raab's five factors in their order, each with its answer or without."""
    answers = project.context.factors
    return tuple(
        Factor(
            name=name,
            question=asked.question,
            answer=answers[name].answer if name in answers else None,
            by=answers[name].by if name in answers else None,
            on=answers[name].on if name in answers else None,
        )
        for name, asked in QUESTIONS.items()
    )
