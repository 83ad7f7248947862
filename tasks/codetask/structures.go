package codetask

import (
	"slices"

	"github.com/quintain-rl/quintain/task/rng"
)

// simulateCache plays the requests of a cache.
func simulateCache(r *rng.Rand) draft {
	policy, id := pick(r, []struct{ text, py string }{
		{"the key that was requested least recently", "min(kept, key=lambda x: used[x])"}, {"the key that was put into the cache first", "min(kept, key=lambda x: put[x])"}, {"the key that was requested most recently", "max(kept, key=lambda x: used[x])"},
		{"the key with the fewest requests since it was last put there (of several, the one requested least recently)", "min(kept, key=lambda x: (count[x], used[x]))"}, {"the largest key", "max(kept)"},
	})
	result, resultID := pick(r, []string{"the number of requests that find their key in the cache", "the removed keys, in the order of their removal", "the keys in the cache after the last request, in ascending order"})
	bypass := r.Chance(0.3)
	d := draft{
		task:   fill("A cache holds at most `size` keys and is empty at first. The elements of `requests` are requested in order. If a requested key is not in the cache, it is put there; if the cache is full, $p is removed first.", "$p", policy.text),
		want:   result,
		form:   []form{number, list, list}[resultID],
		fields: []field{{name: "size", form: number, val: span{1, 8}}, {name: "requests", form: list, len: span{0, 150}, val: span{1, 30}}},
		drawn:  []int64{id, resultID, bit(bypass)},
		bend: func(r *rng.Rand, in input) {
			if len(in.list(1)) < 15 {
				in[0] = r.Between64(1, 3)
			}
		},
		solve: func(in input) any {
			hits, removed, kept := cached(in.num(0), in.list(1), id, bypass)
			return []any{hits, removed, kept}[resultID]
		},
	}
	if bypass {
		d.task += " A key that is not in the cache is put there only if it equals the largest key requested so far or was requested before."
	}
	again := map[bool]string{true: "            hits += 1\n"}[resultID == 0] + map[bool]string{true: "            count[key] += 1\n"}[id == 3]
	when := "        if key not in kept$and:\n"
	if again != "" {
		when = "        if key in kept:\n" + again + map[bool]string{false: "        else:\n", true: "        elif key in seen or key >= max(seen, default=key):\n"}[bypass]
	}
	when = fill(when, "$and", map[bool]string{true: " and (key in seen or key >= max(seen, default=key))"}[bypass])
	d.body = only(fill(`
    kept = set()
    hits = 0##0
    removed = []##1
    used = {}##$used
    put = {}##$put
    count = {}##$count
    seen = set()##$seen
    for i, key in enumerate(requests):
$when            if len(kept) == size:
                gone = $policy
                kept.remove(gone)
                removed.append(gone)##1
            kept.add(key)
            put[key] = i##$put
            count[key] = 1##$count
        used[key] = i##$used
        seen.add(key)##$seen
    return hits##0
    return removed##1
    return sorted(kept)##2
`, "$policy", policy.py, "$used", map[bool]string{true: "012", false: "x"}[id == 0 || id == 2 || id == 3], "$put", map[bool]string{true: "012", false: "x"}[id == 1], "$count", map[bool]string{true: "012", false: "x"}[id == 3],
		"$seen", map[bool]string{true: "012", false: "x"}[bypass], "$when", when), resultID)
	if id == 4 {
		d.body = fill(d.body, "for i, key in enumerate(requests):", "for key in requests:")
	}
	return d
}

