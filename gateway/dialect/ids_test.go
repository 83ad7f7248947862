package dialect_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/gateway/dialect"
)

func TestAnAnchorNamesItsCall(t *testing.T) {
	for _, test := range []struct {
		why, id, call string
		i             int
	}{
		{"a tool call", "call_a1Z_0", "a1Z", 0},
		{"what CallID makes", dialect.CallID("x", 12), "x", 12},
		{"what ResponseID makes", dialect.ResponseID("x"), "x", -1},
		{"the item of a tool call", "fc_a1_12", "a1", 12},
		{"the item of a text", "msg_a1", "a1", -1},
		{"the item of reasoning, or a signature", "rs_a1", "a1", -1},
		{"a reply of Responses", "resp_a1", "a1", -1},
		{"a reply of chat completions", "chatcmpl-a1", "a1", -1},
		{"a reply of completions", "cmpl-a1", "a1", -1},
		{"OpenAI's own id of a call", "call_abcDEF123", "", 0},
		{"no number", "call_a_", "", 0},
		{"a number with a zero before it", "call_a_01", "", 0},
		{"a negative number", "call_a_-1", "", 0},
		{"a number beyond all", "call_a_99999999999999999999", "", 0},
		{"a part too many", "call_a_1_2", "", 0},
		{"a number where none is", "msg_a_1", "", 0},
		{"no call", "msg_", "", 0},
		{"other letters", "msg_é", "", 0},
		{"a sign", "rs_a-b", "", 0},
		{"Anthropic's id of a call", "toolu_01A", "", 0},
		{"a signature of Anthropic", "EqQBCgIYAhIM1gbcDa9GJwZA2b3h", "", 0},
		{"nothing", "", "", 0},
		{"a long text", "msg_" + strings.Repeat("a", 200), "", 0},
	} {
		call, i, ok := dialect.Anchor(test.id)
		if ok != (test.call != "") || ok && (call != test.call || i != test.i) {
			t.Errorf("%s: %q names %q, %d, %v; want %q, %d", test.why, test.id, call, i, ok, test.call, test.i)
		}
	}
}

func TestAnIdIsFoundWithinAText(t *testing.T) {
	for _, test := range []struct{ why, text, want string }{
		{"a history of smolagents", `Calling tools:\n[{'id': 'call_a1_0', 'type': 'function'}]`, "call_a1_0"},
		{"the first of two", "call_a_1 call_b_0", "call_a_1"},
		{"one after something alike", "call_x, recall_a_0", "call_a_0"},
		{"none", "call_ me call_x", ""},
		{"an endless row", strings.Repeat("call_", 1<<18), ""},
	} {
		if got := dialect.FindCall(test.text); got != test.want {
			t.Errorf("%s: %q, want %q", test.why, got, test.want)
		}
	}
}

func TestShortIDsSuitAllTemplates(t *testing.T) {
	t.Parallel()
	form := regexp.MustCompile(`^[a-zA-Z0-9]{9}$`)
	for _, test := range []struct {
		id   string
		same bool
	}{
		{"VvvODy9mT", true}, {dialect.CallID("abc", 0), false}, {"", false}, {"call_1abc", false}, {"functions.add:0", false}, {"ééééé", false},
	} {
		if short := dialect.ShortID(test.id); !form.MatchString(short) || (short == test.id) != test.same {
			t.Errorf("%q becomes %q", test.id, short)
		}
	}
	if dialect.ShortID(dialect.CallID("abc", 0)) == dialect.ShortID(dialect.CallID("abc", 1)) {
		t.Error("two calls have one ID")
	}
}
