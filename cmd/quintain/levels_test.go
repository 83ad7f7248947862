package main

import (
	"encoding/json"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/run/exam"
	"github.com/quintain-rl/quintain/tiny/starter"
	"github.com/quintain-rl/quintain/trace"
)

// listed returns the entries that quintain trace list prints.
func listed(t *testing.T, args ...string) (all []trace.Entry) {
	t.Helper()
	p := start(append([]string{"trace", "list", "--json"}, args...)...)
	if status := p.wait(t); status != exitOK {
		t.Fatalf("status %d\n%s", status, p.stderr.String())
	}
	for line := range strings.Lines(p.stdout.String()) {
		var e trace.Entry
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatal(err)
		}
		all = append(all, e)
	}
	return all
}

// The number of a rung of the default run's ladder is its level in the trace, the viewer, the
// labels and the evaluations.
func TestRungsOfTheDefaultRunAreLevels(t *testing.T) {
	data := t.TempDir()
	p := start("run", "--port", "0", "--data", data, "--steps", "3", "--parallel", "32", "--exam-problems", "1")
	if status := p.wait(t); status != exitOK {
		t.Fatalf("status %d\n%s", status, p.stderr.String())
	}
	rungs := map[string]int{} // of each task
	for _, c := range starter.Ladder("") {
		rungs[c.Task]++
	}
	for _, e := range listed(t, "--data", data) {
		if e.Level < 0 || e.Level >= rungs[e.Task] {
			t.Fatalf("group %s has level %d, want 0 to %d", e.Group, e.Level, rungs[e.Task]-1)
		}
	}
	first := listed(t, "--data", data, "--task", "spell_backward", "--level", "0")
	if len(first) == 0 {
		t.Fatal("trace list --level 0 finds nothing")
	}
	rung := first[0].Group[:strings.LastIndexByte(first[0].Group, '.')]
	for _, e := range first {
		if e.Level != 0 || e.Task != "spell_backward" || !strings.HasPrefix(e.Group, rung) {
			t.Errorf("level 0 has %+v", e)
		}
	}
	p = start("view", data, "--port", "0", "--open")
	await(t, p, "Ctrl-C stops")
	page := <-p.opened
	groups := read(t, strings.Replace(page, "/run", "/groups?task=spell_backward&level=0", 1))
	at := regexp.MustCompile(`group\?at=[0-9-]+`).FindString(groups)
	if at == "" {
		t.Fatalf("no group of level 0:\n%s", groups)
	}
	if group := read(t, strings.Replace(page, "/run", "/"+at, 1)); !strings.Contains(group, "<h1>Group of spell_backward:0</h1>") {
		t.Errorf("the page of a group has another level:\n%s", group)
	}
	stopHub(t, p)

	examined := start("eval", "--data", data, "--count", "1", "--format", "json", "--samples", "1")
	if status := examined.wait(t); status != exitOK {
		t.Fatalf("status %d\n%s", status, examined.stderr.String())
	}
	var report exam.Report
	if err := json.Unmarshal([]byte(examined.stdout.String()), &report); err != nil {
		t.Fatal(err)
	}
	if r := report.Rows[1]; r.Label != "chain_sum:1" || r.Level != 1 {
		t.Errorf("the second row is %s with level %d, want chain_sum:1", r.Label, r.Level)
	}
}

// read returns the text at a URL.
func read(t *testing.T, url string) string {
	t.Helper()
	reply, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer reply.Body.Close()
	text, err := io.ReadAll(reply.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
