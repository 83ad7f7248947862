package watch_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/datadir"
)

// text is a page without its markup.
func text(page string) string {
	_, page, _ = strings.Cut(page, "<main")
	return strings.Join(strings.Fields(regexp.MustCompile(`<[^>]*>`).ReplaceAllString(page, " ")), " ")
}

// TestARunSaysWhetherItLearns compares the first and the last line of examinations.jsonl.
func TestARunSaysWhetherItLearns(t *testing.T) {
	line := func(version, mean, interval string) string {
		return `{"version":` + version + `,"seconds":1,"mean_score":` + mean + `,"tasks":{"gcd":` + mean + `}` + interval + "}\n"
	}
	const first = `,"interval":{"low":0.3,"high":0.5}`
	for _, c := range []struct{ why, lines, want string }{
		{"none", "", "Is it learning? Not known: it ended before its first evaluation. What it played last"},
		{"one", line("0", "0.4", first), "There is one evaluation so far, so nothing to compare it with yet. At the start 0.400 0.300 to 0.500 The mean"},
		{"better", line("0", "0.4", first) + line("7", "0.3", "") + line("1234", "0.7", `,"interval":{"low":0.6,"high":0.8}`),
			"Better: 0.300 more than at the start, which is significant. At the start 0.400 0.300 to 0.500 At the end, version 1,234 0.700 0.600 to 0.800 Change +0.300 +0.159 to +0.441"},
		{"worse", line("0", "0.4", first) + line("9", "0.1", `,"interval":{"low":0.05,"high":0.2}`), "Worse: 0.300 less than at the start, which is significant."},
		{"within chance", line("0", "0.4", first) + line("9", "0.5", `,"interval":{"low":0.4,"high":0.6}`), "No significant change so far: +0.100 since the start."},
		{"without intervals", line("0", "0.4", "") + line("9", "0.5", ""), "Better by 0.100 since the start; this folder does not tell whether that is significant."},
		{"a torn line", line("0", "0.4", first) + `{"version":9,"mean_sc`, "There is one evaluation so far"},
	} {
		dir := fill(t, rows, group("gcd", 0, "4", "5"))
		if err := os.WriteFile(filepath.Join(dir, datadir.Evaluations), []byte(c.lines), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, body, _ := get(t, open(t, dir), "/watch/run"); !strings.Contains(text(body), c.want) {
			t.Errorf("%s: there is no %q in\n%s", c.why, c.want, text(body))
		}
	}
}

// TestTasksOfARun finds a line for each task, with the levels in order.
func TestTasksOfARun(t *testing.T) {
	dir := fill(t, "", group("gcd", 0, "4", "5"))
	const lines = `{"version":0,"mean_score":0.2,"tasks":{"gcd":0.9,"gcd (2)":0.2,"gcd (10)":0.1,"lcm:1":0.5,"lcm:0":0.7}}
{"version":9,"mean_score":0.5,"tasks":{"gcd":0.9,"gcd (2)":0.8,"gcd (10)":0.1,"lcm:1":0.7,"lcm:0":0.6}}
`
	if err := os.WriteFile(filepath.Join(dir, datadir.Evaluations), []byte(lines), 0o600); err != nil {
		t.Fatal(err)
	}
	_, body, _ := get(t, open(t, dir), "/watch/run")
	for _, want := range []string{"gcd 0.400 0.600 2 of 3 1 0.500 lcm 0.600 0.650 1 of 2 A level"} {
		if !strings.Contains(text(body), want) {
			t.Errorf("there is no %q in\n%s", want, text(body))
		}
	}
	if !strings.Contains(body, `<polyline points="0.0,14.2 100.0,9.8"/>`) {
		t.Errorf("there is no line of gcd in\n%s", body)
	}
}

// TestARunCountsAsItsReport shows the totals of the last row, not what the trace says: it
// keeps a group's first fate, and counts read tokens too.
func TestARunCountsAsItsReport(t *testing.T) {
	const last = `{"step":9,"time":100,"values":{"total/groups":10,"total/kept":8,"total/dropped/equal_scores":2,"total/dropped/stale":3,"total/dropped/withheld":1,"total/dropped_later":4,` +
		`"total/tokens":109442365,"total/lag/0":1,"total/lag/4":7,"total/episodes/scored":70,"total/episodes/model_failed":10,` +
		`"train/tokens_per_s":12345.678,"train/groups_per_s":2.5,"train/steps_per_s":0.5,"train_perf/task_duration_mean":0.0123,"train_perf/task_duration_max":1.5}}` + "\n"
	equal := group("gcd", 1, "4", "4")
	equal.Drop, equal.Scores = "equal_scores", []float64{1, 1}
	s := serve(t, rows+"\n"+last, group("gcd", 0, "4", "5"), equal)
	_, body, _ := get(t, s, "/watch/run")
	for _, want := range []string{
		"10 groups, 109,442,365 sampled bytes", "kept 4 40.0 % stale 3 30.0 % equal_scores 2 20.0 % withheld 1 10.0 %", "Versions Groups Share 0 1 12.5 % 4 7 87.5 %", "scored 70 87.5 % model_failed 10 12.5 %",
		"12,346 bytes and 2.5 groups a second, and a step every 2 s. A group takes 12 ms on average, the slowest lately 1.5 s.", "Groups are trained on 3.5 versions after their first token, and 4 at most.",
		"20.0 % of the groups, 2, were dropped as equal_scores : all replies scored alike, so none is better than another and there is nothing to learn from them. These groups",
		"30.0 % of the groups, 3, were dropped as stale : when their turn came, the policy had made too many steps since these replies.",
		"10.0 % of the groups, 1, were dropped as withheld : when they ended, or when their turn came, the policy had made too many steps since",
	} {
		if !strings.Contains(text(body), want) {
			t.Errorf("there is no %q in\n%s", want, text(body))
		}
	}
}

// TestTheModelsFailureIsNoFault has the page of the run and that of failures say the same of
// a reply without an answer.
func TestTheModelsFailureIsNoFault(t *testing.T) {
	r := group("gcd", 0, "4", "")
	r.Episodes[1].Outcome = quintain.ModelFailed
	s := serve(t, "", r)
	for _, path := range []string{"/watch/run", "/watch/faults"} {
		_, body, _ := get(t, s, path)
		for _, want := range []string{"failed or was stopped", "In 1 group a reply was cut or had no readable answer ( model_failed ): that is the model's own failure, data with a low reward to learn from, and no fault."} {
			if !strings.Contains(strings.ReplaceAll(text(body), "&#39;", "'"), want) {
				t.Errorf("%s: there is no %q in\n%s", path, want, text(body))
			}
		}
	}
}

// TestWhatARunPlays shows the newest group whose scores differ, the best and the worst
// replies, and equal ones once.
func TestWhatARunPlays(t *testing.T) {
	equal := group("lcm", 1, "4", "4")
	equal.Drop, equal.Scores = "equal_scores", []float64{1, 1}
	r := group("gcd", 0, "a", "b", "c", "d", "<script>", "", "4", "4")
	r.Scores = []float64{0, 0.25, 0.5, 0.5, 0.75, -1, 1, 1}
	for _, e := range r.Episodes[6:] {
		e.Turns[0].Right = true
	}
	_, body, _ := get(t, serve(t, "", r, equal), "/watch/run")
	const want = "What it played last gcd:2 , by version 7 of the policy, 2026-01-02 03:04:05 UTC . What is 1 + 1? 1.000 2 times right 4 0.750 &lt;script&gt; because " +
		"3 more replies 0.000 a because -1.000 an empty reply because All 8 replies, with every token"
	if got := text(body); !strings.Contains(got, want) {
		t.Errorf("there is no %q in\n%s", want, got)
	}
	_, body, _ = get(t, serve(t, "", equal), "/watch/run")
	if want := "lcm:2 , by version 7 of the policy, 2026-01-02 03:04:06 UTC . All scores are equal. What is 1 + 1? 1.000 2 times"; !strings.Contains(text(body), want) {
		t.Errorf("there is no %q in\n%s", want, text(body))
	}
}

// TestAnEndedRunSaysSo looks at the lock of the folder.
func TestAnEndedRunSaysSo(t *testing.T) {
	dir := fill(t, "", group("gcd", 0, "4", "5"))
	lock, err := datadir.Lock(dir)
	if err != nil {
		t.Fatal(err)
	}
	const ended = `data-ended>ended <time datetime="2026-01-02T03:04:05Z">`
	if _, body, _ := get(t, open(t, dir), "/watch/groups"); strings.Contains(body, ended) {
		t.Errorf("a run that goes on has ended:\n%s", body)
	}
	if err := lock.Close(); err != nil {
		t.Fatal(err)
	}
	if _, body, _ := get(t, open(t, dir), "/watch/groups"); !strings.Contains(body, ended) {
		t.Errorf("a run that ended goes on:\n%s", body)
	}
	lately := group("gcd", 1, "4", "5")
	lately.Time = time.Now()
	if _, body, _ := get(t, serve(t, "", lately), "/watch/groups"); strings.Contains(body, "ended") {
		t.Errorf("a run with news has ended:\n%s", body)
	}
}

// TestNumbersHaveOneForm reads numbers of all sizes on a page.
func TestNumbersHaveOneForm(t *testing.T) {
	for value, want := range map[string]string{
		"0": "0", "1234567.8": "1,234,568", "-1234": "-1,234", "123.456": "123.5", "0.012344": "0.01234", "0.00001": "1e-05", "999.96": "1,000", "1e20": "1e+20",
	} {
		_, body, _ := get(t, serve(t, `{"step":1000,"time":1,"values":{"learn/loss":`+value+"}}\n"), "/watch/run")
		if !strings.Contains(body, ">"+want+"</output>") || !strings.Contains(body, "step 1,000<") {
			t.Errorf("%s: there is no %s in\n%s", value, want, body)
		}
	}
}
