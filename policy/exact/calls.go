package exact

import (
	"reflect"
	"slices"
	"strings"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/strictjson"
	"github.com/quintain-rl/quintain/text/toolcall"
)

// Form implements [Renderer].
func (c *Chat) Form() *toolcall.Format {
	if c.Calls != nil {
		return c.Calls
	}
	return toolcall.Detect(c.Template.Source())
}

// opensThoughts is more tokens than a prompt needs for the tag that opens thoughts.
const opensThoughts = 16

// Thinking implements [Renderer].
func (c *Chat) Thinking(prompt []quintain.Token) bool {
	return strings.HasSuffix(strings.TrimSpace(c.Whole(prompt[max(0, len(prompt)-opensThoughts):], false)), "<think>")
}

// plainly returns r without tools, which its messages describe, if the form of calls needs no
// template.
func (c *Chat) plainly(r quintain.Request) quintain.Request {
	if !c.Calls.IsPlain() {
		return r
	}
	seen := toolcall.Plainly(r.Tools, r.Messages[:r.Fresh])
	fresh := r.Tools
	if r.Fresh > 0 {
		fresh = nil
	}
	r.Messages, r.Fresh = slices.Concat(seen, toolcall.Plainly(fresh, r.Messages[r.Fresh:])), len(seen)
	r.Tools = nil
	return r
}

// firstCalls returns a conversation with one call in each reply, and whether there were more.
func firstCalls(talk []quintain.Message) (single []quintain.Message, several bool) {
	single = slices.Clone(talk)
	for i := range single {
		if m := &single[i]; len(m.ToolCalls) > 1 {
			m.ToolCalls, several = m.ToolCalls[:1], true
		}
	}
	return single, several
}

// shown is the template's text of a conversation.
type shown struct {
	before string // up to the last reply
	full   string // with the messages after it
	quoted []int  // offsets in full of special tokens that are text
}

// retold returns the new text after r's last reply if the template writes that reply in other
// letters but says the same, such as calls with other spaces in their JSON: its tokens stay as
// sampled. The reply must have ended itself; t is the conversation before it.
func (c *Chat) retold(r quintain.Request, t talk, last reply, as shown) (rest string, d Drift) {
	m := r.Messages[r.Fresh-1]
	if len(m.ToolCalls) == 0 || last.end == "" {
		return "", Forked
	}
	ahead, err := c.text(t, false)
	if err != nil || !strings.HasPrefix(as.before, ahead) || !strings.HasPrefix(as.full, ahead) {
		return "", Forked
	}
	end := unquoted(as.full, last.end, len(ahead), as.quoted)
	if end < 0 || !c.says(beyond(as.full[len(ahead):end], as.before[len(ahead):]), r, &m) {
		return "", Forked
	}
	return as.full[end+len(last.end):], Realigned
}

// unquoted returns the offset in text, at or after from, of the first mark that is none of the
// quoted; -1: there is none.
func unquoted(text, mark string, from int, quoted []int) int {
	for {
		at := strings.Index(text[from:], mark)
		if at < 0 {
			return -1
		}
		if from += at; !slices.Contains(quoted, from) {
			return from
		}
		from += len(mark)
	}
}

// beyond returns what a template writes of a reply after its opening, or as much of it as both have,
// up to the end of a line or a tag.
func beyond(written, opening string) string {
	n := 0
	for n < min(len(written), len(opening)) && written[n] == opening[n] {
		n++
	}
	if n < len(opening) {
		n = strings.LastIndexAny(written[:n], "\n>") + 1
	}
	return written[n:]
}

// says reports whether what a template writes of m, the last reply of r, has its text and its calls.
func (c *Chat) says(written string, r quintain.Request, m *quintain.Message) bool {
	thoughts, text, _ := strings.Cut(m.Text(), "</think>")
	for _, part := range []string{strings.TrimPrefix(strings.TrimSpace(thoughts), "<think>"), text, m.Reasoning} {
		if !strings.Contains(written, strings.TrimSpace(part)) {
			return false
		}
	}
	read := c.Form().Parse(written, toolcall.Context{Tools: r.Tools})
	return slices.EqualFunc(read.Calls, m.ToolCalls, func(a, b quintain.ToolCall) bool {
		return a.Name == b.Name && sameJSON(a.Arguments, b.Arguments)
	})
}

// sameJSON reports whether two texts are the same JSON value.
func sameJSON(a, b string) bool {
	var x, y any
	return strictjson.Unmarshal([]byte(a), &x) == nil && strictjson.Unmarshal([]byte(b), &y) == nil && reflect.DeepEqual(x, y)
}
