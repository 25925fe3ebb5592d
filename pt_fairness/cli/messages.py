"""Messages of the package, as a command says them."""

from __future__ import annotations

import re

#: What a command says, by regular expression of what the package says in Python's terms.
_WORDS = {
    r" \(pt_fairness\.analysis\.undefined lists them\)": "",
    r"rename columns with pt_fairness\.rename, or end the name with": "end its --label with",
    r"; rename columns with pt_fairness\.rename": "; name them with --label",
    r"pt\.io\.read_qrels drops the groups.*--groups of the commands":
        "Name a source with --groups, or write the groups into the qrels with pt-fairness annotate",
    r"\. Register your own with pt_fairness\.[^.]*\.register\([^)]*\), or": "; or",
    r"\. Register your own with pt_fairness\.[^.]*\.register\([^)]*\)": "",
    r"a name registered with pt_fairness\.\w+\.register": "a registered name",
    r"names registered with pt_fairness\.\w+\.register": "registered names",
    r"register the distribution with pt_fairness\.targets\.register":
        "give the shares, such as \"{'PRO':0.5,'CON':0.5}\"",
    r"; register a target without of_qrels": "",
    r"use pt_fairness\.groups\.from_qrels": "pt-fairness annotate --none reads them",
    r"pt_fairness\.groups\.from_qrels reads labels": "pt-fairness annotate reads labels",
    r"from_file\(path, labels=\[…\]\)": "the names of its groups, FILE:LABEL,LABEL",
    r"\. pt\.Experiment cannot leave them out: give it groups\.to_qrels\(qrels\)": "",
    r", which PyTerrier's reader drops and pt_fairness\.read_qrels keeps": ", or from --groups",
    r"; use pt\.Experiment, pt_fairness\.evaluate or ir_measures": "",
    r"use ir_measures, pt\.Experiment or pt_fairness\.evaluate for": "use eval or table for",
    r"; evaluate on pt_fairness\.groups\.get\(source\)\.to_qrels\(qrels\)": "; give --groups",
    r"give groups=, or add a column group with pt\.fairness\.annotate": "give --groups",
    r"with groups=$": "with --groups",
    r",? or (use )?a (Groups|Values) object( that declares their order)?": "",
    r"use side='both' or, for a signed measure, abs=True, or give a dictionary of tolerances "
    "without it": "for a signed measure, use abs=True; give --tolerance of other measures only",
    r"statsmodels\.stats\.multitest\.multipletests, such as 'holm', or None":
        "statsmodels, such as 'holm', or none",
    r"\(n_jobs=1\)": "(--jobs 1)", r"^n_jobs=": "--jobs ", r"^confidence=": "--ci ",
    r"^undefined='drop'": "--drop-undefined",
    r"^draws=": "--uncertain ", "uncertain_labels takes": "--uncertain takes",
    r", or a dictionary with a name for each$": "", "as paths or DataFrames": "as paths",
    r"; give baseline, too$": "; give --baseline, too",
}


def for_commands(message: str) -> str:
    """Return a message that names options and commands instead of Python's functions.

    Examples
    --------
    >>> for_commands("confidence=2 is not possible")
    '--ci 2 is not possible'
    """
    for words, ours in _WORDS.items():
        message = re.sub(words, lambda _, ours=ours: ours, message)  # type: ignore[misc]
    return message
