"""The ir_measures Provider and Evaluator."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import ir_measures
from ir_measures import providers
from ir_measures.providers.base import Any as AnyValue

from pt_fairness.measures.base import TARGET_WORDS, FairnessMeasure, label_text, listen

if TYPE_CHECKING:
    import pandas as pd

    from pt_fairness.groups import Groups
    from pt_fairness.numerics import Bools, Floats
    from pt_fairness.ranking import Annotations, Judgments, Run

#: Set to ``ndeval``, it leaves α-nDCG and the other measures of ndeval to ir_measures altogether.
ALPHA_VARIABLE = "PT_FAIRNESS_ALPHA"
ALPHA_MEASURES = frozenset({"alpha_nDCG", "alpha_DCG"})
#: The other measures of ndeval: its arithmetic, fed with trec_eval's order.
NDEVAL_MEASURES = frozenset({"ERR_IA", "nERR_IA", "NRBP", "nNRBP", "AP_IA", "P_IA", "StRecall"})
#: Those to which the order within the cutoff means nothing.
SET_MEASURES = frozenset({"P_IA", "StRecall"})


class FairnessProvider(providers.Provider):  # type: ignore[misc]
    """The measures of pt_fairness, and α-nDCG and its kin in trec_eval's ranking order.

    Like all of ir_measures' providers it takes qrels and runs as DataFrames, iterables of namedtuples, and dicts, and does
    not modify them. Every measure ranks as trec_eval does: float32(score) descending, then docno descending.
    """

    NAME = "fairness"
    SUPPORTED_MEASURES: list[Any] = []

    def supports(self, measure: Any) -> bool:
        """Whether this provider computes ``measure``.

        :raises ValueError: a wrong parameter of a measure of this package, or a cutoff of α-nDCG below 1
        """
        measure.validate_params()
        if isinstance(measure, FairnessMeasure):
            return True
        if os.environ.get(ALPHA_VARIABLE) == "ndeval":
            return False
        if measure.NAME in ALPHA_MEASURES:
            if measure.params.get("cutoff", 1) < 1:
                raise ValueError(f"{measure} is not possible: cutoff takes a whole number of at least 1")
            return True
        return measure.NAME in NDEVAL_MEASURES and bool(ir_measures.pyndeval.is_available())

    def qrel_inputs(self, measures: Iterable[Any]) -> list[str]:
        """The columns of the qrels that these measures read."""
        from_qrels = any(m.params.get("groups") is None for m in measures)
        return ["query_id", "doc_id", "relevance"] + (["iteration"] if from_qrels else [])

    def _evaluator(self, measures: Iterable[Any], qrels: Any) -> FairnessEvaluator:
        # A set comes from ir_measures' pipeline: sorted, so that the output does not change from call to call.
        measures = sorted(measures, key=str) if isinstance(measures, (set, frozenset)) else list(measures)
        others = [str(measure) for measure in measures if not self.supports(measure)]
        if others:
            raise ValueError(f"the provider {self.NAME!r} does not compute {', '.join(sorted(others))}; without a provider, "
                             "ir_measures takes the one that does")
        return FairnessEvaluator(measures, ir_measures.util.QrelsConverter(qrels).as_pd_dataframe())


class FairnessEvaluator(providers.Evaluator):  # type: ignore[misc]
    """Scores any number of runs against the same qrels; the qrels and the judged documents' groups are read once."""

    def __init__(self, measures: Sequence[Any], qrels: pd.DataFrame) -> None:
        from pt_fairness.ranking import Judgments
        self._judgments: Judgments = Judgments(qrels)
        super().__init__(measures, self._judgments.qids)
        self._told: set[str] = set()
        #: ``[T]``, for sources that drop topics: which they are. They have no value, and are in no mean.
        self._dropped: dict[str | None, Bools] = {}
        self._sources: dict[str | None, list[FairnessMeasure]] = {}
        for measure in measures:
            if isinstance(measure, FairnessMeasure):
                self._sources.setdefault(measure.param("groups"), []).append(measure)
        self._annotations = {source: self._annotate(source, own) for source, own in self._sources.items()}
        self._alpha = [m for m in measures if m.NAME in ALPHA_MEASURES]
        self._subtopics: dict[int, Any] = {}
        self._others = [m for m in measures if m.NAME in NDEVAL_MEASURES]
        self._ndeval = _Ndeval(self._others, qrels, self._judgments) if self._others else None

    def _annotate(self, source: str | None, measures: list[FairnessMeasure]) -> Annotations:
        from pt_fairness.ranking import Annotations
        groups = None
        if source is not None:
            from pt_fairness import groups as sources
            groups = sources.get(source)
            if groups.topics is not None:
                self._drop(source, groups)
        annotations = Annotations(self._judgments, groups)
        for measure in measures:
            annotations.check(measure, self._tell)
            target = measure.params.get("target")
            if isinstance(target, str) and target not in TARGET_WORDS:
                from pt_fairness import targets
                targets.check(target, self._judgments.topics)
        return annotations

    def _drop(self, source: str, groups: Groups) -> None:
        import numpy as np
        kept = set(groups.topics or ())
        dropped = np.array([topic not in kept for topic in self._judgments.topics], bool)
        if dropped.any():
            self._dropped[source] = dropped
            self._tell(f"topics {source}", f"{groups!r} drops {dropped.sum()} of {len(dropped)} topics (the first is "
                       f"{self._judgments.topics[dropped.argmax()]!r}): they have no value (NaN) and are left out of the "
                       "means. pt.Experiment cannot leave them out: give it groups.to_qrels(qrels)")

    def tell_again(self) -> None:
        """Has the next run warned about for its own sake, whatever was said of the ones before."""
        self._told.clear()

    def _tell(self, cause: str, message: str) -> None:
        """One warning per evaluator and cause."""
        if cause not in self._told:
            self._told.add(cause)
            from pt_fairness.ranking import warn
            warn(message)

    def iter_calc(self, run: Any) -> Iterator[Any]:
        """Yields the value of every measure for every topic of the qrels, topics without results included."""
        from pt_fairness.ranking import Run
        ranked = Run(ir_measures.util.RunConverter(run).as_pd_dataframe(), self._judgments, self._tell)
        values: dict[Any, Any] = {}
        undefined: dict[str, str] = {}
        for source, measures in self._sources.items():
            values.update(self._scores(ranked, source, measures, undefined))
        if undefined:
            self._tell("undefined", "topics with nothing to compare with have the value 0.0, for every system: "
                       + ", ".join(f"{name} on {how_many}" for name, how_many in undefined.items()))
        values.update(self._alpha_scores(ranked))
        if self._ndeval is not None:
            values.update(self._ndeval.scores(ranked))
            for measure in self._others:
                self._listing(ranked, measure)
        columns = [(measure, values[measure].tolist()) for measure in self.measures]
        for i, qid in enumerate(self.qrel_qids):
            for measure, column in columns:
                yield ir_measures.Metric(query_id=qid, measure=measure, value=column[i])

    def _scores(self, run: Run, source: str | None, measures: list[FairnessMeasure],
                undefined: dict[str, str]) -> dict[Any, Floats]:
        """The value of every measure of a source for every topic.

        :param undefined: takes the measures that are undefined for some topics, and for how many
        """
        import numpy as np

        from pt_fairness.ranking import Rankings
        annotations, dropped = self._annotations[source], self._dropped.get(source)
        depths = [measure.depth for measure in measures]
        codes, length = annotations.of_run(run, None if None in depths else max(d for d in depths if d is not None))
        view = Rankings(run, annotations, codes, length)
        values = {}
        for measure in measures:
            scores = measure.scores(view)
            nothing = np.isnan(scores)
            if dropped is not None:
                nothing &= ~dropped
            if nothing.any():
                undefined[str(measure)] = self._how_many(nothing, annotations, measure)
                scores = np.where(nothing, 0.0, scores)
            values[measure] = scores if dropped is None else np.where(dropped, np.nan, scores)
        foreign = view.foreign
        if len(foreign) and not all(measure.added_labels for measure in measures):
            self._tell(f"foreign {source}", f"{len(foreign)} ranked documents have groups that no judged document has and that "
                       f"{annotations.groups!r} does not declare: {', '.join(annotations.names(foreign))}; "
                       "they count as unannotated")
        return values

    @staticmethod
    def _how_many(topics: Bools, annotations: Annotations, measure: FairnessMeasure) -> str:
        text = f"{topics.sum()} of {len(topics)} topics"
        known = topics.all() and "rel" in measure.SUPPORTED_PARAMS
        document = annotations.without_group(measure.param("rel")) if known else None
        if document is None:
            return text
        source = annotations.groups or "the iteration of the qrels"
        return f"{text} (no relevant document, such as {document!r}, has a group in {source})"

    def _alpha_scores(self, run: Run) -> dict[Any, Floats]:
        if not self._alpha:
            return {}
        from pt_fairness.measures import diversity
        values: dict[Any, Floats] = {}
        for measure in self._alpha:
            subtopics, listing = self._listing(run, measure)
            if subtopics.subtopics.max(initial=0) == 1:
                self._tell("subtopics", f"no topic has more than one subtopic, so {measure} sees no diversity: subtopics are "
                           "read from the iteration field of the qrels, which PyTerrier's reader drops and "
                           "pt_fairness.read_qrels keeps")
            values[measure] = diversity.score(measure.NAME, subtopics, listing, measure["alpha"], measure.params.get("cutoff"))
        return values

    def _listing(self, run: Run, measure: Any) -> tuple[Any, Any]:
        """The subtopics and the documents that a measure of ndeval sees; tells of ties between documents that differ."""
        from pt_fairness.measures import diversity
        rel = measure["rel"]
        if rel not in self._subtopics:
            self._subtopics[rel] = diversity.Subtopics(self._judgments, rel)
        listing = diversity.Listing(run, _judged_only(measure))
        if listing.ties_matter(self._subtopics[rel], measure.params.get("cutoff"), measure.NAME in SET_MEASURES):
            self._tell("ties", f"{measure} depends on the order of tied documents, and ranks them here as trec_eval does for "
                       f"nDCG (by docno, descending), not as ndeval does; {ALPHA_VARIABLE}=ndeval in the environment leaves "
                       "it to ndeval")
        return self._subtopics[rel], listing


