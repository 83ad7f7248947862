package reply

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/quintain-rl/quintain/grade/mathverify/expr"
	"github.com/quintain-rl/quintain/internal/compiled"
	"github.com/quintain-rl/quintain/internal/unicode15"
)

// A claim is a change that a phrase of the lexicon makes to a text.
type claim struct {
	role       role
	start, end int
	as         string // what stands there instead
}

// allClaims returns what the phrases do to the text, in order.
func (r *reader) allClaims(all []cue) (found []claim) {
	end, boxes := 0, allBoxes(r.text)
	for _, c := range all {
		if c.start < end || slices.ContainsFunc(boxes, func(b box) bool { return b.start < c.start && c.end < b.end }) && c.role != changes {
			continue // it is in a clause that does not count, or in a box, which we do not search
		}
		made := r.claim(c)
		if s := made.start; s > 0 && made.as == "" && r.text[s-1] == '(' {
			if n := strings.IndexAny(r.text[made.end:], "()\n"); n >= 0 && r.text[made.end+n] == ')' {
				made.start, made.end = s-1, made.end+n+1
			}
		}
		if made.end > 0 && made.start >= end {
			found = append(found, made)
			end = made.end
		}
	}
	return found
}

// claim returns what a phrase does to the text; one that ends at 0 does nothing.
func (r *reader) claim(c cue) claim {
	switch c.role {
	case denies, hedges:
		signs := ""
		if c.role == hedges {
			signs = ",:"
		}
		at := r.value(c.end, signs)
		if at >= 0 {
			end := at
			if r.want.letter {
				end += len(severally().FindString(r.text[at:]))
			}
			return claim{c.role, r.joined(c.start), r.clauseEnd(end), ""}
		}
	case limits:
		if at := r.near(c.end); at < len(r.text) && r.starts(at) && !r.operand(c.start) {
			return claim{denies, c.start, r.clauseEnd(at), ""}
		}
	case refutes:
		at, _ := r.valueBefore(c.start, c.form == "is")
		if at < 0 {
			break
		}
		if first, _ := utf8.DecodeRuneInString(r.text[c.start:]); dense(first) {
			return claim{c.role, at, c.end, ""}
		}
		return claim{c.role, at, r.clauseEnd(c.end), ""}
	case doubts:
		after := min(len(r.text), c.end+len(r.text[c.end:])-len(strings.TrimLeft(r.text[c.end:], " \n*")))
		if at, end := r.valueBefore(c.start, false); at >= 0 && Blank(r.text[end:c.start]) && phraseAt(r.low[after:], confirms).entry == nil {
			return claim{hedges, at, c.end, ""}
		}
	case alters:
		return r.altered(c)
	case changes:
		return r.changed(c)
	}
	return claim{}
}

// severally matches the letters of several choices.
var severally = compiled.Regexp(`^\(?[A-J]\)?(?:(?:, and |, or |, | and | or | nor |/)\(?[A-J]\b\)?)*`)

// joined returns where the word begins that joins what begins at i to the text before, or i.
func (r *reader) joined(i int) int {
	from := max(0, i-len(", sondern "))
	return from + joining().FindStringIndex(r.low[from:i])[0]
}

// joining matches a word at the end of a text that joins a denial to it.
var joining = compiled.Regexp(`(?:[,;]? (?:and|but|und|et|y|e|а|и|mas|ma|mais) )?$`)

// changed returns what a phrase of sign or size makes of the value after it.
func (r *reader) changed(c cue) (made claim) {
	at := r.near(c.end)
	if at >= len(r.text) || !r.starts(at) || r.operand(c.start) {
		return claim{}
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
			return claim{}
		}
		shut = at + all[0].end
	}
	if shut < inner {
		return claim{}
	}
	return claim{changes, c.start, shut, r.text[at:inner] + strings.Replace(c.form, "%", r.text[inner:shut], 1)}
}

// near returns where the text goes on after spaces and stars.
func (r *reader) near(i int) int {
	return i + len(r.text[i:]) - len(strings.TrimLeft(r.text[i:], " *_"))
}

// altered returns what a phrase makes of the value before it, and perhaps of the one after it.
func (r *reader) altered(c cue) claim {
	at, end := r.valueBefore(c.start, false)
	if next := r.near(c.end); at < 0 || strings.Contains("+-*/", c.form[len(c.form)-1:]) && (next >= len(r.text) || !r.starts(next)) {
		return claim{}
	}
	return claim{changes, at, c.end, strings.Replace(c.form, "%", peel(r.text[at:end]), 1)}
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
