//go:build heavy && unix

package main

import (
	"bytes"
	"flag"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/quintain-rl/quintain/internal/datadir"
	"github.com/quintain-rl/quintain/internal/jsonl"
	"github.com/quintain-rl/quintain/run"
)

// trainingTakeovers is how often TestKilledTrainingGoesOnElsewhere kills the run.
var trainingTakeovers = flag.Int("training-takeovers", 2, "rounds of TestKilledTrainingGoesOnElsewhere")

// TestTrainingGoesOnInAnotherFolder has a run on NATS train in one folder, then in another, then
// in the first. Weights, steps and evaluations are the same in both.
func TestTrainingGoesOnInAnotherFolder(t *testing.T) {
	t.Parallel()
	url := startNATS(t)
	first, second := t.TempDir(), t.TempDir()
	on := func(data string, more ...string) []string {
		return append(append(slices.Clone(tinyRun), "--nats-url", url, "--with", "store.nats_synced=true", "--data", data), more...)
	}
	runReport(t, on(first, "--steps", "3")...)
	p := start(append(append([]string{"run"}, quick...), on(second, "--with", "run.step_time=1h")...)...)
	await(t, p, "from version 3")
	until(t, p, "it examines the policy", func() bool {
		text, err := os.ReadFile(filepath.Join(second, datadir.Evaluations))
		return err == nil && bytes.Count(text, []byte("\n")) == 3
	})
	for _, name := range []string{datadir.Checkpoint, datadir.Training} {
		if !bytes.Equal(content(t, second, name), content(t, first, name)) {
			t.Errorf("%s is another in the second folder", name)
		}
	}
	p.interrupts <- os.Interrupt
	if status := p.wait(t); status != exitOK {
		t.Fatalf("status %d\n%s", status, p.stderr.String())
	}
	if r := runReport(t, on(first, "--steps", "2")...); r.Version != 5 {
		t.Errorf("version %d, want 5", r.Version)
	}
	if n := checkSteps(t, first); n != 5 {
		t.Errorf("%d steps, want 5", n)
	}
	exams, err := jsonl.ReadLog[run.ExamLine](filepath.Join(first, datadir.Evaluations))
	if err != nil || !bytes.HasPrefix(content(t, first, datadir.Evaluations), content(t, second, datadir.Evaluations)) {
		t.Errorf("the second folder had other evaluations; error %v", err)
	}
	var versions []int
	for _, e := range exams {
		versions = append(versions, e.Version)
	}
	if want := []int{0, 3, 3, 3, 3, 5}; !slices.Equal(versions, want) { // before and after each of three processes
		t.Errorf("evaluations of the versions %v, want %v", versions, want)
	}
	checkLostCheckpoint(t, url, on, first)
}

// checkLostCheckpoint has the server lack the checkpoint of a run at version 5, as after an older
// program. A folder without it is refused with the remedy, which works.
func checkLostCheckpoint(t *testing.T, url string, on func(string, ...string) []string, folder string) {
	t.Helper()
	nc, err := nats.Connect(url)
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	js, err := jetstream.New(nc)
	if err != nil {
		t.Fatal(err)
	}
	log, err := js.Stream(t.Context(), "quintain-log")
	if err == nil {
		err = log.Purge(t.Context(), jetstream.WithPurgeSubject("quintain.state.checkpoint"))
	}
	if err != nil {
		t.Fatal(err)
	}
	for range 2 { // the refusal stores nothing
		p := start(append([]string{"run", "--port", "0"}, on(t.TempDir(), "--steps", "1")...)...)
		status := p.wait(t)
		for _, part := range []string{"is missing, and the run is at version 5", "start this program once with that folder"} {
			if status != exitFailed || !strings.Contains(p.stderr.String(), part) {
				t.Errorf("without the checkpoint: status %d, want %q\n%s", status, part, p.stderr.String())
			}
		}
	}
	for i, data := range []string{folder, t.TempDir()} {
		if r := runReport(t, on(data, "--steps", "1")...); r.Version != 6+i {
			t.Errorf("version %d, want %d", r.Version, 6+i)
		}
	}
}

