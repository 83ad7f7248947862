package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/policy/tiny"
	"github.com/quintain-rl/quintain/transformer"
)

// tinyRun are flags of a short run that trains.
var tinyRun = []string{"--policy", "tiny", "--tasks", "spell_backward", "--eval-problems", "4", "--batch-size", "16"}

func TestRunTrains(t *testing.T) {
	data := t.TempDir()
	r := runReport(t, append(tinyRun, "--data", data, "--steps", "3")...)
	if r.Steps != 3 || r.Version != 3 || r.Training == nil || r.Training.Version != 3 || r.Training.Updates != 1 {
		t.Errorf("report %+v, training %+v", r, r.Training)
	}
	task := r.Tasks["spell_backward"]
	if r.EvalBefore == nil || r.EvalAfter == nil || task.EvalBefore == nil || *task.EvalAfter != *r.EvalAfter {
		t.Errorf("examinations %v and %v, of the task %v and %v", r.EvalBefore, r.EvalAfter, task.EvalBefore, task.EvalAfter)
	}
	again := runReport(t, append(tinyRun, "--data", data, "--steps", "2")...)
	if again.Version != 5 || *again.EvalBefore != *r.EvalAfter {
		t.Errorf("the second run goes to version %d from a score of %v, want 5 and %v", again.Version, *again.EvalBefore, *r.EvalAfter)
	}
	steps, err := readLineLog[trainedStep](filepath.Join(data, trainingLogName))
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
}

// A checkpoint that is a step ahead of the run's record was written by a process
// that was killed right after: its step counts, and the log gets its line.
func TestCheckpointLeads(t *testing.T) {
	s := defaultSettings(kindTiny)
	s.Data = t.TempDir()
	folder := &dataFolder{path: s.Data}
	fresh := func() (*transformer.Model, error) { return transformer.New(s.Model.config(), 1) }
	k := &keeper{}
	first, err := openTrainer(s, folder, k, fresh)
	if err != nil {
		t.Fatal(err)
	}
	group := &quintain.Group{
		Tokens: [][]quintain.Token{{1, 2}, {1, 3}}, Masks: [][]int32{{quintain.Untrained, 2}, {quintain.Untrained, 3}},
		Scores: []float64{1, 0}, LogProbs: [][]float64{{1, -5}, {1, -5}},
	}
	if _, err := first.learner.Step([]*quintain.Group{group}); err != nil {
		t.Fatal(err)
	}
	first.last = trainedStep{Version: 1, Seconds: 9, Batch: []string{"a", "b"}}
	if err := first.save(); err != nil {
		t.Fatal(err)
	}
	if err := first.close(); err != nil {
		t.Fatal(err)
	}
	second, err := openTrainer(s, folder, k, fresh)
	if err != nil {
		t.Fatal(err)
	}
	if err := second.close(); err != nil {
		t.Fatal(err)
	}
	if version, batch := k.version(); version != 1 || !reflect.DeepEqual(batch, []string{"a", "b"}) {
		t.Errorf("the record is at version %d of batch %v", version, batch)
	}
	steps, err := readLineLog[trainedStep](filepath.Join(s.Data, trainingLogName))
	if err != nil || len(steps) != 1 || !reflect.DeepEqual(steps[0].Batch, []string{"a", "b"}) {
		t.Errorf("log %+v, error %v", steps, err)
	}
	k.record.Version = 7
	if _, err := openTrainer(s, folder, k, fresh); err == nil || !strings.Contains(err.Error(), "do not belong together") {
		t.Errorf("a checkpoint of another run: %v", err)
	}
	if err := os.Remove(second.path); err != nil {
		t.Fatal(err)
	}
	if _, err := openTrainer(s, folder, k, fresh); err == nil || !strings.Contains(err.Error(), "no checkpoint") {
		t.Errorf("a run without its checkpoint: %v", err)
	}
}

func TestForeignCheckpoints(t *testing.T) {
	small := transformer.Config{Vocab: tiny.Size, Context: 32, Layers: 1, Width: 16, Heads: 1, Hidden: 16}
	model, err := transformer.New(small, 1)
	if err != nil {
		t.Fatal(err)
	}
	weights, err := tiny.WriteWeights(transformer.Checkpoint{Model: model}, transformer.Float32)
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
		{"other sizes", weights, "use --from-scratch to make a model of these sizes"},
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

func TestTrainingLogIsMended(t *testing.T) {
	path := filepath.Join(t.TempDir(), trainingLogName)
	line, err := json.Marshal(trainedStep{Version: 1, Batch: []string{"a"}})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, append(append(line, '\n'), line[:9]...), 0o600); err != nil {
		t.Fatal(err)
	}
	l, err := openTrainingLog(path, trainedStep{Version: 2, Batch: []string{"b"}})
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	steps, err := readLineLog[trainedStep](path)
	if err != nil || len(steps) != 2 || steps[1].Version != 2 {
		t.Errorf("steps %+v, error %v", steps, err)
	}
}
