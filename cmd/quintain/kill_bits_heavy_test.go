//go:build heavy

package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"testing"
	"time"

	"github.com/quintain-rl/quintain/internal/datadir"
	"github.com/quintain-rl/quintain/tiny/transformer"
)

// TestKilledTrainingComesToTheSameBits kills a run of a language model at moments of its start, of
// sampling, of training and of the writing of checkpoints. It makes the weights of the run that nobody
// kills, version for version and bit for bit.
func TestKilledTrainingComesToTheSameBits(t *testing.T) {
	const kills = 200
	model, killed, whole := languageModel(t, "mini", 1), t.TempDir(), t.TempDir()
	args := func(data string, more ...string) []string {
		return append([]string{"run", "--weights", model, "--data", data, "--port", "0", "--tasks", "chain_sum:1", "--group-size", "4", "--batch-size", "8",
			"--max-lag", "0", "--parallel", "4", "--exam-problems", "0", "--with", "rules.keep_equal=true", "--with", "learn.entropy=0.1", "--with", "learn.warm_up=0",
			"--with", "policy.sampling.max_tokens=8", "--with", "run.keep_weights=1", "--log-level", "debug", "--with", "log.format=json"}, more...)
	}
	after := map[string]int{} // kills, by what the program last told
	writing := 0              // kills that left an unfinished checkpoint
	for range kills {
		after[killOnce(t, args(killed))]++
		torn, err := filepath.Glob(filepath.Join(killed, datadir.Checkpoint+".*"))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range torn {
			writing++
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
		}
	}
	runOut(t, args(killed, "--steps", "3"))
	steps := checkSteps(t, killed)
	t.Logf("%d steps; kills after %v, %d of them while a checkpoint was written", steps, after, writing)
	runOut(t, args(whole, "--steps", strconv.Itoa(steps)))
	for version := range steps + 1 {
		file := filepath.Join(datadir.Weights, strconv.Itoa(version)+".weights")
		if got, want := content(t, killed, file), content(t, whole, file); !bytes.Equal(got, want) {
			t.Fatalf("version %d of %d has other weights", version, steps)
		}
	}
	got, err := transformer.ReadCheckpoint(content(t, killed, datadir.Checkpoint), "")
	if err != nil {
		t.Fatal(err)
	}
	want, err := transformer.ReadCheckpoint(content(t, whole, datadir.Checkpoint), "")
	if err != nil || !reflect.DeepEqual(got.Optimizer, want.Optimizer) {
		t.Errorf("the optimiser has another state; error %v", err)
	}
	if len(after) < 3 || writing == 0 || steps < kills/4 {
		t.Error("the kills fell on too few moments: the test tests little")
	}
}

// killOnce starts the program and kills it at a random moment of its start or of a step. It returns what the program had told last.
func killOnce(t *testing.T, args []string) (last string) {
	t.Helper()
	c := program(t, args...)
	log := startLogged(t, c)
	kill := func(within time.Duration) {
		time.AfterFunc(time.Duration(rand.Int64N(int64(within))), func() { _ = c.Process.Kill() })
	}
	at, last, begun := rand.IntN(9), "nothing", time.Now() // the line after which it is killed, within the time since the one before
	if at == 0 {
		kill(time.Second) // perhaps while it starts
	}
	lines := bufio.NewScanner(log)
	lines.Buffer(nil, 1<<20)
	for seen := 0; lines.Scan(); {
		var line struct {
			Msg string `json:"msg"`
		}
		if json.Unmarshal(lines.Bytes(), &line) != nil || line.Msg != "played" && line.Msg != "consuming" {
			continue
		}
		last = line.Msg
		if seen++; seen == at {
			kill(1 + time.Since(begun))
		}
		begun = time.Now()
	}
	if err := c.Wait(); err == nil {
		t.Fatal("the program ended by itself")
	}
	return last
}

// runOut runs the program to its end.
func runOut(t *testing.T, args []string) {
	t.Helper()
	if out, err := program(t, args...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}

// content reads a file of a folder.
func content(t *testing.T, folder, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(folder, name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}
