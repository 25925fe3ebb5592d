"""Two retrieval systems over args.me: relevance, diversity and fairness towards the stances, in one
table.

``python examples/touche.py`` takes the real corpus if ir_datasets has it or can download it (1.7
GB); otherwise, or as ``python examples/touche.py generated``, a small corpus in the same format,
made of the arguments that the package ships with. ``python examples/touche.py
argsme/1.0/touche-2020-task-1/uncorrected`` takes the judgments of Pathiyan Cherumanal et al.
(2021), graded −2 and 1 to 5. Needs no Java: ``pip install 'pt-fairness[demo]'``.
"""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path
from xml.sax.saxutils import escape

import ir_datasets
import pandas as pd
import pyterrier as pt
from pyterrier.measures import *  # noqa: F403 - the measures of pt_fairness are among them
from quickstart import PisaIndex, without_native_output

CORPUS = "argsme/2020-04-01"
#: The judgments of the organisers' corrected version, and those of the paper, over another version
#: of the corpus.
TASKS = (f"{CORPUS}/touche-2020-task-1", "argsme/1.0/touche-2020-task-1/uncorrected")
FAIRNESS = [rND @ 5, rKL @ 5, rRD @ 5]  # noqa: F405
#: The files of the corpus, and the portal that the arguments of each are from.
PORTALS = {
    "debateorg": "debate.org",
    "debatepedia": "debatepedia",
    "debatewise": "debatewise",
    "idebate": "idebate",
    "parliamentary": "canadian-parliament",
}


def argument(
    docno: str, stance: str | None, portal: str, conclusion: str, premise: str
) -> dict[str, object]:
    """An argument in args.me's format; without a stance, one without premises."""
    return {
        "id": docno,
        "conclusion": conclusion,
        "premises": []
        if stance is None
        else [{"text": premise, "stance": stance, "annotations": []}],
        "context": {
            "sourceId": docno.split("-")[0],
            "sourceTitle": conclusion,
            "sourceDomain": portal,
            "acquisitionTime": "2020-04-01T12:00:00Z",
            "discussionTitle": conclusion,
        },
    }


def write(path: Path, text: str) -> None:
    """Writes a file, and the folders above it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def write_corpus(home: Path, arguments: dict[str, list[dict[str, object]]]) -> None:
    """Writes the files of the corpus, by name, where ir_datasets looks for them."""
    for name in PORTALS:
        write(home / CORPUS / f"{name}.json", json.dumps({"arguments": arguments.get(name, [])}))


def topics_xml(topics: Iterable[tuple[str, str]]) -> str:
    """Touché's topics, of (number, question)."""
    return (
        "<topics>\n"
        + "".join(
            f"<topic>\n<number>{number}</number>\n<title>{escape(title)}</title>\n<description>{escape(title)}</description>\n"
            "<narrative>Relevant arguments help to answer it.</narrative>\n</topic>\n"
            for number, title in topics
        )
        + "</topics>\n"
    )


def generate(home: Path) -> None:
    """The arguments that the package ships with, as args.me and Touché 2020; neutral ones have no
    place there.
    """
    debates = ir_datasets.load("pt-fairness/debates")
    arguments: dict[str, list[dict[str, object]]] = {name: [] for name in PORTALS}
    docnos = set()
    for number, doc in enumerate(debates.docs_iter()):
        if doc.stance != "-":
            name, portal = list(PORTALS.items())[number % len(PORTALS)]
            arguments[name].append(argument(doc.doc_id, doc.stance, portal, doc.title, doc.text))
            docnos.add(doc.doc_id)
    write_corpus(home, arguments)
    write(home / "touche/2020/task-1/queries.xml", topics_xml(debates.queries_iter()))
    write(
        home / "touche/2020/task-1/qrels.qrels",
        "".join(
            f"{q.query_id} 0 {q.doc_id} {q.relevance}\n"
            for q in debates.qrels_iter()
            if q.doc_id in docnos
        ),
    )


def main(task: str = TASKS[0]) -> pd.DataFrame:
    """Prints the table and returns it."""
    touche = pt.get_dataset(f"irds:{task}/stance")
    stances = f"{task.partition('/touche')[0]}/stance"
    topics, qrels = touche.get_topics("title"), touche.get_qrels()
    with tempfile.TemporaryDirectory() as folder, without_native_output():
        index = PisaIndex(f"{folder}/index", text_field=["conclusion", "premises_texts"], threads=1)
        index.index(touche.get_corpus_iter(verbose=False))
        runs = {"BM25": index.bm25(threads=1)(topics), "QLD": index.qld(threads=1)(topics)}
    # α-nDCG reads the stances of judged arguments from the qrels; the fairness measures also ask
    # for those of the others.
    measures = [nDCG @ 5, α_nDCG @ 5, *(m(groups=stances) for m in FAIRNESS)]  # noqa: F405
    table = pt.Experiment(list(runs.values()), topics, qrels, measures, names=list(runs))
    print(table.set_index("name").T.to_string(float_format="{:.4f}".format))
    return table


def has_real_corpus(task: str) -> bool:
    """Whether ir_datasets has args.me and the judgments, or gets them now."""
    try:
        dataset = ir_datasets.load(f"{task}/stance")
        found = list(dataset.qrels_iter()) and list(dataset.queries_iter())
        dataset.docs_store().build()
        return bool(found)
    except (OSError, RuntimeError, ValueError) as error:
        print(f"args.me cannot be had: {error}", file=sys.stderr)
        return False


if __name__ == "__main__":
    task = (sys.argv[1:] or TASKS)[0]
    if task not in ("run", "generated", *TASKS):
        sys.exit(f"{task} is not possible; give generated, {' or '.join(TASKS)}")
    if task == "run":  # started below, where ir_datasets looks into another folder
        main()
    elif task != "generated" and has_real_corpus(task):
        print(f"The real args.me corpus: {task}/stance")
        main(task)
    else:
        print(
            "A generated corpus, not args.me: the arguments that the package ships with, in "
            "args.me's format",
            flush=True,
        )
        with tempfile.TemporaryDirectory() as home:
            generate(Path(home))
            sys.exit(subprocess.run([sys.executable, __file__, "run"],
                                    env={**os.environ, "IR_DATASETS_HOME": home}).returncode)
