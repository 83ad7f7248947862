package scenario_test

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/scenario"
)

var errBroken = errors.New("the table fell over")

// kit has a tool with parameters of all types, and two others.
func kit() scenario.Kit {
	return scenario.Kit{
		scenario.Of("book", "Book a <room>.", []scenario.Param{
			{Name: "room", Type: scenario.Text(), Doc: "its name"}, {Name: "hours", Type: scenario.Int()}, {Name: "share", Type: scenario.Number(), Optional: true},
			{Name: "quiet", Type: scenario.Bool(), Optional: true}, {Name: "day", Type: scenario.OneOf("mon", "tue"), Optional: true},
			{Name: "with", Type: scenario.List(scenario.Object(scenario.Param{Name: "who", Type: scenario.Text()})), Optional: true},
		}, func(_ context.Context, in struct {
			Room  string
			Hours int8
			Share float64
			Quiet bool
			Day   string
			With  []struct{ Who string }
		},
		) (string, error) {
			if in.Room == "attic" {
				return "", scenario.Refusef("argument room: the attic is closed")
			}
			return fmt.Sprint(in), nil
		}),
		scenario.Of("now", "Tell the time.", nil, func(context.Context, struct{}) (string, error) { return "noon", nil }),
		scenario.Of("break", "", nil, func(context.Context, struct{}) (string, error) { return "", errBroken }),
	}
}

func TestToolsAreOfferedWithTheirSchemas(t *testing.T) {
	t.Parallel()
	got, err := quintain.ToolsJSON(kit().Offer()[:2])
	want := `[{"type":"function","function":{"name":"book","description":"Book a <room>.","parameters":{"type":"object","properties":{` +
		`"room":{"type":"string","description":"its name"},"hours":{"type":"integer"},"share":{"type":"number"},"quiet":{"type":"boolean"},"day":{"type":"string","enum":["mon","tue"]},` +
		`"with":{"type":"array","items":{"type":"object","properties":{"who":{"type":"string"}},"required":["who"]}}},"required":["room","hours"]}}},` +
		`{"type":"function","function":{"name":"now","description":"Tell the time.","parameters":{"type":"object","properties":{}}}}]`
	if err != nil || string(got) != want {
		t.Errorf("%s, %v\nwant %s", got, err, want)
	}
}

