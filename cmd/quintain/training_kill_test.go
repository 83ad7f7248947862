package main

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/quintain-rl/quintain/internal/datadir"
	"github.com/quintain-rl/quintain/internal/jsonl"
	"github.com/quintain-rl/quintain/tiny"
	"github.com/quintain-rl/quintain/tiny/transformer"
)

// TestKilledTrainingGoesOn kills a run that trains at random moments, again and
// again on one folder. The versions follow each other without a gap, no group is
// trained on twice, and the weights go on where they were: the score at the start
// of a process is that of the same weights before.
func TestKilledTrainingGoesOn(t *testing.T) {
	killTraining(t, "--tasks", "spell_backward", "--batch-size", "16", "--exam-problems", "2")
}

// The same of a language model, whose checkpoint has its adapters.
func TestKilledTrainingOfALanguageModelGoesOn(t *testing.T) {
	killTraining(t, "--weights", languageModel(t, "mini", 1), "--tasks", "chain_sum:0", "--group-size", "2", "--batch-size", "4", "--exam-problems", "0",
		"--with", "rules.keep_equal=true", "--with", "learn.entropy=0.1", "--with", "policy.sampling.max_tokens=4")
}

// killTraining kills a run with these flags.
func killTraining(t *testing.T, flags ...string) {
	t.Helper()
	data := t.TempDir()
	log := filepath.Join(data, datadir.Training)
	reached := 0
	for round := range killRounds + 1 {
		args := append([]string{"run", "--data", data, "--port", "0"}, flags...)
		if round == killRounds {
			args = append(args, "--steps", "3")
		}
		c := program(t, args...)
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		if round < killRounds {
			awaitVersion(t, log, reached+2)
			time.AfterFunc(time.Duration(rand.IntN(100))*time.Millisecond, func() { _ = c.Process.Kill() })
		}
		if err := c.Wait(); (err == nil) != (round == killRounds) {
			t.Fatalf("round %d: the program ended with %v", round, err)
		}
		steps := checkSteps(t, data)
		if steps < reached+2 {
			t.Fatalf("round %d: %d steps, want %d and more", round, steps, reached+2)
		}
		reached = steps
	}
	text, err := os.ReadFile(filepath.Join(data, datadir.Checkpoint))
	if err != nil {
		t.Fatal(err)
	}
	saved, err := transformer.ReadCheckpoint(text, "")
	if err != nil || saved.Optimizer == nil {
		t.Errorf("checkpoint %v, error %v", saved, err)
	}
	t.Log(strconv.Itoa(reached) + " steps")
}

// awaitVersion waits until a training log has a line of a version or later.
func awaitVersion(t *testing.T, log string, version int) {
	t.Helper()
	over := time.After(5 * time.Minute)
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-over:
			t.Fatalf("version %d is never reached", version)
		case <-tick.C:
		}
		if steps, err := jsonl.ReadLog[tiny.Step](log); err == nil && len(steps) > 0 && steps[len(steps)-1].Version >= version {
			return
		}
	}
}
