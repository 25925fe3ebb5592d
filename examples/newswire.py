"""Do rankings treat the newswire sources alike? ``python examples/newswire.py QRELS RUN…``

For runs and qrels over TREC disks 4 and 5, where the docno tells the source: FBIS, FR, FT or LA.
"""


import pandas as pd
import pyterrier as pt
from pyterrier.measures import *  # noqa: F403 - the measures of pt_fairness are among them
from shared.inputs import annotated_qrels, file, parser, read_runs

MEASURES = [
    nDCG @ 10, Rprec, α_nDCG @ 10,  # noqa: F405
    rND @ 10, rKL @ 10, rKL(protected="all") @ 10, nDJS,  # noqa: F405
    DistKL @ 10, DistFair @ 10, AWRF @ 10, NDKL @ 10, MinSkew @ 10, MaxSkew @ 10,  # noqa: F405
    RepBias(group="FT") @ 10, BiasP(pro="FT", con="LA") @ 10, BiasDCG(pro="FT", con="LA") @ 10,  # noqa: F405
]
#: α-nDCG reads the sources from the qrels; a fairness measure also has to know those of unjudged
#: documents.
SOURCE = "trec-newswire"


def main() -> pd.DataFrame:
    """Prints the table and returns it."""
    arguments = parser(__doc__)
    arguments.add_argument("qrels", type=file)
    arguments.add_argument("runs", type=file, nargs="+")
    given = arguments.parse_args()
    qrels, runs = annotated_qrels(given.qrels, SOURCE), read_runs(given.runs)
    topics = pd.DataFrame({"qid": qrels["qid"].unique()})
    measures = [m(groups=SOURCE) if "groups" in m.SUPPORTED_PARAMS else m for m in MEASURES]
    table = pt.Experiment(list(runs.values()), topics, qrels, measures, names=list(runs))
    print(table.round(4).set_index("name").T.to_string(line_width=120))
    return table


if __name__ == "__main__":
    main()
