package toolcall

import "strings"

// mistral is the form of Mistral's models: [TOOL_CALLS], then either a JSON array of
// objects with name, arguments and id, or, in newer ones, a name, perhaps [CALL_ID] and
// an ID, [ARGS], and a JSON object. Source: their chat templates and mistral-common.
var mistral = Format{
	name: "mistral", think: [2]string{"[THINK]", "[/THINK]"}, signs: []string{"[TOOL_CALLS]"},
	marks: []string{"[TOOL_CALLS]"}, read: func(r *reader) { r.each(r.mistral) },
}

func (r *reader) mistral() bool {
	r.skip("[TOOL_CALLS]")
	r.space()
	if r.skip("[") {
		return r.array()
	}
	if strings.HasPrefix(r.rest(), "{") {
		w := r.object()
		if w.why != "" {
			return r.take(w, r.ends("[TOOL_CALLS]"))
		}
		return r.take(w, w.end)
	}
	return r.named()
}

// array reads the elements of an array of calls up to its end, or up to one that is not a call.
func (r *reader) array() (took bool) {
	if r.space(); r.skip("]") {
		r.fault("an empty list")
		return false
	}
	for len(r.out.Calls) < maxCalls {
		r.begun = r.at
		w := r.object()
		end, goesOn := r.writtenEnd(w, ",]", "[TOOL_CALLS]")
		before := r.at
		if !r.take(w, end) {
			if took {
				r.at = before
			}
			return took
		}
		took = true
		if !goesOn {
			return took
		}
		if r.space(); r.skip("]") {
			return took
		}
		if !r.skip(",") {
			r.fault("%s", notJSON(r.text, r.at))
			return took
		}
		r.space()
	}
	r.fault("more than %d calls", maxCalls)
	return took
}

// named reads a name and its arguments.
func (r *reader) named() bool {
	begun, end := r.at, r.ends("[TOOL_CALLS]", "[ARGS]", "[CALL_ID]", "{")
	name := strings.TrimSpace(r.text[begun:end])
	if r.at = end; !isName(name) || end == len(r.text) || r.find("[TOOL_CALLS]") == end {
		r.fault("want a name and arguments")
		return false
	}
	id := ""
	if r.skip("[CALL_ID]") {
		end = r.ends("[TOOL_CALLS]", "[ARGS]", "{")
		id = strings.TrimSpace(r.text[r.at:end])
		r.at = end
	}
	r.skip("[ARGS]")
	r.json(name, "[TOOL_CALLS]")
	r.out.Calls[len(r.out.Calls)-1].ID = id
	return true
}

// json adds a call whose arguments stand here, and moves behind them. If they are
// broken, they go on to the next of the marks.
func (r *reader) json(name string, marks ...string) {
	from := skipSpace(r.text, r.at)
	end, why := value(r.text, from, 0)
	r.worked(end - r.at)
	if why != "" {
		end = r.ends(marks...)
	}
	r.arguments(name, r.at, end)
	r.at = end
}
