"""Group sources: the groups of judged and unjudged documents.

The parameter ``groups=`` of a measure is the name of registered groups, the path of a group file, a
:class:`Groups` object, or what :func:`from_mapping` and :func:`from_frame` take.
"""

from pt_fairness.groups.combinations import error_rates, model_labels, product, with_error_rates
from pt_fairness.groups.corpora import MISSING as MISSING
from pt_fairness.groups.corpora import Found as Found
from pt_fairness.groups.corpora import FromIrds as FromIrds
from pt_fairness.groups.corpora import FromText as FromText
from pt_fairness.groups.corpora import from_irds, from_text, from_transformer
from pt_fairness.groups.group_source import Groups
from pt_fairness.groups.memberships import Memberships as Memberships
from pt_fairness.groups.sources import REGISTRY as REGISTRY
from pt_fairness.groups.sources import (
    from_file,
    from_frame,
    from_mapping,
    from_pattern,
    from_qrels,
    from_votes,
    get,
    names,
    register,
    unregister,
)
from pt_fairness.groups.sources import summary as summary

__all__ = ["Groups", "error_rates", "from_file", "from_frame", "from_irds", "from_mapping",
           "from_pattern", "from_qrels", "from_text", "from_transformer", "from_votes", "get",
           "model_labels", "names", "product", "register", "unregister", "with_error_rates"]

__dir__ = __all__.copy
