"""α-nDCG and α-DCG of a run, and the warnings of these and of ndeval's other measures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pt_fairness.numerics import Floats, mean_of_lists
from pt_fairness.provider.diversity import Listing, Subtopics, score
from pt_fairness.provider.names import ALPHA_VARIABLE, SET_MEASURES
from pt_fairness.rankings.judgments import Judgments
from pt_fairness.rankings.run import Run
from pt_fairness.rankings.trec_order import Tell


def judged_only(measure: Any) -> bool:
    """Return whether a measure ignores unjudged documents."""
    return bool("judged_only" in measure.SUPPORTED_PARAMS and measure["judged_only"])


class Diversity:
    """The subtopics of the qrels for each ``rel`` of the given measures."""

    def __init__(self, judgments: Judgments, measures: Sequence[Any]) -> None:
        self._subtopics = {rel: Subtopics(judgments, rel)
                           for rel in {measure["rel"] for measure in measures}}

    def scores(self, measure: Any, run: Run, tell: Tell) -> Floats:
        """Return α-nDCG or α-DCG of each topic, ``[T]``, the mean over its lists."""
        subtopics = self._subtopics[measure["rel"]]
        if subtopics.count.max(initial=0) == 1:
            tell("subtopics", f"no topic has more than one subtopic, so {measure} sees no "
                 "diversity: subtopics are read from the iteration field of the qrels, which "
                 "PyTerrier's reader drops and pt_fairness.read_qrels keeps")
        self.tell_of_ties(measure, run, tell)
        listing = Listing(run, judged_only(measure))
        values = score(measure.NAME, subtopics, listing, measure["alpha"],
                       measure.params.get("cutoff"))
        return mean_of_lists(values, run.topics)

    def tell_of_ties(self, measure: Any, run: Run, tell: Tell) -> None:
        """Warn if the order of tied documents can change a value."""
        listing = Listing(run, judged_only(measure))
        cutoff, as_set = measure.params.get("cutoff"), measure.NAME in SET_MEASURES
        if listing.ties_matter(self._subtopics[measure["rel"]], cutoff, as_set):
            tell("ties", f"{measure} depends on the order of tied documents, and ranks them here "
                 "as trec_eval does for nDCG (by docno, descending), not as ndeval does; "
                 f"{ALPHA_VARIABLE}=ndeval in the environment leaves it to ndeval")
