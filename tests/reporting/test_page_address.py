"""The choice of topic, measure and system in the address of the report."""

from __future__ import annotations

from urllib.parse import parse_qs, quote, urldefrag

STATE = """
return {topic: data.topics[document.getElementById('topic').value],
        measure: data.measures[document.getElementById('measure').value].name,
        system: data.runs[document.getElementById('run').value],
        strips: document.getElementById('strips-caption').innerText,
        steps: document.getElementById('steps-caption').innerText}"""
DIFFICULT = {"topic": "</script>", "measure": "BiasP(pro='A\\x20&\\x20B',con='<i>C</i>')@5",
             "system": "\"><img src=x onerror=alert(2)>"}  # fmt: skip


def choose(page, topic=None, measure=None, system=None):
    """Choose as a user does, topic last, because its options name the spread by the measure."""
    if measure is not None:
        page.choose("measure", measure)
    if topic is not None:
        options = page("return [...document.getElementById('topic').options].map(o => o.text)")
        page.choose("topic", next(one for one in options if one.startswith(f"{topic} (SD")))
    if system is not None:
        page.choose("run", system)


def fragment(page, wanted=None):
    """The fragment of the address, when it has another choice than before."""
    from selenium.webdriver.support.ui import WebDriverWait
    if wanted is not None:
        WebDriverWait(page.browser, 30, 0.05).until(lambda _: in_address(page) == wanted)
    return urldefrag(page("return location.href")).fragment


def in_address(page):
    text = urldefrag(page("return location.href")).fragment
    return {key: one for key, (one,) in parse_qs(text).items()}


def shows(page, topic, measure, system):
    state = page(STATE)
    assert {key: state[key] for key in DIFFICULT} == {
        "topic": topic, "measure": measure, "system": system}
    assert state["strips"].startswith(f"Topic {topic}: ") and measure in state["strips"]
    assert state["steps"].startswith(f"{measure} of {system} for topic {topic}: ")
    pressed = page.find("#strips button[aria-pressed=true]")
    assert pressed.get_attribute("textContent") == system


def wait_until_shown(page, **wanted):
    from selenium.webdriver.support.ui import WebDriverWait
    WebDriverWait(page.browser, 30, 0.05).until(
        lambda _: {key: page(STATE)[key] for key in wanted} == wanted)
    shows(page, **wanted)


PLAIN = {"topic": "3", "measure": "nDCG@5", "system": "BM25"}


def test_a_choice_is_kept_on_reload_and_shared(page):
    before = page("return location.href")
    assert "#" not in before  # nothing was chosen
    assert page("return scrollY") == 0
    choose(page, **DIFFICULT)
    fragment(page, DIFFICULT)
    shared = page("return location.href")
    page.browser.refresh()
    shows(page, **DIFFICULT)
    page.browser.get("about:blank")
    page.browser.get(shared)
    shows(page, **DIFFICULT)
    assert page("return location.href") == shared
    page("""return new Promise(done => requestAnimationFrame(() =>
         requestAnimationFrame(() => requestAnimationFrame(done))))""")
    top = page("return document.getElementById('topics').getBoundingClientRect().top")
    assert abs(top) < 200  # the reader sees what was shared


def test_setting_the_address_and_going_back(page):
    first = {key: page(STATE)[key] for key in PLAIN}
    system = next(one for one in page("return data.runs") if one != first["system"])
    choose(page, system=system)  # one choice is one step
    fragment(page, first | {"system": system})
    page("location.hash = arguments[0]",
         "&".join(f"{key}={quote(one)}" for key, one in DIFFICULT.items()))
    wait_until_shown(page, **DIFFICULT)
    page("location.hash = 'topic=4'")
    wait_until_shown(page, **DIFFICULT | {"topic": "4"})
    page.browser.back()
    wait_until_shown(page, **DIFFICULT)
    page.browser.back()
    wait_until_shown(page, **first | {"system": system})
    page.browser.back()
    wait_until_shown(page, **first)
    page.browser.forward()
    wait_until_shown(page, **first | {"system": system})


def test_many_choices_in_a_moment_are_one_step(page):
    steps = page("return history.length")
    options = page("return [...document.getElementById('topic').options].map(o => o.text)")
    for text in [*options[1:], *options[:-1]]:
        page("""const one = document.getElementById('topic');
             one.selectedIndex = [...one.options].findIndex(o => o.text === arguments[0]);
             one.dispatchEvent(new Event('change'))""", text)
    wanted = {key: page(STATE)[key] for key in PLAIN}
    fragment(page, wanted)
    assert page("return history.length") <= steps + 2


def test_links_to_sections_keep_the_choice(page):
    page.find("nav a[href='#paper']").click()
    assert fragment(page) == "paper"
    choose(page, **PLAIN)
    fragment(page, PLAIN)
    page.find("nav a[href='#plane']").click()
    assert fragment(page, PLAIN) == "plane&topic=3&measure=nDCG@5&system=BM25"
    page.browser.refresh()
    shows(page, **PLAIN)


def test_what_the_report_does_not_have(page):
    first = {key: page(STATE)[key] for key in PLAIN}
    page("location.hash = 'topic=999&system=BM25'")
    wait_until_shown(page, **first | {"system": "BM25"})
    assert page.find("#strips-detail").text == (
        "The report does not have what the address names: topic 999.")


def test_in_a_notebook(show, made):
    page = show(f"<!DOCTYPE html><title>cell</title>{made.report._repr_html_()}")
    page.browser.switch_to.frame(page.find("iframe"))
    try:
        assert len(page.rows("systems")) == len(made.runs)
        choose(page, **PLAIN)
        fragment(page, PLAIN)
        shows(page, **PLAIN)
    finally:
        page.browser.switch_to.default_content()
