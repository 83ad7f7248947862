package dialect_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/gateway/dialect"
)

// live plays a reply whose texts are shown in parts of some bytes and more, up to a whole
// character; the last part comes with the reply.
func live(d dialect.Dialect, q *dialect.Request, r *dialect.Reply, size int) string {
	s := d.Stream(q, dialect.Reply{Call: r.Call, Model: r.Model, Created: r.Created})
	out := string(s.Begin())
	c := r.Choices[0]
	parts := func(text string, show func(part string)) {
		for at := size; at < len(text); at += size {
			for !utf8.RuneStart(text[at]) {
				at++
			}
			show(text[:at])
		}
	}
	parts(c.Reasoning, func(part string) { out += string(s.Live(part, "")) })
	out += string(s.KeepAlive())
	parts(c.Content, func(part string) { out += string(s.Live(c.Reasoning, part)) + string(s.Live(c.Reasoning, part)) })
	return out + string(s.Reply(r)) + string(s.End(r))
}

var liveFields = map[string]string{
	"chat":        `,"stream_options":{"include_usage":true}`,
	"completions": `,"stream_options":{"include_usage":true}`,
	"responses":   ``,
	"messages":    `,"thinking":{"type":"adaptive"}`,
}

// Replies that are shown in parts, as they are written.
func TestLiveReplies(t *testing.T) {
	for name, fields := range liveFields {
		d := dialectOf(t, name)
		q := decode(t, name, body(name, fields))
		r := reply(dialect.Choice{Reasoning: "so: é", Content: "I call", Finish: quintain.Stop, ToolCalls: []quintain.ToolCall{call(0, "mul", `{"a":6}`)}})
		var out bytes.Buffer
		fmt.Fprintf(&out, "## thoughts, a text and a tool call, in parts\n%s\n", live(d, q, r, 4))
		s := d.Stream(q, dialect.Reply{Call: r.Call, Model: r.Model, Created: r.Created})
		fmt.Fprintf(&out, "## an engine that fails after some text\n%s%s%s", s.Begin(), s.Live("", "I c"), s.Fail(dialect.Errorf(503, "the engine is down")))
		golden(t, name+"-live", out.Bytes())
	}
}

// The parts of a stream, of whatever sizes, add up to the reply, and nothing else differs from
// a stream without parts; the events of Responses are numbered without holes.
func TestPartsAddUp(t *testing.T) {
	for name, fields := range liveFields {
		d := dialectOf(t, name)
		q := decode(t, name, body(name, fields))
		for _, c := range []dialect.Choice{
			{Content: "Yes, wörld <b>.", Finish: quintain.Stop},
			{Reasoning: "let mé see", Finish: quintain.Length},
			{Reasoning: "let me see", Content: "Yes.", Finish: quintain.Stop},
			{Reasoning: "let me see", Finish: quintain.Stop, ToolCalls: []quintain.ToolCall{call(0, "mul", `{"a":6}`)}},
			{Reasoning: "so", Content: "I call", Finish: quintain.Stop, ToolCalls: []quintain.ToolCall{call(0, "mul", `{"a":6}`)}},
			{Finish: quintain.Stop},
		} {
			r := reply(c)
			whole := joined(t, played(d, q, r))
			for size := 1; size < 12; size++ {
				if parts := joined(t, live(d, q, r, size)); parts != whole {
					t.Errorf("%s in parts of %d:\n%s\nwhole:\n%s", name, size, parts, whole)
				}
			}
		}
	}
}

// joined joins the deltas of a text that follow each other, and checks and drops the numbers of
// events.
func joined(t *testing.T, stream string) string {
	t.Helper()
	var kinds, texts []string
	number := 0
	for line := range strings.Lines(stream) {
		data, ok := strings.CutPrefix(line, "data: ")
		var e map[string]any
		if !ok || json.Unmarshal([]byte(data), &e) != nil || e["type"] == "ping" {
			continue
		}
		if n, ok := e["sequence_number"]; ok {
			if n != float64(number) {
				t.Errorf("event %d has the number %v", number, n)
			}
			number++
			delete(e, "sequence_number")
		}
		text := cutText(e)
		kind, _ := json.Marshal(e)
		if n := len(kinds); n > 0 && text != "" && kinds[n-1] == string(kind) {
			texts[n-1] += text
			continue
		}
		kinds, texts = append(kinds, string(kind)), append(texts, text)
	}
	var out strings.Builder
	for i := range kinds {
		fmt.Fprintf(&out, "%s %q\n", kinds[i], texts[i])
	}
	return out.String()
}

// cutText takes the part of a text out of an event.
func cutText(e map[string]any) (text string) {
	take := func(from map[string]any, name string) {
		if part, ok := from[name].(string); ok {
			text += part
			from[name] = ""
		}
	}
	if choices, _ := e["choices"].([]any); len(choices) > 0 {
		choice, _ := choices[0].(map[string]any)
		take(choice, "text")
		if delta, ok := choice["delta"].(map[string]any); ok && delta["role"] == nil {
			take(delta, "content")
			take(delta, "reasoning_content")
		}
	}
	if kind, _ := e["type"].(string); strings.HasSuffix(kind, "text.delta") {
		take(e, "delta")
	}
	if delta, ok := e["delta"].(map[string]any); ok {
		take(delta, "text")
		take(delta, "thinking")
	}
	return text
}
