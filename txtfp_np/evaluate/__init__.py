"""How good sketches and measures are.

=============  =====================================================================================
``ranking``    average precision, NDCG, precision and recall at a rank; measures that rank alike
``pairs``      best F1, AUC, found pairs against labels
``bootstrap``  confidence intervals
``ladder``     robustness: texts that lose more and more of their sentences
``plots``      quality over time, heat maps, ladders
=============  =====================================================================================
"""

from .bootstrap import Interval, bootstrap_interval
from .ladder import Rung, delete_sentences, deletion_ladder
from .pairs import BestF1, PrecisionRecall, all_pairs_precision_recall, auc, best_f1
from .plots import pareto_front, plot_heat_map, plot_ladder, plot_pareto
from .ranking import AtRank, at_rank, average_precision, ndcg, rank_equivalent, ranked

__all__ = [
    "AtRank",
    "BestF1",
    "Interval",
    "PrecisionRecall",
    "Rung",
    "all_pairs_precision_recall",
    "at_rank",
    "auc",
    "average_precision",
    "best_f1",
    "bootstrap_interval",
    "delete_sentences",
    "deletion_ladder",
    "ndcg",
    "pareto_front",
    "plot_heat_map",
    "plot_ladder",
    "plot_pareto",
    "rank_equivalent",
    "ranked",
]
