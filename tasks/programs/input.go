package programs

import (
	"strings"

	"go.starlark.net/starlark"

	"github.com/quintain-rl/quintain/internal/lexicon"
	"github.com/quintain-rl/quintain/task/rng"
	"github.com/quintain-rl/quintain/text/pyvalue"
)

// A size restricts drawing to a part of a parameter's first range.
type size int

const (
	anySize size = iota
	small        // the lower half
	large        // the upper half
)

// A drawing draws values for one parameter.
type drawing struct {
	param
	size size
	r    *rng.Rand
}

// drawers draw values, by kind.
var drawers = map[string]struct {
	name    string                                           // for people
	ranges  int                                              // number of ranges for a parameter of this kind
	choices bool                                             // it also needs choices
	read    func(r *reading, v pyvalue.Value) starlark.Value // nil for a value of another kind
	draw    func(d drawing) pyvalue.Value
}{
	"int":      {"an integer", 1, false, (*reading).integer, drawInt},
	"times":    {"an integer", 1, false, (*reading).repeat, drawInt}, // multiplies a text or a list
	"ints":     {"a list of integers", 2, false, listOf((*reading).integer), drawInts},
	"lengths":  {"a list of integers", 2, false, listOf((*reading).repeat), drawInts}, // as times
	"distinct": {"a list of integers", 2, false, listOf((*reading).integer), drawDistinct},
	"rows": {"a list of rows, which are lists of integers", 3, false, listOf(listOf((*reading).integer)), func(d drawing) pyvalue.Value {
		rows, columns := d.first(), d.between(1)
		return d.list(rows, func() pyvalue.Value { return d.list(columns, d.number) })
	}},
	"letters": {"a string", 1, true, (*reading).text, drawLetters},
	"picks": {"a list of strings", 1, true, listOf((*reading).text), func(d drawing) pyvalue.Value {
		return d.list(d.first(), func() pyvalue.Value { return rng.Pick(d.r, d.of) })
	}},
	"word":   {"a string", 0, false, (*reading).text, func(d drawing) pyvalue.Value { return d.word() }},
	"words":  {"a list of strings", 1, false, listOf((*reading).text), func(d drawing) pyvalue.Value { return d.list(d.first(), func() pyvalue.Value { return d.word() }) }},
	"text":   {"a string", 1, false, (*reading).text, drawText},
	"counts": {"an object with integers as values", 2, false, (*reading).counts, drawCounts},
	"pairs": {"a list of pairs, each of a string and an integer", 2, false, listOf((*reading).pair), func(d drawing) pyvalue.Value {
		return d.list(d.first(), func() pyvalue.Value { return listWith(d.word(), d.number()) })
	}},
}

// draw draws an input.
func (p *program) draw(of size, r *rng.Rand) *pyvalue.Dict {
	input := pyvalue.NewDict(len(p.params))
	for _, q := range p.params {
		input.Set(q.name, drawers[q.kind].draw(drawing{q, of, r}))
	}
	return input
}

// effortless reports whether an input with this output takes no thought: one of the
// arguments is the output, or a list of it, of its text or of its keys, and the others are
// all 0 or all 1.
func (p *program) effortless(output string) bool {
	v, err := pyvalue.ParseJSON([]byte(output))
	if err != nil {
		return false
	}
	tries := []pyvalue.Value{v, listWith(v)}
	if d, ok := v.(*pyvalue.Dict); ok {
		keys := listWith()
		for key := range d.All() {
			keys.Items = append(keys.Items, key)
		}
		tries = append(tries, listWith(output), keys)
	}
	for i := range p.params {
		for _, try := range tries {
			if p.leadsTo(output, i, try, 0) || len(p.params) > 1 && p.leadsTo(output, i, try, 1) {
				return true
			}
		}
	}
	return false
}

// listWith returns a list.
func listWith(items ...pyvalue.Value) *pyvalue.List { return &pyvalue.List{Items: items} }

// leadsTo reports whether v for parameter i and a number for the others have an output.
func (p *program) leadsTo(output string, i int, v pyvalue.Value, others int64) bool {
	args := make([]pyvalue.Value, len(p.params))
	for k := range args {
		args[k] = others
	}
	args[i] = v
	got, err := p.call(args)
	return err == nil && got == output
}

// first draws from the first range, restricted by the size.
func (d drawing) first() int {
	low, high := d.ranges[0][0], d.ranges[0][1]
	switch middle := (low + high) / 2; d.size {
	case small:
		high = middle
	case large:
		low = min(middle+1, high)
	}
	return d.r.Between(low, high)
}

// between draws from a range.
func (d drawing) between(i int) int { return d.r.Between(d.ranges[i][0], d.ranges[i][1]) }

// number draws from the last range.
func (d drawing) number() pyvalue.Value { return int64(d.between(len(d.ranges) - 1)) }

// list draws n items.
func (d drawing) list(n int, item func() pyvalue.Value) *pyvalue.List {
	l := &pyvalue.List{Items: make([]pyvalue.Value, n)}
	for i := range l.Items {
		l.Items[i] = item()
	}
	return l
}

// word draws a common word.
func (d drawing) word() string {
	words := lexicon.Common(d.r.Between(3, 7))
	return words.At(d.r.Between(0, words.Len()-1))
}

func drawInt(d drawing) pyvalue.Value { return int64(d.first()) }

func drawInts(d drawing) pyvalue.Value { return d.list(d.first(), d.number) }

func drawDistinct(d drawing) pyvalue.Value {
	l := &pyvalue.List{}
	for _, n := range rng.Different(d.r, d.first(), int64(d.ranges[1][0]), int64(d.ranges[1][1])) {
		l.Items = append(l.Items, n)
	}
	return l
}

func drawLetters(d drawing) pyvalue.Value {
	text := make([]byte, d.first())
	for i := range text {
		text[i] = d.of[0][d.r.Between(0, len(d.of[0])-1)]
	}
	return string(text)
}

func drawText(d drawing) pyvalue.Value {
	words := make([]string, d.first())
	for i := range words {
		words[i] = d.word()
	}
	return strings.Join(words, " ")
}

func drawCounts(d drawing) pyvalue.Value {
	counts := pyvalue.NewDict(0)
	for range d.first() {
		counts.Set(d.word(), d.number())
	}
	return counts
}
