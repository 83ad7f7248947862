package lines_test

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/trace"
	"github.com/quintain-rl/quintain/watch/lines"
)

// read reads a text as a file.
func read(t testing.TB, text string) (records []*trace.Record, err error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "results.jsonl")
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	err = lines.Read(path, func(r *trace.Record) error { records = append(records, r); return nil })
	return records, err
}

// An episode is what the tests look at.
type episode struct {
	Asked, Replies, Outcome string
	Tokens                  int
	Score                   float64
}

// episodes lists those of a group.
func episodes(r *trace.Record) (all []episode) {
	for i, t := range r.Episodes {
		e := episode{Outcome: string(t.Outcome), Score: r.Scores[i], Tokens: t.Sampled()}
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
		want      [][]episode
	}{
		{"rollouts of Atropos", `{"item_id":"chain_sum","rollouts":[{"conversation":[{"role":"user","content":"1+1"},{"role":"assistant","content":"2"},{"role":"user","content":"sure?"},{"role":"assistant","content":"yes"}],"score":1.0},{"conversation":[],"score":0}]}` + "\n",
			[]string{"chain_sum"}, [][]episode{{{"user:1+1;user:sure?;", "2;yes;", "scored", 0, 1}, {"", "", "scored", 0, 0}}}},
		{"a group of Atropos with tokens", `{"tokens":[[1,2,3,4,5]],"masks":[[-100,2,-100,4,5]],"scores":[0.5],"inference_logprobs":[[1,-1,1,-2,-3]],"messages":[[{"role":"user","content":"a"},{"role":"assistant","content":"b"}]]}`,
			[]string{"results"}, [][]episode{{{"user:a;", "b;;", "scored", 3, 0.5}}}},
		{"results of verifiers, two of one example", `{"example_id":0,"task":"math","prompt":[{"role":"user","content":"a"}],"completion":[{"role":"assistant","content":"b"}],"reward":1}
{"example_id":1,"prompt":"c","completion":"d","reward":0}

{"example_id":0,"task":"math","prompt":[{"role":"user","content":"a"}],"completion":[{"role":"assistant","content":"e"}],"reward":0,"error":"it broke"}`,
			[]string{"math", "results"}, [][]episode{{{"user:a;", "b;", "scored", 0, 1}, {"user:a;", "e;", "env_failed", 0, 0}}, {{"user:c;", "d;", "scored", 0, 0}}}},
		{"trajectories of AReaL, two of one task", `{"task_id":7,"sample_idx":0,"seqlen":9,"prompt_len":5,"head_version":-1,"tail_version":3,"reward":1.0,"prompt":"<|im_start|>user\na","completion":"b"}
{"task_id":7,"sample_idx":1,"seqlen":9,"prompt_len":5,"head_version":-1,"tail_version":3,"reward":0.0,"prompt":"<|im_start|>user\na","completion":"c"}`,
			[]string{"results"}, [][]episode{{{"user:<|im_start|>user\na;", "b;", "scored", 0, 1}, {"user:<|im_start|>user\na;", "c;", "scored", 0, 0}}}},
		{"an empty file", "\n\n", nil, nil},
	} {
		records, err := read(t, c.text)
		if err != nil {
			t.Errorf("%s: %v", c.why, err)
			continue
		}
		var tasks []string
		var got [][]episode
		for _, r := range records {
			tasks, got = append(tasks, r.Problem.Task), append(got, episodes(r))
		}
		if !reflect.DeepEqual(tasks, c.tasks) || !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %q %+v, want %q %+v", c.why, tasks, got, c.tasks, c.want)
		}
	}
}

func TestFilesThatCannotBeRead(t *testing.T) {
	for _, c := range []struct{ why, text, want string }{
		{"no JSON", "{}\nhello", "line 1: it is neither"},
		{"a line that is cut", `{"item_id":"a","rollouts":[]}` + "\n" + `{"item_id":`, "line 2:"},
		{"another form", `{"question":"a"}`, "line 1: it is neither a scored group, nor rollouts, nor a result of verifiers or AReaL"},
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
	if err := lines.Read(path, func(*trace.Record) error { return stop }); !errors.Is(err, stop) {
		t.Errorf("%v, want %v", err, stop)
	}
}

// FuzzRead checks that what is read can be kept in a trace.
func FuzzRead(f *testing.F) {
	for _, seed := range []string{
		`{"item_id":"a","rollouts":[{"conversation":[{"role":"assistant","content":"x"}],"score":1}]}`,
		`{"tokens":[[1,2]],"masks":[[-100,2]],"scores":[1],"advantages":[[1]]}`,
		`{"example_id":0,"prompt":"a","completion":"b","reward":1,"answer":"4"}`,
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
			_ = w.Write(r) // it may refuse one
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	})
}