def _judged_only(measure: Any) -> bool:
    return bool("judged_only" in measure.SUPPORTED_PARAMS and measure["judged_only"])


class _Ndeval:
    """The other measures of ndeval, each setting with an evaluator of its own: ir_measures hands all settings one
    generator, which is empty after the first, and cannot filter the judged documents."""

    def __init__(self, measures: list[Any], qrels: pd.DataFrame, judgments: Judgments) -> None:
        from pt_fairness.ranking import UNANNOTATED
        self._judgments = judgments
        annotated = qrels
        if "iteration" in qrels:
            annotated = qrels[~(qrels["iteration"].isna() | qrels["iteration"].isin(UNANNOTATED))]
        annotated = annotated.assign(query_id=annotated["query_id"].map(label_text), doc_id=annotated["doc_id"].astype(str))
        self._settings: dict[Any, list[tuple[Any, Any]]] = {}
        for measure in measures:
            kept = {name: value for name, value in measure.params.items() if name != "judged_only"}
            key = (measure["rel"], kept.get("alpha"), kept.get("beta"), _judged_only(measure))
            self._settings.setdefault(key, []).append((measure, type(measure)(**kept)))
        self._evaluators = {key: ir_measures.pyndeval.evaluator([plain for _, plain in pairs], annotated)
                            for key, pairs in self._settings.items()}

    def scores(self, run: Run) -> Iterator[tuple[Any, Floats]]:
        """The value of every measure for every topic."""
        import numpy as np
        import pandas as pd
        names = np.array(self._judgments.topics, dtype=object)
        place = {name: i for i, name in enumerate(self._judgments.topics)}
        for key, pairs in self._settings.items():
            rows = np.flatnonzero(run.pair >= 0) if key[-1] else np.arange(len(run.topic))
            ordered = pd.DataFrame({"query_id": names[run.topic[rows]], "doc_id": run.docnos(rows),
                                    "score": -run.place[rows].astype(float)})
            values = {repr(plain): np.zeros(len(names)) for _, plain in pairs}
            for metric in self._evaluators[key].iter_calc(ordered):
                if metric.query_id in place:
                    values[repr(metric.measure)][place[metric.query_id]] = metric.value
            for measure, plain in pairs:
                # ndeval divides 0 by 0 where a topic has no relevant document.
                yield measure, np.nan_to_num(values[repr(plain)])


