package codetask

import (
	"slices"
	"strconv"

	"github.com/quintain-rl/quintain/task/rng"
)

// moveSets are the moves of a piece on a grid.
var moveSets = []struct {
	text, py string
	moves    []cell
}{
	{"A step leads to a cell that shares a side.", "[(0, 1), (1, 0), (0, -1), (-1, 0)]", around[:4]},
	{"A step leads to a cell that shares a side or a corner.", "[(i, j) for i in (-1, 0, 1) for j in (-1, 0, 1) if i or j]", around},
	{"A step is a knight's move of chess: two cells along a row or column and one across.", "[(i, j) for i in (-2, -1, 1, 2) for j in (-2, -1, 1, 2) if abs(i) != abs(j)]", []cell{{-2, -1}, {-2, 1}, {-1, -2}, {-1, 2}, {1, -2}, {1, 2}, {2, -1}, {2, 1}}},
	{"A step leads down, right, or diagonally down and right to the next cell.", "[(0, 1), (1, 0), (1, 1)]", []cell{{0, 1}, {1, 0}, {1, 1}}},
	{"A step leads one or two cells along a row or column; a step of two jumps over the cell between.", "[(0, 1), (1, 0), (0, -1), (-1, 0), (0, 2), (2, 0), (0, -2), (-2, 0)]", []cell{{-1, 0}, {0, -1}, {0, 1}, {1, 0}, {-2, 0}, {0, -2}, {0, 2}, {2, 0}}},
}

// gridPath finds shortest ways through a grid.
func gridPath(r *rng.Rand) draft {
	set, id := pick(r, moveSets)
	walls := rng.Pick(r, []int64{0, 0, 1, 2})
	result, resultID := pick(r, []string{"the smallest number of steps, or -1 if there is no way", "the number of different cells, the first included, that can be reached", "the number of farthest cells: those that need at least as many steps as any other cell that can be reached"})
	enter := "No step may lead to a `#` cell."
	if walls > 0 {
		enter = fill("A way may enter at most $n `#` cell$s.", "$n", decimal(walls), "$s", map[bool]string{true: "s"}[walls > 1])
	}
	goal := " Find a way from the top left cell to the bottom right cell."
	if resultID > 0 {
		goal = " Begin at the top left cell."
	}
	d := draft{
		task:   "`grid` is a map; its top left cell is `.`. " + set.text + " " + enter + goal,
		want:   result,
		form:   number,
		fields: []field{gridField(25, ".#")},
		body:   only(fill(pathBody, "$moves", set.py, "$walls", decimal(walls)), resultID),
		drawn:  []int64{id, walls, resultID},
	}
	share := 0.1 // of walls to open
	if walls == 0 && len(set.moves) <= 4 {
		share = 0.4
	}
	d.make = func(r *rng.Rand, s size) input {
		grid := drawGrid(r, d.fields[0], s)
		winding := r.Chance(0.35)
		for i, row := range grid {
			line := []byte(row)
			if winding {
				wind(line, walls, [2]bool{i == 0, i == len(grid)-1})
			}
			for j := range line {
				if open := !winding && line[j] == '#' && r.Chance(share); open || i+j == 0 {
					line[j] = '.'
				}
			}
			grid[i] = string(line)
		}
		return input{grid}
	}
	d.solve = func(in input) any {
		near := distances(in.texts(), set.moves, walls)
		goal, found := near[cell{len(in.texts()) - 1, len(in.texts()[0]) - 1}]
		if !found {
			goal = -1
		}
		var far []int64
		for _, steps := range near {
			far = append(far, steps)
		}
		return []int64{goal, int64(len(near)), countOf(far, slices.Max(far))}[resultID]
	}
	return d
}

