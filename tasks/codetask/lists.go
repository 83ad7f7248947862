package codetask

import (
	"cmp"
	"slices"

	"github.com/quintain-rl/quintain/task/rng"
)

// A fold makes a number of a list, which may be empty.
type fold struct {
	text string // a noun
	py   string // of the list v
	of   func(v []int64) int64
}

var folds = []fold{
	{"the sum of $v, or 0 if there are none", "sum(v)", total},
	{"the largest of $v, or 0 if there are none", "max(v, default=0)", func(v []int64) int64 { return largest(v, 0) }},
	{"the smallest of $v, or -1 if there are none", "min(v, default=-1)", func(v []int64) int64 { return smallest(v, -1) }},
	{"the number of different values among $v", "len(set(v))", func(v []int64) int64 { return int64(len(distinct(v))) }},
	{"the difference between the largest and the smallest of $v, or 0 if there are none", "max(v) - min(v) if v else 0", func(v []int64) int64 { return largest(v, 0) - smallest(v, 0) }},
	{"the sum of the first and the last of $v (twice the number if there is only one, 0 if there are none)", "v[0] + v[-1] if v else 0", func(v []int64) int64 {
		if len(v) == 0 {
			return 0
		}
		return v[0] + v[len(v)-1]
	}},
	{"the alternating sum of $v: the first minus the second plus the third and so on, or 0 if there are none", "sum(v[::2]) - sum(v[1::2])", alternating},
}

func total(v []int64) (sum int64) {
	for _, x := range v {
		sum += x
	}
	return sum
}

func largest(v []int64, none int64) int64 {
	if len(v) == 0 {
		return none
	}
	return slices.Max(v)
}

func smallest(v []int64, none int64) int64 {
	if len(v) == 0 {
		return none
	}
	return slices.Min(v)
}

func alternating(v []int64) (sum int64) {
	for i, x := range v {
		if i%2 == 0 {
			sum += x
		} else {
			sum -= x
		}
	}
	return sum
}

// distinct returns the different values of a list, ascending.
func distinct(v []int64) []int64 {
	v = slices.Clone(v)
	slices.Sort(v)
	return slices.Compact(v)
}

// foldKept keeps some numbers, changes them and folds them.
func foldKept(r *rng.Rand) draft {
	keep, to := drawProperty(r), drawFormula(r)
	for keep.id == endsIn && to.id == lastDigit {
		to = drawFormula(r) // the last digit of numbers that end in one is no question
	}
	f, id := pick(r, folds)
	return draft{
		task:   fill("Keep only the numbers of `a` that $p, in their order. Then replace each of them by $f.", "$p", keep.text, "$f", to.text),
		want:   fill(f.text, "$v", "the numbers so made"),
		form:   number,
		fields: []field{{name: "a", form: list, len: span{0, 100}, val: span{-200, 200}}},
		body:   fill("    v = [$f for x in a if $p]\n    return $v\n", "$f", to.py, "$p", keep.py, "$v", f.py),
		drawn:  []int64{keep.id, keep.k, to.id, to.k, id},
		solve: func(in input) any {
			var v []int64
			for _, x := range in.list(0) {
				if keep.is(x) {
					v = append(v, to.of(x))
				}
			}
			return f.of(v)
		},
	}
}

// takeElements takes elements at equal distances.
func takeElements(r *rng.Rand) draft {
	first, step, without := r.Between64(0, 2), r.Between64(2, 4), r.Between64(0, 2)
	order, back := either(r, "from the first to the last", "from the last to the first")
	to := drawFormula(r)
	ends := []string{"", "Remove the last element of `a`, if there is one. ", "Remove the last 2 elements of `a`, or all if it has fewer. "}
	from := []string{"beginning with the first", "beginning with the second", "beginning with the third"}
	d := draft{
		task:   fill("$endGo through the elements of `a` that are left $o and take every $k element of this sequence, $b. Replace each taken number by $f.", "$end", ends[without], "$o", order, "$k", ordinals[step], "$b", from[first], "$f", to.text),
		want:   "the numbers so made, in the order in which you took them",
		form:   list,
		fields: []field{{name: "a", form: list, len: span{0, 60}, val: span{-999, 999}}},
		drawn:  []int64{first, step, without, bit(back), to.id, to.k},
		body:   fill("    a = a[:max(0, len(a) - $w)]$r\n    return [$f for x in a[$b::$k]]\n", "$w", decimal(without), "$r", map[bool]string{true: "[::-1]"}[back], "$f", to.py, "$b", decimal(first), "$k", decimal(step)),
		solve: func(in input) any {
			a := slices.Clone(in.list(0))
			a = a[:max(0, len(a)-int(without))]
			if back {
				slices.Reverse(a)
			}
			out := []int64{}
			for i := first; i < int64(len(a)); i += step {
				out = append(out, to.of(a[i]))
			}
			return out
		},
	}
	if without == 0 {
		d.task = fill(d.task, " that are left", "")
		d.body = fill(d.body, "    a = a[:max(0, len(a) - 0)]\n", "", "[:max(0, len(a) - 0)]", "")
	}
	return d
}

