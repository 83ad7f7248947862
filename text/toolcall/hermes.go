package toolcall

// hermes is the form of Hermes 2 Pro and of Qwen 2.5 and 3: each call is a JSON object
// with name and arguments between <tool_call> and </tool_call>. Source: the chat
// templates of these models.
var hermes = Format{
	name: "hermes", think: thinkTags, signs: []string{"<tool_call>"},
	marks: []string{"<tool_call>"}, read: func(r *reader) { r.each(func() bool { return r.tagged("<tool_call>", "</tool_call>") }) },
}

// tagged reads a call that is a JSON object between two tags.
func (r *reader) tagged(open, closing string) bool {
	r.skip(open)
	w := r.object()
	if w.why == "" {
		r.at = w.end
		if r.space(); r.at == len(r.text) || r.find(open) == r.at {
			return r.take(w, r.at)
		}
		if r.find(closing) == r.at {
			return r.take(w, r.at+len(closing))
		}
		w.why = notJSON(r.text, r.at)
		r.at = w.end
	}
	return r.takeBroken(w, open, closing)
}

// takeBroken takes a broken call that goes on to the next closing or opening tag.
func (r *reader) takeBroken(w written, open, closing string) bool {
	end := r.ends(open, closing)
	took := r.take(w, end)
	r.skip(closing)
	return took
}