// Each wrong argument is named in the text that answers the call.
func TestCallsAreAnswered(t *testing.T) {
	t.Parallel()
	deep := strings.Repeat(`[`, 100_000)
	for _, test := range []struct{ tool, args, want string }{
		{"book", `{"room": "hall", "hours": 2, "share": 0.5, "quiet": true, "day": "tue", "with": [{"who": "é"}]}`, "{hall 2 0.5 true tue [{é}]}"},
		{"book", `{"room": "hall", "hours": 2.0, "day": null}`, "{hall 2 0 false  []}"},
		{"book", `{"hours": 2}`, "Error: argument room: is missing"},
		{"book", `{"room": null, "hours": 2}`, "Error: argument room: is null, want a text"},
		{"book", `{"room": 7, "hours": 2}`, "Error: argument room: is 7, want a text"},
		{"book", `{"room": "hall", "hours": "2"}`, `Error: argument hours: is "2", want a whole number`},
		{"book", `{"room": "hall", "hours": 2.5}`, "Error: argument hours: is 2.5, want a whole number"},
		{"book", `{"room": "hall", "hours": 1e999}`, "Error: argument hours: is 1e999, want a whole number"},
		{"book", `{"room": "hall", "hours": 300}`, "Error: the arguments of book: "},
		{"book", `{"room": "hall", "hours": 2, "quiet": "yes"}`, `Error: argument quiet: is "yes", want true or false`},
		{"book", `{"room": "hall", "hours": 2, "share": "a"}`, `Error: argument share: is "a", want a number`},
		{"book", `{"room": "hall", "hours": 2, "day": "sun"}`, `Error: argument day: is "sun", want one of mon, tue`},
		{"book", `{"room": "hall", "hours": 2, "with": {}}`, "Error: argument with: is {}, want a list"},
		{"book", `{"room": "hall", "hours": 2, "with": [{"who": "é"}, {"who": 1}]}`, "Error: argument with[1].who: is 1, want a text"},
		{"book", `{"room": "hall", "hours": 2, "with": [{}]}`, "Error: argument with[0].who: is missing"},
		{"book", `{"room": "hall", "hours": 2, "rooms": 1}`, `Error: argument rooms: is unknown; did you mean "room"?; there are: room, hours, share, quiet, day, with`},
		{"book", `{"room": "attic", "hours": 2}`, "Error: argument room: the attic is closed"},
		{"book", `[1]`, "Error: the arguments are no JSON object"},
		{"book", `{"room": `, "Error: the arguments are no JSON object"},
		{"book", `{"room": "hall", "hours": ` + deep, "Error: the arguments are no JSON object"},
		{"book", `{"room": "hall", "hours": 2, "` + strings.Repeat("x", 1_000_000) + `": 1}`, "Error: argument xxxxxxxx"},
		{"now", ``, "noon"},
		{"now", `{}`, "noon"},
		{"now", `{"a": 1}`, "Error: argument a: is unknown; there are: none"},
		{"bok", `{}`, `Error: there is no tool "bok"`},
		{strings.Repeat("\xff", 1_000_000), `{}`, "Error: there is no tool"},
	} {
		m, err := kit().Answer(t.Context(), quintain.ToolCall{ID: "c1", Name: test.tool, Arguments: test.args})
		if err != nil || m.Role != quintain.RoleTool || m.ToolCallID != "c1" || !strings.HasPrefix(m.Content, test.want) || len(m.Content) > 500 {
			t.Errorf("%.20s %.60s: %.300q, %v, want %q", test.tool, test.args, m.Content, err, test.want)
		}
	}
	if _, err := kit().Answer(t.Context(), quintain.ToolCall{Name: "break"}); !errors.Is(err, errBroken) {
		t.Errorf("a tool that fails: %v", err)
	}
}

func TestADeskHasALimitOfCalls(t *testing.T) {
	t.Parallel()
	d := &scenario.Desk{Kit: kit(), Most: 3}
	call := func(ids ...int) (r quintain.Reply) {
		for _, id := range ids {
			r.ToolCalls = append(r.ToolCalls, quintain.ToolCall{ID: strconv.Itoa(id), Name: "now"})
		}
		return r
	}
	for i, test := range []struct {
		reply  quintain.Reply
		want   string
		closed bool
	}{
		{quintain.Reply{Text: "42"}, "", false},
		{call(1), "tool 1 noon", false},
		{quintain.Reply{CallFault: "call 1: it has no name"}, "user  Error: your call cannot be read: call 1: it has no name", false},
		{call(2, 3), "tool 2 noon|tool 3 Error: no call is left, of 3. Give your answer.", false},
		{quintain.Reply{Text: "42"}, "", false},
		{call(4), "tool 4 Error: no call is left, of 3. Give your answer.", true},
		{quintain.Reply{CallFault: "call 1"}, "user  Error: no call is left, of 3. Give your answer.", true},
	} {
		if closed := d.Closed(test.reply); closed != test.closed {
			t.Errorf("reply %d: closed %v", i, closed)
		}
		all, err := d.Step(t.Context(), test.reply)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, m := range all {
			got = append(got, m.Role+" "+m.ToolCallID+" "+m.Content)
		}
		if strings.Join(got, "|") != test.want {
			t.Errorf("reply %d: %q, want %q", i, got, test.want)
		}
	}
	if d.Made() != 3 {
		t.Errorf("%d calls", d.Made())
	}
	if _, err := (&scenario.Desk{Kit: kit()}).Step(t.Context(), quintain.Reply{ToolCalls: []quintain.ToolCall{{Name: "break"}}}); !errors.Is(err, errBroken) {
		t.Errorf("a tool that fails: %v", err)
	}
}
