package codetask

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/quintain-rl/quintain/task/rng"
)

// A ledger is how the amounts of a name are folded.
var ledgers = []struct {
	text, py string
	of       func(v []int64) int64
}{
	{"the sum of its amounts", "sum(v)", total}, {"its largest amount", "max(v)", slices.Max[[]int64]}, {"the number of its valid lines", "len(v)", func(v []int64) int64 { return int64(len(v)) }},
	{"its last amount", "v[-1]", func(v []int64) int64 { return v[len(v)-1] }}, {"its last amount minus its first", "v[-1] - v[0]", func(v []int64) int64 { return v[len(v)-1] - v[0] }},
	{"the median of its amounts: in ascending order the middle one, or of two the smaller", "sorted(v)[(len(v) - 1) // 2]", func(v []int64) int64 {
		v = slices.Clone(v)
		slices.Sort(v)
		return v[(len(v)-1)/2]
	}},
}

// totalRecords folds the amounts of each name in lines of text.
func totalRecords(r *rng.Rand) draft {
	sep := rng.Pick(r, []string{",", ";", "|", "="})
	swapped := r.Chance(0.5)
	fold, id := pick(r, ledgers)
	order, orderID := pick(r, []string{"in alphabetical order of the names", "largest value first, names with the same value in alphabetical order", "in the order in which the names first appear in a valid line", "smallest value first, names with the same value in alphabetical order"})
	minus := r.Chance(0.5)
	amount, pattern := "one or more digits", "\\d+"
	if minus {
		amount, pattern = "one or more digits, possibly with a `-` in front", "-?\\d+"
	}
	line := []string{"a name, `" + sep + "` and an amount", "an amount, `" + sep + "` and a name"}[bit(swapped)]
	regex := fill("\\s*([a-z]+)\\s*[$s]\\s*($p)\\s*", "$s", sep, "$p", pattern)
	if swapped {
		regex = fill("\\s*($p)\\s*[$s]\\s*([a-z]+)\\s*", "$s", sep, "$p", pattern)
	}
	return draft{
		task: fill("`lines` are lines of text. A valid line holds $l in this order, possibly with spaces around each. A name is one or more lower-case letters, an amount $a. Ignore every other line. The value of a name is $f.",
			"$l", line, "$a", amount, "$f", fold.text),
		want:   fill("the name, a colon and its value, such as `ab:12`, for each name that is in a valid line, $o", "$o", order),
		form:   texts,
		fields: []field{{name: "lines", form: texts, len: span{0, 40}, what: "of 1 to 30 characters, with a space at neither end"}},
		before: "import re\n",
		body: fill("    amounts = {}\n    for line in lines:\n        match = re.fullmatch(r\"$regex\", line)\n        if match:\n            $names = match.groups()\n            amounts.setdefault(name, []).append(int(amount))\n    value = {name: $f for name, v in amounts.items()}\n    return [f\"{name}:{value[name]}\" for name in $o]\n",
			"$regex", regex, "$names", []string{"name, amount", "amount, name"}[bit(swapped)], "$f", fold.py, "$o", []string{"sorted(value)", "sorted(value, key=lambda name: (-value[name], name))", "value", "sorted(value, key=lambda name: (value[name], name))"}[orderID]),
		drawn: []int64{int64(sep[0]), bit(swapped), id, orderID, bit(minus)},
		make: func(r *rng.Rand, s size) input {
			lines := make([]string, min(40, s.len))
			for i := range lines {
				lines[i] = drawRecord(r, sep, swapped)
			}
			return input{lines}
		},
		solve: func(in input) any {
			amounts, names := map[string][]int64{}, []string{}
			for _, line := range in.texts() {
				name, n, valid := readRecord(line, sep, swapped, minus)
				if valid && amounts[name] == nil {
					names = append(names, name)
				}
				if valid {
					amounts[name] = append(amounts[name], n)
				}
			}
			value := func(name string) int64 { return fold.of(amounts[name]) }
			if orderID != 2 {
				slices.SortFunc(names, func(a, b string) int {
					return cmp.Or([]int{0, cmp.Compare(value(b), value(a)), 0, cmp.Compare(value(a), value(b))}[orderID], cmp.Compare(a, b))
				})
			}
			for i, name := range names {
				names[i] = fmt.Sprintf("%s:%d", name, value(name))
			}
			return names
		},
	}
}

