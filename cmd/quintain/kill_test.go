package main

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/queue"
	"github.com/quintain-rl/quintain/queue/files"
)

// program returns the real program as a process of its own.
func program(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := exec.Command(self, args...)
	c.Env = append(os.Environ(), asProgram+"=1")
	return c
}

// startLogged starts a program and returns what it says on standard error.
func startLogged(t *testing.T, c *exec.Cmd) io.Reader {
	t.Helper()
	log, err := c.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	return log
}

// A history is gathered from the logs of many runs on one folder.
type history struct {
	kept    map[string]bool  // groups that the queue acknowledged
	again   map[string]bool  // groups whose problems were played again, although the queue had them
	batches map[int][]string // groups consumed by the step to a version
	stale   map[string]bool  // groups that were dropped
	version int
}

// read adds the log of one process. Its last line may be torn. It calls
// ready when the process has kept some groups.
func (h *history) read(t *testing.T, log io.Reader, ready func()) {
	t.Helper()
	lines := bufio.NewScanner(log)
	lines.Buffer(nil, 1<<20)
	for kept := 0; lines.Scan(); {
		var line struct {
			Msg     string   `json:"msg"`
			Group   string   `json:"problem"`
			Drop    string   `json:"drop"`
			Groups  []string `json:"groups"`
			Version int      `json:"version"`
		}
		if json.Unmarshal(lines.Bytes(), &line) != nil {
			continue // progress, or torn
		}
		switch line.Msg {
		case "played":
			if line.Drop == "duplicate" {
				h.again[line.Group] = true
			}
			if line.Drop != "" {
				continue
			}
			if h.kept[line.Group] {
				t.Errorf("group %s was kept twice", line.Group)
			}
			h.kept[line.Group] = true
			if kept++; kept == 10 {
				ready()
			}
		case "consuming":
			// A process killed before the version is kept consumes the batch anew.
			if line.Version != h.version && line.Version != h.version+1 {
				t.Errorf("version %d follows %d", line.Version, h.version)
			}
			h.version = line.Version
			h.batches[line.Version] = line.Groups
		case "dropping groups":
			for _, id := range line.Groups {
				h.stale[id] = true
			}
		}
	}
}

// killRun runs the program on one folder, again and again, and kills it at random moments, but
// for the last time.
func killRun(t *testing.T, data string, flags ...string) *history {
	t.Helper()
	h := &history{kept: map[string]bool{}, again: map[string]bool{}, batches: map[int][]string{}, stale: map[string]bool{}}
	for round := range killRounds + 1 {
		args := append([]string{"run", "--policy", "script", "--data", data, "--port", "0", "--with", "policy.delay=1ms", "--with", "run.step_time=2ms",
			"--log-level", "debug", "--with", "log.format=json"}, flags...)
		if round == killRounds {
			args = append(args, "--steps", "3")
		}
		c := program(t, args...)
		log := startLogged(t, c)
		kill := func(most int) {
			if round < killRounds {
				time.AfterFunc(time.Duration(rand.IntN(most))*time.Millisecond, func() { _ = c.Process.Kill() })
			}
		}
		if round%5 == 4 { // perhaps while it starts
			kill(200)
		}
		h.read(t, log, func() { kill(400) })
		if err := c.Wait(); (err == nil) != (round == killRounds) {
			t.Fatalf("round %d: the program ended with %v", round, err)
		}
	}
	return h
}

// TestKilledRunLosesNothing kills quintain run at random moments, again and again
// on one folder. Every group that the queue acknowledged is consumed or still
// waits, none is consumed twice, and no dump holds half a line.
func TestKilledRunLosesNothing(t *testing.T) {
	data := t.TempDir()
	h := killRun(t, data, "--with", "dumps.rollouts=true", "--with", "dumps.failed=true")
	waiting, _ := heldBy(t, data)
	h.check(t, waiting)
	files, err := filepath.Glob(filepath.Join(data, "dumps", "*.jsonl"))
	if err != nil || len(files) == 0 {
		t.Fatalf("dump files %v, error %v", files, err)
	}
	for _, path := range files {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		checkDump(t, path, string(text))
	}
}

