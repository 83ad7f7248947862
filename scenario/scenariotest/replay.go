package scenariotest

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/task/rng"
)

// mostReplies of an episode are replayed.
const mostReplies = 12

// replayed checks that an episode is a function of its problem and the replies: another that
// is stepped with the first of them, for each number of them, gives the same bytes, and goes on
// to the same end.
func replayed(t *testing.T, s quintain.Scenario) {
	t.Helper()
	if !s.Info().Replayable {
		t.Errorf("%s does not say that it is replayable", s.Info().Name)
	}
	for level := range s.TaskInfo().Levels {
		p, err := s.Problem(quintain.Draw{Seed: 2, Level: level})
		if err != nil {
			t.Fatal(err)
		}
		solution, err := s.(quintain.Solver).Solve(p)
		if err != nil {
			t.Fatal(err)
		}
		r := rng.New(uint64(level), "replies")
		for range 4 {
			talk := make([]quintain.Reply, mostReplies)
			for i := range talk {
				talk[i] = anyReply(r, solution)
			}
			want := transcript(t, s, p, talk)
			talk = talk[:len(want)-1]
			for n := range talk {
				first := transcript(t, s, p, talk[:n]) // of a process that dies
				got := transcript(t, s, p, talk)
				if !slices.Equal(first, want[:n+1]) || !slices.Equal(got, want) {
					t.Fatalf("%s: the replies %+v get %v, then %v, and again %v", p.ID(), talk, want, first, got)
				}
			}
		}
	}
}

// anyReply draws a reply, seldom the right one.
func anyReply(r *rng.Rand, solution string) quintain.Reply {
	texts := []string{
		"", "42", "I do not know.", "<answer>42</answer>", "<think>a</think>\n<answer>b</answer>", `\boxed{7}`, "\x00\xff",
		"<answer>" + solution + "</answer>",
	}
	reply := quintain.Reply{Text: rng.Pick(r, texts), Finish: quintain.Stop}
	switch r.Between(0, 5) {
	case 0:
		reply.Finish = quintain.Length
	case 1:
		reply.ToolCalls = []quintain.ToolCall{{ID: "a", Name: "add", Arguments: `{"x": 1}`}}
	}
	return reply
}

// transcript plays replies until the episode ends, and returns what it said first and after
// each, as JSON.
func transcript(t *testing.T, s quintain.Scenario, p quintain.Problem, replies []quintain.Reply) (said []string) {
	t.Helper()
	e, err := s.Env(p)
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	note := func(v any, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		text, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		said = append(said, string(text))
	}
	note(e.Open(t.Context()))
	for _, reply := range replies {
		step, err := e.Step(t.Context(), reply)
		note(step, err)
		if step.End != quintain.Going {
			break
		}
	}
	return said
}
