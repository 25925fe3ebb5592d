"""Target distributions of the TREC Fair Ranking tracks.

Shares and populations are those of the tracks' public evaluation code: trec2021-fair-public and
trec2022-fair-public.
"""

import pandas as pd

from pt_fairness.targets import Target

#: The population of each UN subregion; those of Oceania are one.
_POPULATION = {
    "Antarctica": 1_106, "Caribbean": 42_517_000, "Central America": 167_387_000,
    "Central Asia": 64_370_000, "Eastern Africa": 373_202_000, "Eastern Asia": 1_620_807_000,
    "Eastern Europe": 294_162_000, "Middle Africa": 135_750_000, "Northern Africa": 210_002_000,
    "Northern America": 355_361_000, "Northern Europe": 100_404_000, "Oceania": 38_304_000,
    "South America": 406_740_000, "South-eastern Asia": 618_793_000, "Southern Africa": 60_425_000,
    "Southern Asia": 1_749_046_000, "Southern Europe": 155_827_000, "Western Africa": 331_255_000,
    "Western Asia": 245_707_000, "Western Europe": 192_060_000}
#: The background distributions, by the name of the target. With ``/track`` appended, half of the
#: target is the distribution of the topic's relevant documents.
TARGETS = {
    "trec-fair/2021/world": {
        "Africa": 0.155070563, "Antarctica": 1.54424e-07, "Asia": 0.600202585,
        "Europe": 0.103663858, "Latin America and the Caribbean": 0.08609797,
        "Northern America": 0.049616733, "Oceania": 0.005348137},
    "trec-fair/2021/gender": {"female": 0.495, "male": 0.495, "third": 0.01},
    "trec-fair/2022/world": {
        region: people / sum(_POPULATION.values()) for region, people in _POPULATION.items()},
    "trec-fair/2022/gender": {"Woman": 0.495, "Man": 0.495, "Non-binary": 0.01},
}
#: The share of the relevant documents in the targets of the tracks.
OF_QRELS = 0.5


def targets(name: str) -> Target:
    """Return a target of the tracks."""
    frame = pd.DataFrame(TARGETS[name.removesuffix("/track")].items(), columns=["group", "share"])
    return Target(name, frame, OF_QRELS if name.endswith("/track") else 0.0)
