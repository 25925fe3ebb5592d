"""``pt-fairness plug`` and ``pt-fairness unplug``."""

from __future__ import annotations

import argparse
import json
from typing import Any

from pt_fairness.cli import pth
from pt_fairness.cli.output import add_command, write


def add(commands: Any) -> None:
    """Add the commands ``plug`` and ``unplug``."""
    plug = add_command(commands, "plug", _plug, "add this package to the plain ir_measures and "
                       "ir_datasets commands of this environment", ("text", "json"))
    plug.add_argument("--status", action="store_true", help="only print whether it is added")
    add_command(commands, "unplug", _unplug, "undo plug", ("text", "json"))


def _plug(options: argparse.Namespace) -> None:
    where = pth.path()
    if not options.status:
        text = str(pth.plug())
    elif pth.plugged():
        text = f"plugged in: {where}"
    elif where.exists():
        text = f"not plugged in: {where} is of another version; plug again"
    else:
        text = f"not plugged in: there is no {where}"
    _write(text, options)


def _unplug(options: argparse.Namespace) -> None:
    removed = pth.unplug()
    _write(f"removed {removed}" if removed else f"nothing to remove: there is no {pth.path()}",
           options)


def _write(text: str, options: argparse.Namespace) -> None:
    if options.format == "json":
        text = json.dumps({"plugged": pth.plugged(), "path": str(pth.path())}, ensure_ascii=False)
    write(f"{text}\n", options.output)
