package toolcall

import "strings"

// llama3JSON is the form of Llama 3.1 to 3.3: the reply is a JSON object with name and
// parameters, or several with semicolons between them; <|python_tag|> may stand before.
// Source: their chat templates.
var llama3JSON = Format{
	name: "llama3_json", think: thinkTags, signs: []string{"<|python_tag|>", `{"name": function name`},
	marks: []string{pythonTag}, bare: "{", read: (*reader).llama3,
}

const pythonTag = "<|python_tag|>"

func (r *reader) llama3() {
	begun := r.at
	r.space()
	if strings.HasPrefix(r.rest(), "{") && len(r.in.Tools) > 0 {
		if w := r.object(); w.call.Name != "" && w.args[1] > 0 { // other objects are answers in JSON
			r.attempt(r.objects)
		}
	}
	r.at = max(r.from, begun)
	r.each(func() bool {
		r.skip(pythonTag)
		r.space()
		if !strings.HasPrefix(r.rest(), "{") {
			return r.builtin()
		}
		return r.objects()
	})
}

// objects reads one object and those that follow a semicolon.
func (r *reader) objects() (took bool) {
	for len(r.out.Calls) < maxCalls {
		r.begun = r.at
		w, before := r.object(), r.at
		end, goesOn := r.writtenEnd(w, ";", pythonTag)
		if !r.take(w, end) {
			if took {
				r.at = before
			}
			return took
		}
		took = true
		before = r.at
		r.space()
		if !goesOn || !r.skip(";") {
			r.at = before
			return took
		}
		if r.space(); !strings.HasPrefix(r.rest(), "{") {
			r.at = before
			return took
		}
	}
	r.fault("more than %d calls", maxCalls)
	return took
}

// builtin reads a call of a built-in tool: name.call(key="value").
func (r *reader) builtin() bool {
	c, end, why := pythonCall(r.text, r.at)
	r.worked(end - r.at)
	name, ok := strings.CutSuffix(c.Name, ".call")
	if why != "" || !ok {
		r.fault("want a JSON object or name.call(…)")
		return false
	}
	c.Name = name
	r.call(c)
	r.at = end
	return true
}
