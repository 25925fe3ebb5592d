"""Which columns of a table hold documents, topics, groups and weights, and how they are read."""

import json
import warnings

import numpy as np
import pandas as pd
import pytest
from one_test import each

from pt_fairness import AWRF, FairnessWarning, cli, evaluate, groups, targets, values

EXPERTS = ("id,name,gender,region\nd1,Ann,F,Europe;Asia\nd2,Bob,M,Europe\n"
           "d3,Cy,unknown,Asia;Africa\n")
TRACKS = ("item_id:token\tmovie_title:token_seq\trelease_year:token\tclass:token_seq\n"
          "d1\tToy Story\t1995\tAnimation Comedy\nd2\tHeat\t1995\tAction\n")


def frame_of(text):
    header, *rows = [line.split(",") for line in text.split()]
    return pd.DataFrame(rows, columns=header)


@pytest.fixture(params=["frame", "g.csv", "g.tsv", "g.jsonl", "g.parquet"])
def read(request, tmp_path):
    """Return a function that reads the text of a table in each form."""
    def read(text, **options):
        frame = frame_of(text)
        if request.param == "frame":
            return groups.from_frame(frame, **options)
        path = tmp_path / request.param
        if path.suffix == ".jsonl":
            path.write_text("\n".join(map(json.dumps, frame.to_dict("records"))))
        elif path.suffix == ".parquet":
            frame.to_parquet(path)
        else:
            frame.to_csv(path, index=False, sep="," if path.suffix == ".csv" else "\t")
        return groups.from_file(path, **options)
    return read


def labels_of(source, topics=("1", "1", "2", "2")):
    """Return the labels of d1 and d2 in topics 1 and 2."""
    rows = source.lookup(topics, ["d1", "d2", "d1", "d2"])
    return ["".join(rows["group"][(rows["qid"] == qid) & (rows["docno"] == docno)])
            for qid, docno in zip(topics, ["d1", "d2", "d1", "d2"], strict=True)]


def warned(call):
    with warnings.catch_warnings(record=True) as messages:
        warnings.simplefilter("always")
        result = call()
    return result, [str(one.message) for one in messages if one.category is FairnessWarning]


SAME = ["A", "B", "A", "B"]
OTHERS = ["A", "B", "B", "A"]
TOPICS = "{},docno,group 1,d1,A 1,d2,B 2,d1,B 2,d2,A"


@each("header", ["docno,group", "doc_id,Group", "DocNo,stance", "Movie-Id,group", "_id,label",
                 "pmid,a_b", "note,docno,group", "x,y,GROUP,corpus-id"])
def test_the_document_and_the_group_are_found(read, header):
    parts = header.split(",")
    ids = [part for part in parts if part.lower().replace("-", "").replace("_", "") in (
        "docno", "docid", "movieid", "id", "pmid", "corpusid")]
    row = ",".join("{0}" if part in ids else "x" if part in ("note", "x", "y") else "{1}"
                   for part in parts)
    text = f"{header} {row.format('d1', 'A')} {row.format('d2', 'B')}"
    source, messages = warned(lambda: read(text))
    assert labels_of(source) == SAME and messages == []


@each("name", ["qid", "query_id", "Q_ID", "topic-id", "user_id"])
def test_the_topic_is_found(read, name):
    assert labels_of(read(TOPICS.format(name))) == OTHERS
    assert labels_of(read(TOPICS.format(name), topic=False)) == ["AB"] * 4


@each("name", ["query", "topic", "User"])
def test_a_query_is_the_topic_if_groups_depend_on_it(read, name):
    source, messages = warned(lambda: read(TOPICS.format(name)))
    assert labels_of(source) == OTHERS and len(messages) == 1 and repr(name) in messages[0]
    source, messages = warned(lambda: read(f"{name},docno,group 1,d1,A 2,d1,A 1,d2,B"))
    assert labels_of(source) == SAME and messages == []
    source, messages = warned(lambda: read(TOPICS.format(name), topic=False))
    assert labels_of(source) == ["AB"] * 4 and messages == []


def test_a_column_that_would_tell_groups_apart(read):
    source, messages = warned(lambda: read(TOPICS.format("claim")))
    assert labels_of(source) == ["AB"] * 4
    assert len(messages) == 1 and "'claim'" in messages[0]
    assert labels_of(read(TOPICS.format("claim"), topic="claim")) == OTHERS