class ManyRunsEvaluator:
    """What ``ir_measures.evaluator(measures, qrels)`` gives, for any measures, made for many runs.

    pytrec_eval takes dictionaries, for which ir_measures walks the rows of a frame in Python: it gets them ready made.
    Warnings are given anew for every run.

    :param qrels: columns ``query_id, doc_id, relevance`` and, if it has groups, ``iteration``; identifiers as text
    :raises ValueError: a measure that no provider computes, or that does not fit the qrels
    """

    def __init__(self, measures: Sequence[Any], qrels: pd.DataFrame) -> None:
        plain = [m for m in measures if _provider_of(m) is ir_measures.pytrec_eval]
        others = [m for m in measures if m not in plain]
        self._plain = ir_measures.pytrec_eval.evaluator(plain, _by_topic(qrels, "relevance")) if plain else None
        self._others = ir_measures.evaluator(others, qrels) if others else None

    def iter_calc(self, run: pd.DataFrame) -> Iterator[Any]:
        """Yields the value of every measure for every topic.

        :param run: columns ``query_id, doc_id, score``; identifiers as text, scores as floats
        """
        if self._plain is not None:
            yield from self._plain.iter_calc(_by_topic(run, "score"))
        if self._others is not None:
            for evaluator in getattr(self._others, "evaluators", [self._others]):
                if isinstance(evaluator, FairnessEvaluator):
                    evaluator.tell_again()
            yield from self._others.iter_calc(run)