// cached plays requests: entries are in the order in which they were put.
func cached(size int64, requests []int64, policy int64, bypass bool) (hits int64, removed, kept []int64) {
	type entry struct{ key, used, count int64 }
	var entries []entry
	removed, kept = []int64{}, []int64{}
	worse := []func(a, b entry) bool{
		func(a, b entry) bool { return a.used < b.used },
		func(_, _ entry) bool { return false },
		func(a, b entry) bool { return a.used > b.used },
		func(a, b entry) bool { return a.count < b.count || a.count == b.count && a.used < b.used },
		func(a, b entry) bool { return a.key > b.key },
	}[policy]
	for i, key := range requests {
		found := slices.IndexFunc(entries, func(e entry) bool { return e.key == key })
		if found >= 0 {
			hits++
			entries[found].used, entries[found].count = int64(i), entries[found].count+1
			continue
		}
		if bypass && !slices.Contains(requests[:i], key) && slices.Max(requests[:i+1]) > key {
			continue
		}
		if int64(len(entries)) == size {
			worst := slices.MinFunc(entries, func(a, b entry) int { return int(bit(worse(b, a)) - bit(worse(a, b))) })
			removed = append(removed, worst.key)
			entries = slices.DeleteFunc(entries, func(e entry) bool { return e == worst })
		}
		entries = append(entries, entry{key, int64(i), 1})
	}
	for _, e := range entries {
		kept = append(kept, e.key)
	}
	slices.Sort(kept)
	return hits, removed, kept
}

// parentField describes a tree.
func parentField(most int64) field {
	return field{name: "parent", form: list, len: span{0, most}, what: "from 0 to their own position, which is counted from 0"}
}

// drawParents draws a tree, deep or flat.
func drawParents(r *rng.Rand, n int64) []int64 {
	parents := make([]int64, n)
	deep := rng.Pick(r, []int64{1, 2, 5, n})
	for i := range parents {
		parents[i] = max(0, int64(i)-r.Between64(0, max(0, deep-1)))
	}
	return parents
}

const treeText = "A tree has the nodes 0 to `len(parent)`. Node 0 is the root, and `parent[i]` is the parent of node `i + 1`. "

// measureTree measures a tree.
func measureTree(r *rng.Rand) draft {
	m, id := pick(r, []string{"for each node from 0 on the sum of the values of the node and all nodes below it", "for each node from 0 on the largest value among the node and all nodes below it", "the greatest sum of the values on a path from the root down to any node; both ends count, and the path may be the root alone", "for each depth from 0 on the largest value of a node at that depth; the root has depth 0", "the largest sum of the values of a node and all nodes below it, over all nodes"})
	least := rng.Pick(r, []int64{0, 1, 2})
	values := []string{"`values[i]` is the value of node `i`.", "The value of node `i` is `values[i]`, negated if its depth is odd; the root has depth 0.", "The value of node `i` is `values[i]` times its depth; the root has depth 0."}
	d := draft{
		task:   treeText + values[least],
		want:   m,
		form:   []form{list, list, number, list, number}[id],
		fields: []field{parentField(100), {name: "values", form: list, len: span{1, 101}, val: span{-50, 50}, also: "; one for each node"}},
		drawn:  []int64{id, least},
		make: func(r *rng.Rand, s size) input {
			n := min(100, s.len)
			return input{drawParents(r, n), field{form: list, val: span{-50, 50}}.list(r, s, n+1)}
		},
		body: only(fill(`
    depth = [0]##$depth
    for p in parent:##$depth
        depth.append(depth[p] + 1)##$depth
$scale
    for i in range(len(parent), 0, -1):##014
        p = parent[i - 1]##014
        values[p] += values[i]##04
        values[p] = max(values[p], values[i])##1
    for i, p in enumerate(parent, 1):##2
        values[i] += values[p]##2
    return max(values)##24
    return values##01
    return [max(v for v, e in zip(values, depth) if e == d) for d in range(max(depth) + 1)]##3
`, "$depth", map[bool]string{true: "01234", false: "3"}[least > 0], "$scale", []string{"    values = values[:]", "    values = [v if d % 2 == 0 else -v for v, d in zip(values, depth)]", "    values = [v * d for v, d in zip(values, depth)]"}[least]), id),
		solve: func(in input) any { return treeMeasure(in.list(0), slices.Clone(in.list(1)), id, least) },
	}
	return d
}

