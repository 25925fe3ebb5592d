"""Reference rankings, document by document from their definition."""

from slow_versions.sampling import numbers

KINDS = ["proportional", "largest-group-first", "smallest-group-first"]


def pool_of(judged, rel=1):
    """Return the pool ``[(docno, {group: share})]`` of ``[(docno, relevance, shares)]``."""
    kept = [one for one in judged if one[1] >= rel and one[2]]
    kept.sort(key=lambda one: one[0], reverse=True)
    kept.sort(key=lambda one: -one[1])
    return [(docno, shares) for docno, _, shares in kept]


def _name(shares):
    return tuple(sorted(group for group, share in shares.items() if share > 0))


def proportional(pool):
    groups = sorted({group for _, shares in pool for group in shares})
    target = {g: sum(shares.get(g, 0) for _, shares in pool) / len(pool) for g in groups}
    left, so_far, order = list(pool), dict.fromkeys(groups, 0.0), []
    for i in range(1, len(pool) + 1):
        nexts = {}
        for docno, shares in left:
            nexts.setdefault(_name(shares), (docno, shares))
        need = {name: round(sum(shares[g] * (i * target[g] - so_far[g]) for g in name), 9)
                for name, (_, shares) in nexts.items()}
        most = max(need.values())
        chosen = nexts[min(name for name in need if need[name] == most)]
        left.remove(chosen)
        order.append(chosen[0])
        for g, share in chosen[1].items():
            so_far[g] += share
    return order


def by_size(pool, sign):
    sizes = {}
    for _, shares in pool:
        sizes[_name(shares)] = sizes.get(_name(shares), 0) + 1
    names = sorted(sizes, key=lambda name: (sign * sizes[name], name))
    return [docno for name in names for docno, shares in pool if _name(shares) == name]


def reference(pool, kind):
    if kind == "proportional":
        return proportional(pool)
    return by_size(pool, -1 if kind == "largest-group-first" else 1)


def random_order(pool, qid, sample, seed):
    drawn = numbers(seed, qid, sample, len(pool))
    return [pool[i][0] for i in sorted(range(len(pool)), key=drawn.__getitem__)]
