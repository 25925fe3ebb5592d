"""``pt-fairness groups``, and the group sources that ``--groups`` takes."""

from __future__ import annotations

import argparse
import os
from typing import Any

from pt_fairness.cli.output import add_command, write
from pt_fairness.collections import DOWNLOADS

#: The start of a pattern.
PATTERN = "re:"


def add(commands: Any) -> None:
    """Add the command ``groups``."""
    add_command(commands, "groups", _run, "list the group sources that have a name, with their "
                "labels and what they download", ("text",))


def _run(options: argparse.Namespace) -> None:
    from pt_fairness import groups
    write("".join("{}\n    labels: {}\n    downloads: {}\n".format(
        name, ", ".join(groups.get(name).labels or []), DOWNLOADS.get(
            max(filter(name.startswith, DOWNLOADS), key=len, default=""), "nothing"))
        for name in groups.names()), options.output)


def source_of(text: str) -> Any:
    """Return the group source that a text on the command line stands for.

    :param text: what ``TAKES`` says
    :returns: a Groups object, or the text itself if it is a name or a plain group file
    :raises ValueError: a pattern or a file that cannot be read
    """
    from pt_fairness import groups, io
    from pt_fairness.io.document_files import memberships
    if text.startswith(PATTERN):
        return groups.from_pattern(text[len(PATTERN):], name=text)
    path, column = (text, "") if os.path.exists(text) else text.rpartition(":")[::2]
    if text in groups.names() or not os.path.isfile(path):
        return text
    shares = memberships(path)
    if shares:
        return groups.from_file(path, text, labels=column.split(",") if column
                                else [str(i) for i in range(1, shares + 1)])
    return groups.from_frame(io.read_groups(path, column), text) if column else text
