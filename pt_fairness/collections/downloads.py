"""What ir_datasets downloads for the group sources of this package."""

#: The downloads for the groups and the judgments, by the prefix of the names of the sources. The
#: longest prefix counts.
DOWNLOADS = {
    "pt-fairness/": "nothing",
    "trec-newswire": "nothing",
    "trec-fair/2021/": "57 MB: metadata, qrels, topics",
    "trec-fair/2022/": "255 MB: metadata, topics with qrels",
    "argsme/2020-04-01/": "1,433 MB: corpus, qrels, topics",
    "argsme/2020-04-01/processed/": "1,548 MB: corpus, qrels, topics",
    "argsme/2020-04-01/processed/touche-2022-task-1/quality": "1.5 MB: qrels, topics",
    "argsme/2020-04-01/processed/touche-2022-task-1/coherence": "1.5 MB: qrels, topics",
    "argsme/1.0/": "238 MB: corpus, qrels, topics",
    "beir/webis-touche2020/": "227 MB: corpus, qrels and topics in one file",
    "clueweb12/touche-2022-task-2/": "0.3 MB: qrels, topics",
    "clueweb12/b13/trec-misinfo-2019/": "0.9 MB: qrels, topics",
    "touche-image/": "0.6 MB: qrels, topics",
    "blogs06/": "a few MB: qrels, topics",
    "neuclir/1/trec-2022/": "5.4 MB: qrels, topics",
    "neuclir/1/trec-2023/": "6.7 MB: qrels, topics",
    "sara/": "20 MB and the corpus, whose size ir_datasets does not state: corpus, qrels, topics",
    "msmarco-passage/trec-dl-2019/": "1,058 MB: corpus, qrels, topics, word list",
    "msmarco-passage/dev/": "1,078 MB: corpus, qrels, topics, word list",
    "msmarco-passage/msmgenderbias": "9 kB: the groups",
    "cocktail/": "0.4 MB: documents, qrels and topics in one file",
}
