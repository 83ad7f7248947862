package codetask

import (
	"slices"
	"strings"
)

func secondsOne() map[string]second {
	return map[string]second{
		"encode_runs": secondRuns,
		"longest_run": func(q []int64, in input) any {
			a, best, at := in.list(0), 0, -1
			for i := range a {
				for j := i + 1; j <= len(a); j++ {
					if j > i+1 && !follows(q[0], q[1], a[j-2], a[j-1]) {
						break
					}
					if j-i > best || j-i == best && q[2] == 1 {
						best, at = j-i, i
					}
				}
			}
			if q[3] == 1 && best > 0 {
				return folded(0, a[at:at+best])
			}
			return []int64{int64(best), 0, int64(at)}[q[3]]
		},
		"best_window": func(q []int64, in input) any {
			a, k := in.list(0), in.num(1)
			best, first, last := never, int64(-1), int64(-1)
			for i := int64(0); i+k <= int64(len(a)); i++ {
				w := a[i : i+k]
				s := slices.Sorted(slices.Values(w))
				low := int64(slices.Index(s, w[0]))
				value := []int64{folded(0, w), s[k-1] - s[0], folded(3, w), w[k-1] - w[0], low, s[k-1]}[q[0]] * (1 - 2*q[1])
				if value < best {
					best, first = value, i
				}
				if value <= best {
					last = i
				}
			}
			if first < 0 {
				return q[3]
			}
			return []int64{best * (1 - 2*q[1]), first, last}[q[2]]
		},
		"rank_values": func(q []int64, in input) any {
			a, out, taken := in.list(0), []int64{}, map[int64]bool{}
			for range q[2] {
				best, count := int64(-1), int64(0)
				for i, x := range a {
					n := countOf(a, x) * (1 - 2*q[0])
					better := best < 0 || n > count || n == count && (q[1] == 1 && x < a[best] || q[1] == 2 && x > a[best])
					if !taken[x] && better {
						best, count = int64(i), n
					}
				}
				if best < 0 {
					break
				}
				taken[a[best]] = true
				out = append(out, []int64{a[best], max(count, -count)}[q[3]])
			}
			return out
		},
		"drop_repeats": func(q []int64, in input) any {
			a, groups, keep := in.list(0), map[int64][]int{}, map[int]bool{}
			for i, x := range a {
				key := formed(q[0], q[1], x)
				groups[key] = append(groups[key], i)
			}
			for _, g := range groups {
				for n, i := range g {
					near := n > 0 && g[n-1] == i-1
					keep[i] = []bool{n == 0, n == len(g)-1, len(g) == 1, len(g) > 1, !near, n < 2, n == 0 || n == len(g)-1}[q[2]]
				}
			}
			out := []int64{}
			for i, x := range a {
				if keep[i] {
					out = append(out, x)
				}
			}
			return out
		},
		"count_words":    secondWords,
		"measure_lines":  secondLines,
		"shift_letters":  secondShift,
		"write_in_base":  secondBase,
		"check_brackets": secondBrackets,
		"count_pairs": func(q []int64, in input) any {
			a, k, sum := in.list(0), q[0], int64(0)
			for i := len(a) - 1; i >= 0; i-- {
				for j := len(a) - 1; j > i; j-- {
					if q[3] == 1 && j == i+1 || q[3] == 2 && j-i > 3 || q[3] == 3 && i&1 == 1 {
						continue
					}
					x, y := a[i], a[j]
					if []bool{y == k-x, (x-y)*(x-y) == k*k, holds(2, k, x+y-q[1]), x < 0 && y > 0 || x > 0 && y < 0, y <= x-k, y > x, y <= k-x}[q[2]] {
						sum += []int64{1, x * y}[q[4]]
					}
				}
			}
			return sum
		},
	}
}

// follows is a second definition of the conditions on neighbors.
func follows(id, k, x, y int64) bool {
	d := y - x
	return []bool{d > 0, d > -1, d < 0, d == 0, d*d <= k*k, d*d >= k*k, holds(1, 0, d), d == 1}[id]
}

func secondRuns(q []int64, in input) any {
	type run struct {
		letter byte
		n      int64
	}
	var runs []run
	for _, c := range []byte(in.text(0)) {
		if n := len(runs); n > 0 && runs[n-1].letter == c {
			runs[n-1].n++
		} else {
			runs = append(runs, run{c, 1})
		}
	}
	var parts []string
	write := func(r run) {
		count := decimal(r.n)
		if q[1] == 1 && r.n == 1 {
			count = ""
		}
		if r.n >= q[4] {
			parts = append(parts, []string{count + string(r.letter), string(r.letter) + count}[q[0]])
		}
	}
	for length := int64(len(in.text(0))); length > 0; length-- {
		for _, r := range runs {
			if q[2] == 1 && r.n == length {
				write(r)
			}
		}
	}
	for _, r := range runs {
		if q[2] == 0 {
			write(r)
		}
	}
	return strings.Join(parts, []string{"", "-", ","}[q[3]])
}

