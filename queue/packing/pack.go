package packing

import "slices"

// pack returns the groups of the next batch; see [Need.Pack].
func (n Need) pack(waiting Waiting) []item {
	if len(n.minimums) == 0 {
		if chosen := n.packOldest(waiting); chosen != nil {
			return chosen
		}
	}
	usable := n.usable(waiting)
	if len(usable) == 0 {
		return nil
	}
	n.minimums = n.scaled(usable)
	for _, m := range n.minimums {
		if !slices.ContainsFunc(usable, func(e item) bool { return e.Env == m.env }) {
			return nil
		}
	}
	chosen, sum, met := n.packGreedy(usable)
	if sum >= n.Least && met || n.Most > n.Least {
		return chosen
	}
	if exact := n.packAround(usable); exact != nil {
		return exact
	}
	if sum >= n.Least {
		return chosen
	}
	n.minimums = nil
	if exact := n.packAround(usable); exact != nil {
		return exact
	}
	return chosen
}

// packOldest returns the oldest groups that fit if they make a batch, the usual case. It looks
// at few others.
func (n Need) packOldest(waiting Waiting) (chosen []item) {
	sum, seen := 0, 0
	for e := range all(waiting) {
		if seen += max(0, e.Size); seen > horizon*n.Most {
			break
		}
		if e.Size <= 0 || len(chosen) > 0 && sum+e.Size > n.Most {
			continue
		}
		chosen = append(chosen, e)
		if sum += e.Size; sum >= n.Least {
			return chosen
		}
	}
	return nil
}

// horizon limits the search for an exact batch without minimums: to the oldest groups that
// would make this many batches.
const horizon = 64

// usable returns the groups that could be part of the next batch: the oldest of all, and the
// oldest of each environment and size, as many as fit. It returns none if too few wait.
func (n Need) usable(waiting Waiting) []item {
	var usable []item
	total, used := 0, make(map[Group]int)
	for e := range all(waiting) {
		if e.Size <= 0 {
			continue
		}
		total += min(e.Size, n.Most)
		if used[e.Group] < max(1, n.Most/e.Size) { // one too large for a batch: it is there, and comes alone later
			used[e.Group]++
			usable = append(usable, e)
		}
		if len(n.minimums) == 0 && total > horizon*n.Most {
			break
		}
	}
	if total < n.Least {
		return nil
	}
	return usable
}

// scaled returns the minimums of n. If they exceed the batch, it scales them down in
// proportion, but none below the environment's smallest group.
func (n Need) scaled(usable []item) []minimum {
	total := 0
	for _, m := range n.minimums {
		total += m.size
	}
	if total <= n.Least {
		return n.minimums
	}
	out := slices.Clone(n.minimums)
	for i, m := range out {
		smallest := 0
		for _, e := range usable {
			if e.Env == m.env && (smallest == 0 || e.Size < smallest) {
				smallest = e.Size
			}
		}
		out[i].size = max(smallest, m.size*n.Least/total)
	}
	return out
}

// packGreedy takes the oldest group, gives each environment in turn its oldest groups up to
// its minimum, and then takes the oldest groups that fit until the batch is full. It returns
// the size of the batch, and whether all minimums are met.
func (n Need) packGreedy(usable []item) (chosen []item, sum int, met bool) {
	taken := make([]bool, len(usable))
	take := func(i int) (size int) {
		if size = usable[i].Size; taken[i] || i > 0 && sum+size > n.Most {
			return 0
		}
		taken[i] = true
		sum += size
		return size
	}
	take(0)
	met = true
	for _, m := range n.minimums {
		got := 0
		if usable[0].Env == m.env {
			got = usable[0].Size
		}
		for i := 0; i < len(usable) && got < m.size; i++ {
			if usable[i].Env == m.env {
				got += take(i)
			}
		}
		met = met && got >= m.size
	}
	for i := 0; i < len(usable) && sum < n.Least; i++ {
		take(i)
	}
	for i, e := range usable {
		if taken[i] {
			chosen = append(chosen, e)
		}
	}
	return chosen, sum, met
}

// packAround finds a batch of exactly Least that contains the oldest group and meets the
// minimums, if there is one, by trying all sums of each environment's groups and all sums of
// these. Environments get as little above their minimum as possible, later ones first.
func (n Need) packAround(usable []item) []item {
	first, room := usable[0], n.Least-usable[0].Size
	if room < 0 {
		return nil
	}
	parts := []part{{newLadder(room), 0}} // groups without a minimum
	place := make(map[int32]int)
	for _, m := range n.minimums {
		place[m.env] = len(parts)
		least := m.size
		if m.env == first.Env {
			least = max(0, least-first.Size)
		}
		parts = append(parts, part{newLadder(room), least})
	}
	for _, e := range usable[1:] {
		parts[place[e.Env]].add(e)
	}
	chosen := []item{first}
	for i, sum := range split(parts, room) {
		chosen = append(chosen, parts[i].take(sum)...)
	}
	if total := sizeOf(chosen); total != n.Least {
		return nil
	}
	slices.SortFunc(chosen, func(a, b item) int { return a.at - b.at })
	return chosen
}

// split returns a sum for each part, room together; none if there are no such sums.
func split(parts []part, room int) []int {
	together := []sums{newSums(room)}
	together[0].set(0)
	for i, p := range parts {
		together = append(together, together[i].plus(p.from(p.least)))
	}
	if !together[len(parts)].has(room) {
		return nil
	}
	shares := make([]int, len(parts))
	for i := len(parts) - 1; i >= 0; i-- {
		p, sum := parts[i], parts[i].least
		for !p.reach(sum) || !together[i].has(room-sum) {
			sum++
		}
		shares[i] = sum
		room -= sum
	}
	return shares
}

// sizeOf is the total size of groups.
func sizeOf(groups []item) (n int) {
	for _, e := range groups {
		n += e.Size
	}
	return n
}

// A part of a batch is the groups of one environment, or of all environments without a
// minimum.
type part struct {
	*ladder
	least int
}
