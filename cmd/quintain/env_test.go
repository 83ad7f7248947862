package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/run"
	"github.com/quintain-rl/quintain/run/exam"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/tasks/catalog"
)

// address starts a server on a free port, and returns its address.
func address(t *testing.T, args ...string) (*process, string) {
	t.Helper()
	p := start(append(args, "--port", "0")...)
	await(t, p, "listening on ")
	_, after, _ := strings.Cut(p.stderr.String(), "listening on ")
	url, _, _ := strings.Cut(after, ",")
	return p, url
}

// call asks a hub.
func call(t *testing.T, method, url, body string) string {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json")
	reply, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer reply.Body.Close()
	text, err := io.ReadAll(reply.Body)
	if err != nil || reply.StatusCode != http.StatusOK {
		t.Fatalf("%s: status %d, error %v: %s", url, reply.StatusCode, err, text)
	}
	return string(text)
}

// environmentOf are the flags of an environment that asks a fake server.
func environmentOf(model string, flags ...string) []string {
	return append([]string{
		"--openai.base_url", model + "/v1", "--openai.model_name", "fake", "--openai.server_type", "vllm", "--tokenizer", "bytes",
		"--env.group_size", "4", "--env.steps_per_eval", "0", "--env.ensure_scores_are_not_same", "false", "--tasks", "gcd,count_bits",
	}, flags...)
}

// An environment plays for a hub until its trainer has made all steps. Each group that it
// reports as sent arrives once.
func TestEnvServe(t *testing.T) {
	model, modelURL := address(t, "policy", "fake", "--first-token", "0s", "--rate", "0", "--length", "fixed:16")
	hub, hubURL := address(t, "hub", "--data", t.TempDir())
	data, kept := t.TempDir(), filepath.Join(t.TempDir(), "groups.jsonl")
	report := filepath.Join(data, "report.json")
	p := start(append([]string{"env", "serve", "--hub", hubURL, "--data", data, "--report", report}, environmentOf(modelURL,
		"--env.total_steps", "-1", "--env.min_batch_allocation", "None", "--env.data_path_to_save_groups", kept)...)...)
	await(t, p, "no trainer takes batches there yet")
	call(t, http.MethodPost, hubURL+"/register", `{"wandb_group":"g","wandb_project":"p","batch_size":16,"max_token_len":9000,"checkpoint_dir":"c","save_checkpoint_interval":1,"starting_step":0,"num_steps":6}`)
	seen := map[string]int{}
	until(t, p, "it ends", func() bool {
		var batch struct {
			Batch []struct{ Tokens json.RawMessage }
		}
		if err := json.Unmarshal([]byte(call(t, http.MethodGet, hubURL+"/batch", "")), &batch); err != nil {
			t.Fatal(err)
		}
		for _, group := range batch.Batch {
			seen[string(group.Tokens)]++
		}
		return len(p.ended) > 0
	})
	if status := p.wait(t); status != exitOK {
		t.Fatalf("status %d\n%s", status, p.stderr.String())
	}
	for tokens, n := range seen {
		if n > 1 {
			t.Errorf("a group came %d times: %.60s", n, tokens)
		}
	}
	var made run.Report
	text, err := os.ReadFile(report)
	if err == nil {
		err = json.Unmarshal(text, &made)
	}
	var status struct {
		Queue int `json:"queue_size"`
	}
	if err == nil {
		err = json.Unmarshal([]byte(call(t, http.MethodGet, hubURL+"/status", "")), &status)
	}
	if err != nil || made.GroupsSent == 0 || made.GroupsSent != len(seen)+status.Queue {
		t.Errorf("%d groups were sent, %d came and %d wait; error %v", made.GroupsSent, len(seen), status.Queue, err)
	}
	lines, err := os.ReadFile(kept)
	if err != nil || strings.Count(string(lines), "\n") != made.GroupsMade {
		t.Errorf("%d lines for %d groups, error %v", strings.Count(string(lines), "\n"), made.GroupsMade, err)
	}
	for _, other := range []*process{hub, model} {
		other.interrupts <- os.Interrupt
		other.wait(t)
	}
	http.DefaultClient.CloseIdleConnections()
}

