package exact_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/policy/exact"
)

// The tools and variables of a request go before those of the settings, at every turn.
func TestToolsAndVariablesOfARequest(t *testing.T) {
	t.Parallel()
	const template = `{{ mood }}{{ messages | length if mood == 'odd' }}` + chatML
	for _, test := range []struct {
		why   string
		tools string
		vars  map[string]any
		begin string // of the first prompt
		drift exact.Drift
	}{
		{"those of the settings", "", nil, "calm<|im_start|>tools\n[{\"name\": \"add\"}]<|im_end|>\n", exact.Clean},
		{"those of the request, in its order", `[ {"type":"function", "name":"mul"} ]`, map[string]any{"mood": "glad"}, "glad<|im_start|>tools\n[{\"type\": \"function\", \"name\": \"mul\"}]<|im_end|>\n", exact.Clean},
		{"its tools before its variables", `[{"name":"mul"}]`, map[string]any{"tools": []int{1}, "messages": 1, "add_generation_prompt": false}, "calm<|im_start|>tools\n[{\"name\": \"mul\"}]<|im_end|>\n", exact.Clean},
		{"variables that move", "", map[string]any{"mood": "odd"}, "odd1<|im_start|>tools\n", exact.Forked},
		{"no tools", "[]", nil, "calm<|im_start|>user\n", exact.Clean},
	} {
		c := chat(t, template)
		if err := errors.Join(c.Vars.Set("tools", []any{map[string]string{"name": "add"}}), c.Vars.Set("mood", "calm")); err != nil {
			t.Fatal(err)
		}
		a := newTalk(t, c)
		a.request.Tools, a.request.Vars = json.RawMessage(test.tools), test.vars
		if got := decode(c, a.ask(user("Hm?")).Tokens); !strings.HasPrefix(got, test.begin) {
			t.Errorf("%s: %q, want %q at its start", test.why, got, test.begin)
		}
		text, err := c.Prompt(a.request)
		if err != nil || !strings.HasPrefix(text, test.begin) {
			t.Errorf("%s: the text %q, error %v", test.why, text, err)
		}
		a.reply(encode(t, c, "in<|im_end|>"))
		if read := a.ask(user("And?")); read.Drift != test.drift {
			t.Errorf("%s: %+v", test.why, read)
		}
	}
	if text, err := exact.Paragraphs(quintain.Request{Messages: []quintain.Message{user("Hm?")}, Tools: json.RawMessage(`[{"name":"mul"}]`)}); err != nil || !strings.Contains(text, `"mul"`) {
		t.Errorf("tools without a template: %q, error %v", text, err)
	}
}

func TestWholeReplies(t *testing.T) {
	t.Parallel()
	c := chat(t, chatML)
	for _, test := range []struct {
		reply  string
		closed bool
		want   string
	}{
		{"in<|other|>an<|im_end|>", true, "in<|other|>an"},
		{"in<|other|>", false, "in<|other|>"},
		{"in", true, "in"},
		{"<|im_end|>", true, ""},
		{"", true, ""},
	} {
		if got := c.Whole(encode(t, c, test.reply), test.closed); got != test.want {
			t.Errorf("%q, closed %v: %q, want %q", test.reply, test.closed, got, test.want)
		}
	}
}
