package toolcall

// hermes is the form of Hermes 2 Pro and of Qwen 2.5 and 3: each call is a JSON object
// with name and arguments between <tool_call> and </tool_call>. Source: the chat
// templates of these models.
var hermes = Format{
	name: "hermes", think: thinkTags, signs: []string{"<tool_call>"},
	marks: []string{"<tool_call>"}, read: func(r *reader) { r.each(r.hermes) },
}

func (r *reader) hermes() bool {
	r.skip("<tool_call>")
	w := r.object()
	if w.why == "" {
		r.at = w.end
		if r.space(); r.at == len(r.text) || r.find("<tool_call>") == r.at {
			return r.take(w, r.at)
		}
		if r.find("</tool_call>") == r.at {
			return r.take(w, r.at+len("</tool_call>"))
		}
		w.why = notJSON(r.text, r.at)
		r.at = w.end
	}
	return r.takeBroken(w, "<tool_call>", "</tool_call>")
}

// takeBroken takes a broken call that goes on to the next closing or opening tag.
func (r *reader) takeBroken(w written, open, closing string) bool {
	end := r.ends(open, closing)
	took := r.take(w, end)
	r.skip(closing)
	return took
}