// drawRecord draws a line that is mostly valid.
func drawRecord(r *rng.Rand, sep string, swapped bool) string {
	parts := []string{rng.Pick(r, []string{"ab", "b", "cat", "ba", "c"}), rng.Pick(r, []string{sep, sep, " " + sep + " ", "  " + sep}), rng.Pick(r, []string{"", "", "-"}) + decimal(r.Between64(0, 30))}
	if r.Chance(0.25) {
		parts[r.Between(0, 2)] = rng.Pick(r, []string{"", "A", "1b", "7", "4.5", "+3", ":", sep + sep, "b a", "--2", "007"})
	}
	if swapped {
		slices.Reverse(parts)
	}
	text := strings.TrimSpace(strings.Join(parts, ""))
	if text == "" {
		return sep
	}
	return text
}

// readRecord reads a line.
func readRecord(line, sep string, swapped, minus bool) (name string, amount int64, valid bool) {
	name, digits, found := strings.Cut(line, sep)
	if swapped {
		name, digits = digits, name
	}
	name, digits = strings.Trim(name, " "), strings.Trim(digits, " ")
	number := digits
	if minus {
		number = strings.TrimPrefix(digits, "-")
	}
	if !found || name == "" || number == "" || strings.Trim(name, lower) != "" || strings.Trim(number, "0123456789") != "" {
		return "", 0, false
	}
	amount, err := strconv.ParseInt(digits, 10, 64)
	return name, amount, err == nil
}

// serveQueue serves customers in the order of their arrival.
func serveQueue(r *rng.Rand) draft {
	desks := r.Between64(1, 3)
	patience := rng.Pick(r, []int64{-1, -1, 3, 5, 8})
	extra := rng.Pick(r, []int64{0, 0, 1, 2})
	result, id := pick(r, []struct{ text, py string }{
		{"the sum of the waiting times of all customers who are served", "sum(waits)"}, {"the longest waiting time of a customer who is served, or 0 if there is none", "max(waits, default=0)"}, {"the time at which the last service ends, or 0 if nobody is served", "end"}, {"the number of customers who wait more than 2 minutes and are served", "sum(w > 2 for w in waits)"},
	})
	d := draft{
		task: fill("$d customers. Each entry of `visits` is a customer: the minute of arrival and the minutes that serving takes. Customers are served in the order of the list; the arrivals ascend. $go The waiting time is the time from the arrival to the beginning of the service.$e$p",
			"$d", []string{"", "A desk serves", "Two desks serve", "Three desks serve"}[desks], "$e", []string{"", " After each service its desk is closed for 1 minute.", " After each service its desk is closed for 2 minutes."}[extra]),
		want:   result.text,
		form:   number,
		fields: []field{{name: "visits", form: rows, len: span{0, 60}, wide: span{2, 2}, what: "two integers, the arrival from 0 to 500 and the service time from 1 to 20"}},
		before: "import heapq\n",
		drawn:  []int64{desks, patience, extra, id},
		make: func(r *rng.Rand, s size) input {
			visits, now := make([][]int64, min(60, s.len)), int64(0)
			for i := range visits {
				now += r.Between64(0, []int64{2, 8}[bit(r.Chance(0.3))])
				visits[i] = []int64{now, r.Between64(1, []int64{6, 20}[bit(r.Chance(0.2))])}
			}
			return input{visits}
		},
	}
	left := ""
	if patience >= 0 {
		left = fill(" A customer who would have to wait more than $p minutes leaves at once and takes no desk.", "$p", decimal(patience))
	}
	d.task = fill(d.task, "$p", left, "$go", []string{"", "Service begins", "A customer goes to the desk that is free first, and service begins", "A customer goes to the desk that is free first, and service begins"}[desks]+" as soon as the customer is there and the desk is free.")
	d.body = only(fill("    free = [0] * $d\n    waits = []##013\n    end = 0##2\n    for arrival, minutes in visits:\n        begin = max(arrival, free[0])\n$left        waits.append(begin - arrival)##013\n        end = max(end, begin + minutes)##2\n        heapq.heapreplace(free, begin + minutes$e)\n    return $r\n",
		"$d", decimal(desks), "$e", []string{"", " + 1", " + 2"}[extra], "$r", result.py, "$left", map[bool]string{true: fill("        if begin - arrival > $p:\n            continue\n", "$p", decimal(patience))}[patience >= 0]), id)
	d.solve = func(in input) any {
		free := make([]int64, desks)
		var waits []int64
		var end, long int64
		for _, v := range in.rows(0) {
			slices.Sort(free)
			begin := max(v[0], free[0])
			if wait := begin - v[0]; patience < 0 || wait <= patience {
				waits = append(waits, wait)
				long += bit(wait > 2)
				end = max(end, begin+v[1])
				free[0] = begin + v[1] + extra
			}
		}
		return []int64{total(waits), largest(waits, 0), end, long}[id]
	}
	return d
}