def test_the_first_of_several_documents_counts(read):
    source, messages = warned(lambda: read("url,docno,group u,d1,A v,d2,B"))
    assert labels_of(source) == SAME and len(messages) == 1 and "'docno'" in messages[0]
    assert source.documents()[1].tolist() == ["d1", "d2"]
    assert read("url,docno,group d1,u,A d2,v,B", id="url").lookup(["1"], ["d2"])["group"][0] == "B"


@each("name", ["weights", "share", "Membership", "confidence", "prob", "probability", "P"])
def test_weights_are_asked_for(read, name):
    text = f"docno,group,{name} d1,A,0.75 d1,B,0.25 d2,B,1"
    with pytest.raises(ValueError, match=f"weight='{name}' or weight=False"):
        read(text)
    assert read(text, weight=name).lookup(["1"], ["d1"])["weight"].tolist() == [0.75, 0.25]
    assert not read(text, weight=False).weighted
    source, messages = warned(lambda: read(text, column="group"))
    assert not source.weighted and repr(name) in messages[0]


def test_a_score_is_warned_of_and_a_weight_taken(read):
    source, messages = warned(lambda: read("docno,group,score d1,A,2 d2,B,1"))
    assert labels_of(source) == SAME and not source.weighted and "'score'" in messages[0]
    assert read("docno,stance,weight d1,A,2 d1,B,1", column="stance").weighted
    assert not read("docno,group,weight d1,A,2 d1,B,1", weight=False).weighted


@each("text, options, says", [
    ("expert,gender d1,F", {}, "no column 'docno'.*expert, gender; use .*expert.*gender"),
    ("id,gender,region d1,F,X", {}, "no column 'group'.*use .*id.*gender.* or .*id.*region"),
    ("id,gender d1,F", {"column": "sex"}, "no column 'sex'.*; use .*id.*gender"),
    ("id,gender d1,F", {"column": "id", "id": "id"}, "different columns"),
    ("docno,group,Group d1,A,B", {}, "twice")])
def test_tables_that_have_to_be_explained(read, text, options, says):
    with pytest.raises(ValueError, match=says):
        read(text, **options)


def test_braces_in_the_name_of_a_file(folder_of):
    folder_of({"{0}.csv": "expert,gender\nd1,F\n"})
    with pytest.raises(ValueError, match=r"use \{0\}\.csv:expert:gender"):
        groups.from_file("{0}.csv")


def test_names_with_colons(folder_of):
    folder_of({"ml-100k.item": TRACKS})
    text = "ml-100k.item:item_id:token:class:token_seq"
    with pytest.raises(ValueError, match=r"use ml-100k\.item:item_id:token:movie_title"):
        groups.get("ml-100k.item")
    assert groups.from_file(text, sep=" ").labels == ["Action", "Animation", "Comedy"]


@each("name, text, says", [
    ("a", "user gender name country\nd1 F Ann FR\n", "table"),
    ("b", "user\tgender\tname\tage\nd1\tF\tAnn\t30\n", "use b:user:gender"),
    ("c", "1 A d1 1\nqid iteration docno label\n1 B d2 0\n", "c, line 2"),
    ("d", "d1 F 30 1\nd2 M 40 x\n", "d, line 2"), ("f", "1 d1 0.25 0.75\n", "membership"),
    ("e", "docno,group\nd1,A\ndocno,group\nd2,B\n", "e, line 3")])
def test_what_are_no_qrels(folder_of, name, text, says):
    folder_of({name: text})
    with pytest.raises(ValueError, match=says):
        groups.from_file(name)


def test_a_header_of_qrels(folder_of):
    folder_of({"q": "qid iteration docno label\n1 A d1 1\n2 B d1 0\n"})
    assert labels_of(groups.from_file("q"))[::2] == ["A", "B"]


def test_cells_of_several_groups(read):
    text = "docno,group d1,A;B d2,B;C d3,A"
    source, messages = warned(lambda: read(text))
    assert source.labels == ["A", "A;B", "B;C"]
    assert len(messages) == 1 and "sep=';'" in messages[0] and "'A;B'" in messages[0]
    source, messages = warned(lambda: read(text, sep=";"))
    assert source.labels == ["A", "B", "C"] and messages == []
    assert warned(lambda: read("docno,group d1,A;B d2,B d3,C d4,D"))[1] == []


