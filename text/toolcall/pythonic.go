package toolcall

import (
	"strings"

	"github.com/quintain-rl/quintain"
)

// pythonic is the form of Llama 3.2 and 4: the reply is a list of calls in Python,
// [f(a=1), g(b="x")], in Llama 4 perhaps between <|python_start|> and <|python_end|>.
// Source: the model cards and chat templates of these models.
var pythonic = Format{
	name: "pythonic", think: thinkTags, signs: []string{"[func_name1("},
	marks: []string{pythonStart}, bare: "[", read: (*reader).pythonic,
}

const pythonStart, pythonEnd = "<|python_start|>", "<|python_end|>"

func (r *reader) pythonic() {
	begun := r.at
	if r.space(); strings.HasPrefix(r.rest(), "[") && len(r.in.Tools) > 0 {
		r.attempt(func() bool { return r.pythonList(false) })
	} else {
		r.at = begun
	}
	r.each(func() bool {
		r.skip(pythonStart)
		r.space()
		return r.pythonList(true)
	})
}

// pythonList reads a list of calls. Without a tag before it, a list that does not look
// like calls is content.
func (r *reader) pythonList(surely bool) (took bool) {
	if !r.skip("[") {
		r.fault("want a list of calls")
		return false
	}
	for len(r.out.Calls) < maxCalls {
		if r.space(); took && r.skip("]") {
			r.pythonEnd()
			return true
		}
		if !surely && !took && !looksCalled(r.rest()) {
			return false
		}
		c, end, why := pythonCall(r.text, r.at)
		r.worked(end - r.at)
		if r.begun = r.at; why == "" {
			r.call(c)
			r.at = end
		} else if goesOn, ok := r.brokenPython(c.Name, why); !goesOn {
			return ok || took
		}
		took = true
		if r.space(); !r.skip(",") && !strings.HasPrefix(r.rest(), "]") {
			r.fault("invalid list at byte %d of the reply", r.at)
			return true
		}
	}
	r.fault("more than %d calls", maxCalls)
	return took
}

// pythonEnd moves behind the tag that ends a list, if it stands here.
func (r *reader) pythonEnd() {
	before := r.at
	if r.space(); !r.skip(pythonEnd) {
		r.at = before
	}
}

// brokenPython takes a call whose arguments are broken: they reach to the bracket behind which the
// list goes on or ends, or else are all that follows.
func (r *reader) brokenPython(name, why string) (goesOn, ok bool) {
	r.fault("%s", why)
	from := r.at + len(name)
	if name == "" || !strings.HasPrefix(r.text[from:], "(") {
		return false, false
	}
	end := r.ends(pythonEnd, pythonStart)
	if near := r.balanced(from, end, `"'`, ",]"); near >= 0 && skipSpace(r.text, near) < len(r.text) {
		r.call(quintain.ToolCall{Name: name, Arguments: trim(r.text[from+1 : near-1])})
		r.at = near
		return true, true
	}
	r.call(quintain.ToolCall{Name: name, Arguments: trim(r.text[from+1 : end])})
	r.at = end
	r.skip(pythonEnd)
	return false, true
}

// looksCalled reports whether a text begins with a name, a bracket, and the name of an
// argument or the other bracket.
func looksCalled(text string) bool {
	r := pythonReader(text, 0)
	if word(&r, true) == "" || !r.Skip("(") {
		return false
	}
	r.Brackets = 1
	return r.Skip(")") || word(&r, false) != "" && r.Skip("=")
}