// pathBody is a search in layers; left is the most walls that may still be entered, by cell.
const pathBody = `
    height, width = len(grid), len(grid[0])
    moves = $moves
    near = {(0, 0): 0}##0
    near = {(0, 0): 0}##12
    left = {(0, 0): $walls}
    layer, steps = {(0, 0): $walls}, 0
    while layer:
        after = {}
        for (y, x), rest in layer.items():
            for i, j in moves:
                to = (y + i, x + j)
                if not (0 <= to[0] < height and 0 <= to[1] < width):
                    continue
                now = rest - (grid[to[0]][to[1]] == "#")
                if now > max(left.get(to, -1), after.get(to, -1)):
                    after[to] = now
        steps += 1
        for to, now in after.items():
            near.setdefault(to, steps)
            left[to] = now
        layer = after
    return near.get((height - 1, width - 1), -1)##0
    return len(near)##1
    return list(near.values()).count(max(near.values()))##2
`

// wind makes a line of a winding way: walls that are open at their ends in turn.
func wind(line []byte, walls int64, edge [2]bool) {
	width := int(walls) + 2
	for j := range line {
		line[j] = '.'
		if wall := j%width > 0; wall && !edge[1-j/width%2] {
			line[j] = '#'
		}
	}
}

// distances returns the least number of steps to each cell that can be reached.
func distances(grid []string, moves []cell, walls int64) map[cell]int64 {
	type state struct {
		cell
		walls int64
	}
	near, seen := map[cell]int64{{}: 0}, map[state]int64{{}: 0}
	queue := []state{{}}
	for ; len(queue) > 0; queue = queue[1:] {
		from := queue[0]
		for _, m := range moves {
			to := state{cell{from.row + m.row, from.col + m.col}, from.walls}
			to.walls += bit(at(grid, to.cell) == '#')
			_, old := seen[to]
			if old || at(grid, to.cell) == 0 || to.walls > walls {
				continue
			}
			seen[to] = seen[from] + 1
			queue = append(queue, to)
			if _, known := near[to.cell]; !known {
				near[to.cell] = seen[to]
			}
		}
	}
	return near
}

// pairField describes pairs of different numbers from 1 to n.
func pairField(name string, most int64) field {
	return field{name: name, form: rows, len: span{0, most}, wide: span{2, 2}, what: "two different integers from 1 to `n`"}
}

// orderTasks orders tasks that wait for others.
func orderTasks(r *rng.Rand) draft {
	way, turned := either(r, "the task `a` must be done before the task `b`", "the task `a` can only be done after the task `b`")
	first, high := either(r, "smallest", "largest")
	result, id := pick(r, []string{"the tasks in the order in which they are done, or no tasks if they cannot all be done", "the number of rounds, or -1 if the tasks cannot all be done", "for each task from 1 to `n` the round in which it is done, counted from 1, or 0 if it can never be done", "the largest number of tasks done in the same round"})
	rule := fill("They are done one after the other, each time the one with the $f number of those that can be done.", "$f", first)
	if id > 0 {
		rule, high = "They are done in rounds: in each round all tasks are done for which everything necessary was done in earlier rounds.", false
	}
	d := draft{
		task:   fill("There are tasks numbered from 1 to `n`. A pair (a, b) in `pairs` says that $w. $r", "$w", way, "$r", rule),
		want:   result,
		form:   []form{list, number, list, number}[id],
		fields: []field{{name: "n", form: number, val: span{1, 60}}, pairField("pairs", 150)},
		drawn:  []int64{bit(turned), bit(high), id},
		make: func(r *rng.Rand, s size) input {
			n := max(2, min(60, s.len))
			pairs, order := make([][]int64, 0, 3*n), rng.Different(r, int(n), 1, n)
			for range r.Between64(0, []int64{n, 2 * n}[bit(r.Chance(0.5))]) {
				i := r.Between64(0, n-2)
				j := r.Between64(i+1, n-1)
				if r.Chance(0.015) {
					i, j = j, i
				}
				pair := []int64{order[i], order[j]}
				if turned {
					slices.Reverse(pair)
				}
				pairs = append(pairs, pair)
			}
			if s.len < 2 {
				return input{s.len + 1, [][]int64{}}
			}
			return input{n, pairs[:min(150, len(pairs))]}
		},
		solve: func(in input) any {
			order, rounds := orderedTasks(in.num(0), in.rows(1), turned, high)
			if int64(len(order)) < in.num(0) {
				order = []int64{}
			}
			most, last := int64(0), slices.Max(rounds)
			for k := range last {
				most = max(most, countOf(rounds, k+1))
			}
			if len(order) == 0 {
				last = -1
			}
			return []any{order, last, rounds, most}[id]
		},
	}
	d.body = fill("    after = [[] for _ in range(n + 1)]\n    waits = [0] * (n + 1)\n    for a, b in pairs:\n        after[$a].append($b)\n        waits[$b] += 1\n", "$a", []string{"a", "b"}[bit(turned)], "$b", []string{"b", "a"}[bit(turned)])
	if id == 0 {
		d.before = "import heapq\n"
		d.body += fill("    ready = [$st for t in range(1, n + 1) if waits[t] == 0]\n    heapq.heapify(ready)\n    order = []\n    while ready:\n        task = $sheapq.heappop(ready)\n        order.append(task)\n        for other in after[task]:\n            waits[other] -= 1\n            if waits[other] == 0:\n                heapq.heappush(ready, $sother)\n    return order if len(order) == n else []\n", "$s", map[bool]string{true: "-"}[high])
		return d
	}
	d.body += only("    rounds = [0] * (n + 1)##2\n    done = 0##1\n    most = 0##3\n    number = 0##12\n    ready = [t for t in range(1, n + 1) if waits[t] == 0]\n    while ready:\n        number += 1##12\n        done += len(ready)##1\n        most = max(most, len(ready))##3\n        later = []\n        for task in ready:\n            rounds[task] = number##2\n            for other in after[task]:\n                waits[other] -= 1\n                if waits[other] == 0:\n                    later.append(other)\n        ready = later\n    return number if done == n else -1##1\n    return rounds[1:]##2\n    return most##3\n", id)
	return d
}

