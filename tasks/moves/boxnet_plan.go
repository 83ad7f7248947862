package moves

import (
	"strings"

	"github.com/quintain-rl/quintain/task/answer"
)

// A boxnetOrder is a member of an object in a plan: an agent's order.
type boxnetOrder struct{ agent, does string }

// readBoxnetPlan reads a plan, a JSON list of objects with strings as values. Names and
// actions need no escapes; a text with one is no plan.
func readBoxnetPlan(text string) (steps [][]boxnetOrder, read bool) {
	p := planReader(text)
	read = p.list("[]", func() bool {
		var step []boxnetOrder
		read := p.list("{}", func() bool {
			agent, named := p.quoted()
			colon := p.sign(':')
			does, ok := p.quoted()
			step = append(step, boxnetOrder{agent, does})
			return named && colon && ok
		})
		steps = append(steps, step)
		return read
	})
	return steps, read && answer.Trim(string(p)) == ""
}

// A planReader is the unread part of a plan.
type planReader string

// list reads elements separated by commas, between the two characters of signs.
func (p *planReader) list(signs string, element func() bool) bool {
	if !p.sign(signs[0]) {
		return false
	}
	if p.sign(signs[1]) {
		return true
	}
	for element() {
		if p.sign(signs[1]) {
			return true
		}
		if !p.sign(',') {
			break
		}
	}
	return false
}

// sign skips space, and consumes a sign if it comes next.
func (p *planReader) sign(c byte) bool {
	rest := strings.TrimLeft(string(*p), " \t\r\n")
	if rest == "" || rest[0] != c {
		return false
	}
	*p = planReader(rest[1:])
	return true
}

// quoted reads a string in quotes.
func (p *planReader) quoted() (text string, ok bool) {
	if !p.sign('"') {
		return "", false
	}
	text, rest, closed := strings.Cut(string(*p), `"`)
	*p = planReader(rest)
	return text, closed && !strings.ContainsAny(text, "\\\n")
}
