package screen_test

import (
	"strings"
	"testing"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/cmd/quintain/screen"
	"github.com/quintain-rl/quintain/trace"
)

// Text of a model or its server reaches the terminal as text, not as commands.
func TestTraceShowsHostileText(t *testing.T) {
	const hostile = "a\x1b]0;title\a\x1b[2J\u202eb\r\n\u4f60\t."
	turn := quintain.Turn{Reply: hostile, Why: hostile, Observed: []quintain.Message{{Role: hostile, Content: hostile}}}
	var out strings.Builder
	screen.Record(&out, &trace.Record{Episodes: []quintain.Trajectory{{Outcome: quintain.Scored, Turns: []quintain.Turn{turn}, Error: hostile}}})
	if n := strings.Count(out.String(), "a]0;title[2Jb\n\u4f60\t."); n != 5 {
		t.Errorf("%d of 5 texts are harmless in %q", n, out.String())
	}
}

func TestATraceShowsCallsOfTools(t *testing.T) {
	t.Parallel()
	episode := quintain.Trajectory{Tools: []byte(`[{"type":"function","function":{"name":"add"}}]`), Turns: []quintain.Turn{
		{Reply: "I add.", Reasoning: "Hm.", ToolCalls: []quintain.ToolCall{{Name: "add", Arguments: "{\"a\": 1}\x1b"}}},
		{Observed: []quintain.Message{{Role: quintain.RoleTool, Content: "5"}}, Reply: "<call>{", CallFault: "call 1: the JSON ends early"},
	}}
	var out strings.Builder
	screen.Record(&out, &trace.Record{Episodes: []quintain.Trajectory{episode}})
	for _, want := range []string{"\ntools: add\n", "--- the policy thinks ---\nHm.\n--- the policy ---\nI add.\ncalls add with {\"a\": 1}\n", "--- tool ---\n5\n", "<call>{\nits calls cannot be read: call 1: the JSON ends early\n"} {
		if !strings.Contains(out.String(), want) || strings.Contains(out.String(), "\x1b") {
			t.Errorf("there is no %q in %q", want, out.String())
		}
	}
}

func TestACallSaysWhereItStands(t *testing.T) {
	t.Parallel()
	tree := quintain.Trajectory{Turns: []quintain.Turn{
		{Call: &quintain.Call{Parent: -1, Class: "root"}, Reply: "one"},
		{Call: &quintain.Call{Parent: 0, Class: "branches", Branch: "sub\x1bagent", Unused: "cut"}, Reply: "two"},
	}}
	var out strings.Builder
	screen.Record(&out, &trace.Record{Episodes: []quintain.Trajectory{tree}})
	for _, want := range []string{"--- call 1, root ---\n--- the policy ---\none\n", "--- call 2, continues call 1, branches, branch sub", ", not used: cut ---\n"} {
		if !strings.Contains(out.String(), want) || strings.Contains(out.String(), "\x1b") {
			t.Errorf("there is no %q in %q", want, out.String())
		}
	}
}

// Where the value of a position is known, a trace tells what each turn gave away.
func TestATraceTellsWhatEachTurnGaveAway(t *testing.T) {
	t.Parallel()
	values := []float64{1, 1, 0.75, 0.7}
	episode := quintain.Trajectory{Outcome: quintain.Scored}
	for k := range values {
		episode.Turns = append(episode.Turns, quintain.Turn{Reply: "<move>b2</move>", Value: &values[k], Illegal: k == 1})
	}
	var out strings.Builder
	screen.Record(&out, &trace.Record{Episodes: []quintain.Trajectory{episode, {Turns: []quintain.Turn{{Reply: "4"}}}}})
	for _, want := range []string{
		"reward 0\nvalue 1, regret 0\n", "value 1, regret 0, illegal\n", "value 0.75, regret 0.25, a blunder\n", "value 0.7, regret 0.05\n",
		"regret 0.3 in 4 turns, 1 of them illegal; the first blunder is turn 3, which gives away 0.25\n",
	} {
		if !strings.Contains(out.String(), want) || strings.Count(out.String(), "regret") != 5 {
			t.Errorf("there is no %q in %q", want, out.String())
		}
	}
}

// An episode without a score shows no reward.
func TestWhatHasNoScoreShowsNone(t *testing.T) {
	for _, test := range []struct {
		outcome quintain.Outcome
		shows   bool
	}{{quintain.Scored, true}, {quintain.EnvFailed, false}} {
		var out strings.Builder
		_ = screen.Episode(&out, nil, &quintain.Trajectory{Outcome: test.outcome, Turns: []quintain.Turn{{Reply: "5"}}})
		if got := strings.Contains(out.String(), "reward"); got != test.shows {
			t.Errorf("%s: %s", test.outcome, out.String())
		}
	}
}
