package gateway

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain"
)

// letters tells a reply letter by letter, and waits for a signal after some of them.
func letters(wait int, signal <-chan struct{}) func(context.Context, func(text, whole string), string) {
	return func(ctx context.Context, show func(text, whole string), text string) {
		for i := range text {
			if i == wait {
				select {
				case <-signal:
				case <-ctx.Done():
				}
			}
			show(text[:i], text[:i])
		}
	}
}

// An event is what the tests read of one in any dialect.
type event struct {
	Type    string
	Delta   json.RawMessage
	Choices []struct {
		Text  string
		Delta struct{ Content string }
	}
}

// A listener reads a stream.
type listener struct {
	t     *testing.T
	lines *bufio.Scanner
	text  string // of the deltas so far
	all   string // the events so far
	leave func()
}

// listen begins a stream.
func (b *bench) listen(path, body string, headers ...string) *listener {
	b.t.Helper()
	ctx, leave := context.WithCancel(b.t.Context())
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, path, strings.NewReader(body))
	if err != nil {
		b.t.Fatal(err)
	}
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		b.t.Fatal(err)
	}
	b.t.Cleanup(func() { resp.Body.Close(); leave() })
	return &listener{t: b.t, lines: bufio.NewScanner(resp.Body), leave: leave}
}

// next reads an event; false: there is none.
func (l *listener) next() bool {
	for l.lines.Scan() {
		l.all += l.lines.Text() + "\n"
		data, ok := strings.CutPrefix(l.lines.Text(), "data: ")
		if !ok {
			continue
		}
		var e event
		if data != "[DONE]" {
			e = parse[event](l.t, data)
		}
		for _, c := range e.Choices {
			l.text += c.Text + c.Delta.Content
		}
		var words string
		var block struct{ Text string }
		switch {
		case e.Type == "response.output_text.delta" && json.Unmarshal(e.Delta, &words) == nil:
			l.text += words
		case e.Type == "content_block_delta" && json.Unmarshal(e.Delta, &block) == nil:
			l.text += block.Text
		}
		return true
	}
	return false
}

// hear reads until the deltas have a text.
func (l *listener) hear(text string) {
	l.t.Helper()
	for !strings.Contains(l.text, text) {
		if !l.next() {
			l.t.Fatalf("the stream ends before %q:\n%s", text, l.all)
		}
	}
}

// rest reads to the end.
func (l *listener) rest() {
	for l.next() {
	}
}

// liveRoutes are streams of each dialect.
var liveRoutes = []struct{ path, body, end string }{
	{"/chat/completions", `{"stream": true, "messages": [{"role": "user", "content": "?"}]}`, "[DONE]"},
	{"/completions", `{"stream": true, "prompt": "?"}`, "[DONE]"},
	{"/responses", `{"stream": true, "input": "?"}`, "response.completed"},
	{"/messages", `{"stream": true, "max_tokens": 99, "messages": [{"role": "user", "content": "?"}]}`, "message_stop"},
}

// teller opens a gateway whose policy says a text.
func teller(t *testing.T, says string) (*bench, MadeSession) {
	t.Helper()
	b := open(t, func(c *Config) { c.GroupSize = 1 })
	b.gateway.player.Encode = func(text string, _ bool) ([]quintain.Token, error) { return tokensOf(text), nil }
	b.policy.says = []string{says}
	return b, b.make(`{"name": "x", "of": 1}`).Sessions[0]
}

// Text leaves while the policy samples, and the end of the stream once the reply is kept.
func TestTextLeavesBeforeTheReplyEnds(t *testing.T) {
	const says = "Hello, wörld. That is <all>."
	for _, route := range liveRoutes {
		b, s := teller(t, says)
		signal := make(chan struct{})
		b.policy.tells = letters(20, signal)
		in := b.gateway.sessions[s.ID]
		l := b.listen(s.OpenAI+route.path, route.body)
		l.hear("Hello, wörld")
		in.mu.Lock()
		if len(in.tree.Nodes) != 0 {
			t.Errorf("%s: the reply is kept before its end", route.path)
		}
		in.mu.Unlock()
		close(signal)
		l.rest()
		if l.text != says || !strings.Contains(l.all, route.end) {
			t.Errorf("%s: the text is %q:\n%s", route.path, l.text, l.all)
		}
		if len(in.tree.Nodes) != 1 || in.tree.Nodes[0].Lost {
			t.Errorf("%s: %d calls", route.path, len(in.tree.Nodes))
		}
	}
}

