package codetask

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/task/rng"
)

// A second solves the cases of a kind in another way: from the drawn rules and the arguments. It
// returns nil for a case that is too large for it.
type second func(q []int64, in input) any

// seconds are the second solvers of all kinds.
func seconds() map[string]second {
	all := map[string]second{}
	for _, some := range []map[string]second{secondsZero(), secondsOne(), secondsTwo(), secondsThree(), secondsFour()} {
		maps.Copy(all, some)
	}
	return all
}

// TestSecond compares the solutions in Go with second ones.
func TestSecond(t *testing.T) {
	all := seconds()
	for level := range Levels {
		for _, k := range kinds[level] {
			t.Run(k.name, func(t *testing.T) { compareSecond(t, k, all[k.name]) })
		}
	}
}

func compareSecond(t *testing.T, k kind, solve second) {
	if solve == nil {
		t.Fatal("there is no second solver")
	}
	solved, cases := 0, 0
	for i := range secondDraws {
		r := rng.Named("second", k.name).Stream(1, i)
		d := k.draw(r)
		for _, c := range d.cases(r) {
			cases++
			got := solve(d.drawn, c.in)
			if got == nil {
				continue
			}
			solved++
			if literal(got) != literal(c.out) {
				t.Fatalf("%v %.300s: the result is %.300s, and a second solver says %.300s\n%s", d.drawn, literal(c.in), literal(c.out), literal(got), d.task)
			}
		}
	}
	if solved*2 < cases {
		t.Errorf("only %d of %d cases were solved", solved, cases)
	}
}

// holds is a second definition of properties.
func holds(id, k, x int64) bool {
	text := strings.TrimPrefix(decimal(x), "-")
	last := text[len(text)-1:]
	multiple := func() bool {
		for y := max(x, -x); ; y -= k {
			if y <= 0 {
				return y == 0
			}
		}
	}
	switch id {
	case 0, 1:
		return strings.Contains("02468", last) == (id == 0)
	case 2, 3:
		return multiple() == (id == 2)
	case 4, 6:
		return (x-k > 0) == (id == 4)
	case 5, 7:
		return (x-k < 0) == (id == 5)
	case 8, 9:
		return (x*x <= k*k) == (id == 8)
	case 10:
		return last == decimal(k)
	default:
		odd := 0
		for _, c := range text {
			odd += strings.Count("13579", string(c))
		}
		return odd%2 == 0
	}
}

// formed is a second definition of formulas.
func formed(id, k, x int64) int64 {
	text := strings.TrimPrefix(decimal(x), "-")
	number, _ := strconv.ParseInt(text, 10, 64)
	switch id {
	case 0:
		return number * number
	case 1:
		return number
	case 2, 3:
		sum := int64(0)
		for range k {
			sum += x
		}
		return []int64{sum, k - x}[id-2]
	case 4:
		for d := int64(0); ; d++ {
			if x+d == k || x-d == k {
				return d
			}
		}
	case 5, 6:
		both := []int64{x, k}
		slices.Sort(both)
		return both[6-id]
	case 7:
		for ; x < 0; x += k {
		}
		return x % k
	case 8:
		sum := int64(0)
		for _, c := range text {
			sum += int64(strings.IndexRune(digits, c))
		}
		return sum
	case 9:
		return number - number/10*10
	case 10:
		return int64(len(text))
	default:
		for y := -int64(2000); ; y++ {
			if 2*y == x || 2*y+1 == x {
				return y
			}
		}
	}
}

// folded is a second definition of folds.
func folded(id int64, v []int64) int64 {
	if len(v) == 0 {
		return []int64{0, 0, -1, 0, 0, 0, 0}[id]
	}
	s := slices.Sorted(slices.Values(v))
	switch id {
	case 0:
		return v[0] + folded(0, v[1:])
	case 1:
		return s[len(s)-1]
	case 2:
		return s[0]
	case 3:
		return int64(len(slices.Compact(s)))
	case 4:
		return s[len(s)-1] - s[0]
	case 5:
		return v[len(v)-1] + v[0]
	default:
		return v[0] - folded(6, v[1:])
	}
}

func secondsZero() map[string]second {
	return map[string]second{
		"fold_kept": func(q []int64, in input) any {
			var v []int64
			for _, x := range in.list(0) {
				if holds(q[0], q[1], x) {
					v = append(v, formed(q[2], q[3], x))
				}
			}
			return folded(q[4], v)
		},
		"count_characters": secondCharacters,
		"pick_word":        secondWord,
		"remake_text":      secondRemake,
		"fold_digits": func(q []int64, in input) any {
			var v []int64
			for n := max(in.num(0), -in.num(0)); n > 0 || v == nil; n /= 10 {
				v = append([]int64{n % 10}, v...)
			}
			v = slices.DeleteFunc(v, func(d int64) bool {
				return ![]bool{true, holds(0, 0, d), holds(1, 0, d), holds(4, q[1], d), holds(5, q[1], d), !holds(10, q[1], d), d == 0 || d == 3 || d == 6 || d == 9}[q[0]]
			})
			return secondDigits(q[2], v)
		},
		"take_elements": func(q []int64, in input) any {
			a, out := in.list(0), []int64{}
			n := int64(len(a)) - q[2]
			for i := range max(0, n) {
				x := a[i]
				if q[3] == 1 {
					x = a[n-1-i]
				}
				if i >= q[0] && (i-q[0])%q[1] == 0 {
					out = append(out, formed(q[4], q[5], x))
				}
			}
			return out
		},
		"compare_lists": func(q []int64, in input) any {
			result := []int64{0, 0, 0, -1, -1, -never}[q[1]]
			for i := len(in.list(0)) - 1; i >= 0; i-- {
				x, y := in.list(0)[i], in.list(1)[i]
				d := x - y - q[2]
				if ![]bool{d > 0, d < 0, d >= 0, d <= 0, d == 0, d != 0}[q[0]] {
					continue
				}
				result = []int64{result + 1, result + x*y, result + max(x, y) - min(x, y), int64(i), max(result, int64(i)), max(result, x+y)}[q[1]]
			}
			return result * bit(result != -never)
		},
		"sort_by_key": func(q []int64, in input) any {
			left, out := slices.Clone(in.list(0)), []int64{}
			for len(left) > 0 {
				best := 0
				for i, x := range left {
					a, b := formed(q[0], q[1], x), formed(q[0], q[1], left[best])
					if q[2] == 1 {
						a, b = b, a
					}
					if a < b || a == b && (q[3] == 1 && x < left[best] || q[3] == 2 && x > left[best]) {
						best = i
					}
				}
				out = append(out, left[best])
				left = slices.Delete(left, best, best+1)
			}
			return out
		},
		"fold_range": func(q []int64, in input) any {
			var v []int64
			for x := in.num(1) - q[5]; x >= in.num(0); x-- {
				n := bit(holds(q[0], q[1], x)) + bit(holds(q[2], q[3], x))
				if n+q[4] >= 2 {
					v = append(v, x)
				}
			}
			if q[6] == 3 {
				return int64(len(v))
			}
			return folded(q[6], v)
		},
	}
}