// TestKilledRunFinishesEachProblemOnce does the same with a file of problems, over many
// epochs: each problem before the kept position is finished or still to be played, and no
// group is kept twice.
func TestKilledRunFinishesEachProblemOnce(t *testing.T) {
	data := t.TempDir()
	h := killRun(t, data, "--scenario", "math_multi_turn:num_turns=2", "--problems", sums(t, 7), "--with", "rules.keep_equal=true", "--with", "rules.min_trainable=1",
		"--group-size", "2", "--batch-size", "16")
	waiting, positions := heldBy(t, data)
	h.check(t, waiting)
	finished := map[int]bool{}
	for _, ids := range append(slices.Collect(maps.Values(h.batches)), waiting, slices.Collect(maps.Keys(h.kept)), slices.Collect(maps.Keys(h.again)), slices.Collect(maps.Keys(h.stale))) {
		for _, id := range ids {
			_, _, d, err := quintain.ParseID(id)
			if err != nil {
				t.Fatal(err)
			}
			finished[d.Index] = true
		}
	}
	for _, p := range positions {
		for index := range p.Next {
			if !finished[index] && !p.again(index) {
				t.Errorf("problem %d of %d is lost", index, p.Next)
			}
		}
		if p.Next < 7*killRounds {
			t.Errorf("only %d problems in %d rounds: the test tests nothing", p.Next, killRounds)
		}
	}
}

// check compares acknowledged groups with their fates.
func (h *history) check(t *testing.T, waiting []string) {
	t.Helper()
	consumed := map[string]int{}
	for version, batch := range h.batches {
		for _, id := range batch {
			if other, twice := consumed[id]; twice {
				t.Errorf("group %s was consumed for version %d and for %d", id, other, version)
			}
			consumed[id] = version
		}
	}
	for id := range h.kept {
		if consumed[id] == 0 && !h.stale[id] && !slices.Contains(waiting, id) {
			t.Errorf("group %s was acknowledged and is lost", id)
		}
	}
	for _, id := range waiting {
		if consumed[id] > 0 {
			t.Errorf("group %s was consumed for version %d and waits", id, consumed[id])
		}
	}
	if len(h.kept) < 5*killRounds || h.version < 3 {
		t.Errorf("only %d groups and %d steps in %d rounds: the test tests nothing", len(h.kept), h.version, killRounds)
	}
	t.Logf("%d groups, %d steps, %d stale, %d waiting", len(h.kept), h.version, len(h.stale), len(waiting))
}

// A streamPosition is where a run is in a stream of problems.
type streamPosition struct {
	Next  int   `json:"next"`  // index
	Again []int `json:"again"` // runs of indices before it that are to be played again: distance from the last run, length
}

// again reports whether the problem of an index is to be played again.
func (p streamPosition) again(index int) bool {
	end := 0
	for run := range slices.Chunk(p.Again, 2) {
		if end += run[0]; end <= index && index < end+run[1] {
			return true
		}
		end += run[1]
	}
	return false
}

// heldBy returns the IDs of the groups that wait in a data folder, and the positions that its
// run has kept, by stream.
func heldBy(t *testing.T, data string) (waiting []string, positions map[string]streamPosition) {
	t.Helper()
	store, err := files.Open(filepath.Join(data, "queue"), files.Options{})
	if err != nil {
		t.Fatal(err)
	}
	q, err := queue.Open(context.Background(), store, queue.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := q.Close(); err != nil {
			t.Error(err)
		}
	}()
	q.View(func(all []queue.Entry) {
		for _, e := range all {
			waiting = append(waiting, strings.Clone(e.ID))
		}
	})
	var record struct {
		Streams struct {
			Of map[string]streamPosition `json:"streams"`
		} `json:"streams"`
	}
	text, err := q.State(context.Background(), "run")
	if err == nil {
		err = json.Unmarshal(text, &record)
	}
	if err != nil {
		t.Fatal(err)
	}
	return waiting, record.Streams.Of
}