// The start of a tool call is not shown as text.
func TestToolCallsAreNotShown(t *testing.T) {
	b, s := teller(t, "I add.\n<tool_call>\n{\"name\": \"add\", \"arguments\": {\"a\": 1}}\n</tool_call>")
	b.policy.tells = letters(-1, nil)
	l := b.listen(s.OpenAI+"/chat/completions", `{"stream": true, "tools": `+tools+`, "messages": [{"role": "user", "content": "?"}]}`)
	l.rest()
	if l.text != "I add." || !strings.Contains(l.all, `"name":"add"`) {
		t.Errorf("the text is %q:\n%s", l.text, l.all)
	}
}

// A policy that fails after a part of its reply was shown, or goes on otherwise, ends the stream
// with an error: nothing is kept, and the session has no reward.
func TestFailuresAfterText(t *testing.T) {
	for _, anew := range []bool{false, true} {
		for _, route := range liveRoutes {
			b, s := teller(t, "Hello, world.")
			signal := make(chan struct{})
			b.policy.tells = letters(8, signal)
			if anew {
				b.policy.breaks = func(s *quintain.Sample) { s.Text, s.Whole = "Help!", "Help!" }
			} else {
				b.policy.fails = []error{errors.New("the engine is gone")}
			}
			l := b.listen(s.OpenAI+route.path, route.body)
			l.hear("Hello")
			close(signal)
			l.rest()
			if strings.Contains(l.all, route.end) || !strings.Contains(l.all, `"error":{`) || strings.Contains(l.text, "Help") {
				t.Errorf("%s: %s", route.path, l.all)
			}
			if in := b.gateway.sessions[s.ID]; len(in.tree.Nodes) != 0 || len(in.failures) != 1 {
				t.Errorf("%s: %d calls, failures %v", route.path, len(in.tree.Nodes), in.failures)
			}
			b.want(200, "POST", "/v1/sessions/"+s.ID+"/end", `{}`)
			b.do("POST", "/v1/sessions/"+s.ID+"/reward", `{"reward": 1}`)
			if got := b.result().Trajectories[0]; got.Outcome != quintain.InfraFailed || got.Outcome.Rewarded() || got.Reward() != 0 || len(got.Turns) > 0 {
				t.Errorf("%s: the outcome is %s with %d turns", route.path, got.Outcome, len(got.Turns))
			}
		}
	}
}

// A client that goes in the middle of a stream, and asks again, gets the text from its
// beginning, of the same call.
func TestLiveTextIsToldAgain(t *testing.T) {
	const says = "Hello, world."
	for _, route := range liveRoutes {
		b, s := teller(t, says)
		signal := make(chan struct{})
		b.policy.tells = letters(8, signal)
		first := b.listen(s.OpenAI+route.path, route.body)
		first.hear("Hello")
		first.leave()
		second := b.listen(s.OpenAI+route.path, route.body, "X-Stainless-Retry-Count", "1")
		second.hear("Hello")
		close(signal)
		second.rest()
		late := b.listen(s.OpenAI+route.path, route.body, "X-Stainless-Retry-Count", "2")
		late.rest()
		if second.text != says || late.text != says || !strings.Contains(late.all, route.end) {
			t.Errorf("%s: the texts are %q and %q", route.path, second.text, late.text)
		}
		if in := b.gateway.sessions[s.ID]; len(in.tree.Nodes) != 1 || in.tree.Nodes[0].Lost || len(b.policy.asked) != 1 {
			t.Errorf("%s: %d calls", route.path, len(in.tree.Nodes))
		}
	}
}