@each("mark", ";|,/")
def test_a_cell_of_labels_of_other_cells(read, mark):
    """Each part has to be a label of its own: one warning names the cell and the option."""
    for cell in (f"B{mark}A", f"B{mark} A"):
        frame = pd.DataFrame({"docno": list("abcdefg"), "group": [*"AABBCC", cell]})
        for option in ("", f"sep={mark!r}"):
            messages = warned(lambda frame=frame, option=option: groups.from_frame(
                frame, sep=mark if option else None))[1]
            assert [f"sep={mark!r}" in text and repr(cell) in text
                    for text in messages] == ([] if option else [True])
    assert not warned(lambda: groups.from_mapping({"a": "http://x", "b": "http://y"}))[1]


def test_a_separator_that_splits_no_cell(read):
    source, messages = warned(lambda: read("docno,group d1,A;B d2,B d3,A", sep="|"))
    assert source.labels == ["A", "A;B", "B"]
    assert len(messages) == 1 and "sep='|'" in messages[0]


@each("label", ["unknown", "None", "n/a", "NA", "null", "?", "missing"])
def test_labels_that_may_mean_no_group(read, label):
    text = f"docno,group d1,A d2,{label}"
    source, messages = warned(lambda: read(text))
    assert label in source.labels and len(messages) == 1 and repr(label) in messages[0]
    source, messages = warned(lambda: read(text, none=[label]))
    assert source.labels == ["A"] and messages == []
    with pytest.raises(ValueError, match=r"none .*'other'"):
        read(text, none=["other"])


def test_labels_of_qrels_that_mean_no_group(folder_of):
    folder_of({"second": "1 A d1 1\n1 unknown d2 1\n", "fourth": "1 0 d1 2\n1 0 d2 0\n"})
    assert groups.from_file("second", none=["unknown"]).labels == ["A"]
    assert groups.from_file("fourth", none=[0]).labels == ["2"]


FILES = {"q": "1 0 d1 1\n1 0 d2 1\n1 0 d3 0\n", "experts.csv": EXPERTS,
         "r": "1 Q0 d1 1 3 t\n1 Q0 d2 2 2 t\n1 Q0 d3 3 1 t\n"}


@each("arguments", [
    ["table", "q", "r", "-m", "AWRF@3"], ["explain", "q", "r", "-m", "AWRF@3", "--topic", "1"],
    ["rerank", "r", "xquad"]])
def test_options_of_the_commands(folder_of, capsys, arguments):
    # A file is parsed once in a process.
    folder_of(FILES | {"experts.csv": f"{EXPERTS}{arguments[0]},X,F,Europe\n"})
    with_groups = [*arguments, "--groups", "experts.csv:gender"]
    capsys.readouterr()
    assert cli.main([*with_groups, "--none", "unknown"]) == 0
    assert "unknown" not in "".join(capsys.readouterr())
    assert cli.main(with_groups) == 0
    assert capsys.readouterr().err.count("--none unknown") == 1
    assert cli.main([*with_groups, "--none", "other"]) == 2


def test_options_of_annotate_and_agreement(folder_of, capsys):
    folder_of(FILES | {"share.csv": "claim,docno,group,share\n1,d1,A,0.5\n2,d1,B,0.5\n"})
    assert cli.main(["annotate", "q", "experts.csv:region", "--sep", ";"]) == 0
    assert capsys.readouterr().out.startswith("1 Asia d1 1\n1 Europe d1 1\n1 Europe d2 1\n")
    assert cli.main(["annotate", "q", "share.csv"]) == 2
    assert "--weight share or --weight none" in capsys.readouterr().err
    options = ["--weight", "share", "--topic-column", "claim"]
    assert cli.main(["annotate", "q", "share.csv", *options]) == 0
    assert capsys.readouterr().out.startswith("1 A d1 1\n1 - d2 1\n")
    twice = ["agreement", "experts.csv:gender", "experts.csv:id:gender"]
    assert cli.main([*twice, "--none", "unknown"]) == 0
    assert "unknown" not in "".join(capsys.readouterr())
    assert cli.main(["table", "q", "r", "-m", "nDCG@3", "--sep", ";"]) == 2
    assert cli.main(["annotate", "q", "re:d", "--sep", ";"]) == 2
    for source in ("nosuch", "trec-newswire"):
        assert cli.main(["annotate", "q", source, "--topic-column", "x"]) == 2
        assert source in capsys.readouterr().err


