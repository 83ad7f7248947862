package toolcall

import (
	"fmt"
	"strings"

	"github.com/quintain-rl/quintain"
)

// newlines part what a model writes from its tags.
const newlines = "\r\n"

// A reader takes one text apart.
type reader struct {
	cursor
	in     Context
	marks  []string // of the format
	tools  schemas  // of in.Tools, once they are needed
	from   int      // text from here to the next call is content
	begun  int      // the call that is read begins here
	pieces []string
	out    Reply
}

// thinking cuts off the thinking at the beginning. Without its end, all is thinking.
func (r *reader) thinking(open, closing string, inside bool) {
	begun := r.at
	if r.space(); r.skip(open) {
		begun = r.at
	} else if !inside {
		r.at = begun
		return
	}
	end := r.find(closing)
	if r.at = len(r.text); end >= 0 {
		r.at = end + len(closing)
	} else {
		end = len(r.text)
	}
	r.out.Reasoning = strings.Trim(r.text[begun:end], newlines)
}

// each reads a call at every mark of the format with one, which moves on and reports whether it read
// any. If it did not, the text there stays content.
func (r *reader) each(one func() bool) {
	for {
		mark := r.first(r.marks)
		if mark < 0 {
			return
		}
		if len(r.out.Calls) >= maxCalls {
			r.fault("more than %d calls", maxCalls)
			return
		}
		r.at = mark
		r.attempt(one)
		r.at = max(r.at, mark+1)
	}
}

// attempt reads a call that begins here with one, and keeps the text before it.
func (r *reader) attempt(one func() bool) {
	begun, before := r.at, len(r.out.Calls)
	if r.begun = begun; !one() {
		return
	}
	end := r.at
	if len(r.out.Calls) > before && r.cutOff() {
		if end = r.begun; len(r.out.Calls) == before {
			return
		}
	}
	r.content(begun)
	r.from = end
}

// cutOff takes back the call that a limit cut: one at the end of the text whose arguments are no
// JSON object. It reports whether there was one.
func (r *reader) cutOff() bool {
	last := len(r.out.Calls) - 1
	if !r.in.Cut || last < 0 || r.at < len(r.text) || notObject(r.out.Calls[last].Arguments) == "" {
		return false
	}
	if r.out.Calls = r.out.Calls[:last]; last == 0 {
		r.out.Calls = nil
	}
	return true
}

// content keeps the text before end, without the newlines that part it from thinking
// and calls. White space between them is dropped.
func (r *reader) content(end int) {
	piece := r.text[r.from:end]
	if end < len(r.text) {
		piece = strings.TrimRight(piece, newlines)
	}
	if r.from > 0 {
		piece = strings.TrimLeft(piece, newlines)
	}
	if piece != "" && (strings.TrimSpace(piece) != "" || r.from == 0 && end == len(r.text)) {
		r.pieces = append(r.pieces, piece)
	}
}

func (r *reader) call(c quintain.ToolCall) { r.out.Calls = append(r.out.Calls, c) }

// fault marks the reply as malformed.
func (r *reader) fault(format string, args ...any) {
	if !r.out.Malformed {
		r.out.Malformed = true
		r.out.Why = fmt.Sprintf("call %d: ", len(r.out.Calls)+1) + fmt.Sprintf(format, args...)
	}
}

// arguments adds a call whose arguments are the JSON object between from and to. Any
// other text is passed on as it is.
func (r *reader) arguments(name string, from, to int) {
	text := strings.TrimSpace(r.text[from:to])
	if why := notObject(text); why != "" {
		r.fault("the arguments of %s: %s", name, why)
	}
	r.worked(to - from)
	r.call(quintain.ToolCall{Name: name, Arguments: text})
}

// A cursor moves through a text.
type cursor struct {
	text string
	at   int
	next map[string]int // by mark: its first place at or after the last one asked for; len(text): none
	work int            // bytes looked at
}

// find returns the place of the next mark, −1: there is none. Each mark costs one pass
// over the text, however often it is looked for.
func (c *cursor) find(mark string) int {
	place, known := c.next[mark]
	if !known || place < c.at {
		i := strings.Index(c.text[c.at:], mark)
		if place = c.at + i; i < 0 {
			place = len(c.text)
		}
		c.worked(place - c.at)
		if c.next == nil {
			c.next = map[string]int{}
		}
		c.next[mark] = place
	}
	if place == len(c.text) {
		return -1
	}
	return place
}

// first returns the place of the next of several marks, −1: there is none.
func (c *cursor) first(marks []string) int {
	first := -1
	for _, mark := range marks {
		if place := c.find(mark); place >= 0 && (first < 0 || place < first) {
			first = place
		}
	}
	return first
}

// ends returns the place of the next of several marks, or the end of the text.
func (c *cursor) ends(marks ...string) int {
	if first := c.first(marks); first >= 0 {
		return first
	}
	return len(c.text)
}

func (c *cursor) rest() string { return c.text[c.at:] }

// skip moves behind a mark that stands here.
func (c *cursor) skip(mark string) bool {
	is := strings.HasPrefix(c.rest(), mark)
	if is {
		c.at += len(mark)
	}
	return is
}

// space moves behind white space.
func (c *cursor) space() {
	end := skipSpace(c.text, c.at)
	c.worked(end - c.at)
	c.at = end
}

func (c *cursor) worked(n int) { c.work += n }

// balanced returns the place behind the bracket that closes the first one of a part of the text,
// whatever else is wrong in between, if one of the signs follows it or the text ends there; else -1.
func (c *cursor) balanced(at, last int, quotes, signs string) (end int) {
	depth, quote := 0, byte(0)
	for i := at; i < last; i++ {
		switch b := c.text[i]; {
		case quote != 0 && b == '\\':
			i++
		case quote != 0:
			if b == quote {
				quote = 0
			}
		case strings.IndexByte(quotes, b) >= 0:
			quote = b
		case b == '(' || b == '[' || b == '{':
			depth++
		case b == ')' || b == ']' || b == '}':
			if depth--; depth > 0 {
				continue
			}
			next := skipSpace(c.text, i+1)
			c.worked(next - at)
			if next == len(c.text) || strings.IndexByte(signs, c.text[next]) >= 0 {
				return i + 1
			}
			return -1
		}
	}
	c.worked(last - at)
	return -1
}

func skipSpace(text string, at int) int {
	for at < len(text) && strings.IndexByte(" \t\r\n", text[at]) >= 0 {
		at++
	}
	return at
}
