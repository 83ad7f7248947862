package codetask

import (
	"cmp"
	"slices"
	"strings"

	"github.com/quintain-rl/quintain/task/rng"
)

// rankValues ranks the values of a list by how often they are in it.
func rankValues(r *rng.Rand) draft {
	most, rare := either(r, "most frequent first", "least frequent first")
	ties, tie := pick(r, []string{"in the order of their first appearance in `a`", "with the smaller one first", "with the larger one first"})
	k := r.Between64(2, 5)
	result, counts := either(r, "the values", "how often they are in `a`, in the order of the ranking")
	order := " Equally frequent values stand $t."
	if counts {
		order, tie = "", 0
	}
	sign := map[bool]string{false: "-"}[rare]
	d := draft{
		task:   fill("Rank the different values of `a`, $m.$o Take the first $k of the ranking, or all if there are fewer.", "$m", most, "$o", fill(order, "$t", ties), "$t", ties, "$k", decimal(k)),
		want:   result,
		form:   list,
		fields: []field{{name: "a", form: list, len: span{0, 100}, val: span{-50, 50}}},
		before: "from collections import Counter\n",
		body: fill("    count = Counter(a)\n    ranked = sorted(count, key=lambda x: $key)\n    return $r\n", "$key", []string{"$scount[x]", "($scount[x], x)", "($scount[x], -x)"}[tie],
			"$r", map[bool]string{false: "ranked[:$k]", true: "[count[x] for x in ranked[:$k]]"}[counts]),
		drawn: []int64{bit(rare), tie, k, bit(counts)},
		solve: func(in input) any {
			count, ranked := map[int64]int64{}, []int64{}
			for _, x := range in.list(0) {
				if count[x]++; count[x] == 1 {
					ranked = append(ranked, x)
				}
			}
			slices.SortStableFunc(ranked, func(x, y int64) int {
				order := cmp.Compare(count[y], count[x])
				if rare {
					order = -order
				}
				return cmp.Or(order, []int{0, cmp.Compare(x, y), cmp.Compare(y, x)}[tie])
			})
			ranked = ranked[:min(k, int64(len(ranked)))]
			for i, x := range ranked {
				if counts {
					ranked[i] = count[x]
				}
			}
			return ranked
		},
	}
	d.body = fill(d.body, "$s", sign, "$k", decimal(k))
	return d
}

// dropRepeats keeps some of the elements that have the same key.
func dropRepeats(r *rng.Rand) draft {
	key := drawFormula(r)
	mode, id := pick(r, []struct{ text, py string }{
		{"Of elements with the same key, keep only the first.", "    seen = set()\n    out = []\n    for x in a:\n        if $key not in seen:\n            seen.add($key)\n            out.append(x)\n    return out\n"},
		{"Of elements with the same key, keep only the last.", "    last = {$key: i for i, x in enumerate(a)}\n    return [x for i, x in enumerate(a) if last[$key] == i]\n"},
		{"Keep the elements that share their key with no other element.", "    count = Counter($key for x in a)\n    return [x for x in a if count[$key] == 1]\n"},
		{"Keep the elements that share their key with at least one other element.", "    count = Counter($key for x in a)\n    return [x for x in a if count[$key] > 1]\n"},
		{"Keep the first element, and each element that has another key than the element just before it in `a`.", "    keys = [$key for x in a]\n    return [x for i, x in enumerate(a) if i == 0 or keys[i] != keys[i - 1]]\n"},
		{"Of elements with the same key, keep only the first two.", "    count = Counter()\n    out = []\n    for x in a:\n        count[$key] += 1\n        if count[$key] <= 2:\n            out.append(x)\n    return out\n"},
		{"Keep each element the key of which no element before it has, and each element the key of which no element after it has.", "    keys = [$key for x in a]\n    return [x for i, x in enumerate(a) if keys[i] not in keys[:i] or keys[i] not in keys[i + 1:]]\n"},
	})
	d := draft{
		task:   fill("The key of an element of `a` is $f. ", "$f", key.text) + mode.text,
		want:   "the kept elements, in their original order",
		form:   list,
		fields: []field{{name: "a", form: list, len: span{0, 80}, val: span{-99, 99}}},
		body:   fill(mode.py, "$key", key.py),
		drawn:  []int64{key.id, key.k, id},
		solve: func(in input) any {
			a, out := in.list(0), []int64{}
			keys := make([]int64, len(a))
			for i, x := range a {
				keys[i] = key.of(x)
			}
			for i, x := range a {
				before, after := int64(0), int64(0)
				for j, y := range keys {
					before += bit(j < i && y == keys[i])
					after += bit(j > i && y == keys[i])
				}
				if []bool{before == 0, after == 0, before+after == 0, before+after > 0, i == 0 || keys[i] != keys[max(i, 1)-1], before < 2, before == 0 || after == 0}[id] {
					out = append(out, x)
				}
			}
			return out
		},
	}
	if strings.Contains(d.body, "Counter") {
		d.before = "from collections import Counter\n"
	}
	return d
}