// orderedTasks returns the order of the tasks that can be done, one after the other, and the
// round of each, 0 for never.
func orderedTasks(n int64, pairs [][]int64, turned, high bool) (order, rounds []int64) {
	needs := make([][]int64, n+1)
	for _, p := range pairs {
		to := p[1-bit(turned)]
		needs[to] = append(needs[to], p[bit(turned)])
	}
	rounds = make([]int64, n+1)
	done := make([]bool, n+1)
	for {
		best := int64(0)
		for t := n; t > 0; t-- {
			ready := !done[t] && !slices.ContainsFunc(needs[t], func(b int64) bool { return !done[b] })
			if ready && (best == 0 || !high) {
				best = t
			}
		}
		if best == 0 {
			return order, rounds[1:]
		}
		done[best], order = true, append(order, best)
		for _, b := range needs[best] {
			rounds[best] = max(rounds[best], rounds[b])
		}
		rounds[best]++
	}
}

// joinGroups joins people into groups, and answers questions about them.
func joinGroups(r *rng.Rand) draft {
	ask, id := pick(r, []struct{ text, py string }{{"the number of people in the group of a", "size[find(a)]"}, {"the number of groups", "groups"}, {"the smallest number of a person in the group of a", "least[find(a)]"}, {"1 if a and b are in the same group, and 0 if not", "int(find(a) == find(b))"}, {"the largest number of people in a group", "most"}})
	limit := rng.Pick(r, []int64{0, 0, 4, 6})
	rule := ""
	if limit > 0 {
		rule = fill(" If the joined group would have more than $n people, nothing happens.", "$n", decimal(limit))
	}
	d := draft{
		task:   fill("`n` people, numbered from 1 to `n`, are each alone in a group at first. An entry (kind, a, b) of `steps` with kind 0 joins the groups of a and b.$l An entry with kind 1 is a question: the answer is $q.", "$l", rule, "$q", ask.text),
		want:   "the answers to all questions, in their order",
		form:   list,
		fields: []field{{name: "n", form: number, val: span{1, 80}}, {name: "steps", form: rows, len: span{0, 150}, wide: span{3, 3}, what: "three integers: the kind, 0 or 1, and a and b from 1 to `n`, possibly equal"}},
		drawn:  []int64{id, limit},
		body: only(fill("    parent = list(range(n + 1))\n    size = [1] * (n + 1)##$size\n    least = list(range(n + 1))##2\n    groups = n##1\n    most = 1##4\n    answers = []\n\n    def find(x):\n        while parent[x] != x:\n            parent[x] = parent[parent[x]]\n            x = parent[x]\n        return x\n\n    for kind, a, b in steps:\n        if kind == 1:\n            answers.append($q)\n            continue\n        a, b = find(a), find(b)\n        if a != b$limit:\n            parent[b] = a\n            size[a] += size[b]##$size\n            least[a] = min(least[a], least[b])##2\n            groups -= 1##1\n            most = max(most, size[a])##4\n    return answers\n",
			"$q", ask.py, "$limit", map[bool]string{true: " and size[a] + size[b] <= " + decimal(limit)}[limit > 0], "$size", map[bool]string{true: "01234", false: "04"}[limit > 0]), id),
		make: func(r *rng.Rand, s size) input {
			n := max(1, min(80, r.Between64(s.len/2, s.len)))
			steps := make([][]int64, min(150, 2*s.len))
			for i := range steps {
				steps[i] = []int64{bit(r.Chance(0.4)), r.Between64(1, n), r.Between64(1, n)}
			}
			return input{n, steps}
		},
		solve: func(in input) any { return groupAnswers(in.num(0), in.rows(1), id, limit) },
	}
	return d
}

