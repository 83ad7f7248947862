package main

import (
	"encoding/json"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/gateway/journal"
	"github.com/quintain-rl/quintain/internal/doctor"
)

// releases returns copies of the data folders that each release wrote, by its version.
func releases(t *testing.T, folder string) map[string]string {
	t.Helper()
	found, err := filepath.Glob("../../internal/doctor/testdata/v*")
	if err != nil || len(found) == 0 {
		t.Fatalf("no files of releases, error %v", err)
	}
	all := map[string]string{}
	for _, of := range found {
		to := filepath.Join(t.TempDir(), folder)
		if err := os.CopyFS(to, os.DirFS(filepath.Join(of, folder))); err != nil {
			t.Fatal(err)
		}
		all[filepath.Base(of)] = to
	}
	return all
}

// formatsOf returns the formats of a data folder, by path.
func formatsOf(t *testing.T, dir string) map[string]string {
	t.Helper()
	r, err := doctor.CheckData(t.Context(), dir)
	if err != nil || !r.Reads {
		t.Fatalf("%+v, error %v", r, err)
	}
	return r.Formats()
}

// A run that a release began goes on in place. All formats remain those of the release, so it can
// go on with the run again.
func TestRunOfEveryReleaseGoesOn(t *testing.T) {
	t.Parallel()
	for version, dir := range releases(t, "run") {
		before := formatsOf(t, dir)
		p := start("run", "--data", dir, "--tasks", "chain_sum:0-1", "--with", "policy.from_scratch=true", "--with", "model.width=16", "--with", "model.layers=1", "--with", "model.hidden=16", "--with", "model.heads=1",
			"--group-size", "2", "--batch-size", "4", "--steps", "2", "--exam-problems", "1", "--parallel", "8", "--port", "0", "--seed", "1")
		if status := p.wait(t); status != exitOK || !strings.Contains(p.stderr.String()+p.stdout.String(), "to version 4") {
			t.Fatalf("%s: status %d, want version 4 after two more steps\n%s%s", version, status, p.stderr.String(), p.stdout.String())
		}
		steps, err := os.ReadFile(filepath.Join(dir, "training.jsonl"))
		if err != nil || strings.Count(string(steps), "\n") != 4 {
			t.Errorf("%s: %s, error %v, want the lines of 4 steps", version, steps, err)
		}
		if after := formatsOf(t, dir); !maps.Equal(after, before) {
			t.Errorf("%s: the formats are %v, want %v", version, after, before)
		}
	}
}

// So do the sessions of agents, the unfinished ones among them.
func TestSessionsOfEveryReleaseGoOn(t *testing.T) {
	t.Parallel()
	for version, dir := range releases(t, "gateway") {
		before, ids := formatsOf(t, dir), sessionsOf(t, dir)
		p := start("gateway", "--data", dir, "--policy", "script", "--tasks", "chain_sum", "--port", "0")
		await(t, p, "POST ")
		_, after, _ := strings.Cut(p.stderr.String(), "POST ")
		url, _, _ := strings.Cut(after, "/v1/sessions")
		for _, id := range ids { // the group may be done by now, since its sessions expire
			until(t, p, "it knows session "+id, func() bool {
				resp, err := http.Get(url + "/v1/sessions/" + id)
				if err != nil {
					return false
				}
				resp.Body.Close()
				return resp.StatusCode == http.StatusOK || resp.StatusCode == http.StatusGone
			})
		}
		http.DefaultClient.CloseIdleConnections()
		p.interrupts <- os.Interrupt
		p.wait(t)
		if after := formatsOf(t, dir); !maps.Equal(after, before) {
			t.Errorf("%s: the formats are %v, want %v", version, after, before)
		}
	}
}

// An evaluation that a release made is taken up again: all its episodes are there. If its tasks ask
// other problems by now, it is refused, and stays as it is.
func TestEvaluationOfEveryReleaseGoesOn(t *testing.T) {
	t.Parallel()
	for version, dir := range releases(t, "eval") {
		before, err := os.Stat(filepath.Join(dir, "trace", "000001.trace"))
		if err != nil {
			t.Fatal(err)
		}
		p := start("eval", "--policy", "script", "--with", "policy.delay=0s", "--tasks", "chain_sum", "--count", "2", "--samples", "2", "--out", dir)
		if status := p.wait(t); status != exitOK && !strings.Contains(p.stderr.String(), "it holds an evaluation with other problems") {
			t.Fatalf("%s: status %d\n%s", version, status, p.stderr.String())
		}
		after, err := os.Stat(filepath.Join(dir, "trace", "000001.trace"))
		if more, none := os.Stat(filepath.Join(dir, "trace", "000002.trace")); err != nil || after.Size() != before.Size() || none == nil && more.Size() > before.Size()/2 {
			t.Errorf("%s: it has played again: the trace grew from %d to %d bytes, error %v", version, before.Size(), after.Size(), err)
		}
	}
}

// sessionsOf lists the sessions in the journal of a data folder.
func sessionsOf(t *testing.T, dir string) []string {
	t.Helper()
	ids := map[string]bool{}
	err := journal.Check(filepath.Join(dir, "sessions"), func(r journal.Record) error {
		var made struct{ ID, Group string }
		if json.Unmarshal(r.Data, &made) == nil && made.Group != "" && made.ID == r.Session {
			ids[made.ID] = true
		}
		return nil
	})
	if err != nil || len(ids) == 0 {
		t.Fatalf("sessions %v, error %v", ids, err)
	}
	return slices.Collect(maps.Keys(ids))
}

func TestCheckData(t *testing.T) {
	t.Parallel()
	for version, dir := range releases(t, "hub") {
		p := start("doctor", "data", dir)
		if status := p.wait(t); status != exitOK || !strings.Contains(p.stdout.String(), "reads all of it, and upgrades nothing") {
			t.Errorf("%s: status %d\n%s%s", version, status, p.stdout.String(), p.stderr.String())
		}
		if err := os.WriteFile(filepath.Join(dir, "format.json"), []byte(`{"format":`+strconv.Itoa(99)+`,"writer":"v9"}`), 0o600); err != nil {
			t.Fatal(err)
		}
		p = start("doctor", "data", dir, "--json")
		if status := p.wait(t); status != exitFailed || !strings.Contains(p.stdout.String(), `"reads": false`) {
			t.Errorf("%s: status %d\n%s%s", version, status, p.stdout.String(), p.stderr.String())
		}
	}
	p := start("doctor", "data", t.TempDir())
	if status := p.wait(t); status != exitFailed || !strings.Contains(p.stderr.String(), "no data folder: want the folder of --data") {
		t.Errorf("status %d\n%s", status, p.stderr.String())
	}
}