func secondWords(q []int64, in input) any {
	var words []string
	now := ""
	for _, c := range in.text(0) + "." {
		if c >= 'A' && c <= 'Z' && q[1] == 0 {
			c += 'a' - 'A'
		}
		if c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' || c == '-' && q[0] == 1 {
			now += string(c)
			continue
		}
		if int64(len(now)) >= max(1, q[3]) {
			words = append(words, now)
		}
		now = ""
	}
	count := func(w string) (n int) {
		for _, other := range words {
			n += int(bit(w == other))
		}
		return n
	}
	var lines []string
	for done := map[string]bool{}; ; {
		best := ""
		for _, w := range words {
			d := []int{count(w) - count(best), 0, 0, count(best) - count(w), len(w) - len(best)}[q[2]]
			if !done[w] && (best == "" || d > 0 || d == 0 && w < best && q[2] != 2) {
				best = w
			}
		}
		if best == "" {
			if lines == nil {
				lines = []string{}
			}
			return lines
		}
		done[best] = true
		n := decimal(int64(count(best)))
		lines = append(lines, []string{best + " " + n, n + " " + best, best + ":" + n}[q[4]])
	}
}

func secondLines(q []int64, in input) any {
	t := in.rows(0)
	n, m := len(t), len(t[0])
	if q[0] == 1 {
		n, m = m, n
	}
	values := []int64{}
	for i := range n {
		var v []int64
		below := int64(0)
		for j := range m {
			x := t[[]int{i, j}[q[0]]][[]int{j, i}[q[0]]]
			v = append(v, x)
			below += bit(x < 0)
		}
		values = append(values, []int64{folded(0, v), folded(1, v), folded(2, v), folded(3, v), v[0] - v[m-1], below}[q[1]])
	}
	order := []int64{}
	for range n {
		best := int64(-1)
		for i := range int64(n) {
			if !slices.Contains(order, i) && (best < 0 || values[i] < values[best]) {
				best = i
			}
		}
		order = append(order, best)
	}
	high, low := 0, 0
	for i, x := range values {
		if x > values[high] {
			high = i
		}
		if x <= values[low] {
			low = i
		}
	}
	return []any{values, int64(high), int64(low), order}[q[2]]
}

func secondShift(q []int64, in input) any {
	s, out := in.text(0), ""
	for i, c := range s {
		before := s[:i]
		count := 0
		for _, x := range before {
			count += len(strings.Trim(string(x), " ,0123456789"))
		}
		n := []int{int(q[0]), i, []int{int(q[0]), 1}[i%2], strings.Count(before, " "), int(q[0]) * count, len(s)}[q[1]]
		if strings.ContainsRune(" ,0123456789", c) {
			n = 0
		} else if q[3] == 1 {
			c ^= 0x20
		}
		for range n % 26 {
			switch up := 1 - 2*rune(q[2]); {
			case up > 0 && (c == 'z' || c == 'Z'):
				c -= 25
			case up < 0 && (c == 'a' || c == 'A'):
				c += 25
			default:
				c += up
			}
		}
		out += string(c)
	}
	return out
}

func secondBase(q []int64, in input) any {
	base := []int64{2, 3, 4, 5, 6, 7, 12, 16, 20, 36}[q[0]]
	n, text := in.num(0), ""
	if n < 0 {
		n = -n
	}
	power := int64(1)
	for power <= n/base {
		power *= base
	}
	for ; power > 0; power /= base {
		d := n / power
		n -= d * power
		c := rune('0' + d)
		if d > 9 {
			c = []rune{'a', 'A'}[q[1]] + rune(d-10)
		}
		text += string(c)
	}
	for int64(len(text)) < q[4] {
		text = "0" + text
	}
	out := ""
	for i := range len(text) {
		c := text[len(text)-1-i]
		if q[2] == 1 {
			c = text[i]
		}
		if q[3] > 0 && i > 0 && int64(i)%q[3] == 0 {
			out = "_" + out
		}
		out = string(c) + out
	}
	if in.num(0) < 0 {
		out = "-" + out
	}
	return out
}

// secondBrackets removes pairs of brackets from each beginning of the text.
func secondBrackets(q []int64, in input) any {
	s, depth, wrong := in.text(0), 0, -1
	for n := 1; n <= len(s) && wrong < 0; n++ {
		rest := s[:n]
		for range n {
			for _, pair := range bracketPairs {
				rest = strings.ReplaceAll(rest, pair, "")
			}
		}
		bad := strings.ContainsAny(rest, ")]}>") || q[0] > 0 && int64(len(rest)) > q[0]
		for i := 1; i < len(rest) && q[1] == 1; i++ {
			bad = bad || rest[i] == rest[i-1]
		}
		if bad {
			wrong = n - 1
		}
		if depth = max(depth, len(rest)); n == len(s) && rest != "" && !bad {
			wrong = n
		}
	}
	if wrong >= 0 {
		depth = -1
	}
	return []any{wrong < 0, int64(depth), int64(wrong)}[q[2]]
}