// groupAnswers answers the questions; the group of a person is a list.
func groupAnswers(n int64, steps [][]int64, ask, limit int64) []int64 {
	group := make([]*[]int64, n+1)
	for i := range group {
		group[i] = &[]int64{int64(i)}
	}
	answers, groups, most := []int64{}, n, int64(1)
	for _, s := range steps {
		a, b := group[s[1]], group[s[2]]
		together := int64(len(*a) + len(*b))
		switch {
		case s[0] == 1:
			answers = append(answers, []int64{int64(len(*a)), groups, slices.Min(*a), bit(a == b), most}[ask])
		case a != b && (limit == 0 || together <= limit):
			*a = append(*a, *b...)
			for _, person := range *b {
				group[person] = a
			}
			groups, most = groups-1, max(most, together)
		}
	}
	return answers
}

// A road leads from one place to another.
type road struct{ to, cost int64 }

// cheapestRoute finds the cheapest way in a network of roads.
func cheapestRoute(r *rng.Rand) draft {
	way, directed := either(r, "can be used in both directions", "leads from a to b only")
	toll := r.Between64(1, 5)
	rule, id := pick(r, []string{"The cost of a route is the sum of the costs of its roads.", "The cost of a route is the largest cost of one of its roads; a route without roads costs 0.", "The cost of a route is the sum of the costs of its roads, and $t more for each road after the first.",
		"The first, third, fifth road and so on of a route costs twice its cost, the others their cost.", "The cost of a route is the sum of the costs of its roads, but one of the roads, of your choice, costs nothing.", "The cost of a route is the sum of the costs of its roads, and each place on it with an even number costs $t more, the first and the last place included."})
	d := draft{
		task:   fill("Places are numbered from 1 to `n`. An entry (a, b, c) of `roads` is a road between a and b with cost c that $w. $r Find the cheapest route from place 1 to place `n`; it may use roads and places more than once.", "$w", way, "$r", fill(rule, "$t", decimal(toll))),
		want:   "its cost, or -1 if there is no route",
		form:   number,
		before: "import heapq\n",
		fields: []field{{name: "n", form: number, val: span{1, 2000}}, {name: "roads", form: rows, len: span{0, 5000}, wide: span{3, 3}, what: "three integers: a and b from 1 to `n`, and the cost from 1 to 1000"}},
		drawn:  []int64{bit(directed), toll, id},
		make:   drawRoads,
		solve:  func(in input) any { return routeCost(in, directed, id, toll) },
	}
	states := map[bool]int{true: 2, false: 1}[id == 3 || id == 4]
	d.body = fill("    near = [[] for _ in range(n + 1)]\n    for a, b, c in roads:\n        near[a].append((b, c))\n$back    best = {}\n    heap = [($start, 1, 0)]\n    while heap:\n        cost, place, state = heapq.heappop(heap)\n        if (place, state) in best:\n            continue\n        best[place, state] = cost\n        for to, c in near[place]:\n$next    ends = [best[n, s] for s in range($states) if (n, s) in best]\n    return min(ends, default=-1)\n",
		"$back", map[bool]string{false: "        near[b].append((a, c))\n"}[directed], "$states", strconv.Itoa(states), "$start", map[bool]string{true: "0", false: "$t if 1 % 2 == 0 else 0"}[id != 5],
		"$next", fill([]string{"            heapq.heappush(heap, (cost + c, to, 0))\n", "            heapq.heappush(heap, (max(cost, c), to, 0))\n", "            toll = $t if cost > 0 else 0\n            heapq.heappush(heap, (cost + c + toll, to, 0))\n",
			"            heapq.heappush(heap, (cost + c * (2 - state), to, 1 - state))\n", "            heapq.heappush(heap, (cost + c, to, state))\n            if state == 0:\n                heapq.heappush(heap, (cost, to, 1))\n", "            toll = $t if to % 2 == 0 else 0\n            heapq.heappush(heap, (cost + c + toll, to, 0))\n"}[id], "$t", decimal(toll)))
	d.body = fill(d.body, "$t if 1 % 2 == 0 else 0", "0")
	if states == 1 {
		d.body = fill(d.body, "1, 0)]", "1)]", "cost, place, state =", "cost, place =", "if (place, state) in best", "if place in best", "best[place, state] = cost", "best[place] = cost", "to, 0))", "to))",
			"    ends = [best[n, s] for s in range(1) if (n, s) in best]\n    return min(ends, default=-1)\n", "    return best.get(n, -1)\n")
	}
	return d
}

