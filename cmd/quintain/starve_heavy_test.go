//go:build heavy

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/policy/policytest"
	"github.com/quintain-rl/quintain/run"
)

// TestTrainersNeverStarve trains on episodes of several sequences, on the routes of Atropos
// and on the hub's own: every step gets a batch, and every group is trained on once.
func TestTrainersNeverStarve(t *testing.T) {
	fake, url := startFake(t, "--shape", "llamacpp", "--first-token", "0s", "--length", "uniform:4-15")
	defer func() {
		fake.interrupts <- os.Interrupt
		fake.wait(t)
	}()
	for _, test := range []struct {
		why, template string
		flags         []string // of the run
		register      string   // fields
		v1            bool
		unit          func(batch []taken) int
		least, most   int // sizes of a batch, in the unit
	}{
		{"the recipe of docs/areal.md, Atropos' route", policytest.Talk, []string{"--with", "rules.sequences=turn"}, ``, false, sequences, 64, 64},
		{"a template that rewrites, Atropos' route", policytest.Shouts, nil, ``, false, sequences, 64, 64},
		{"one that rewrites some replies, Atropos' route", policytest.Moody, nil, ``, false, sequences, 64, 64},
		{"at most so many sequences", policytest.Moody, nil, ``, true, sequences, 1, 64},
		{"at least and at most", policytest.Moody, nil, `"max_batch_size":104,`, true, sequences, 64, 104},
		{"episodes", policytest.Moody, nil, `"batch_unit":"episodes",`, true, episodes, 64, 64},
		{"a batch in which no group fits", policytest.Shouts, []string{"--group-size", "16"}, ``, false, sequences, 128, 128},
	} {
		t.Run(test.why, func(t *testing.T) {
			const steps = 12
			args := append([]string{
				"--policy", "server", "--url", url, "--scenario", "math_multi_turn:mode=legacy,num_turns=5", "--problems", sums(t, 400),
				"--tokenizer", policytest.ByteModel(t, test.template, 0), "--with", "rules.keep_equal=true", "--with", "rules.min_trainable=1", "--max-tokens", "16", "--max-lag", "3",
				"--group-size", "8", "--batch-size", "64",
			}, test.flags...)
			path := t.TempDir() + "/report.json"
			args = append(args, "--consumer", "hub", "--steps", fmt.Sprint(steps), "--report", path, "--data", t.TempDir())
			p := start(append(append([]string{"run"}, quick...), args...)...)
			await(t, p, "Ctrl-C stops")
			_, after, _ := strings.Cut(p.stderr.String(), "hub on ")
			base, _, _ := strings.Cut(after, ",")
			trainer := outside{t: t, url: base, v1: test.v1}
			trainer.register(test.register)
			seen := map[string]bool{}
			for step := 1; step <= steps; step++ {
				batch := trainer.next(step)
				if n := test.unit(batch); n < test.least || n > test.most {
					t.Errorf("step %d: a batch of %d, want %d to %d", step, n, test.least, test.most)
				}
				for _, g := range batch {
					if seen[g.ID] && g.ID != "" {
						t.Errorf("step %d: group %s came again", step, g.ID)
					}
					seen[g.ID] = true
				}
			}
			trainer.end()
			if !test.v1 {
				trainer.call(http.MethodGet, "/batch", "") // acknowledges the last
			}
			if status := p.wait(t); status != exitOK {
				t.Fatalf("status %d\n%s", status, p.stderr.String())
			}
			var report run.Report
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if err := json.Unmarshal(text, &report); err != nil {
				t.Fatal(err)
			}
			if report.Steps != steps || 4*report.GroupsDropped["stale"] > report.GroupsMade { // some are: later ones are done before them
				t.Errorf("%d steps, %d groups, dropped %v, want %d and few stale ones", report.Steps, report.GroupsMade, report.GroupsDropped, steps)
			}
		})
	}
}

// A taken group is one of a batch.
type taken struct {
	ID       string  `json:"id"` // none: padding
	Tokens   [][]int `json:"tokens"`
	Episodes []int   `json:"episodes"`
}

func sequences(batch []taken) (n int) {
	for _, g := range batch {
		n += len(g.Tokens)
	}
	return n
}

func episodes(batch []taken) (n int) {
	for _, g := range batch {
		if len(g.Episodes) == 0 {
			n += len(g.Tokens)
			continue
		}
		n += g.Episodes[len(g.Episodes)-1] + 1
	}
	return n
}

// An outside trainer takes batches of 64 on one of the routes.
type outside struct {
	t      *testing.T
	url    string
	v1     bool
	number string // of the last batch, on the hub's own route
}

// call returns the reply to a request, which must be 200 or 204, and the number of its batch.
func (o *outside) call(method, path, body string) (text []byte, number string) {
	o.t.Helper()
	r, err := http.NewRequestWithContext(o.t.Context(), method, o.url+path, bytes.NewReader([]byte(body)))
	if err != nil {
		o.t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json")
	reply, err := http.DefaultClient.Do(r)
	if err != nil {
		o.t.Fatal(err)
	}
	defer reply.Body.Close()
	if text, err = io.ReadAll(reply.Body); err != nil || reply.StatusCode/100 != 2 {
		o.t.Fatalf("%s %s: %s %s, error %v", method, path, reply.Status, text, err)
	}
	return text, reply.Header.Get("Quintain-Batch")
}

func (o *outside) register(fields string) {
	o.call(http.MethodPost, "/register", `{`+fields+`"wandb_group":"g","wandb_project":"p","batch_size":64,"max_token_len":64,`+
		`"checkpoint_dir":"c","save_checkpoint_interval":1,"starting_step":0,"num_steps":1000}`)
}

// next acknowledges the last batch, tells the version that it made, and returns the next.
func (o *outside) next(step int) []taken {
	o.end()
	o.call(http.MethodPost, "/v1/runs/default/version", fmt.Sprintf(`{"version":%d}`, step-1))
	method, path := http.MethodGet, "/batch?extra=1"
	if o.v1 {
		method, path = http.MethodPost, "/v1/runs/default/batches?wait=30"
	}
	for {
		text, number := o.call(method, path, "")
		if len(text) == 0 {
			o.t.Fatalf("step %d: no batch in 30 seconds", step)
		}
		var got struct {
			Batch []taken `json:"batch"`
		}
		if err := json.Unmarshal(text, &got); err != nil {
			o.t.Fatal(err)
		}
		if o.number = number; got.Batch != nil {
			return got.Batch
		}
	}
}

// end acknowledges the last batch.
func (o *outside) end() {
	if o.number != "" {
		o.call(http.MethodPost, "/v1/runs/default/batches/"+o.number+"/ack", "")
	}
}
