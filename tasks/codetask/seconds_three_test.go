package codetask

import (
	"math/bits"
	"slices"
	"strings"
)

func secondsThree() map[string]second {
	return map[string]second{
		"grid_path":           secondPath,
		"order_tasks":         secondOrder,
		"evaluate_expression": func(q []int64, in input) any { return split(q, strings.ReplaceAll(in.text(0), " ", "")) },
		"pay_amount": func(q []int64, in input) any {
			if len(q) == 3 {
				in = input{in[1], in[0]}
			}
			amount, coins, most := in.num(0), in.list(1), []int64{never, 1, 2}[q[0]]
			type choice struct{ coin, rest int64 }
			memo := map[choice][3]int64{} // the fewest coins, the ways, and the most coins
			var pay func(c choice) [3]int64
			pay = func(c choice) [3]int64 {
				if c.coin == int64(len(coins)) {
					if c.rest == 0 {
						return [3]int64{0, 1, 0}
					}
					return [3]int64{never, 0, -never}
				}
				if known, found := memo[c]; found {
					return known
				}
				best := [3]int64{never, 0, -never}
				for n := int64(0); n <= most && n*coins[c.coin] <= c.rest; n++ {
					sub := pay(choice{c.coin + 1, c.rest - n*coins[c.coin]})
					best = [3]int64{min(best[0], sub[0]+n), (best[1] + sub[1]) % 1000007, max(best[2], sub[2]+n)}
				}
				memo[c] = best
				return best
			}
			all := pay(choice{0, amount})
			if all[0] >= never {
				all[0], all[2] = -1, -1
			}
			return all[q[1]]
		},
		"longest_subsequence": func(q []int64, in input) any {
			a := in.list(0)
			if len(a) > 10 {
				return nil
			}
			length, sum, count := int64(0), -never, int64(0)
			for set := 1; set < 1<<len(a); set++ {
				last, fits, total := -1, true, int64(0)
				for i, x := range a {
					if set>>i&1 == 0 {
						continue
					}
					fits = fits && (last < 0 || i-last >= int(q[3]) && linked(q[0], q[1], a[last], x))
					last, total = i, total+x
				}
				if fits {
					length, sum, count = max(length, int64(bits.OnesCount(uint(set)))), max(sum, total), count+1
				}
			}
			if len(a) == 0 {
				sum = 0
			}
			return []int64{length, sum, count % 1000007}[q[2]]
		},
		"edit_cost": func(q []int64, in input) any {
			s, t := in.text(0), in.text(1)
			memo := map[[2]int]int64{}
			var cost func(i, j int) int64 // of the rest of s from i and of t from j
			cost = func(i, j int) int64 {
				if i == len(s) {
					return int64(len(t)-j) * q[0]
				}
				if j == len(t) {
					return int64(len(s)-i) * q[1]
				}
				if known, found := memo[[2]int{i, j}]; found {
					return known
				}
				a, b, change := s[i], t[j], q[2]
				switch {
				case a == b, q[4] == 1 && (a == 'a' || a == 'e') && (b == 'a' || b == 'e'):
					change = 0
				case q[4] == 2 && (a == b+1 || b == a+1):
					change = 1
				}
				best := min(cost(i+1, j)+q[1], cost(i, j+1)+q[0], cost(i+1, j+1)+change)
				if q[3] > 0 && i+1 < len(s) && j+1 < len(t) && a == t[j+1] && s[i+1] == b {
					best = min(best, cost(i+2, j+2)+q[3])
				}
				memo[[2]int{i, j}] = best
				return best
			}
			return cost(0, 0)
		},
		"choose_intervals": func(q []int64, in input) any {
			jobs, best := in.rows(0), int64(0)
			if len(jobs) > 10 {
				return nil
			}
			for set := range 1 << len(jobs) {
				sum, fits := int64(0), q[3] == 0 || bits.OnesCount(uint(set)) <= int(q[3])
				for i, a := range jobs {
					if set>>i&1 == 0 {
						continue
					}
					for j, b := range jobs[:i] {
						fits = fits && (set>>j&1 == 0 || a[0] >= b[1]+q[0] || b[0] >= a[1]+q[0])
					}
					sum += []int64{1, a[1] - a[0], a[2], a[2] * (a[1] - a[0])}[q[2]]
				}
				if fits {
					best = max(best, sum)
				}
			}
			return best
		},
		"simulate_cache": secondCache,
		"join_groups": func(q []int64, in input) any {
			label, answers := make([]int64, in.num(0)+1), []int64{}
			for i := range label {
				label[i] = int64(i)
			}
			for _, s := range in.rows(1) {
				size := func(x int64) int64 { return countOf(label, label[x]) }
				if a, b := label[s[1]], label[s[2]]; s[0] == 0 && a != b && (q[1] == 0 || size(s[1])+size(s[2]) <= q[1]) {
					for i := range label {
						if label[i] == max(a, b) {
							label[i] = min(a, b)
						}
					}
				}
				most := int64(0)
				for x := range in.num(0) {
					most = max(most, size(x+1))
				}
				if s[0] == 1 {
					answers = append(answers, []int64{size(s[1]), folded(3, label[1:]), label[s[1]], bit(label[s[1]] == label[s[2]]), most}[q[0]])
				}
			}
			return answers
		},
		"measure_tree": func(q []int64, in input) any {
			parent, n := in.list(0), len(in.list(1))
			above := func(i int) (way []int) { // i and the nodes above it
				for ; i > 0; i = int(parent[i-1]) {
					way = append(way, i)
				}
				return append(way, 0)
			}
			value := func(i int) int64 {
				depth := int64(len(above(i)) - 1)
				return in.list(1)[i] * []int64{1, []int64{1, -1}[depth%2], depth}[q[1]]
			}
			sums, high, layers := make([]int64, n), make([]int64, n), []int64{}
			down := -never
			for i := range n {
				high[i] = -never
			}
			for i := range n {
				way, sum := above(i), int64(0)
				for _, j := range way {
					sums[j], high[j] = sums[j]+value(i), max(high[j], value(i))
					sum += value(j)
				}
				down = max(down, sum)
				for len(layers) < len(way) {
					layers = append(layers, -never)
				}
				layers[len(way)-1] = max(layers[len(way)-1], value(i))
			}
			return []any{sums, high, down, layers, folded(1, sums)}[q[0]]
		},
	}
}