// countWords counts the words of a text.
func countWords(r *rng.Rand) draft {
	split, dashed := either(r, "A word is a longest possible sequence of letters; every other character separates words.", "A word is a longest possible sequence of letters and hyphens (`-`); every other character separates words.")
	fold, exact := either(r, "Upper and lower case are the same: write words in lower case.", "Upper and lower case are different.")
	order, id := pick(r, []string{"most frequent words first, equally frequent ones in ASCII order", "in ASCII order", "in the order of their first appearance", "least frequent words first, equally frequent ones in ASCII order", "longest words first, equally long ones in ASCII order"})
	least := r.Between64(1, 3)
	form, formID := pick(r, []string{"the word, a space and the count", "the count, a space and the word", "the word, a colon and the count, without spaces"})
	d := draft{
		task:   fill("Count how often each word is in `s`. $split $fold $least", "$split", split, "$fold", fold, "$least", []string{"", "All words count.", "Leave out words of a single character.", "Leave out words of fewer than three characters."}[least]),
		want:   fill("$f for each different word, $o", "$o", order, "$f", form),
		form:   texts,
		fields: []field{{name: "s", form: word, len: span{1, 120}, letters: "abcAB-,.;9 "}},
		before: "import re\nfrom collections import Counter\n",
		body: fill("    words = re.findall(r\"$p\", s$l)\n    count = Counter($w)\n    return [$f for w in $o]\n", "$p", map[bool]string{false: "[A-Za-z]+", true: "[A-Za-z-]+"}[dashed], "$l", map[bool]string{false: ".lower()"}[exact],
			"$w", map[bool]string{true: "words", false: "w for w in words if len(w) >= " + decimal(least)}[least == 1], "$f", []string{"f\"{w} {count[w]}\"", "f\"{count[w]} {w}\"", "f\"{w}:{count[w]}\""}[formID],
			"$o", []string{"sorted(count, key=lambda w: (-count[w], w))", "sorted(count)", "count", "sorted(count, key=lambda w: (count[w], w))", "sorted(count, key=lambda w: (-len(w), w))"}[id]),
		drawn: []int64{bit(dashed), bit(exact), id, least, formID},
		bend:  repeatWords,
		solve: func(in input) any {
			s := in.text(0)
			if !exact {
				s = strings.ToLower(s)
			}
			count, words := map[string]int64{}, []string{}
			for _, w := range strings.FieldsFunc(s, func(c rune) bool { return !strings.ContainsRune(letters, c) && !(dashed && c == '-') }) {
				if int64(len(w)) < least {
					continue
				}
				if count[w]++; count[w] == 1 {
					words = append(words, w)
				}
			}
			if id != 2 {
				slices.SortFunc(words, func(a, b string) int {
					return cmp.Or([]int{cmp.Compare(count[b], count[a]), 0, 0, cmp.Compare(count[a], count[b]), len(b) - len(a)}[id], cmp.Compare(a, b))
				})
			}
			for i, w := range words {
				n := decimal(count[w])
				words[i] = []string{w + " " + n, n + " " + w, w + ":" + n}[formID]
			}
			return words
		},
	}
	return d
}

// repeatWords makes a text of words and separators that come again.
func repeatWords(r *rng.Rand, in input) {
	n := len(in.text(0))
	if n < 3 {
		return
	}
	var text []byte
	for len(text) < n {
		text = append(text, rng.Pick(r, []string{"ab", "Ab", "b", "B", "abc", "bA", "aba", "a-b", "A-B", "-", "ca"})...)
		text = append(text, rng.Pick(r, []string{" ", ", ", ". ", "9", ";", "  "})...)
	}
	in[0] = strings.TrimSpace(string(text[:n]))
}

// lineMeasures make a number of a row or a column.
var lineMeasures = []fold{
	{"the sum of its numbers", "sum(v)", total},
	{"its largest number", "max(v)", slices.Max[[]int64]},
	{"its smallest number", "min(v)", slices.Min[[]int64]},
	{"the number of different values in it", "len(set(v))", func(v []int64) int64 { return int64(len(distinct(v))) }},
	{"its first number minus its last", "v[0] - v[-1]", func(v []int64) int64 { return v[0] - v[len(v)-1] }},
	{"the number of its negative numbers", "sum(x < 0 for x in v)", func(v []int64) (n int64) {
		for _, x := range v {
			n += bit(x < 0)
		}
		return n
	}},
}

// measureLines measures the rows or columns of a table.
func measureLines(r *rng.Rand) draft {
	line, columns := either(r, "row", "column")
	m, id := pick(r, lineMeasures)
	other, down := pick(r, []struct{ text, py string }{
		{"the values of all $ls, in their order", "values"}, {"the position of the $l with the largest value, counted from 0; of several, the first", "values.index(max(values))"},
		{"the position of the $l with the smallest value, counted from 0; of several, the last", "len(values) - 1 - values[::-1].index(min(values))"}, {"the positions of all $ls in order of their values, smallest first, counted from 0; $ls with the same value stand in their order in `t`", "sorted(range(len(values)), key=lambda i: values[i])"},
	})
	d := draft{
		task:   fill("`t` is a table of numbers. The value of a $l is $m.", "$l", line, "$m", m.text),
		want:   fill(other.text, "$ls", line+"s", "$l", line),
		form:   []form{list, number, number, list}[down],
		fields: []field{{name: "t", form: rows, len: span{1, 12}, wide: span{1, 12}, val: span{-99, 99}}},
		body:   fill("    values = [$m for v in $t]\n    return $o\n", "$m", m.py, "$t", map[bool]string{false: "t", true: "zip(*t)"}[columns], "$o", other.py),
		drawn:  []int64{bit(columns), id, down},
		solve: func(in input) any {
			t := in.rows(0)
			if columns {
				t = transposed(t)
			}
			values, order := make([]int64, len(t)), make([]int64, len(t))
			for i, v := range t {
				values[i], order[i] = m.of(v), int64(i)
			}
			slices.SortStableFunc(order, func(i, j int64) int { return cmp.Compare(values[i], values[j]) })
			last := order[0]
			for _, i := range order {
				if values[i] == values[last] {
					last = i
				}
			}
			return []any{values, int64(slices.Index(values, slices.Max(values))), last, order}[down]
		},
	}
	return d
}

func transposed(t [][]int64) [][]int64 {
	out := make([][]int64, len(t[0]))
	for _, row := range t {
		for j, x := range row {
			out[j] = append(out[j], x)
		}
	}
	return out
}
