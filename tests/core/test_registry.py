"""Names of sources: registration, precedence, errors, files and equality."""

from __future__ import annotations

import os
import pickle
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import ir_measures
import numpy as np
import pandas as pd
import pytest

import pt_fairness
from pt_fairness import groups, targets, values
from pt_fairness.core.registry import _BUILT_IN, NamedObject, Registry, declare, name_of
from pt_fairness.measures.measure_names import MEASURES


class Box(NamedObject):
    """A source with content."""

    WHAT = "boxes"

    def __init__(self, content: object, name: str | None = None) -> None:
        super().__init__(name)
        self.content = content

    def digest(self) -> str:
        return f"{hash(self.content):x}"


@pytest.fixture
def boxes() -> Registry[Box]:
    return Registry(Box, makers="Box", words=["run"])


def test_a_registered_source_is_found_by_name(boxes):
    mine, later = Box(1), []
    boxes.register("mine", mine)
    boxes.register("later", lambda: later.append(Box(2)) or later[-1])
    assert boxes.names() == ["later", "mine"]
    assert boxes.get("mine") is mine is boxes.get(mine)
    assert boxes.find("later", make=False) is None and not later
    assert boxes.get("later") is boxes.get("later") is later[0] and len(later) == 1
    boxes.register("mine", Box(3))
    assert boxes.get("mine").content == 3


def in_threads(call, n=8):
    """Return the results of a call in several threads at once."""
    barrier = threading.Barrier(n)

    def at_once(_):
        barrier.wait()
        return call()

    with ThreadPoolExecutor(n) as pool:
        return list(pool.map(at_once, range(n)))


def test_the_last_registration_of_a_name_counts_for_all_kinds(
        registered_groups, registered_values, registered_runs):
    for module, sources in ((groups, [groups.from_mapping({"a": label}) for label in "XY"]),
                            (values, [values.from_mapping({"a": number}) for number in (1, 2)])):
        for source in sources:
            module.register("twice", source)
        assert module.get("twice") is sources[-1]
    for number in (1.0, 0.5):
        shares = {"group": ["A", "B"], "share": [number, 1 - number]}
        targets.register("twice", pd.DataFrame(shares))
    assert len(targets.get("twice")) == 2
    targets.REGISTRY.unregister("twice")
    for function in (np.zeros_like, np.ones_like):
        def own(length, function=function):
            return function(length, float)

        own.__qualname__ = function.__name__  # another function
        made = pt_fairness.measure(own, name="Twice")
    try:
        assert MEASURES["Twice"] is made == ir_measures.parse_measure("Twice")
        qrels = {"1": {"a": 1}}
        source = groups.from_mapping({"a": "A", "b": "B"})
        assert made(groups=source).calc_aggregate(qrels, {"1": {"a": 1.0}}) == 1
    finally:
        del MEASURES["Twice"], ir_measures.measures.registry["Twice"]


def test_threads_that_need_a_source_first_get_one_object(boxes, monkeypatch):
    def make():
        time.sleep(0.01)
        return Box(1)

    boxes.register("late", make)
    assert len({id(box) for box in in_threads(lambda: boxes.get("late"))}) == 1
    monkeypatch.setitem(_BUILT_IN, "boxes", {})
    declare("boxes", ["early"], lambda name: make())
    assert len({id(box) for box in in_threads(lambda: boxes.get("early"))}) == 1


def test_a_source_that_is_made_late_does_not_replace_a_later_one(boxes):
    def make():
        boxes.register("late", Box(2))
        return Box(1)

    boxes.register("late", make)
    boxes.get("late")
    assert boxes.get("late").content == 2


def test_threads_can_register_while_others_ask_for_a_name(boxes):
    box = Box(1, "box")

    def register():
        for number in range(3_000):
            boxes.register(f"b{number}", box if number == 2_999 else Box(number))

    with ThreadPoolExecutor(1) as pool:
        registered = pool.submit(register)
        while not registered.done():
            assert boxes.name_of(box) in ("box", "b2999") and "b" not in boxes.names()
        registered.result()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system cannot fork")
@pytest.mark.filterwarnings("ignore:.*fork")
def test_a_process_that_is_forked_while_a_source_is_made_can_make_it(boxes):
    making, end = threading.Event(), threading.Event()

    def make():
        making.set()
        end.wait(10)
        return Box(1)

    boxes.register("late", make)
    thread = threading.Thread(target=boxes.get, args=["late"])
    thread.start()
    making.wait(10)
    child = os.fork()
    if child == 0:
        end.set()
        os._exit(0 if boxes.get("late").content == 1 else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    end.set()
    thread.join()


@pytest.mark.parametrize(("name", "source", "message"), [
    ("", Box(1), "got ''"), (" Run", Box(1), "got ' Run'"), ("mine", 5, "Box object.* got a int")])
def test_what_cannot_be_registered(boxes, name, source, message):
    with pytest.raises(ValueError, match=message):
        boxes.register(name, source)
    assert boxes.names() == []


def test_an_unknown_name_is_an_error_with_the_nearest_one(boxes):
    boxes.register("opinions", Box(1))
    for call, name, message in (
            (boxes.get, "opinion", r"no boxes are registered as 'opinion'.*'opinions'\?"),
            (boxes.get, 5, "boxes must be a registered name.*got 5"),
            (boxes.unregister, "opinion", "'opinions'.*got 'opinion'")):
        with pytest.raises(ValueError, match=message):
            call(name)
    boxes.unregister("opinions")
    assert boxes.names() == []


def test_a_file_is_read_again_when_its_content_changes(tmp_path):
    read = []
    boxes: Registry[Box] = Registry(Box, lambda path, name: read.append(path) or Box(len(read)))
    file = tmp_path / "boxes.csv"
    file.write_text("one")
    assert boxes.get(file).content == boxes.get(str(file)).content == 1
    file.write_text("two")
    assert boxes.get(file).content == 2 and len(read) == 2


def test_sources_of_equal_name_and_content_are_equal(boxes):
    assert Box(1, "a") == Box(1, "a") != Box(1, "b")
    assert Box(1) == Box(1) != Box(2) and len({Box(1), Box(1), Box(2)}) == 2
    assert Box(1).name == f"box-{Box(1).digest()[:6]}"
    box = Box(1, "a")
    assert boxes.name_of(box) == name_of(box) == "a" and boxes.find(box) is box
    boxes.register("mine", box)
    assert boxes.name_of(box) == name_of(box) == "mine" and name_of("other") == "other"


def test_registered_sources_take_precedence_over_built_in_ones(registered_groups):
    built_in = groups.get("trec-newswire")
    assert pickle.loads(pickle.dumps(built_in)) is built_in
    assert groups.REGISTRY.find("trec-newswire", make=False) is None
    registered_groups("trec-newswire", groups.from_mapping({"d": "A"}))
    assert groups.get("trec-newswire").labels == ["A"]
    groups.unregister("trec-newswire")
    assert groups.get("trec-newswire") is built_in
    assert "trec-newswire" not in values.names()