def test_the_text_of_the_command_line_inside_a_measure(folder_of):
    folder_of(FILES)
    measures = [AWRF(groups=text) @ 3 for text in ("experts.csv:gender", "re:^d[12]")]
    measures.append("AWRF(groups='experts.csv:id:gender')@3")
    found = evaluate(["r"], "q", measures, progress=False).averages.iloc[0, 1:].tolist()
    given = [evaluate(["r"], "q", [AWRF @ 3], groups=source, progress=False).averages.iloc[0, 1]
             for source in (groups.from_file("experts.csv", column="gender"),
                            groups.from_pattern("^d[12]"))]
    assert found == [*given, given[0]]


def test_columns_of_values(folder_of):
    folder_of({"v.csv": "query,id,words\n1,d1,5\n2,d1,6\n",
               "na.csv": "docno,a,b\nd1,5,1\nd2,NA,2\n"})
    found = values.from_file("v.csv", column="words").lookup(["1", "2"], ["d1"] * 2)
    assert found.tolist() == [5, 6]
    found = values.from_file("na.csv", column="a", none=["NA"]).lookup(["1"] * 2, ["d1", "d2"])
    assert found[0] == 5 and found[1] != found[1]
    frame = pd.DataFrame({"name": ["d1"], "id": ["x"], "value": [2]})
    assert values.from_frame(frame, id="name").lookup(["1"], ["d1"]).tolist() == [2]
    with pytest.raises(ValueError, match=r"'value'.*na\.csv:docno:a"):
        values.from_file("na.csv")


def test_columns_of_targets(folder_of):
    folder_of({"t.csv": "query,sex,part\n1,F,0.5\n1,M,0.5\n2,F,1\n"})
    targets.register("t", "t.csv", column="sex", weight="part")
    assert targets.get("t").to_numpy().tolist() == [["1", "F", 0.5], ["1", "M", 0.5], ["2", "F", 1]]
    frame = pd.DataFrame({"topic_id": ["1"], "region": ["X"], "share": [1.0]})
    targets.register("t", frame)
    assert targets.get("t").to_numpy().tolist() == [["1", "X", 1]]
    with pytest.raises(ValueError, match="share"):
        targets.register("t", frame.drop(columns="share"))


def test_several_values_in_a_cell_or_with_weights(folder_of):
    folder_of({"v.csv": "docno,value,w\na,1;2,1\na,4,3\nb,NA,1\n"})
    for read, table in ((values.from_file, "v.csv"), (values.from_frame, pd.read_csv(
            "v.csv", keep_default_na=False))):
        def of_a_and_b(read=read, table=table, **options):
            return read(table, sep=";", none=["NA"], **options).lookup(["1"] * 2, ["a", "b"])
        np.testing.assert_allclose(of_a_and_b(column="value"), [7 / 3, np.nan])
        np.testing.assert_allclose(of_a_and_b(weight="w"), [(1 + 2 + 3 * 4) / 5, np.nan])
        with pytest.raises(ValueError, match=r"value .*'NA'"):
            read(table, sep=";", weight="w")
        with pytest.raises(ValueError, match=r"weight .*'1;2'"):
            read(table, weight="value", column="w")


def test_targets_of_several_groups_in_a_cell_and_of_no_group(folder_of):
    folder_of({"t.csv": "group,share\nF;M,0.4\nF,0.4\nunknown,0.2\n"})
    for table in ("t.csv", pd.read_csv("t.csv")):
        targets.register("t", table, sep=";")
        np.testing.assert_allclose(targets.get("t")["share"], [0.6, 0.2, 0.2])
        targets.register("t", table, sep=";", none=["unknown"])
        np.testing.assert_allclose(targets.get("t")["share"], [0.75, 0.25])
        for none, says in ((["other"], "none .*'other'"), (["F", "M", "unknown"], "besides none")):
            with pytest.raises(ValueError, match=says):
                targets.register("t", table, sep=";", none=none)