// Process writes the given number of groups into a new file, with its metrics beside it, and
// the report. It logs each episode if it should, and plays by the scores of its setting.
func TestEnvProcess(t *testing.T) {
	model, url := address(t, "policy", "fake", "--first-token", "0s", "--rate", "0", "--length", "fixed:16")
	path := filepath.Join(t.TempDir(), "groups.jsonl")
	for i, name := range []string{"groups.jsonl", "groups_1.jsonl"} {
		report := path + ".report"
		p := start(append([]string{"env", "process", "--report", report}, environmentOf(url, "--env.total_steps", "7", "--env.data_path_to_save_groups", path,
			"--env.scores", "reasoning-gym", "--env.debug_logging", "True")...)...)
		if status := p.wait(t); status != exitOK {
			t.Fatalf("status %d\n%s", status, p.stderr.String())
		}
		text, err := os.ReadFile(filepath.Join(filepath.Dir(path), name))
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(strings.TrimSpace(string(text)), "\n")
		for _, line := range lines {
			var g struct {
				Tokens, Masks, Messages []json.RawMessage
				Scores                  []float64
			}
			if err := json.Unmarshal([]byte(line), &g); err != nil || len(g.Tokens) != 4 || len(g.Masks) != 4 || len(g.Messages) != 4 || len(g.Scores) != 4 {
				t.Errorf("process %d: error %v, line %.100s", i, err, line)
			}
		}
		if len(lines) != 7 || !strings.Contains(p.stderr.String(), fmt.Sprintf("playing 7 groups into %s", filepath.Join(filepath.Dir(path), name))) {
			t.Errorf("process %d: %d lines; it says\n%s", i, len(lines), p.stderr.String())
		}
		for _, said := range []string{"msg=played problem=reasoning_gym.v2-", "msg=reply problem=", "readable=false reward=0", "msg=episode problem="} {
			if !strings.Contains(p.stderr.String(), said) {
				t.Errorf("process %d: it does not say %s:\n%s", i, said, p.stderr.String())
			}
		}
		var made run.Report
		if text, err = os.ReadFile(report); err == nil {
			err = json.Unmarshal(text, &made)
		}
		if err != nil || made.GroupsSent != 7 {
			t.Errorf("process %d: the report has %d groups, error %v", i, made.GroupsSent, err)
		}
		metrics, err := os.ReadFile(filepath.Join(filepath.Dir(path), strings.TrimSuffix(name, ".jsonl")+".metrics.jsonl"))
		if err != nil || !strings.Contains(string(metrics), `"train/items_sent_to_api":`) {
			t.Errorf("process %d: metrics %s, error %v", i, metrics, err)
		}
	}
	model.interrupts <- os.Interrupt
	model.wait(t)
}

// An environment whose server lacks the model ends at once, and prints no table of zeros.
func TestEnvWithoutTheModel(t *testing.T) {
	model, modelURL := address(t, "policy", "fake", "--served-model-name", "m1")
	p := start("env", "process", "--data", t.TempDir(), "--openai.base_url", modelURL+"/v1", "--openai.model_name", "m2",
		"--env.tokenizer_name", "null", "--env.total_steps", "2", "--env.data_path_to_save_groups", filepath.Join(t.TempDir(), "groups.jsonl"))
	if status := p.wait(t); status != exitFailed || !strings.Contains(p.stderr.String(), `no model "m2"; the server has m1`) || p.stdout.String() != "" {
		t.Errorf("status %d, it prints %q and %q", status, p.stdout.String(), p.stderr.String())
	}
	model.interrupts <- os.Interrupt
	model.wait(t)
}

// Evaluate asks the problems of Atropos, from the server of its settings, and keeps the
// report in their folder.
func TestEnvEvaluate(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "evals")
	model, url := address(t, "policy", "fake", "--first-token", "0s", "--rate", "0", "--length", "fixed:16")
	p := start("env", "evaluate", "--format", "json", "--openai.base_url", url+"/v1", "--openai.model_name", "fake", "--tokenizer", "bytes",
		"--env.num_eval_samples_per_task", "1", "--env.seed", "3", "--env.data_dir_to_save_evals", folder)
	if status := p.wait(t); status != exitOK {
		t.Fatalf("status %d\n%s", status, p.stderr.String())
	}
	var report exam.Report
	if err := json.Unmarshal([]byte(p.stdout.String()), &report); err != nil {
		t.Fatal(err)
	}
	tasks, err := task.NewSet(catalog.Tasks())
	if err != nil {
		t.Fatal(err)
	}
	want := catalog.AtroposTasks(tasks, 3)
	if len(report.Rows) != len(want) || report.Rows[0].Label != want[0].Name || report.Rows[0].Set != 1 {
		t.Errorf("%d rows, the first of %s, want %d, the first of %s", len(report.Rows), report.Rows[0].Label, len(want), want[0].Name)
	}
	if _, err := os.Stat(filepath.Join(folder, "report.html")); err != nil {
		t.Error(err)
	}
	model.interrupts <- os.Interrupt
	model.wait(t)
}
