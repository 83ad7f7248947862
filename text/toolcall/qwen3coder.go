package toolcall

import "strings"

// qwen3Coder is the form of Qwen3-Coder and Qwen 3.5: <tool_call>, <function=NAME>, for
// each argument <parameter=NAME> and its text, each on lines of their own, and the
// closing tags. The text has no types: they come from the tool's schema. Source: the
// chat templates of these models.
var qwen3Coder = Format{
	name: "qwen3_coder", think: thinkTags, signs: []string{"<function="},
	marks: []string{"<tool_call>", "<function="}, read: func(r *reader) { r.each(r.qwen3Coder) },
}

var qwenTags = tagged{after: "</parameter>", next: "<parameter=", named: ">", end: "</function>", open: "<function="}

func (r *reader) qwen3Coder() bool {
	r.skip("<tool_call>") // models sometimes leave it out
	r.space()
	if !r.skip("<function=") {
		r.fault("want <function=")
		return false
	}
	name, named := r.until(">")
	if !named {
		r.fault("want a function's name")
		return false
	}
	from := r.at
	args := r.newObject(name)
	for r.space(); r.skip("<parameter="); {
		key, named := r.until(">")
		value, closed := qwenTags.value(r, args, key)
		if !named || !closed {
			return r.brokenTags(broken{name, from, "a parameter has no end"}, "</tool_call>", "<tool_call>")
		}
		value = strings.TrimSuffix(strings.TrimPrefix(value, "\n"), "\n")
		if !r.argument(args, key, value) {
			return r.brokenTags(broken{name, from, "parameter " + key + " is written twice"}, "</tool_call>", "<tool_call>")
		}
	}
	if !r.skip("</function>") {
		return r.brokenTags(broken{name, from, "want <parameter= or </function>"}, "</tool_call>", "<tool_call>")
	}
	r.callOf(name, args)
	before := r.at
	if r.space(); !r.skip("</tool_call>") {
		r.at = before
	}
	return true
}