var ordinals = []string{"", "", "second", "third", "fourth", "fifth"}

// A relation compares two numbers.
type relation struct {
	text string // between the first and the second
	py   string
	is   func(x, y int64) bool
}

var relations = []relation{
	{"is greater than", ">", func(x, y int64) bool { return x > y }},
	{"is less than", "<", func(x, y int64) bool { return x < y }},
	{"is at least", ">=", func(x, y int64) bool { return x >= y }},
	{"is at most", "<=", func(x, y int64) bool { return x <= y }},
	{"is equal to", "==", func(x, y int64) bool { return x == y }},
	{"is different from", "!=", func(x, y int64) bool { return x != y }},
}

// pairFolds make a number of the pairs at the positions where a relation holds.
var pairFolds = []fold{
	{"the number of such positions", "sum(1 for x, y in zip(a, b) if $r)", nil},
	{"the sum of `a[i] * b[i]` over such positions", "sum(x * y for x, y in zip(a, b) if $r)", nil},
	{"the sum of the distances `|a[i] - b[i]|` over such positions", "sum(abs(x - y) for x, y in zip(a, b) if $r)", nil},
	{"the first such position, or -1 if there is none", "next((i for i, (x, y) in enumerate(zip(a, b)) if $r), -1)", nil},
	{"the last such position, or -1 if there is none", "max((i for i, (x, y) in enumerate(zip(a, b)) if $r), default=-1)", nil},
	{"the largest `a[i] + b[i]` at such a position, or 0 if there is none", "max((x + y for x, y in zip(a, b) if $r), default=0)", nil},
}

// compareLists looks at the positions of two lists at which a relation holds.
func compareLists(r *rng.Rand) draft {
	rel, relID := pick(r, relations)
	f, id := pick(r, pairFolds)
	k := r.Between64(-2, 2)
	with, py := "`b[i]`", "y"
	if k != 0 {
		with, py = fill("`b[i] $k`", "$k", signed(k)), "y "+signed(k)
	}
	numbers := field{form: list, len: span{0, 80}, val: span{-100, 100}}
	a, b := numbers, numbers
	a.name, b.name, b.also = "a", "b", "; as long as `a`"
	return draft{
		task:   fill("`a` and `b` are lists of the same length. Look at the positions `i`, counted from 0, at which `a[i]` $r $y.", "$r", rel.text, "$y", with),
		want:   f.text,
		form:   number,
		fields: []field{a, b},
		bend:   sameLength,
		body:   "    return " + fill(f.py, "$r", "x "+rel.py+" "+py) + "\n",
		drawn:  []int64{relID, id, k},
		solve: func(in input) any {
			return foldPairs(in, id, func(x, y int64) bool { return rel.is(x, y+k) })
		},
	}
}

// signed writes a number as something to add.
func signed(k int64) string {
	if k < 0 {
		return "- " + decimal(-k)
	}
	return "+ " + decimal(k)
}

// sameLength cuts the second list, and lets numbers of it be near those of the first.
func sameLength(r *rng.Rand, in input) {
	a, b := in.list(0), in.list(1)
	for i := range b {
		if r.Chance(0.5) {
			b[i] = max(-100, min(a[i]+r.Between64(-2, 2), 100))
		}
	}
}

func foldPairs(in input, id int64, is func(x, y int64) bool) int64 {
	var at, products, distances, sums []int64
	for i, x := range in.list(0) {
		y := in.list(1)[i]
		if is(x, y) {
			at = append(at, int64(i))
			products = append(products, x*y)
			distances = append(distances, max(x-y, y-x))
			sums = append(sums, x+y)
		}
	}
	return []int64{int64(len(at)), total(products), total(distances), smallest(at, -1), largest(at, -1), largest(sums, 0)}[id]
}

// sortByKey sorts numbers by a key and a tie-break.
func sortByKey(r *rng.Rand) draft {
	key := drawFormula(r)
	direction, down := either(r, "smallest key first", "largest key first")
	ties, tie := pick(r, []string{"in their original order", "with the smaller one first", "with the larger one first"})
	by := key.py
	if down {
		by = "-(" + key.py + ")"
	}
	if tie > 0 {
		by = "(" + by + ", " + []string{"", "x", "-x"}[tie] + ")"
	}
	return draft{
		task:   fill("Sort the numbers of `a` by a key, $d. The key of a number is $f. Numbers with the same key stand $t.", "$d", direction, "$f", key.text, "$t", ties),
		want:   "the sorted numbers",
		form:   list,
		fields: []field{{name: "a", form: list, len: span{0, 80}, val: span{-300, 300}}},
		body:   fill("    return sorted(a, key=lambda x: $by)\n", "$by", by),
		drawn:  []int64{key.id, key.k, bit(down), tie},
		solve: func(in input) any {
			a := slices.Clone(in.list(0))
			slices.SortStableFunc(a, func(x, y int64) int {
				order := cmp.Compare(key.of(x), key.of(y))
				if down {
					order = -order
				}
				return cmp.Or(order, []int{0, cmp.Compare(x, y), cmp.Compare(y, x)}[tie])
			})
			return a
		},
	}
}
