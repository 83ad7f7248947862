package toolcall

// glm is the form of GLM 4.5 and later: <tool_call>NAME, for each argument its name
// between <arg_key> tags and its text between <arg_value> tags, and </tool_call>. The
// text has no types: they come from the tool's schema. Source: the chat templates of
// these models.
var glm = Format{
	name: "glm", think: thinkTags, signs: []string{"<arg_key>"},
	marks: []string{"<tool_call>"}, read: func(r *reader) { r.each(r.glm) },
}

var glmTags = tagged{after: "</arg_value>", next: "<arg_key>", named: "</arg_key>", end: "</tool_call>", open: "<tool_call>"}

func (r *reader) glm() bool {
	r.skip("<tool_call>")
	end := r.ends("<arg_key>", "</tool_call>", "<tool_call>")
	name := trim(r.text[r.at:end])
	from := end
	if r.at = end; !isName(name) {
		r.fault("want a function's name")
		return false
	}
	args := r.newObject(name)
	for r.space(); r.skip("<arg_key>"); {
		key, named := r.until("</arg_key>")
		r.space()
		if !named || !r.skip("<arg_value>") {
			return r.brokenTags(broken{name, from, "want a key and <arg_value>"}, "</tool_call>", "<tool_call>")
		}
		value, closed := glmTags.value(r, args, key)
		if !closed {
			return r.brokenTags(broken{name, from, "an argument has no end"}, "</tool_call>", "<tool_call>")
		}
		if !r.argument(args, key, value) {
			return r.brokenTags(broken{name, from, "argument " + key + " is written twice"}, "</tool_call>", "<tool_call>")
		}
	}
	if !r.skip("</tool_call>") {
		return r.brokenTags(broken{name, from, "want <arg_key> or </tool_call>"}, "</tool_call>", "<tool_call>")
	}
	r.callOf(name, args)
	return true
}
