"""One measured project, of which each test has a copy."""

import pytest

from project.desk import ANN, copy_of, make_project


@pytest.fixture(scope="session")
def measured(tmp_path_factory):
    project = make_project(tmp_path_factory.mktemp("desk"))
    project.run(by=ANN)
    return project


@pytest.fixture
def project(measured, tmp_path):
    return copy_of(measured, tmp_path)
