package watch_test

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/internal/datadir"
	"github.com/quintain-rl/quintain/run/watch"
)

// examined serves the pages of a folder with rows of examinations.jsonl.
func examined(t *testing.T, rows ...string) (ask func(path string) string) {
	t.Helper()
	dir := fill(t, "")
	if err := os.WriteFile(filepath.Join(dir, datadir.Evaluations), []byte(strings.Join(rows, "\n")+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	s := open(t, dir)
	return func(path string) string {
		status, body, _ := get(t, s, path)
		if status != http.StatusOK {
			t.Errorf("%s: %d", path, status)
		}
		return body
	}
}

// reply is an example of an evaluation.
func reply(label, text string, score float64) string {
	return fmt.Sprintf(`{"label":%q,"id":"an.id","question":"4+8=","reply":%q,"score":%g,"why":"because"}`, label, text, score)
}

func TestEvaluationsDuringARun(t *testing.T) {
	ask := examined(t,
		`{"version":0,"mean_score":0.25,"interval":{"low":0.2,"high":0.3},"tasks":{"sum (10)":0.125,"sum (2)":0.5,"sum":0.75,"sort:1":0.25},"examples":[`+reply("sum", "11", 0)+`,`+reply("sort:1", "a", 0.5)+`]}`,
		`{"version":1500,"mean_score":0.5,"interval":{"low":0.4,"high":0.6},"tasks":{"sum (10)":0.25},"examples":[`+reply("sum", "11", 0)+`,`+reply("sort:1", "<b>", 0.5)+`]}`,
		`{"version":3000,"mean_score":0.625,"interval":{"low":0.5,"high":0.75},"tasks":{"sum (10)":0.375,"sum (2)":0.5,"sum":1,"sort:1":0.25},"examples":[`+reply("sum", "12", 1)+`,`+reply("sort:1", "c", 0.75)+`]}`,
	)
	for _, c := range []struct {
		path string
		want []string
	}{
		{"/watch/evaluations", []string{
			`aria-label="Mean score on held-out problems: 0.250 at version 0, 0.625 at version 3,000"`, "<title>version 1,500: 0.500 (0.400 to 0.600)</title>", `<line class="within" x1="7.0`,
			`<th scope="row">sum<td class="n heat10" title="sum: 1.000 now, 0.750 at the start"><a href="evaluations?problem=sum#replay">1.000</a><small>0.750</small><td class="n heat5" title="sum (2): 0.500 now, 0.500 at the start">0.500<small>0.500</small><td class="n heat3" title="sum (10)`,
			`<th scope="col">Task<th scope="col" class="n"><th scope="col" class="n"> (2)<th scope="col" class="n"> (10)<th scope="col" class="n">:1</thead>`,
			"<strong>Wrong at version 0, right at version 3,000.</strong>", "<h3>Version 0 to 1,500: 0.000, ", "<h3>Version 3,000: 1.000, ", ">4+8=</pre>",
		}},
		{"/watch/evaluations?problem=sort:1", []string{"Partly right at version 0, and still at version 3,000.", "&lt;b&gt;", "<h3>Version 1,500: 0.500, "}},
	} {
		body := ask(c.path)
		for _, want := range c.want {
			if !strings.Contains(body, want) {
				t.Errorf("%s: there is no %s in\n%s", c.path, want, body)
			}
		}
	}
}

// TestExportHasTheEvaluations exports replies that no page should trust.
func TestExportHasTheEvaluations(t *testing.T) {
	dir := fill(t, rows)
	text := `{"version":0,"mean_score":0.25,"tasks":{"sum":0.25},"examples":[` + reply("sum", "</pre><script>alert(1)</script>\u202e", 0) + "]}\n"
	if err := os.WriteFile(filepath.Join(dir, datadir.Evaluations), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	pages, err := watch.New(watch.Config{Data: dir})
	if err != nil {
		t.Fatal(err)
	}
	page := strings.ReplaceAll(export(t, pages), "&#43;", "+")
	for _, want := range []string{
		`<td class="n heat2" title="sum: 0.250 now, 0.250 at the start">0.250<small>`, "the one of sum gained most", "<strong>Wrong at version 0.</strong>",
		`&lt;/pre&gt;&lt;script&gt;alert(1)&lt;/script&gt;<mark class="unseen">⟨U+202E⟩</mark>`,
	} {
		if !strings.Contains(page, want) {
			t.Errorf("there is no %s", want)
		}
	}
	if strings.Contains(page, `href="evaluations`) || strings.Contains(page, `action="evaluations`) {
		t.Error("the page asks a server")
	}
}

// TestEvaluationsOfOlderRuns has neither intervals nor replies, and a row that is not whole.
func TestEvaluationsOfOlderRuns(t *testing.T) {
	body := examined(t, `{"version":0,"mean_score":0.25,"tasks":{"sum":0.25}}`, `{"version":9,"mean_score":0.5,"tasks":{"sum":0.5}}`)("/watch/evaluations")
	if !strings.Contains(body, "<title>version 9: 0.500</title>") || !strings.Contains(body, "does not tell the confidence intervals") || strings.Contains(body, "replay") {
		t.Error(body)
	}
	body = examined(t)("/watch/evaluations")
	if !strings.Contains(body, "Evaluations appear here when a run examines its policy on held-out problems") || strings.Contains(body, "<svg") {
		t.Error(body)
	}
}

func TestALongReplayLeavesOutTheMiddle(t *testing.T) {
	var rows []string
	for i := range 200 {
		rows = append(rows, fmt.Sprintf(`{"version":%d,"mean_score":0.5,"tasks":{"sum":0.5},"examples":[%s]}`, i, reply("sum", fmt.Sprint(i), 0)))
	}
	body := examined(t, rows...)("/watch/evaluations")
	if n := strings.Count(body, "<h3>Version "); n != 24 || !strings.Contains(body, "176 replies in between") || !strings.Contains(body, "<h3>Version 199: ") {
		t.Errorf("%d replies in %s", n, body)
	}
	if n := strings.Count(body, "<circle "); n != 60 || !strings.Contains(body, "<title>version 0: ") || !strings.Contains(body, "<title>version 199: ") {
		t.Errorf("%d marks in %s", n, body)
	}
}