func treeMeasure(parent, values []int64, measure, scale int64) any {
	depth := []int64{0}
	for _, p := range parent {
		depth = append(depth, depth[p]+1)
	}
	down := make([]int64, len(values))
	layers := make([]int64, slices.Max(depth)+1)
	for d := range layers {
		layers[d] = -never
	}
	for i, d := range depth {
		values[i] *= []int64{1, 1 - 2*(d%2), d}[scale]
		layers[d] = max(layers[d], values[i])
		down[i] = values[i]
		if i > 0 {
			down[i] += down[parent[i-1]]
		}
	}
	highest := slices.Clone(values)
	for i := len(parent); i > 0; i-- {
		p := parent[i-1]
		highest[p] = max(highest[p], highest[i])
		values[p] += values[i]
	}
	return []any{values, highest, slices.Max(down), layers, slices.Max(values)}[measure]
}

// bestNodes chooses nodes of a large tree that keep a rule.
func bestNodes(r *rng.Rand) draft {
	rule, id := pick(r, []string{"no chosen node is the parent of another chosen node", "every chosen node but the root has a chosen parent (if the parent is not chosen, neither is the node)", "each node has at most one chosen child, and no chosen node is the parent of another chosen node", "for every node that is not the root, the node or its parent is chosen (or both)"})
	root, rootID := pick(r, []string{"", " The root must be chosen.", " The root must not be chosen."})
	if id == 1 && rootID == 2 {
		root, rootID = "", 0
	}
	best := "greatest"
	if id == 3 {
		best = "smallest"
	}
	d := draft{
		task:   treeText + "The value of node `i` is `values[i]`. Choose nodes, possibly none, so that " + rule + "." + root,
		want:   "the " + best + " possible sum of the values of the chosen nodes (0 if none is chosen)",
		form:   number,
		fields: []field{parentField(20_000), {name: "values", form: list, len: span{1, 20_001}, val: span{-100, 100}, also: "; one for each node"}},
		drawn:  []int64{id, rootID},
		make: func(r *rng.Rand, s size) input {
			n := min(20_000, s.len)
			return input{drawParents(r, n), field{form: list, val: span{-100, 100}}.list(r, s, n+1)}
		},
		solve: func(in input) any { return nodeSum(in.list(0), in.list(1), id, rootID) },
	}
	init := "    chosen = values[:]\n    left = [0] * len(values)\n"
	step := []string{"        chosen[p] += left[i]\n        left[p] += max(chosen[i], left[i])\n", "        chosen[p] += max(0, chosen[i])\n", "        chosen[p] += left[i]\n        left[p] += left[i]\n        gain[p] = max(gain[p], chosen[i] - left[i])\n", "        chosen[p] += min(chosen[i], left[i])\n        left[p] += chosen[i]\n"}[id]
	if id == 1 {
		init = "    chosen = values[:]\n"
	}
	if id == 2 {
		init += "    gain = [0] * len(values)\n"
		step = "        left[i] += gain[i]\n" + step
	}
	end := []string{map[int64]string{0: "max", 1: "max", 2: "max", 3: "min"}[id] + "(chosen[0], left[0])", "chosen[0]", "left[0]"}[rootID]
	if id == 1 && rootID == 0 {
		end = "max(0, chosen[0])"
	}
	if id == 2 && rootID != 1 {
		end = fill(end, "left[0]", "left[0] + gain[0]")
	}
	d.body = init + "    for i in range(len(parent), 0, -1):\n        p = parent[i - 1]\n" + step + "    return " + end + "\n"
	return d
}

// nodeSum is the best sum, from the leaves up.
func nodeSum(parent, values []int64, rule, root int64) int64 {
	chosen, left, gain := slices.Clone(values), make([]int64, len(values)), make([]int64, len(values))
	for i := len(parent); i >= 0; i-- {
		left[i] += gain[i]
		if i == 0 {
			break
		}
		p := parent[i-1]
		switch rule {
		case 0:
			chosen[p], left[p] = chosen[p]+left[i], left[p]+max(chosen[i], left[i])
		case 1:
			chosen[p] += max(0, chosen[i])
		case 2:
			chosen[p], left[p] = chosen[p]+left[i], left[p]+left[i]
			gain[p] = max(gain[p], chosen[i]-left[i])
		case 3:
			chosen[p], left[p] = chosen[p]+min(chosen[i], left[i]), left[p]+chosen[i]
		}
	}
	either := max(chosen[0], left[0])
	if rule == 3 {
		either = min(chosen[0], left[0])
	}
	return []int64{either, chosen[0], left[0]}[root]
}
