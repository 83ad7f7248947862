package watch_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/web"
	"github.com/quintain-rl/quintain/run/exam"
	"github.com/quintain-rl/quintain/run/watch"
	"github.com/quintain-rl/quintain/tasks/arithmetic"
	"github.com/quintain-rl/quintain/tasks/words"
)

// tasks are those of the pages.
func tasks() []quintain.Task { return slices.Concat(arithmetic.Tasks(), words.Tasks()) }

func TestTasks(t *testing.T) {
	s := serve(t, "", group("chain_sum", 0, "4", "5"))
	for _, c := range []struct {
		why, path string
		status    int
		want      []string
	}{
		{"the table has the score of this run", "/watch/tasks", 200, []string{`<a href="groups?task=chain_sum">1</a><td class="n" data-name="Mean score">0.500`, `<a href="task?name=word_ladder">word_ladder</a>`}},
		{"a problem", "/watch/task?name=spell_backward", 200, []string{"<h2>Problem spell_backward.", "A solution"}},
		{"no answer", "/watch/task?name=spell_backward&answer=", 200, []string{"Score 0.000</strong>"}},
		{"an answer that is markup", "/watch/task?name=spell_backward&answer=%3Cb%3E", 200, []string{"Score 0.000</strong>", "&lt;b&gt;</textarea>"}},
		{"no such task", "/watch/task?name=spel_backward", 404, []string{"spell_backward"}},
		{"no such level", "/watch/task?name=spell_backward&level=99", 400, []string{"level"}},
		{"a problem before the first", "/watch/task?name=spell_backward&index=-1", 400, []string{"index"}},
	} {
		status, body, _ := get(t, s, c.path)
		if status != c.status {
			t.Errorf("%s: %d, want %d", c.why, status, c.status)
		}
		for _, want := range c.want {
			if !strings.Contains(body, want) {
				t.Errorf("%s: there is no %s in\n%s", c.why, want, body)
			}
		}
	}
}

// TestTheGraderTakesTheSolution types the solution of a problem of each task.
func TestTheGraderTakesTheSolution(t *testing.T) {
	s := serve(t, "")
	for _, one := range tasks() {
		p, err := one.Problem(quintain.Draw{Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		answer, err := one.Solve(p)
		if err != nil {
			t.Fatal(err)
		}
		query := "name=" + one.Info().Name + "&answer=" + url.QueryEscape(answer)
		if _, body, _ := get(t, s, "/watch/task?"+query); !strings.Contains(body, `<strong class="outcome scored">Score 1.000</strong>`) {
			t.Errorf("%s: the solution %q does not earn 1", one.Info().Name, answer)
		}
	}
}

func TestEvaluations(t *testing.T) {
	dir := t.TempDir()
	paths := []string{filepath.Join(dir, "before"), filepath.Join(dir, "after"), filepath.Join(dir, "missing")}
	for i, path := range paths[:2] {
		var problems []*exam.Problem
		for n, id := range []string{"chain_sum.v1.s1.l0.0", "chain_sum.v1.s1.l0.1"} {
			problems = append(problems, &exam.Problem{ID: id, Episodes: []exam.Episode{{Outcome: quintain.Scored, Score: float64(i * n), Right: i*n > 0}}})
		}
		mean := float64(i) / 2
		r := exam.Report{
			Summary: exam.Summary{Scored: 2, Mean: &mean}, Samples: 1,
			Rows: []*exam.Row{{Label: "chain_sum:0", Task: "chain_sum", Summary: exam.Summary{Scored: 2, Mean: &mean}, Set: 2, Problems: problems}},
		}
		text, err := json.Marshal(r)
		if err == nil {
			err = os.MkdirAll(path, 0o755)
		}
		if err == nil {
			err = os.WriteFile(filepath.Join(path, exam.ReportName), text, 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	pages, err := watch.New(watch.Config{Data: dir, Evaluations: paths})
	if err != nil {
		t.Fatal(err)
	}
	server, err := web.New(web.Config{Name: "view", Routes: pages.Routes()})
	if err != nil {
		t.Fatal(err)
	}
	s := serveOn(t, server)
	for _, c := range []struct {
		why, path string
		want      []string
	}{
		{"the first and the last are compared", "/watch/evaluations", []string{
			`<td class="n" data-name="Before">0.000<td class="n" data-name="After">0.500<td class="n" data-name="Difference">+0.500`, `<svg class="forest same"`, `<a href="groups?group=chain_sum.v1.s1.l0.1">chain_sum.v1.s1.l0.1</a>: 0 of 1 right, then 1 of 1 right`,
			"<h2>after by task and level</h2>",
		}},
		{"the other way round", "/watch/evaluations?a=1&b=0&show=0", []string{`<td class="n" data-name="Difference">-0.500`, "<h2>before by task and level</h2>"}},
		{"one that is not there", "/watch/evaluations?a=7&b=-1&show=x", []string{"+0.500"}},
	} {
		status, body, _ := get(t, s, c.path)
		for _, want := range c.want {
			if status != http.StatusOK || !strings.Contains(body, want) {
				t.Errorf("%s: %d, there is no %s in\n%s", c.why, status, want, body)
			}
		}
	}
}
