package main

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/internal/datadir"
	"github.com/quintain-rl/quintain/internal/jsonl"
	"github.com/quintain-rl/quintain/tiny"
	"github.com/quintain-rl/quintain/tiny/transformer"
)

// tinyRun are flags of a short run that trains.
var tinyRun = []string{"--policy", "tiny", "--tasks", "spell_backward", "--exam-problems", "4", "--group-size", "8", "--batch-size", "16"}

func TestRunTrains(t *testing.T) {
	data := t.TempDir()
	r := runReport(t, append(tinyRun, "--data", data, "--steps", "3")...)
	if r.Steps != 3 || r.Version != 3 || r.Training == nil || r.Training.Version != 3 || r.Training.Updates != 1 || r.Unit != "tokens" {
		t.Errorf("report %+v, training %+v", r, r.Training)
	}
	task := r.Tasks[0]
	if r.ExamBefore == nil || r.ExamAfter == nil || task.ExamBefore == nil || *task.ExamAfter != *r.ExamAfter {
		t.Errorf("evaluations %v and %v, of the task %v and %v", r.ExamBefore, r.ExamAfter, task.ExamBefore, task.ExamAfter)
	}
	again := runReport(t, append(tinyRun, "--data", data, "--steps", "2")...)
	if again.Version != 5 || *again.ExamBefore != *r.ExamAfter {
		t.Errorf("the second run goes to version %d from a score of %v, want 5 and %v", again.Version, *again.ExamBefore, *r.ExamAfter)
	}
	steps, err := jsonl.ReadLog[tiny.Step](filepath.Join(data, datadir.Training))
	if err != nil {
		t.Fatal(err)
	}
	trained := map[string]int{}
	for i, s := range steps {
		if s.Version != i+1 || len(s.Batch) != 2 || i > 0 && s.Seconds <= steps[i-1].Seconds {
			t.Errorf("line %d: %+v", i+1, s)
		}
		for _, id := range s.Batch {
			trained[id]++
		}
	}
	if len(steps) != 5 || len(trained) != 10 {
		t.Errorf("%d steps on %d groups, want 5 on 10", len(steps), len(trained))
	}

	// Another policy on the folder would lock the trained model out.
	p := start("run", "--policy", "script", "--port", "0", "--data", data)
	if status := p.wait(t); status != exitFailed || !strings.Contains(p.stderr.String(), "the folder holds a run of the embedded model; use --data NEW-FOLDER for this one") {
		t.Errorf("a script on the folder of a trained model: status %d\n%s", status, p.stderr.String())
	}
	p = start(append([]string{"run", "--port", "0", "--data", data, "--weights", filepath.Join(data, datadir.Checkpoint), "--steps", "1"}, tinyRun...)...)
	if status := p.wait(t); status != exitUsage || !strings.Contains(p.stderr.String(), "began with other weights") {
		t.Errorf("other weights on the folder of a trained model: status %d\n%s", status, p.stderr.String())
	}
	asked := start("ask", "spell_backward", "--data", data, "--index", "7")
	if status := asked.wait(t); status != exitOK || !strings.Contains(asked.stderr.String(), filepath.Join(data, datadir.Checkpoint)) {
		t.Errorf("asking the trained model: status %d\n%s", status, asked.stderr.String())
	}
}

func TestForeignCheckpoints(t *testing.T) {
	small := transformer.Config{Vocab: tiny.Size, Context: 32, Layers: 1, Width: 16, Heads: 1, Hidden: 16}
	model, err := transformer.New(small, 1)
	if err != nil {
		t.Fatal(err)
	}
	weights, err := tiny.WriteWeights(transformer.Checkpoint{Model: model}, nil, transformer.Float32)
	if err != nil {
		t.Fatal(err)
	}
	other, err := (&transformer.Checkpoint{Model: model, Vocabulary: "letters"}).Bytes(transformer.Float32)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		why     string
		content []byte
		want    string
	}{
		{"other sizes", weights, "set policy.from_scratch to make a model of these sizes"},
		{"half a file", weights[:len(weights)/2], "mine.weights"},
		{"another vocabulary", other, "vocabulary"},
		{"no weights", bytes.Repeat([]byte("{}"), 100), "mine.weights"},
	} {
		path := filepath.Join(t.TempDir(), "mine.weights")
		if err := os.WriteFile(path, test.content, 0o600); err != nil {
			t.Fatal(err)
		}
		p := start("run", "--port", "0", "--data", t.TempDir(), "--weights", path)
		if status := p.wait(t); status != exitFailed || !strings.Contains(p.stderr.String(), test.want) {
			t.Errorf("%s: status %d, %s", test.why, status, p.stderr.String())
		}
	}
}

