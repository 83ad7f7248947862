package codetask

import (
	"slices"
	"strings"

	"github.com/quintain-rl/quintain/task/rng"
)

// A class is a set of characters.
type class struct {
	text  string // plural
	chars string
}

var classes = []class{
	{"vowels (`a`, `e`, `i`, `o`, `u`, in either case)", "aeiouAEIOU"},
	{"consonants (letters of either case other than `a`, `e`, `i`, `o`, `u`)", "bcdfghjklmnpqrstvwxyzBCDFGHJKLMNPQRSTVWXYZ"},
	{"upper-case letters", upper},
	{"lower-case letters", lower},
	{"digits", digits},
	{"letters from `a` to `m` (in either case)", "abcdefghijklmABCDEFGHIJKLM"},
	{"characters among `e`, `t`, `A`, `S` and `7`", "etAS7"},
	{"even digits (0 is even)", "02468"},
}

// places are the positions of characters that count.
var places = []struct {
	text, py string
	is       func(i int) bool
}{
	{"", "s", func(int) bool { return true }},
	{" at the even positions of `s` (the first character has position 0)", "s[::2]", func(i int) bool { return i%2 == 0 }},
	{" at the odd positions of `s` (the first character has position 0)", "s[1::2]", func(i int) bool { return i%2 == 1 }},
	{" at the first three positions of `s`", "s[:3]", func(i int) bool { return i < 3 }},
}

// countCharacters compares the numbers of characters of two classes.
func countCharacters(r *rng.Rand) draft {
	two := rng.Sample(r, []int{0, 1, 2, 3, 4, 5, 6, 7}, 2)
	one, other := classes[two[0]], classes[two[1]]
	at, place := pick(r, places)
	weight := r.Between64(1, 3)
	sign, minus := either(r, "plus", "minus")
	if weight > 1 {
		sign += " " + decimal(weight) + " times"
	}
	return draft{
		task:   fill("Count the $a and the $b$at. A character that is both counts as both.", "$at", at.text, "$a", one.text, "$b", other.text),
		want:   fill("the number of $a $s the number of $b", "$a", short(one.text), "$s", sign, "$b", short(other.text)),
		form:   number,
		fields: []field{{name: "s", form: word, len: span{0, 80}, letters: prose}},
		body: fill("    s = $at\n    return sum(c in $a for c in s) $s$w sum(c in $b for c in s)\n", "$at", at.py, "$a", literal(one.chars), "$b", literal(other.chars),
			"$s", map[bool]string{false: "+", true: "-"}[minus], "$w", map[bool]string{true: " " + decimal(weight) + " *"}[weight > 1]),
		drawn: []int64{int64(two[0]), int64(two[1]), place, weight, bit(minus)},
		solve: func(in input) any {
			var first, second int64
			for i, c := range in.text(0) {
				if at.is(i) {
					first += bit(strings.ContainsRune(one.chars, c))
					second += bit(strings.ContainsRune(other.chars, c))
				}
			}
			if minus {
				second = -second
			}
			return first + weight*second
		},
	}
}

// short is a text without what stands in brackets.
func short(text string) string {
	text, _, _ = strings.Cut(text, " (")
	return text
}

// A measure makes a number of a word.
type measure struct {
	text, py string
	of       func(w string) int64
}

var measures = []measure{
	{"its length", "len(w)", func(w string) int64 { return int64(len(w)) }},
	{"the number of its different letters", "len(set(w))", func(w string) int64 { return int64(len(sortedBytes(w, true))) }},
	{"the number of its vowels (`a`, `e`, `i`, `o`, `u`)", "sum(c in \"aeiou\" for c in w)", func(w string) int64 { return countIn(w, "aeiou") }},
	{"the number of times that its first letter is in it", "w.count(w[0])", func(w string) int64 { return countIn(w, w[:1]) }},
	{"the distance in the alphabet between its first and its last letter", "abs(ord(w[0]) - ord(w[-1]))", func(w string) int64 {
		d := int64(w[0]) - int64(w[len(w)-1])
		return max(d, -d)
	}},
	{"the position of its last letter in the alphabet (`a` is 1)", "ord(w[-1]) - 96", func(w string) int64 { return int64(w[len(w)-1]) - 96 }},
	{"the sum of the positions of its letters in the alphabet (`a` is 1)", "sum(ord(c) - 96 for c in w)", func(w string) (sum int64) {
		for i := range len(w) {
			sum += int64(w[i]) - 96
		}
		return sum
	}},
}

// sortedBytes returns the characters of a text, ascending.
func sortedBytes(text string, once bool) string {
	list := []byte(text)
	slices.Sort(list)
	if once {
		list = slices.Compact(list)
	}
	return string(list)
}

// countIn counts the characters of a text that are among others.
func countIn(text, chars string) (n int64) {
	for i := range len(text) {
		n += bit(strings.IndexByte(chars, text[i]) >= 0)
	}
	return n
}