func linked(id, k, x, y int64) bool {
	return []bool{x < y, x <= y, x-y >= k, x == y+k || y == x+k, y-k <= x && x <= y+k, x < y && y-k <= x, holds(1, 0, x+y)}[id]
}

// secondPath improves distances until none changes.
func secondPath(q []int64, in input) any {
	grid := in.texts()
	height, width := len(grid), len(grid[0])
	steps := func(y, x int) bool {
		y, x = max(y, -y), max(x, -x)
		return []bool{y+x == 1, max(y, x) == 1, y*x == 2, false, y*x == 0 && y+x < 3 && y+x > 0}[q[0]]
	}
	const far = int64(1 << 30)
	near := make([][3]int64, height*width) // by the number of entered walls
	for i := range near {
		near[i] = [3]int64{far, far, far}
	}
	near[0][0] = 0
	for changed := true; changed; {
		changed = false
		for i := range near {
			for dy := -2; dy <= 2; dy++ {
				for dx := -2; dx <= 2; dx++ {
					y, x := i/width+dy, i%width+dx
					down := q[0] == 3 && dy >= 0 && dx >= 0 && dy <= 1 && dx <= 1 && dy+dx > 0
					if y < 0 || x < 0 || y >= height || x >= width || !down && !steps(dy, dx) {
						continue
					}
					wall := int(bit(grid[y][x] == '#'))
					for w := 0; w+wall <= int(q[1]); w++ {
						if d := near[i][w] + 1; d < near[y*width+x][w+wall] {
							near[y*width+x][w+wall], changed = d, true
						}
					}
				}
			}
		}
	}
	reached, all, high := int64(0), []int64{}, int64(0)
	for _, n := range near {
		if d := min(n[0], n[1], n[2]); d < far {
			reached++
			all = append(all, d)
			high = max(high, d)
		}
	}
	goal := near[len(near)-1]
	d := min(goal[0], goal[1], goal[2])
	if d >= far {
		d = -1
	}
	return []int64{d, reached, countOf(all, high)}[q[2]]
}