def _provider_of(measure: Any) -> Any:
    """The provider that ir_measures' default pipeline has compute a measure; ``None`` if there is none."""
    return next((one for one in ir_measures.DefaultPipeline.providers if one.supports(measure) and one.is_available()), None)


def _by_topic(frame: pd.DataFrame, column: str) -> dict[str, dict[str, Any]]:
    """Topic → document → value; of a document that comes twice the last row counts, as for ir_measures."""
    import numpy as np
    import pandas as pd
    codes, names = pd.factorize(frame["query_id"])
    documents, values = frame["doc_id"].tolist(), frame[column].tolist()
    starts = np.flatnonzero(np.diff(codes, prepend=-1)).tolist()
    topics: dict[str, dict[str, Any]] = {}
    for start, end in zip(starts, [*starts[1:], len(codes)], strict=True):
        rows = topics.setdefault(str(names[codes[start]]), {})
        rows.update(zip(documents[start:end], values[start:end], strict=True))
    return topics


FAIRNESS = FairnessProvider()


def _support(name: str, measure: FairnessMeasure) -> None:
    if name == measure.NAME:
        FairnessProvider.SUPPORTED_MEASURES.append(type(measure)(**{p: AnyValue() for p in measure.SUPPORTED_PARAMS}))


def plug_in() -> None:
    """Adds the provider to ir_measures' registry and, before pyndeval, to its default pipeline; once."""
    if providers.registry.get(FAIRNESS.NAME) is not FAIRNESS:
        providers.register(FAIRNESS)
        listen(_support)
    # An ir_measures that reads entry points may load this one before it has a pipeline, and then put the provider in itself.
    pipeline = getattr(ir_measures, "DefaultPipeline", None)
    if pipeline is not None and not any(isinstance(provider, FairnessProvider) for provider in pipeline.providers):
        pipeline.providers.insert(pipeline.providers.index(ir_measures.pyndeval), FAIRNESS)