func secondDigits(id int64, v []int64) any {
	text := joined(v, "", decimal)
	switch id {
	case 0, 7:
		return folded([]int64{0, 0, 0, 0, 0, 0, 0, 3}[id], v)
	case 1:
		if len(v) == 0 {
			return int64(1)
		}
		return v[len(v)-1] * secondDigits(1, v[:len(v)-1]).(int64)
	case 2:
		return int64(len(text))
	case 3:
		sum := int64(0)
		for d := range int64(10) {
			sum += d * d * int64(strings.Count(text, decimal(d)))
		}
		return sum
	case 5:
		text = reversed(text)
	case 6:
		text = reversed(sortedBytes(text, false))
	case 8:
		return folded(6, v)
	}
	n, _ := strconv.ParseInt("0"+text, 10, 64)
	return n
}

func secondCharacters(q []int64, in input) any {
	belongs := func(class int64, c byte) bool {
		low := c | 0x20
		letter := low >= 'a' && low <= 'z' && c > '9'
		vowel := letter && strings.Count("aeiou", string(low)) > 0
		return []bool{vowel, letter && !vowel, c >= 'A' && c <= 'Z', c >= 'a' && c <= 'z', c >= '0' && c <= '9', letter && low <= 'm', c == 'e' || c == 't' || c == 'A' || c == 'S' || c == '7', c >= '0' && c <= '9' && c%2 == 0}[class]
	}
	sum := int64(0)
	for i := range len(in.text(0)) {
		if q[2] == 1 && i%2 == 1 || q[2] == 2 && i%2 == 0 || q[2] == 3 && i > 2 {
			continue
		}
		if belongs(q[0], in.text(0)[i]) {
			sum++
		}
		if belongs(q[1], in.text(0)[i]) {
			sum += q[3] * (1 - 2*q[4])
		}
	}
	return sum
}

func secondWord(q []int64, in input) any {
	measure := func(w string) int64 {
		n := int64(0)
		for i, c := range []byte(w) {
			n += []int64{1, bit(strings.IndexByte(w, c) == i), bit(c == 'a' || c == 'e' || c == 'i' || c == 'o' || c == 'u'), bit(c == w[0]), 0, 0, int64(c) - 'a' + 1}[q[0]]
		}
		ends := []int64{int64(w[0]), int64(w[len(w)-1])}
		if q[0] == 4 {
			return slices.Max(ends) - slices.Min(ends)
		}
		return n + (ends[1]-'a'+1)*bit(q[0] == 5)
	}
	words := in.texts()
	order := make([]int, len(words))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int {
		if d := measure(words[i]) - measure(words[j]); d != 0 {
			return int(d * (1 - 2*q[1]))
		}
		return (i - j) * int(1-2*q[2])
	})
	w := order[0]
	return []any{words[w], int64(w), int64(w) + 1, strconv.Itoa(int(measure(words[w]))) + words[w]}[q[3]]
}

func secondRemake(q []int64, in input) any {
	s := in.text(0)
	for _, step := range q {
		next, n := "", len(s)
		for i, c := range s {
			one := string(c)
			switch step {
			case 0:
				next = one + next
			case 1:
				if up := strings.ToUpper(one); up == one {
					one = strings.ToLower(one)
				} else {
					one = up
				}
				next += one
			case 2, 3:
				next += strings.Repeat(one, (i+1+int(step))%2)
			case 4:
				next += one + one
			case 5:
				next += strings.Repeat(one, 1-strings.Count("aeiouAEIOU", one))
			case 8:
				next += strings.Repeat(one, int(bit(i > 0 && i < n-1)))
			case 9:
				next += strings.Map(func(r rune) rune {
					if r >= 'A' && r <= 'Z' {
						return '*'
					}
					return r
				}, one)
			}
		}
		switch step {
		case 6:
			next = (s + s)[min(2, n):][:n]
		case 7:
			next = s
			for i := n - 1; i >= 0; i-- {
				next += s[i : i+1]
			}
		case 10:
			for c := range rune(128) {
				next += strings.Repeat(string(c), strings.Count(s, string(c)))
			}
		case 11:
			next = strconv.Itoa(n) + s
		case 12:
			next = (s + s)[n/2:][:n]
		}
		s = next
	}
	return s
}
