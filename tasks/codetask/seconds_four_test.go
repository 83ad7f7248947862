package codetask

import (
	"slices"
	"strings"
)

func secondsFour() map[string]second {
	return map[string]second{
		"cheapest_route": secondRoute,
		"best_nodes":     secondNodes,
		"count_inversions": func(q []int64, in input) any {
			a, k, n := in.list(0), q[0], int64(0)
			if len(a) > 300 {
				return nil
			}
			for j := range a {
				for i := range a {
					x, y := a[i], a[j]
					if int64(j-i) >= q[2] && []bool{x-k > y, x+k >= y, x+k >= y && y+k >= x, x-y > y, x+y-k < 0, y <= x && x-k < y}[q[1]] {
						n++
					}
				}
			}
			return n
		},
		"window_extremes": func(q []int64, in input) any {
			a, k := in.list(0), in.num(1)
			if len(a) > 300 {
				return nil
			}
			spread, tight, both, first, least, lows := int64(0), int64(0), int64(0), int64(0), never, []int64{}
			for end := k; end <= int64(len(a)); end++ {
				s := slices.Sorted(slices.Values(a[end-k : end]))
				low, high := s[0], s[k-1]
				spread, both, tight = spread+high-low, both+high+low, tight+bit(high <= low+q[0])
				least, lows = min(least, high), append(lows, low)
				first += bit(a[end-k] == low || a[end-k] == high)
			}
			return []int64{spread, tight, least, folded(3, lows), both, first}[q[1]]
		},
		"count_blocks": func(q []int64, in input) any {
			a, k, n := in.list(0), q[0], int64(0)
			if len(a) > 100 {
				return nil
			}
			for i := range a {
				sum, plus, minus, even, xor := int64(0), int64(0), int64(0), int64(0), int64(0)
				for j := i; j < len(a); j++ {
					x := a[j]
					sum, plus, minus, even, xor = sum+x, plus+bit(x > 0), minus+bit(x < 0), even+bit(holds(0, 0, x)), xor^max(x, -x)
					odd := int64(j-i+1) - even
					if int64(j-i) >= q[3] && []bool{sum == k, holds(2, k, sum-q[1]), plus == minus, even == k, odd%2 == 0, xor == k}[q[2]] {
						n++
					}
				}
			}
			return n
		},
		"fold_bars": func(q []int64, in input) any {
			a, best, all := in.list(0), int64(0), int64(0)
			if len(a) > 100 {
				return nil
			}
			for i := range a {
				for j := i + 1; j <= len(a); j++ {
					n, low := int64(j-i), folded(2, a[i:j])
					all += low
					if q[0] == 0 && n <= q[1] {
						best = max(best, n*low)
					}
					if q[0] == 2 {
						best = max(best, low*folded(0, a[i:j]))
					}
					if q[0] == 3 && low >= n {
						best = max(best, n)
					}
				}
			}
			return []int64{best, all % 1000000007, best, best}[q[0]]
		},
		"smallest_limit": secondLimit,
		"update_ranges": func(q []int64, in input) any {
			if in.num(0) > 1000 {
				return nil
			}
			a, found, sum := make([]int64, in.num(0)), []int64{}, int64(0)
			for _, s := range in.rows(1) {
				if s[2] == 0 {
					found = append(found, a[s[0]])
					sum += a[s[0]] * int64(len(found))
				}
				for i := s[0]; i < s[1]+1-q[1] && s[2] > 0; i++ {
					x, v := a[i], s[2]
					a[i] = []int64{x + v, x + max(0, v-x), (x | v) - (x & v), x + v - (x & v), (x + v) % 1009}[q[0]]
				}
			}
			return []any{found, sum % 1000000007}[q[2]]
		},
		"text_borders": secondBorders,
		"far_term": func(q []int64, in input) any {
			f, m, c := slices.Clone(in.list(0)), q[1], q[3:]
			if in.num(1) > 3000 {
				return nil
			}
			for int64(len(f)) <= in.num(1) {
				next := q[0]
				for i, x := range c {
					next += x * f[len(f)-1-i]
				}
				f = append(f, next%m)
			}
			if q[2] == 0 {
				return (f[in.num(1)]%m + m) % m
			}
			return (folded(0, f[:in.num(1)+1])%m + m) % m
		},
		"count_numbers": func(q []int64, in input) any {
			if in.num(1)-in.num(0) > 20_000 {
				return nil
			}
			n := int64(0)
			for x := in.num(0); x <= in.num(1); x++ {
				text, fits, sum, odd := decimal(x), true, int64(0), int64(0)
				for i := range len(text) {
					d := int64(text[i] - '0')
					sum, odd = sum+d, odd+d&1
					if i > 0 {
						p := int64(text[i-1] - '0')
						fits = fits && []bool{d-p != 0, d-p >= 0, d-p < 3 && p-d < 3, d&1 != p&1, d != 9-p, true}[q[0]]
					}
				}
				if fits && []bool{sum%q[2] == q[3], int64(strings.Count(text, decimal(q[4]))) == q[5], x%q[2] == q[3], odd <= q[2]}[q[1]] {
					n++
				}
			}
			return n
		},
	}
}

