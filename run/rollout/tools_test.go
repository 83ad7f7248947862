package rollout

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain"
)

// A bench is an episode with tools, which answers calls until a reply has none.
type bench struct {
	echo
	tools []quintain.Tool
	then  []quintain.Tool // after the first reply; nil: the same
	got   []quintain.Reply
}

func (b *bench) Tools() []quintain.Tool { return b.tools }

func (b *bench) Step(_ context.Context, reply quintain.Reply) (quintain.Step, error) {
	b.got = append(b.got, reply)
	step := quintain.Step{Tools: b.then}
	for _, c := range reply.ToolCalls {
		step.Observe = append(step.Observe, quintain.Message{Role: quintain.RoleTool, ToolCallID: c.ID, Name: c.Name, Content: "7"})
	}
	if len(step.Observe) == 0 {
		step.End = quintain.Terminated
	}
	return step, nil
}

// addsFirst replies with a call first, and then says what it has read.
func addsFirst(asked *[]quintain.Request) sampler {
	return func(_ context.Context, r quintain.Request) ([]quintain.Sample, error) {
		*asked = append(*asked, r)
		if len(r.Context) > 0 {
			return says(r.Messages[len(r.Messages)-1].Content, r.N), nil
		}
		all := says("Hm.", r.N)
		for i := range all {
			all[i].ToolCalls = []quintain.ToolCall{{ID: fmt.Sprint("call0000", i), Name: "add", Arguments: `{}`}}
			all[i].CallFault = "of no matter"
		}
		return all, nil
	}
}

func TestToolsOfAnEpisode(t *testing.T) {
	t.Parallel()
	const tools = `[{"type":"function","function":{"name":"add","description":"Add.","parameters":{"type":"object","properties":{}}}}]`
	for _, test := range []struct {
		why   string
		tools func(n int) []quintain.Tool // of the nth episode
		error string
	}{
		{"they are in each request, and in the record", func(int) []quintain.Tool { return []quintain.Tool{{Name: "add", Doc: "Add."}} }, ""},
		{"they are the same in all episodes", func(n int) []quintain.Tool { return []quintain.Tool{{Name: "add", Doc: strings.Repeat("Add.", n)}} }, "different messages or tools"},
		{"their parameters are a schema", func(int) []quintain.Tool { return []quintain.Tool{{Name: "add", Params: []byte("7")}} }, `tool "add"`},
	} {
		var out sink
		var asked []quintain.Request
		var envs []*bench
		e := &Engine{Size: 2, Parallel: 1, Done: out.done, Policy: addsFirst(&asked), Next: jobs(made{numbered{name: "a"}, func() quintain.Env {
			envs = append(envs, &bench{tools: test.tools(len(envs) + 1)})
			return envs[len(envs)-1]
		}}, 1)}
		e.Policy = oneAtATime(e.Policy)
		if err := e.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		last := out.results[0].Trajectories[1]
		if test.error != "" {
			if last.Outcome != quintain.EnvFailed || !strings.Contains(last.Error, test.error) {
				t.Errorf("%s: %s, %s", test.why, last.Outcome, last.Error)
			}
			continue
		}
		if last.Outcome != quintain.Scored || string(last.Tools) != tools || len(last.Turns) != 2 || last.Turns[1].Reply != "7" || last.Turns[0].CallFault == "" {
			t.Errorf("%s: %+v", test.why, last)
		}
		for _, r := range asked {
			if string(r.Tools) != tools {
				t.Errorf("%s: a request with the tools %s", test.why, r.Tools)
			}
		}
		if got := envs[1].got[0]; len(got.ToolCalls) != 1 || got.CallFault == "" || last.Turns[1].Observed[0].ToolCallID != got.ToolCalls[0].ID {
			t.Errorf("%s: the environment got %+v, and the policy %+v", test.why, got, last.Turns[1].Observed)
		}
		if replayed := sampled(&last.Turns[0], last.Vocabulary); len(replayed.ToolCalls) != 1 || replayed.CallFault == "" {
			t.Errorf("%s: replayed it is %+v", test.why, replayed)
		}
	}
}

func TestToolsThatChange(t *testing.T) {
	t.Parallel()
	add, mul := quintain.Tool{Name: "add"}, quintain.Tool{Name: "mul"}
	for _, test := range []struct {
		why   string
		then  []quintain.Tool
		read  []quintain.Token // by the second reply
		tools string           // of the second turn
		fork  bool
		error string
	}{
		{"others begin the tokens anew", []quintain.Tool{mul}, []quintain.Token{9, 9, 9}, `[{"type":"function","function":{"name":"mul","description":"","parameters":{"type":"object","properties":{}}}}]`, true, ""},
		{"a prompt that begins with the tokens so far goes on with them", []quintain.Tool{add, mul}, []quintain.Token{1, 2, 'H', 'm', '.', 3}, `"mul"`, false, ""},
		{"none is left", []quintain.Tool{}, []quintain.Token{1}, `[]`, true, ""},
		{"the same change nothing", []quintain.Tool{add}, []quintain.Token{3}, "", false, ""},
		{"their parameters are a schema", []quintain.Tool{{Name: "mul", Params: []byte("7")}}, nil, "", false, `tool "mul"`},
	} {
		var out sink
		var asked []quintain.Request
		first := addsFirst(&asked)
		e := &Engine{Size: 1, Parallel: 1, Done: out.done, Next: jobs(made{numbered{name: "a"}, func() quintain.Env {
			return &bench{tools: []quintain.Tool{add}, then: test.then}
		}}, 1), Policy: sampler(func(ctx context.Context, r quintain.Request) ([]quintain.Sample, error) {
			if len(r.Messages) == 1 {
				return first(ctx, r)
			}
			asked = append(asked, r)
			all := says("7", 1)
			all[0].Read = test.read
			return all, nil
		})}
		if err := e.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		got := out.results[0].Trajectories[0]
		if test.error != "" {
			if got.Outcome != quintain.EnvFailed || !strings.Contains(got.Error, test.error) {
				t.Errorf("%s: %s, %s", test.why, got.Outcome, got.Error)
			}
			continue
		}
		turn, changed := got.Turns[1], test.tools != ""
		if turn.Fork != test.fork || !strings.Contains(string(turn.Tools), test.tools) || (turn.Tools != nil) != changed || len(turn.Observed) != 1 || turn.Read[len(turn.Read)-1] != test.read[len(test.read)-1] {
			t.Errorf("%s: %+v", test.why, turn)
		}
		if _, n := WholeEpisodes.Trained(&got); n != 1+map[bool]int{true: 1}[test.fork] {
			t.Errorf("%s: %d sequences", test.why, n)
		}
		if r := asked[1]; (len(r.Context) == 0 && r.Fresh == 0) != changed || len(test.then) > 0 != (r.Tools != nil) || changed && string(got.Offered([]int{0, 1})) != string(turn.Tools) {
			t.Errorf("%s: the request %+v", test.why, r)
		}
		if prompt := got.Prompt(1); changed && fmt.Sprint(prompt) != fmt.Sprint(test.read) {
			t.Errorf("%s: the prompt is %v", test.why, prompt)
		}
	}
}

// oneAtATime passes one request after another to a policy.
func oneAtATime(p quintain.Policy) sampler {
	turn := make(chan bool, 1)
	return func(ctx context.Context, r quintain.Request) ([]quintain.Sample, error) {
		turn <- true
		defer func() { <-turn }()
		return p.Sample(ctx, r)
	}
}