// A trainer is quintain run in a process of its own, which trains the tiny policy.
type trainer struct {
	*exec.Cmd
	said  capture
	ended chan error
}

// startTrainer starts a run on NATS, on standby.
func startTrainer(t *testing.T, args ...string) *trainer {
	t.Helper()
	c := &trainer{ended: make(chan error, 1)}
	c.Cmd = program(t, append([]string{"run", "--port", "0", "--tasks", "spell_backward", "--batch-size", "16", "--exam-problems", "2", "--with", "run.exam_every=1s",
		"--with", "store.nats_replicas=3", "--with", "store.nats_synced=true", "--with", "store.nats_standby=true"}, args...)...)
	c.Stderr = &c.said
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	var reaped sync.WaitGroup
	reaped.Go(func() { c.ended <- c.Wait() })
	t.Cleanup(func() {
		_ = c.Process.Kill() // fails if it has ended
		reaped.Wait()
	})
	return c
}

// kill kills a trainer at a random moment.
func (c *trainer) kill(t *testing.T, most time.Duration) {
	t.Helper()
	killed := time.AfterFunc(time.Duration(rand.Int64N(int64(most))), func() { _ = c.Process.Kill() })
	err := <-c.ended
	if killed.Stop() {
		t.Fatalf("a process ended with %v before it was killed:\n%s", err, c.said.String())
	}
}

// TestKilledTrainingGoesOnElsewhere kills a run that trains at random moments, while another
// process with another folder stands by. Each takeover goes on with all steps and evaluations
// that the killed process had, whatever it was doing.
func TestKilledTrainingGoesOnElsewhere(t *testing.T) {
	t.Parallel()
	cluster := startNodes(t)
	folders := []string{t.TempDir(), t.TempDir()}
	begin := func(round int) *trainer {
		args := []string{"--nats-url", cluster, "--data", folders[round%2]}
		if round == *trainingTakeovers {
			args = append(args, "--steps", "3")
		}
		return startTrainer(t, args...)
	}
	var steps, exams []byte // that some process has told
	reached := 0
	owner := begin(0)
	for round := range *trainingTakeovers {
		most := 6 * time.Second // perhaps while it takes over, or the next one does
		if round%5 != 4 || round == *trainingTakeovers-1 {
			most = time.Second
			awaitVersion(t, filepath.Join(folders[round%2], datadir.Training), reached+2)
		}
		next := begin(round + 1)
		within(t, "nobody stands by", func() bool { return strings.Contains(next.said.String(), "waiting to see") })
		owner.kill(t, most)
		for _, one := range []struct {
			name string
			told *[]byte
		}{{datadir.Training, &steps}, {datadir.Evaluations, &exams}} {
			text, _ := os.ReadFile(filepath.Join(folders[round%2], one.name)) // missing, if it never got so far
			if text = text[:bytes.LastIndexByte(text, '\n')+1]; len(text) > len(*one.told) {
				if !bytes.HasPrefix(text, *one.told) {
					t.Fatalf("round %d: %s has lost lines", round, one.name)
				}
				*one.told = text
			}
		}
		reached = bytes.Count(steps, []byte("\n"))
		owner = next
	}
	if err := <-owner.ended; err != nil {
		t.Fatalf("the last process ended with %v\n%s", err, owner.said.String())
	}
	last := folders[*trainingTakeovers%2]
	if !bytes.HasPrefix(content(t, last, datadir.Training), steps) || !bytes.HasPrefix(content(t, last, datadir.Evaluations), exams) {
		t.Error("the last folder lacks lines")
	}
	n := checkSteps(t, last)
	if n < reached+3 || n < *trainingTakeovers {
		t.Errorf("%d steps, want %d and more", n, reached+3)
	}
	t.Logf("%d takeovers, %d steps, %d evaluations", *trainingTakeovers, n, bytes.Count(exams, []byte("\n")))
}
