"""Group sources: the groups of judged and unjudged documents.

The parameter ``groups=`` of a measure is the name of registered groups, the path of a group file, a
:class:`Groups` object, or what :func:`from_mapping` and :func:`from_frame` take.
"""

from pt_fairness.groups.base import Groups
from pt_fairness.groups.base import summary as summary
from pt_fairness.groups.error_rates import with_error_rates
from pt_fairness.groups.fields import MISSING as MISSING
from pt_fairness.groups.fields import Found as Found
from pt_fairness.groups.fields import FromIrds as FromIrds
from pt_fairness.groups.fields import FromText as FromText
from pt_fairness.groups.fields import from_irds, from_text
from pt_fairness.groups.named import REGISTRY as REGISTRY
from pt_fairness.groups.named import get, names, register, unregister
from pt_fairness.groups.product import product
from pt_fairness.groups.sources import from_file, from_frame, from_mapping, from_pattern, from_qrels
from pt_fairness.groups.table import Memberships as Memberships
from pt_fairness.groups.votes import from_votes

__all__ = ["Groups", "from_file", "from_frame", "from_irds", "from_mapping", "from_pattern",
           "from_qrels", "from_text", "from_votes", "get", "names", "product", "register",
           "unregister", "with_error_rates"]

__dir__ = __all__.copy
