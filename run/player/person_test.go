package player_test

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/run/player"
)

// A terminal is a scenario whose episodes offer bash, and echo its calls.
type terminal struct{ quintain.Scenario }

func (s terminal) Env(quintain.Problem) (quintain.Env, error) { return &terminalEnv{}, nil }

type terminalEnv struct{}

func (*terminalEnv) Open(context.Context) ([]quintain.Message, error) {
	return []quintain.Message{{Role: quintain.RoleUser, Content: "Do it."}}, nil
}

func (*terminalEnv) Tools() []quintain.Tool {
	return []quintain.Tool{{Name: "bash", Params: []byte(`{"type":"object"}`)}}
}

func (*terminalEnv) Step(_ context.Context, r quintain.Reply) (quintain.Step, error) {
	if len(r.ToolCalls) == 0 {
		return quintain.Step{End: quintain.Terminated, Reward: 1}, nil
	}
	return quintain.Step{Observe: []quintain.Message{{Role: quintain.RoleTool, ToolCallID: r.ToolCalls[0].ID, Content: "ran " + r.ToolCalls[0].Arguments}}}, nil
}

func (*terminalEnv) Close() error { return nil }

func TestAPersonTypesCommandsOfBash(t *testing.T) {
	t.Parallel()
	stream := spelling()
	stream.Scenario = terminal{stream.Scenario}
	for _, end := range []string{"", "exit\nnever read\n"} {
		var out bytes.Buffer
		person := player.Person{In: strings.NewReader("echo \"</call>\"\nfor i in 1; do\\\necho; done\n" + end), Out: &out, Show: func(m quintain.Message) { fmt.Fprintln(&out, m.Content) }}
		played, err := person.Play(t.Context(), stream, 0)
		if err != nil || played.Reward() != 1 || len(played.Turns) != 3 {
			t.Fatalf("%q: %d turns, error %v", end, len(played.Turns), err)
		}
		for _, want := range []string{"Each line is a call of bash", `ran {"command":"echo \"</call>\""}`, `ran {"command":"for i in 1; do\necho; done"}`} {
			if !strings.Contains(out.String(), want) {
				t.Errorf("%q: no %s in\n%s", end, want, out.String())
			}
		}
	}
}