// secondOrder finds rounds by recursion, and the order by a list that is sorted again and again.
func secondOrder(q []int64, in input) any {
	n := in.num(0)
	needs := map[int64][]int64{}
	for _, p := range in.rows(1) {
		a, b := p[0], p[1]
		if q[0] == 1 {
			a, b = b, a
		}
		needs[b] = append(needs[b], a)
	}
	rounds := make([]int64, n+1)
	for k := int64(1); k <= n; k++ {
		for t := int64(1); t <= n; t++ {
			ready := rounds[t] == 0
			for _, a := range needs[t] {
				ready = ready && rounds[a] > 0 && rounds[a] < k
			}
			if ready {
				rounds[t] = k
			}
		}
	}
	last, most, order := slices.Max(rounds), int64(0), []int64{}
	for k := int64(1); k <= last; k++ {
		most = max(most, countOf(rounds, k))
	}
	if slices.Contains(rounds[1:], 0) {
		return []any{order, int64(-1), rounds[1:], most}[q[2]]
	}
	for int64(len(order)) < n {
		var ready []int64
		for t := int64(1); t <= n; t++ {
			free := !slices.Contains(order, t)
			for _, a := range needs[t] {
				free = free && slices.Contains(order, a)
			}
			if free {
				ready = append(ready, t)
			}
		}
		order = append(order, ready[(len(ready)-1)*int(q[1])])
	}
	return []any{order, last, rounds[1:], most}[q[2]]
}

// split evaluates an expression at the operator that is applied last.
func split(q []int64, s string) int64 {
	depth, at, low := 0, -1, int64(99)
	for i := range len(s) {
		depth += strings.Count("(", s[i:i+1]) - strings.Count(")", s[i:i+1])
		for n := 1; n < len(q) && depth == 0; n += 2 {
			if s[i] != "+-*@#&~"[q[n]] {
				continue
			}
			fromRight := q[n+1] == q[0]
			if q[n+1] < low || q[n+1] == low && !fromRight {
				at, low = i, q[n+1]
			}
		}
	}
	if at < 0 && s[0] == '(' {
		return split(q, s[1:len(s)-1])
	}
	if at < 0 {
		return composedText(s)
	}
	a, b := split(q, s[:at]), split(q, s[at+1:])
	switch s[at] {
	case '+':
		return a + b
	case '-':
		return a - b
	case '*':
		return ((a%1000)*(b%1000)%1000 + 1000) % 1000
	case '@':
		return slices.Max([]int64{a, b})
	case '~':
		return slices.Min([]int64{a, b})
	case '#':
		return max(a, b) - min(a, b)
	default:
		return a + a - b
	}
}

func composedText(s string) (n int64) {
	for _, c := range s {
		n = 10*n + int64(c-'0')
	}
	return n
}

// secondCache looks back at all requests to find the key to remove.
func secondCache(q []int64, in input) any {
	size, requests := in.num(0), in.list(1)
	put, hits, removed := map[int64]int{}, int64(0), []int64{}
	for i, key := range requests {
		if _, held := put[key]; held {
			hits++
			continue
		}
		past := requests[:i]
		if q[2] == 1 && !slices.Contains(past, key) && folded(1, past) > key {
			continue
		}
		if int64(len(put)) == size {
			worst, badness := int64(0), [2]int{1 << 30, 0}
			for k, when := range put {
				last, often := 0, 0
				for j, x := range past {
					if x == k {
						last = j
						often += int(bit(j >= when))
					}
				}
				bad := [][2]int{{last, 0}, {when, 0}, {-last, 0}, {often, last}, {int(-k), 0}}[q[0]]
				if bad[0] < badness[0] || bad[0] == badness[0] && bad[1] < badness[1] {
					worst, badness = k, bad
				}
			}
			delete(put, worst)
			removed = append(removed, worst)
		}
		put[key] = i
	}
	kept := []int64{}
	for key := range int64(31) {
		if _, held := put[key]; held {
			kept = append(kept, key)
		}
	}
	return []any{hits, removed, kept}[q[1]]
}
