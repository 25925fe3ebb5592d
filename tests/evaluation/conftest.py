"""Qrels and runs of synthetic cases, and registered groups."""

import contextlib
import os

import numpy as np
import pandas as pd
import pyterrier as pt
import pytest
from evaluation.common import trec_run

from pt_fairness import groups, rKL, rND, targets


@pytest.fixture(scope="session")
def debates():
    """The debates that the package ships with, as a dataset of PyTerrier."""
    return pt.get_dataset("irds:pt-fairness/debates/stance")


@pytest.fixture(scope="session")
def index(debates, tmp_path_factory):
    """A PISA index of the arguments of the debates."""
    from pyterrier_pisa import PisaIndex

    made = PisaIndex(str(tmp_path_factory.mktemp("pisa") / "index"),
                     text_field=["title", "text"], threads=1)
    with open(os.devnull, "w") as nowhere, contextlib.redirect_stdout(nowhere):
        made.index(debates.get_corpus_iter(verbose=False))
    return made


@pytest.fixture
def qrels(make_case):
    return make_case(3, topics=12, labels=3).qrels_frame


@pytest.fixture
def runs(make_case):
    """Runs over the topics of ``qrels``; each lacks some of them, and has an unjudged one."""
    return {f"system {seed}": make_case(seed, topics=12, labels=3).run_frame.rename(
        columns={"query_id": "qid", "doc_id": "docno"}) for seed in range(3, 11)}


@pytest.fixture
def files(runs, tmp_path):
    """The same runs in files."""
    folder = tmp_path / "runs"
    folder.mkdir()
    for name, run in runs.items():
        (folder / name).write_text(trec_run(run), encoding="utf-8")
    return folder


@pytest.fixture
def registered(registered_groups, forget_targets):
    """Measures of groups and a target that this process alone has registered."""
    registered_groups("by-number", lambda: groups.from_pattern(r"\d$", name="by-number"))
    qids = np.repeat([str(i) for i in range(1, 13)], 2)
    targets.register("uneven", pd.DataFrame({"qid": qids, "group": ["3", "4"] * 12,
                                             "share": [0.75, 0.25] * 12}))
    return [rND(groups="by-number", protected="3") @ 5,
            rKL(groups="by-number", protected="3,4", target="uneven") @ 5]