// secondRoute lengthens routes road by road.
func secondRoute(q []int64, in input) any {
	n, roads := in.num(0), in.rows(1)
	if n > 70 {
		return nil
	}
	for _, r := range in.rows(1) {
		if q[0] == 0 {
			roads = append(roads, []int64{r[1], r[0], r[2]})
		}
	}
	now := map[[2]int64]int64{{1, 0}: 0} // the cost of the routes with so many roads, by end and whether a road was free
	best := never
	for length := int64(0); length <= 2*n+2; length++ {
		after := map[[2]int64]int64{}
		for at, cost := range now {
			if at[0] == n {
				best = min(best, cost)
			}
		}
		for _, r := range roads {
			for free := range int64(2) {
				cost, found := now[[2]int64{r[0], free}]
				if !found {
					continue
				}
				sum := []int64{cost + r[2], max(cost, r[2]), cost + r[2] + q[1]*bit(length > 0), cost + r[2]*(1+bit(length%2 == 0)), cost + r[2], cost + r[2] + q[1]*(1-r[1]%2)}[q[2]]
				keep(after, [2]int64{r[1], free}, sum)
				if q[2] == 4 && free == 0 {
					keep(after, [2]int64{r[1], 1}, cost)
				}
			}
		}
		now = after
	}
	if best == never {
		return int64(-1)
	}
	return best
}

func keep(costs map[[2]int64]int64, at [2]int64, cost int64) {
	if old, found := costs[at]; !found || cost < old {
		costs[at] = cost
	}
}

// secondNodes tries all sets of nodes.
func secondNodes(q []int64, in input) any {
	parent, values := in.list(0), in.list(1)
	if len(values) > 11 {
		return nil
	}
	best, found := int64(0), false
	for set := range 1 << len(values) {
		has := func(i int64) bool { return set>>i&1 == 1 }
		fits := q[1] == 0 || has(0) == (q[1] == 1)
		sum, children := int64(0), map[int64]int{}
		for i, x := range values {
			sum += x * bit(has(int64(i)))
		}
		for i, p := range parent {
			own, above := has(int64(i+1)), has(p)
			children[p] += int(bit(own))
			fits = fits && []bool{!own || !above, !own || above, (!own || !above) && children[p] <= 1, own || above}[q[0]]
		}
		if better := sum > best == (q[0] != 3); fits && (!found || better && sum != best) {
			best, found = sum, true
		}
	}
	return best
}

// secondLimit tries limits one by one.
func secondLimit(q []int64, in input) any {
	a, k := in.list(0), in.num(1)
	if high := folded(1, a); len(a) > 30 || high > 300 || q[0] == 3 && len(a) > 10 {
		return nil
	}
	switch q[0] {
	case 0:
		best := slices.Clone(a) // the least largest sum of the first elements, with one block, two and so on
		for i := range best {
			best[i] = folded(0, a[:i+1])
		}
		for range min(k, int64(len(a))) - 1 {
			after := slices.Clone(best)
			for i := range a {
				for j := range i {
					after[i] = min(after[i], max(best[j], folded(0, a[j+1:i+1])))
				}
			}
			best = after
		}
		return best[len(a)-1]
	case 1:
		for v := int64(1); ; v++ {
			hours := int64(0)
			for _, x := range a {
				hours += x/v + bit(x%v > 0)
			}
			if hours <= int64(len(a))+k {
				return v
			}
		}
	case 2:
		a = slices.Clone(a)
		for days := int64(0); ; days++ {
			if folded(1, a) <= 0 {
				return days
			}
			at := slices.Index(a, folded(1, a))
			for i, x := range a {
				a[i] -= bit(x > 0)
			}
			a[at] -= k
		}
	default:
		best := never
		for set := 1; set < 1<<len(a); set++ {
			far, chosen := int64(0), int64(0)
			for i := range a {
				chosen += int64(set >> i & 1)
			}
			for _, x := range a {
				near := never
				for i, y := range a {
					if set>>i&1 == 1 {
						near = min(near, max(x-y, y-x))
					}
				}
				far = max(far, near)
			}
			if chosen <= k {
				best = min(best, far)
			}
		}
		return best
	}
}

// secondBorders tries all lengths.
func secondBorders(q []int64, in input) any {
	s := in.text(0)
	if len(s) > 100 {
		return nil
	}
	if q[2] == 1 {
		s = strings.ToUpper(s)
	}
	s = s[min(int(q[1]), len(s)):]
	sum, none, high, half, last := int64(0), int64(0), int64(0), int64(0), 0
	for n := 1; n <= len(s); n++ {
		for last = n - 1; s[:last] != s[n-last:n]; last-- {
		}
		b := int64(last)
		sum, none, high, half = sum+b, none+bit(b == 0), max(high, b), half+bit(b >= int64(n)-b)
	}
	period, times := int64(0), int64(0)
	for n := 1; n <= len(s) && period == 0; n++ {
		if strings.HasPrefix(strings.Repeat(s[:n], len(s)/n+1), s) {
			period = int64(n)
		}
	}
	for i := 0; i+last <= len(s) && last > 0; i++ {
		times += bit(s[i:i+last] == s[:last])
	}
	return []int64{sum, none, high, period, times, half}[q[0]]
}
