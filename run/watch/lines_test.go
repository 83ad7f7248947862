package watch

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/trace"
)

// recordsOf reads a text as a file.
func read(t testing.TB, text string) (records []*trace.Record, err error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "results.jsonl")
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	err = readLines(path, func(r *trace.Record) error { records = append(records, r); return nil })
	return records, err
}

// A seenEpisode is the tested part of an episode.
type seenEpisode struct {
	Asked, Replies, Outcome string
	Tokens                  int
	Score                   float64
}

// episodes lists the episodes of a group.
func episodes(r *trace.Record) (all []seenEpisode) {
	for i, t := range r.Episodes {
		e := seenEpisode{Outcome: string(t.Outcome), Score: r.Scores[i], Tokens: t.Sampled()}
		for _, turn := range t.Turns {
			for _, m := range turn.Observed {
				e.Asked += m.Role + ":" + m.Text() + ";"
			}
			e.Replies += turn.Reply + ";"
		}
		all = append(all, e)
	}
	return all
}

func TestRead(t *testing.T) {
	for _, c := range []struct {
		why, text string
		tasks     []string
		want      [][]seenEpisode
	}{
		{"rollouts of Atropos", `{"item_id":"chain_sum","rollouts":[{"conversation":[{"role":"user","content":"1+1"},{"role":"assistant","content":"2"},{"role":"user","content":"sure?"},{"role":"assistant","content":"yes"}],"score":1.0},{"conversation":[],"score":0}]}` + "\n",
			[]string{"chain_sum"}, [][]seenEpisode{{{"user:1+1;user:sure?;", "2;yes;", "scored", 0, 1}, {"", "", "scored", 0, 0}}}},
		{"a group of Atropos with tokens", `{"tokens":[[1,2,3,4,5]],"masks":[[-100,2,-100,4,5]],"scores":[0.5],"inference_logprobs":[[1,-1,1,-2,-3]],"messages":[[{"role":"user","content":"a"},{"role":"assistant","content":"b"}]]}`,
			[]string{"results"}, [][]seenEpisode{{{"user:a;", "b;;", "scored", 3, 0.5}}}},
		{"results of verifiers, two of one example", `{"example_id":0,"task":"math","prompt":[{"role":"user","content":"a"}],"completion":[{"role":"assistant","content":"b"}],"reward":1}
{"example_id":1,"prompt":"c","completion":"d","reward":0}

{"example_id":0,"task":"math","prompt":[{"role":"user","content":"a"}],"completion":[{"role":"assistant","content":"e"}],"reward":0,"error":"it broke"}`,
			[]string{"math", "results"}, [][]seenEpisode{{{"user:a;", "b;", "scored", 0, 1}, {"user:a;", "e;", "env_failed", 0, 0}}, {{"user:c;", "d;", "scored", 0, 0}}}},
		{"trajectories of AReaL, two of one task", `{"task_id":7,"sample_idx":0,"seqlen":9,"prompt_len":5,"head_version":-1,"tail_version":3,"reward":1.0,"prompt":"<|im_start|>user\na","completion":"b"}
{"task_id":7,"sample_idx":1,"seqlen":9,"prompt_len":5,"head_version":-1,"tail_version":3,"reward":0.0,"prompt":"<|im_start|>user\na","completion":"c"}`,
			[]string{"results"}, [][]seenEpisode{{{"user:<|im_start|>user\na;", "b;", "scored", 0, 1}, {"user:<|im_start|>user\na;", "c;", "scored", 0, 0}}}},
		{"traces of verifiers, two of one task", `{"id":"a","env":{"id":"gsm8k"},"task":{"type":"T","data":{"prompt":"1+1","answer":2},"hash":"h"},"ok":true,"errors":[],"run":{"type":"train","id":"r","work":{"type":"train","step":4,"policy":{"start":3,"end":3}}},"traces":[{"version":1,"nodes":[{"message":{"role":"user","content":"1+1"},"sampled":false,"token_ids":[1,2],"mask":[false,false]},{"parent":0,"message":{"role":"assistant","content":"2","tool_calls":[{"id":"c","type":"function","name":"f","arguments":"{}"}]},"sampled":true,"token_ids":[3,4,5],"mask":[false,true,true],"logprobs":[-0.5,-1]},{"parent":1,"message":{"role":"tool","tool_call_id":"c","content":[{"type":"text","text":"sure?"}]},"sampled":false,"token_ids":[6],"mask":[false]},{"parent":2,"message":{"role":"assistant","content":"yes"},"sampled":true,"token_ids":[7],"mask":[true],"logprobs":[-2]},{"parent":0,"message":{"role":"assistant","content":"no"},"sampled":true,"token_ids":[8],"mask":[true],"logprobs":[-3]}],"calls":[{"node":3,"finish_reason":"length"}],"rewards":{"a":{"score":1,"weight":0.5},"b":{"score":0.25},"c":null},"ok":true}]}
{"id":"b","env":{"id":"gsm8k"},"task":{"type":"T","data":{"prompt":"1+1","answer":2},"hash":"h"},"ok":false,"errors":[{"type":"ProviderError","message":"503"}],"traces":[{"nodes":[],"rewards":{},"ok":false}]}
{"id":"c","env":{"id":"gsm8k"},"task":{"type":"T","data":{},"hash":"i"},"ok":false,"errors":[{"type":"EnvError","message":"late"}],"traces":[]}`,
			[]string{"gsm8k", "gsm8k"}, [][]seenEpisode{{{"user:1+1;tool:sure?;user:1+1;", "2;yes;no;", "scored", 4, 0.75}, {"", "", "infra_failed", 0, 0}}, {{"", "", "env_failed", 0, 0}}}},
		{"an empty file", "\n\n", nil, nil},
	} {
		records, err := read(t, c.text)
		if err != nil {
			t.Errorf("%s: %v", c.why, err)
			continue
		}
		var tasks []string
		var got [][]seenEpisode
		for _, r := range records {
			tasks, got = append(tasks, r.Problem.Task), append(got, episodes(r))
		}
		if !reflect.DeepEqual(tasks, c.tasks) || !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %q %+v, want %q %+v", c.why, tasks, got, c.tasks, c.want)
		}
	}
}

