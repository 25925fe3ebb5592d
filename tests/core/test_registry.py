"""Names of sources: registration, precedence, errors, files and equality."""

from __future__ import annotations

import pickle

import pytest

from pt_fairness import groups, values
from pt_fairness.core.registry import NamedObject, Registry, name_of


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


@pytest.mark.parametrize(("name", "source", "message"), [
    ("", Box(1), "need a name that is not empty, not ''"),
    (" Run", Box(1), "cannot be named ' Run'"),
    ("mine", 5, "'mine' cannot be registered as a int: make a Box object of it with Box")])
def test_what_cannot_be_registered(boxes, name, source, message):
    with pytest.raises(ValueError, match=message):
        boxes.register(name, source)
    assert boxes.names() == []


def test_an_unknown_name_is_an_error_with_the_nearest_one(boxes):
    boxes.register("opinions", Box(1))
    for call, name, message in (
            (boxes.get, "opinion", r"no boxes are registered as 'opinion'.*'opinions'\?"),
            (boxes.get, 5, "boxes are a registered name.*not 5"),
            (boxes.unregister, "opinion", "'opinion' cannot be unregistered.*'opinions'")):
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
    assert Box(1).name == f"box-{Box(1).digest()}"
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
