package arithmetic

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/quintain-rl/quintain/task/rng"
)

// A teller fills the gaps of one template. It keeps the first error, which is always a
// fault of the template.
type teller struct {
	r      *rng.Rand
	people []person
	values []storyValue // of the variables, and of the finished steps
	room   []byte       // buffer for a text
	err    error
}

// A storyValue is the value of a name in the template: a number, or else a noun.
type storyValue struct {
	number int64
	noun   *noun
}

func (t *teller) fail(format string, args ...any) {
	if t.err == nil {
		t.err = fmt.Errorf(format, args...)
	}
}

// draw draws the values of variables, with numbers of a size.
func (t *teller) draw(vars []variable, size int) {
	for i := range vars {
		v := &vars[i]
		if n := len(v.nouns); n > 0 {
			t.values = append(t.values, storyValue{noun: &v.nouns[t.r.Between(0, n-1)]})
		} else {
			t.values = append(t.values, storyValue{number: t.within(&v.spans[min(size, len(v.spans)-1)])})
		}
	}
}

// within draws a number from a span.
func (t *teller) within(s *span) int64 {
	lo, whole := t.evaluate(&s.lo)
	if s.hi.value == nil {
		if !whole {
			t.fail("%s is no whole number", s.lo.source)
		}
		return lo
	}
	if !whole {
		lo++
	}
	hi, _ := t.evaluate(&s.hi)
	if hi < lo {
		t.fail("no number is from %s to %s", s.lo.source, s.hi.source)
		return lo
	}
	return lo + s.by*t.r.Between64(0, (hi-lo)/s.by)
}

// appendAmount appends a number, in dollars if it is in cents.
func appendAmount(b []byte, name string, n int64) []byte {
	if name[0] == '$' {
		return appendHundredths(b, n)
	}
	return strconv.AppendInt(b, n, 10)
}

// appendHundredths appends n/100, at least 0, as an amount of money: with two decimals or
// none.
func appendHundredths(b []byte, n int64) []byte {
	b = strconv.AppendInt(b, n/100, 10)
	if cents := n % 100; cents > 0 {
		b = append(b, '.', byte('0'+cents/10), byte('0'+cents%10))
	}
	return b
}

// appendGrouped is appendAmount with a dollar sign before money, and commas between
// thousands.
func appendGrouped(b []byte, name string, n int64) []byte {
	if name[0] == '$' {
		b = append(b, '$')
	}
	start := len(b)
	b = appendAmount(b, name, n)
	end := len(b)
	if point := bytes.IndexByte(b[start:], '.'); point >= 0 {
		end = start + point
	}
	for i := end - 3; i > start; i -= 3 {
		b = slices.Insert(b, i, ',')
	}
	return b
}

// solve works through the steps. It returns the worked solution, and the answer in
// hundredths.
func (t *teller) solve(steps []step) (worked string, result int64) {
	b := t.room[:0]
	for i := range steps {
		s := &steps[i]
		n, whole := t.evaluate(&s.expression)
		if !whole {
			t.fail("step %s is no whole number", s.name)
		}
		b = append(t.appendFilled(b, &s.label), ": "...)
		b = append(t.appendFilled(b, &s.written), " = "...)
		b = append(appendAmount(b, s.name, n), ".\n"...)
		t.values = append(t.values, storyValue{number: n})
		if result = n; s.name[0] != '$' {
			result *= 100
		}
	}
	t.room = b
	return string(b), result
}

// tell returns the sentences, with at most the given number of distracting ones.
func (t *teller) tell(facts []fact, distractions int) []string {
	left := 0
	for i := range facts {
		if facts[i].distracts {
			left++
		}
	}
	told := make([]string, 0, len(facts))
	for i := range facts {
		f := &facts[i]
		if f.distracts {
			left--
			if t.r.Between(0, left) >= distractions {
				continue
			}
			distractions--
		}
		told = append(told, t.filled(&f.text))
	}
	return told
}

// filled returns a text with its gaps filled, beginning with a capital.
func (t *teller) filled(of *text) string {
	t.room = t.appendFilled(t.room[:0], of)
	return string(t.room)
}

// appendFilled appends the result of filled.
func (t *teller) appendFilled(b []byte, of *text) []byte {
	start := len(b)
	for i := range of.pieces {
		p := &of.pieces[i]
		if b = append(b, p.words...); p.gap != nil {
			b = p.gap(t, b)
		}
	}
	if start < len(b) && b[start] >= 'a' && b[start] <= 'z' {
		b[start] -= 'a' - 'A'
	}
	return b
}

// withArticle puts a or an before a word.
func withArticle(word string) string {
	if strings.Contains("aeiou", word[:1]) {
		return "an " + word
	}
	return "a " + word
}

var (
	cardinals = []string{"", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"}
	parts     = []string{"", "", "half", "third", "quarter", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth"}
)

// part returns a fraction in words: half, a third, two thirds.
func (t *teller) part(over, under *expression) string {
	k, _ := t.evaluate(over)
	of, _ := t.evaluate(under)
	switch {
	case k < 1 || k >= of || int(of) >= len(parts) || of == 2 && k > 1:
		t.fail("%d/%d has no name", k, of)
		return ""
	case of == 2:
		return "half"
	case k == 1:
		return withArticle(parts[of])
	}
	return cardinals[k] + " " + parts[of] + "s"
}

// appendVariables appends the values of variables by name, as members of a JSON object.
// Neither names nor nouns need escapes.
func (t *teller) appendVariables(b []byte, from *template, prefix string) []byte {
	for _, at := range from.byName {
		if b[len(b)-1] != '{' {
			b = append(b, ',')
		}
		b = append(append(append(append(b, '"'), prefix...), from.vars[at].name...), `":`...)
		if v := t.values[at]; v.noun != nil {
			b = append(append(append(b, '"'), v.noun.many...), '"')
		} else {
			b = strconv.AppendInt(b, v.number, 10)
		}
	}
	return b
}