// branches is a trace with n messages after a common path of n, each beginning anew.
func branches(n int) string {
	var b strings.Builder
	b.WriteString(`{"task":{},"traces":[{"nodes":[{"message":{"role":"user","content":"a"}}`)
	for i := range n {
		fmt.Fprintf(&b, `,{"parent":%d,"message":{"role":"user","content":"a"}}`, i)
	}
	for range n {
		fmt.Fprintf(&b, `,{"parent":%d,"sampled":true,"message":{"role":"assistant","content":"a"}}`, n)
	}
	b.WriteString("]}]}")
	return b.String()
}

// TestTracesOfVerifiersKeepTokens checks the tokens of a trace.
func TestTracesOfVerifiersKeepTokens(t *testing.T) {
	records, err := read(t, `{"env":{"id":"e"},"task":{"data":{"answer":2},"hash":"h"},"run":{"work":{"policy":{"start":3,"end":3}}},"traces":[{"nodes":[`+
		`{"message":{"role":"user","content":"a"},"token_ids":[1,2],"mask":[false,false]},`+
		`{"parent":0,"message":{"role":"assistant","content":"b"},"sampled":true,"token_ids":[3,4,5],"mask":[false,true,true],"logprobs":[-0.5,-1]},`+
		`{"parent":0,"message":{"role":"assistant","content":"c"},"sampled":true,"token_ids":[6],"mask":[true],"logprobs":[-2]}],`+
		`"calls":[{"node":1,"finish_reason":"length"},{"node":null},{"node":2,"finish_reason":"tool_calls"}]}]}`)
	if err != nil {
		t.Fatal(err)
	}
	told := []quintain.Message{{Role: quintain.RoleUser, Content: "a"}}
	want := []quintain.Turn{
		{Observed: told, Reply: "b", Read: []quintain.Token{1, 2, 3}, Wrote: []quintain.Token{4, 5}, LogProbs: []float32{-0.5, -1}, Versions: []int32{3, 3}, Finish: quintain.Length},
		{Observed: told, Reply: "c", Read: []quintain.Token{1, 2}, Wrote: []quintain.Token{6}, LogProbs: []float32{-2}, Versions: []int32{3}, Finish: quintain.Stop, Fork: true},
	}
	if got := records[0].Episodes[0].Turns; !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	if got := records[0].Problem.Instance.String(); got != `{"answer":2}` || records[0].Version != 3 {
		t.Errorf("the instance is %s, the version %d", got, records[0].Version)
	}
}

