"""The measures of ir_measures that this provider takes over."""

#: Set to ``ndeval``, it leaves α-nDCG and the other measures of ndeval to ir_measures.
ALPHA_VARIABLE = "PT_FAIRNESS_ALPHA"
ALPHA_MEASURES = frozenset({"alpha_nDCG", "alpha_DCG"})
#: The other measures of ndeval: its arithmetic, on trec_eval's order.
NDEVAL_MEASURES = frozenset({"ERR_IA", "nERR_IA", "NRBP", "nNRBP", "AP_IA", "P_IA", "StRecall"})
#: Those that do not depend on the order within the cutoff.
SET_MEASURES = frozenset({"P_IA", "StRecall"})
