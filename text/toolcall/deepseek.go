package toolcall

import "strings"

// deepseek is the form of DeepSeek V3, R1 and V3.1: in a section, each call is, between
// special tokens, NAME and a JSON object, or the word function, NAME and a JSON object
// in a code block. V3.2 and V4 write tags with types instead (dsml). Source: the chat
// templates and encoders of these models.
var deepseek = Format{
	name: "deepseek", think: thinkTags, signs: []string{deepseekSection, "｜DSML｜"},
	marks: []string{deepseekSection, deepseekCall, deepseekSectionEnd, dsmlOpen, dsmlClose},
	read:  func(r *reader) { r.each(r.deepseek) },
}

const (
	deepseekSection, deepseekSectionEnd = "<｜tool▁calls▁begin｜>", "<｜tool▁calls▁end｜>"
	deepseekCall, deepseekCallEnd       = "<｜tool▁call▁begin｜>", "<｜tool▁call▁end｜>"
	deepseekSep                         = "<｜tool▁sep｜>"
)

func (r *reader) deepseek() bool {
	if strings.HasPrefix(r.rest(), dsmlOpen) || strings.HasPrefix(r.rest(), dsmlClose) {
		return r.dsml()
	}
	r.section(deepseekSection, deepseekCall)
	if r.skip(deepseekSectionEnd) {
		return len(r.out.Calls) > 0
	}
	if !r.skip(deepseekCall) {
		r.fault("want %s", deepseekCall)
		return false
	}
	end := r.ends(deepseekSep, deepseekCallEnd, deepseekCall, deepseekSectionEnd)
	name := trim(r.text[r.at:end])
	if r.at = end; !isName(name) || !r.skip(deepseekSep) {
		r.fault("want a name and %s", deepseekSep)
		return false
	}
	fence := name == "function" && !strings.HasPrefix(r.rest(), "{")
	if fence {
		end = r.ends("\n", deepseekCallEnd, deepseekCall, deepseekSectionEnd)
		name = trim(r.text[r.at:end])
		if r.at = end; !strings.HasPrefix(r.rest(), "\n") {
			r.fault("want a line of its own for the arguments")
			return false
		}
		r.space()
		r.skip("```json")
	}
	if !isName(name) {
		r.fault("want a name")
		return false
	}
	r.json(name, deepseekCallEnd, deepseekCall, deepseekSectionEnd)
	if fence {
		r.space()
		r.skip("```")
	}
	r.closed(deepseekCallEnd)
	return true
}