func TestFilesThatCannotBeRead(t *testing.T) {
	for _, c := range []struct{ why, text, want string }{
		{"no JSON", "{}\nhello", "line 1: it is neither"},
		{"a line that is cut", `{"item_id":"a","rollouts":[]}` + "\n" + `{"item_id":`, "line 2:"},
		{"another form", `{"question":"a"}`, "line 1: it is neither a scored group, nor rollouts, nor a result of verifiers or AReaL"},
		{"a text for a number", `{"completion":"a","reward":"high"}`, "results.jsonl: line 1: reward: is a text, want a number"},
		{"a text for a number within", "\n" + `{"task":{},"traces":[{"nodes":[{"token_ids":["a"]}]}]}`, "line 2: traces.nodes.token_ids: is a text, want a whole number"},
		{"a message before itself", `{"task":{},"traces":[{"nodes":[{"parent":0,"message":{"role":"user","content":"a"}}]}]}`, "line 1: traces[0].nodes[0].parent: is 0, want an earlier node"},
		{"a line that is too long", `{"rollouts":[]}` + "\n" + strings.Repeat(" ", 65<<20), "line 2: it has more than 67108864 bytes"},
		{"too many branches", branches(3_000), "nodes[3334].parent: the paths have more than 1000000 messages"},
		{"a group whose lengths do not fit", `{"tokens":[[1,2]],"masks":[[1]],"scores":[1,2]}`, "line 1:"},
	} {
		if _, err := read(t, c.text); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.why, err, c.want)
		}
	}
	stop := errors.New("stop")
	path := filepath.Join(t.TempDir(), "a.jsonl")
	if err := os.WriteFile(path, []byte(`{"rollouts":[{"score":1}]}`), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := readLines(path, func(*trace.Record) error { return stop }); !errors.Is(err, stop) {
		t.Errorf("%v, want %v", err, stop)
	}
}

// FuzzRead checks that a trace can store the read records.
func FuzzRead(f *testing.F) {
	for _, seed := range []string{
		`{"item_id":"a","rollouts":[{"conversation":[{"role":"assistant","content":"x"}],"score":1}]}`,
		`{"tokens":[[1,2]],"masks":[[-100,2]],"scores":[1],"advantages":[[1]]}`,
		`{"example_id":0,"prompt":"a","completion":"b","reward":1,"answer":"4"}`,
		`{"task":{"data":{},"hash":"h"},"run":{"work":{"policy":{"start":1,"end":2}}},"traces":[{"nodes":[{"message":{"role":"user","content":"a"},"token_ids":[1]},{"parent":0,"message":{"role":"assistant","content":"b"},"sampled":true,"token_ids":[2],"mask":[true],"logprobs":[-1]}],"calls":[{"node":1}],"rewards":{"a":{"score":1}},"ok":false}]}`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		records, err := read(t, text)
		if err != nil {
			return
		}
		w, err := trace.NewWriter(t.TempDir(), trace.Head{}, trace.Default())
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range records {
			_ = w.Write(r) // may refuse it
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	})
}
