package reply

import (
	"slices"
	"strings"

	"github.com/quintain-rl/quintain/grade/mathverify/expr"
	"github.com/quintain-rl/quintain/internal/compiled"
	"github.com/quintain-rl/quintain/internal/unicode15"
)

// A change replaces a part of a text.
type change struct {
	start, end int
	as         string // what stands there instead
}

// changed returns a text with what the phrases of sign and size at its end make of the values beside them.
func (want wanted) changed(text string) string {
	from := max(0, len(text)-maxRead)
	if box := strings.LastIndex(text, "boxed"); box >= 0 {
		from = max(0, box-2*maxShort)
	}
	if from > 0 {
		from += 1 + strings.IndexAny(text[from:], " \n")
	}
	r := &reader{text[from:], lower(text[from:]), want}
	all := cues(r.low, changes|alters)
	if all == nil {
		return text
	}
	var b strings.Builder
	b.WriteString(text[:from])
	done, boxes := 0, allBoxes(r.text)
	for _, c := range all {
		made := change{}
		switch {
		case c.start < done:
		case c.role == changes:
			made = r.signed(c)
		case !slices.ContainsFunc(boxes, func(b box) bool { return b.start < c.start && c.end < b.end }):
			made = r.altered(c)
		}
		if made.end > 0 && made.start >= done {
			b.WriteString(r.text[done:made.start] + made.as)
			done = made.end
		}
	}
	return b.String() + r.text[done:]
}

// joining matches a word at the end of a text that joins a denial to it.
var joining = compiled.Regexp(`[,;]? (?:and|but|und|et|y|e|а|и|mas|ma|mais)$`)

// unjoined drops such a word.
func unjoined(text string) string {
	from := max(0, len(text)-maxOf)
	return text[:len(text)-len(joining().FindString(text[from:]))]
}

// signed returns what a phrase of sign or size makes of the value after it.
func (r *reader) signed(c cue) (made change) {
	at := r.near(c.end)
	if at >= len(r.text) || !r.starts(at) || r.operand(c.start) {
		return change{}
	}
	end := r.clauseEnd(at)
	inner, shut := at, at
	if open, mark := mark(r.text[at:]); open != "" {
		inner += len(open)
		shut = inner + closer(r.text[inner:], mark)
	}
	if start, open := nextBox(r.text[inner:], 0); start == 0 {
		inner += open + 1
		shut = expr.Closing(r.text, inner-1)
	}
	if inner == at {
		all := runsOf(r.text[at:end])
		if len(all) == 0 || all[0].start > 0 {
			return change{}
		}
		shut = at + all[0].end
	}
	if shut < inner {
		return change{}
	}
	return change{c.start, shut, r.text[at:inner] + strings.Replace(c.form, "%", r.text[inner:shut], 1)}
}

// near returns where the text goes on after spaces and stars.
func (r *reader) near(i int) int {
	return i + len(r.text[i:]) - len(strings.TrimLeft(r.text[i:], " *_"))
}

// altered returns what a phrase makes of the value before it, and perhaps of the one after it.
func (r *reader) altered(c cue) change {
	at, end := r.valueBefore(c.start)
	if next := r.near(c.end); at < 0 || strings.Contains("+-*/", c.form[len(c.form)-1:]) && (next >= len(r.text) || !r.starts(next)) {
		return change{}
	}
	return change{at, c.end, strings.Replace(c.form, "%", peel(r.text[at:end]), 1)}
}

// operand reports whether the text before i ends with a value, so that a sign there joins two of them.
func (r *reader) operand(i int) bool {
	text := strings.TrimRight(r.text[:i], " ")
	if text == "" {
		return false
	}
	if last := text[len(text)-1]; isDigit(last) || strings.IndexByte(")]}$", last) >= 0 {
		return true
	}
	word := text[strings.LastIndexAny(text, " \n$(")+1:]
	return len(word) == 1 && isLatin(word) && word != "a" && word != "A" && word != "I" && unicode15.IsLetter(rune(word[0]))
}
