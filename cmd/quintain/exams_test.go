package main

import (
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/internal/datadir"
	"github.com/quintain-rl/quintain/internal/jsonl"
	"github.com/quintain-rl/quintain/run"
)

// byWorkers runs a coordinator until its steps are made, with two workers that have further flags,
// and returns how many problems of evaluations these played.
func byWorkers(t *testing.T, data string, run, worker []string) (examined int) {
	t.Helper()
	runs := start(append([]string{"run", "--workers", "--port", "0", "--data", data}, run...)...)
	await(t, runs, "quintain worker --coordinator ")
	_, after, _ := strings.Cut(runs.stderr.String(), "quintain worker --coordinator ")
	url, _, _ := strings.Cut(after, " ")
	var plays []*process
	for range 2 {
		plays = append(plays, start(append([]string{"worker", "--coordinator", url}, worker...)...))
	}
	if status := runs.wait(t); status != exitOK {
		t.Fatalf("status %d\n%s", status, runs.stderr.String())
	}
	for _, p := range plays {
		status, said := p.wait(t), p.stderr.String()
		if status != exitOK || !strings.Contains(said, "the run is over: it made its 2 steps") {
			t.Errorf("a worker: status %d\n%s", status, said)
		}
		if n := regexp.MustCompile(`(\d+) problems of evaluations played`).FindStringSubmatch(said); n != nil {
			one, err := strconv.Atoi(n[1])
			if err != nil {
				t.Error(err)
			}
			examined += one
		}
	}
	return examined
}

// lastExam is the last evaluation of a data folder, without its time.
func lastExam(t *testing.T, data string) run.ExamLine {
	t.Helper()
	lines, err := jsonl.ReadLog[run.ExamLine](filepath.Join(data, datadir.Evaluations))
	if err != nil || len(lines) == 0 {
		t.Fatalf("%d evaluations, error %v", len(lines), err)
	}
	last := lines[len(lines)-1]
	last.Seconds = 0
	return last
}

// The last evaluation of a run is the same by its workers as by itself, and they are there until it
// is held.
func TestWorkersHoldTheEvaluations(t *testing.T) {
	flags := []string{"--policy", "script", "--with", "policy.delay=0s", "--group-size", "4", "--batch-size", "16", "--steps", "2", "--tasks", "chain_sum,spell_backward", "--exam-problems", "12"}
	alone, together := t.TempDir(), t.TempDir()
	p := start(append([]string{"run", "--port", "0", "--data", alone}, flags...)...)
	if status := p.wait(t); status != exitOK {
		t.Fatalf("status %d\n%s", status, p.stderr.String())
	}
	if n := byWorkers(t, together, flags, nil); n < 24 {
		t.Errorf("the workers played %d problems of evaluations, want all 24 of the last one", n)
	}
	first, second := lastExam(t, alone), lastExam(t, together)
	if !reflect.DeepEqual(first, second) || first.Mean == 0 || first.Version != 2 {
		t.Errorf("the run by itself has %+v, and with workers %+v", first, second)
	}
}

// A coordinator without an inference server has evaluations, by the servers of its workers.
func TestEvaluationsWithoutAServerOfTheCoordinator(t *testing.T) {
	model, url := address(t, "policy", "fake", "--first-token", "0s", "--rate", "0", "--length", "fixed:16")
	data := t.TempDir()
	n := byWorkers(t, data, []string{
		"--policy", "openai", "--model", "fake", "--url", "http://127.0.0.1:9", "--with", "rules.keep_equal=true", "--group-size", "2", "--batch-size", "4", "--steps", "2", "--tasks", "spell_backward", "--exam-problems", "5",
	}, []string{"--url", url + "/v1"})
	if n < 5 {
		t.Errorf("the workers played %d problems of evaluations, want 5", n)
	}
	if e := lastExam(t, data); len(e.Tasks) != 1 || len(e.Examples) != 1 || e.Examples[0].Reply == "" {
		t.Errorf("the evaluation is %+v", e)
	}
	model.interrupts <- os.Interrupt
	model.wait(t)
}
