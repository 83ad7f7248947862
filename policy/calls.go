package policy

import (
	"fmt"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/text/toolcall"
)

// ReadCalls takes the tool calls out of the text of a sample of r, in a form; nil: the policy's server reads
// them. Thinking says that the prompt opened the thoughts of the reply. Without tools in r, the text
// stays as it is. So it does if a call cannot be read: the sample then says why, and has none.
func ReadCalls(s *quintain.Sample, r quintain.Request, form *toolcall.Format, thinking bool) {
	if len(r.Tools) == 0 || form == nil || s.Whole == "" {
		return
	}
	read := form.Parse(s.Whole, toolcall.Context{Tools: r.Tools, Thinking: thinking})
	if read.Malformed {
		s.CallFault = read.Why
		return
	}
	if len(read.Calls) == 0 {
		return
	}
	s.Text, s.Reasoning = read.Said()
	s.ToolCalls = read.Calls
	NameCalls(s.ToolCalls, r.Messages)
}

// NameCalls gives calls that have no ID one that no call of the conversation has, of nine letters
// and digits: the templates of Mistral take no other.
func NameCalls(calls []quintain.ToolCall, talk []quintain.Message) {
	n := 0
	for _, m := range talk {
		n += len(m.ToolCalls)
	}
	for i := range calls {
		if calls[i].ID == "" {
			calls[i].ID = fmt.Sprintf("call%05d", (n+i+1)%100_000)
		}
	}
}

// PlainReply is a reply as a policy says it whose calls of tools have the form plain of text/toolcall.
func PlainReply(text string) quintain.Reply {
	read := toolcall.Plain().Parse(text, toolcall.Context{})
	reply := quintain.Reply{Text: text, Finish: quintain.Stop}
	if len(read.Calls) > 0 && !read.Malformed {
		reply.Text, _ = read.Said()
		reply.ToolCalls = read.Calls
		NameCalls(reply.ToolCalls, nil)
	}
	return reply
}