// An interrupted warm-up is kept, and the same command resumes it.
func TestFromScratchGoesOn(t *testing.T) {
	data := t.TempDir()
	args := append(slices.Clone(tinyRun), "--data", data, "--port", "0", "--with", "policy.from_scratch=true", "--steps", "1",
		"--with", "model.context=32", "--with", "model.layers=1", "--with", "model.width=16", "--with", "model.heads=1", "--with", "model.hidden=16", "--with", "run.step_time=0s")
	var shown string
	for range 2 {
		p := start(append([]string{"run"}, args...)...)
		await(t, p, "warming up a model")
		p.interrupts <- os.Interrupt
		status := p.wait(t)
		if shown = p.stderr.String(); status != exitFailed || !strings.Contains(shown, "run the same command again to go on") {
			t.Fatalf("status %d\n%s", status, shown)
		}
	}
	if strings.Contains(shown, "model, 1 of 800") {
		t.Errorf("the warm-up began anew:\n%s", shown)
	}
}

// Workers sample for a run that trains the tiny policy: they get its settings and weights from it.
func TestWorkersPlayTheTinyPolicy(t *testing.T) {
	data := t.TempDir()
	runs := start(append([]string{"run", "--workers", "--port", "0", "--data", data}, tinyRun...)...)
	await(t, runs, "quintain worker --coordinator ")
	_, after, _ := strings.Cut(runs.stderr.String(), "quintain worker --coordinator ")
	url, _, _ := strings.Cut(after, " ")
	plays := start("worker", "--coordinator", url)
	awaitVersion(t, filepath.Join(data, datadir.Training), 3)
	if told := askHub(t, 200, "GET "+url+"/v1/runs/default/version?after=2&wait=30s", "", ""); strings.Contains(told, "-1") || strings.Contains(told, `"step":0`) {
		t.Errorf("the hub tells %s, want the version of the training", told)
	}
	plays.interrupts <- os.Interrupt
	if status, said := plays.wait(t), plays.stderr.String(); status != exitOK || !strings.Contains(said, "of the run's model") {
		t.Errorf("the worker: status %d\n%s", status, said)
	}
	runs.interrupts <- os.Interrupt
	if status := runs.wait(t); status != exitOK {
		t.Errorf("the run: status %d\n%s", status, runs.stderr.String())
	}
	steps, err := jsonl.ReadLog[tiny.Step](filepath.Join(data, datadir.Training))
	if err != nil || steps[0].Metrics.Tokens == 0 {
		t.Errorf("steps %+v, error %v", steps, err)
	}
}

// checkSteps checks that the versions of a folder follow each other, and no group is trained on
// twice. It returns the number of steps.
func checkSteps(t *testing.T, folder string) int {
	t.Helper()
	steps, err := jsonl.ReadLog[tiny.Step](filepath.Join(folder, datadir.Training))
	if err != nil {
		t.Fatal(err)
	}
	trained := map[string]int{}
	for i, s := range steps {
		if s.Version != i+1 || i > 0 && s.Seconds < steps[i-1].Seconds {
			t.Errorf("line %d is of version %d at %v s", i+1, s.Version, s.Seconds)
		}
		for _, id := range s.Batch {
			if trained[id] > 0 {
				t.Errorf("group %s was trained on for version %d and for %d", id, trained[id], s.Version)
			}
			trained[id] = s.Version
		}
	}
	return len(steps)
}