// pickWord picks the word with the largest or smallest measure.
func pickWord(r *rng.Rand) draft {
	m, id := pick(r, measures)
	end, most := either(r, "smallest", "largest")
	which, last := either(r, "the first", "the last")
	result, form := pick(r, []string{"that word", "the position of that word in `words`, counted from 0", "the position of that word in `words`, counted from 1", "that measure, followed by the word, without a space between"})
	d := draft{
		task:   fill("Find the word of `words` with the $e measure. The measure of a word is $m. If several words have it, take $w of them.", "$e", end, "$m", m.text, "$w", which),
		want:   result,
		form:   word,
		fields: []field{{name: "words", form: texts, len: span{1, 40}, wide: span{1, 12}, letters: lower}},
		drawn:  []int64{id, bit(most), bit(last), form},
		body: fill("    measures = [$m for w in words]\n    best = $e(measures)\n    at = $at\n    return $out\n", "$m", m.py, "$e", map[bool]string{false: "min", true: "max"}[most],
			"$at", map[bool]string{false: "measures.index(best)", true: "len(words) - 1 - measures[::-1].index(best)"}[last], "$out", []string{"words[at]", "at", "at + 1", "str(best) + words[at]"}[form]),
		solve: func(in input) any {
			words, best := in.texts(), 0
			for i, w := range words {
				a, b := m.of(w), m.of(words[best])
				if (most && a > b) || (!most && a < b) || (last && a == b) {
					best = i
				}
			}
			return []any{words[best], int64(best), int64(best + 1), decimal(m.of(words[best])) + words[best]}[form]
		},
	}
	if form == 1 || form == 2 {
		d.form = number
	}
	if id == 6 {
		d.bend = sameSums
	}
	return d
}

// sameSums makes some words of the word before, with the same sum of positions: it splits a letter
// into two, or makes one of the last two.
func sameSums(r *rng.Rand, in input) {
	words := in.texts()
	for i := 1; i < len(words); i++ {
		w := []byte(words[i-1])
		n, at := len(w), r.Between(0, len(w)-1)
		switch r.Between(0, 2) {
		case 0:
			if n < 12 && w[at] > 'a' {
				first := r.Between(1, int(w[at]-'a'))
				w[at] -= byte(first)
				words[i] = string(w) + lower[first-1:first]
			}
		case 1:
			if n > 1 && w[n-1]-'a'+w[n-2]-'a' < 25 {
				w[n-2] += w[n-1] - 'a' + 1
				words[i] = string(w[:n-1])
			}
		}
	}
}

// A step makes a text of a text.
type step struct {
	text string // an order about "it"
	py   string // of s
	of   func(s string) string
}

var steps = []step{
	{"write it backwards", "s[::-1]", reversed},
	{"swap upper and lower case", "s.swapcase()", swapCase},
	{"keep only its first, third, fifth character and so on", "s[::2]", func(s string) string { return everySecond(s, 0) }},
	{"keep only its second, fourth, sixth character and so on", "s[1::2]", func(s string) string { return everySecond(s, 1) }},
	{"write each character twice", "\"\".join(c * 2 for c in s)", func(s string) string { return mapped(s, func(c string) string { return c + c }) }},
	{"remove all vowels (`a`, `e`, `i`, `o`, `u`, in either case)", "\"\".join(c for c in s if c not in \"aeiouAEIOU\")", func(s string) string {
		return mapped(s, func(c string) string { return strings.Trim(c, "aeiouAEIOU") })
	}},
	{"move its first two characters to its end (a shorter text stays as it is)", "s[2:] + s[:2]", func(s string) string { return s[min(2, len(s)):] + s[:min(2, len(s))] }},
	{"append the same text backwards", "s + s[::-1]", func(s string) string { return s + reversed(s) }},
	{"remove its first and its last character (nothing is left of a text with fewer than three)", "s[1:-1]", func(s string) string { return s[min(1, len(s)):max(min(1, len(s)), len(s)-1)] }},
	{"replace each upper-case letter by `*`", "\"\".join(\"*\" if c.isupper() else c for c in s)", func(s string) string {
		return mapped(s, func(c string) string { return map[bool]string{true: "*", false: c}[strings.Contains(upper, c)] })
	}},
	{"sort its characters by their ASCII codes", "\"\".join(sorted(s))", func(s string) string { return sortedBytes(s, false) }},
	{"write its length in front of it", "str(len(s)) + s", func(s string) string { return decimal(int64(len(s))) + s }},
	{"cut it into two halves and swap them (with an odd length, the second half is longer)", "s[len(s) // 2:] + s[:len(s) // 2]", func(s string) string { return s[len(s)/2:] + s[:len(s)/2] }},
}

func reversed(s string) string {
	list := []byte(s)
	slices.Reverse(list)
	return string(list)
}

func everySecond(s string, from int) string {
	out := []byte{}
	for i := from; i < len(s); i += 2 {
		out = append(out, s[i])
	}
	return string(out)
}

// mapped replaces each character by a text.
func mapped(s string, to func(c string) string) string {
	var out strings.Builder
	for i := range len(s) {
		out.WriteString(to(s[i : i+1]))
	}
	return out.String()
}

func swapCase(s string) string {
	return mapped(s, func(c string) string {
		if strings.Contains(lower, c) {
			return strings.ToUpper(c)
		}
		return strings.ToLower(c)
	})
}

// remakeText applies three steps to a text.
func remakeText(r *rng.Rand) draft {
	at := make([]int, len(steps))
	for i := range at {
		at[i] = i
	}
	at = rng.Sample(r, at, 3)
	d := draft{
		task:   "Change the text `s` in three steps, each applied to the result of the one before.",
		want:   "the final text",
		form:   word,
		fields: []field{{name: "s", form: word, len: span{0, 50}, letters: alnum}},
		solve: func(in input) any {
			s := in.text(0)
			for _, i := range at {
				s = steps[i].of(s)
			}
			return s
		},
	}
	for i, one := range at {
		d.task += "\n" + decimal(int64(i+1)) + ". " + strings.ToUpper(steps[one].text[:1]) + steps[one].text[1:] + "."
		d.body += "    s = " + steps[one].py + "\n"
		d.drawn = append(d.drawn, int64(one))
	}
	d.body += "    return s\n"
	return d
}
