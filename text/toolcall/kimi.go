package toolcall

import "strings"

// kimi is the form of Kimi K2: in a section, each call has an ID functions.NAME:NUMBER,
// and a JSON object, between special tokens. Source: the chat template of the model.
var kimi = Format{
	name: "kimi", think: thinkTags, signs: []string{kimiCall},
	marks: []string{kimiSection, kimiCall, kimiSectionEnd}, read: func(r *reader) { r.each(r.kimi) },
}

const (
	kimiSection, kimiSectionEnd = "<|tool_calls_section_begin|>", "<|tool_calls_section_end|>"
	kimiCall, kimiCallEnd       = "<|tool_call_begin|>", "<|tool_call_end|>"
	kimiArgument                = "<|tool_call_argument_begin|>"
)

func (r *reader) kimi() bool {
	r.section(kimiSection, kimiCall)
	if r.skip(kimiSectionEnd) {
		return len(r.out.Calls) > 0
	}
	if !r.skip(kimiCall) {
		r.fault("want %s", kimiCall)
		return false
	}
	end := r.ends(kimiArgument, kimiCallEnd, kimiCall, kimiSectionEnd)
	id := trim(r.text[r.at:end])
	name := strings.TrimPrefix(id, "functions.")
	if colon := strings.LastIndexByte(name, ':'); colon >= 0 {
		name = name[:colon]
	} else {
		id = ""
	}
	if r.at = end; !isName(name) || !r.skip(kimiArgument) {
		r.fault("want an ID and %s", kimiArgument)
		return false
	}
	r.json(name, kimiCallEnd, kimiCall, kimiSectionEnd)
	r.out.Calls[len(r.out.Calls)-1].ID = id
	r.closed(kimiCallEnd)
	return true
}

// section moves behind the mark of a section, if a call follows it.
func (r *reader) section(mark, call string) {
	before := r.at
	if !r.skip(mark) {
		return
	}
	if r.space(); !strings.HasPrefix(r.rest(), call) {
		r.at = before
	}
}

// closed moves behind the mark that ends a call. At the end of the text it may be missing.
func (r *reader) closed(mark string) {
	before := r.at
	r.space()
	if !r.skip(mark) {
		if r.at < len(r.text) {
			r.fault("want %s at byte %d of the reply", mark, r.at)
		}
		r.at = before
	}
}

func trim(text string) string { return strings.TrimSpace(text) }

// isName reports whether a text may be the name of a function, known or not.
func isName(text string) bool { return text != "" && !strings.ContainsAny(text, " \t\r\n\"<>") }