// drawRoads draws a network with a long way from 1 to n.
func drawRoads(r *rng.Rand, s size) input {
	n := max(1, min(2000, s.len))
	if s.len > 100 {
		n = []int64{2000, 300}[bit(r.Chance(0.5))]
	}
	high := []int64{10, 1000}[bit(s.span < 0)]
	roads := make([][]int64, 0, 2*n)
	for range min(5000, 2*s.len) {
		a := r.Between64(1, n)
		b := max(1, min(n, a+r.Between64(-2, 4)))
		if r.Chance(0.2) {
			b = r.Between64(1, n)
		}
		roads = append(roads, []int64{a, b, r.Between64(1, high)})
	}
	return input{n, roads}
}

// routeCost is the cost of the cheapest route: Dijkstra's algorithm without a heap, over places
// and what matters of the way there.
func routeCost(in input, directed bool, rule, toll int64) int64 {
	n := in.num(0)
	near := make([][]road, n+1)
	for _, e := range in.rows(1) {
		near[e[0]] = append(near[e[0]], road{e[1], e[2]})
		if !directed {
			near[e[1]] = append(near[e[1]], road{e[0], e[2]})
		}
	}
	cost := make([]int64, 2*n+2) // of place p in state s: 2p + s
	for i := range cost {
		cost[i] = never
	}
	cost[2] = 0
	done := make([]bool, len(cost))
	for {
		at := int64(0)
		for i := range cost {
			if !done[i] && cost[i] < cost[at] {
				at = int64(i)
			}
		}
		if at == 0 {
			break
		}
		done[at] = true
		for _, way := range near[at/2] {
			relax(cost, at, way, [2]int64{rule, toll})
		}
	}
	if best := min(cost[2*n], cost[2*n+1]); best < never {
		return best
	}
	return -1
}

// relax goes along a road from a place in a state.
func relax(cost []int64, at int64, way road, rule [2]int64) {
	now, state, to, toll := cost[at], at%2, 2*way.to, rule[1]
	sum := now + way.cost
	switch rule[0] {
	case 1:
		sum = max(now, way.cost)
	case 2:
		to, sum = to+1, sum+toll*state
	case 3:
		to, sum = to+1-state, sum+way.cost*(1-state)
	case 4:
		to += state
		if state == 0 {
			cost[to+1] = min(cost[to+1], now)
		}
	case 5:
		sum += toll * bit(way.to%2 == 0)
	}
	cost[to] = min(cost[to], sum)
}