// countPairs counts the pairs of elements with a property.
func countPairs(r *rng.Rand) draft {
	k := r.Between64(2, 7)
	m := r.Between64(0, k-1)
	pair, id := pick(r, []struct{ text, py string }{
		{"`a[i] + a[j]` is $k", "x + y == $k"}, {"`a[i] - a[j]` is $k or -$k", "abs(x - y) == $k"}, {"`a[i] + a[j]` leaves the remainder $m when divided by $k (as Python's `%`)", "(x + y) % $k == $m"}, {"`a[i] * a[j]` is negative", "x * y < 0"},
		{"`a[i]` is greater than `a[j]` by at least $k", "x >= y + $k"}, {"`a[i]` is less than `a[j]`", "x < y"}, {"`a[i] + a[j]` is at most $k", "x + y <= $k"},
	})
	far, farID := pick(r, []struct{ text, py string }{{"`i < j`", "a[i + 1:]"}, {"`i + 2 <= j`", "a[i + 2:]"}, {"`i < j <= i + 3`", "a[i + 1:i + 4]"}, {"`i < j` and an even `i`", "a[i + 1:]"}})
	result, sum := either(r, "the number of such pairs", "the sum of `a[i] * a[j]` over such pairs")
	pairs := []string{"$k", decimal(k), "$m", decimal(m)}
	return draft{
		task:   fill("Consider the pairs of positions `i` and `j` of `a`, counted from 0, with $f, for which $p.", "$f", far.text, "$p", fill(pair.text, pairs...)),
		want:   result,
		form:   number,
		fields: []field{{name: "a", form: list, len: span{0, 200}, val: span{-50, 50}}},
		body: fill("    result = 0\n    for i, x in enumerate(a):\n$even        for y in $f:\n            if $p:\n                result += $one\n    return result\n", "$f", far.py, "$p", fill(pair.py, pairs...),
			"$one", map[bool]string{false: "1", true: "x * y"}[sum], "$even", map[bool]string{true: "        if i % 2 == 1:\n            continue\n"}[farID == 3]),
		drawn: []int64{k, m, id, farID, bit(sum)},
		solve: func(in input) any {
			var count, products int64
			a := in.list(0)
			for j, y := range a {
				for i, x := range a[:j] {
					near := []bool{true, i+2 <= j, j <= i+3, i%2 == 0}[farID]
					if near && []bool{x+y == k, max(x-y, y-x) == k, modulo(x+y, k) == m, x*y < 0, x-y >= k, x < y, x+y <= k}[id] {
						count++
						products += x * y
					}
				}
			}
			return []int64{count, products}[bit(sum)]
		},
	}
}
