package run_test

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/stats"
	"github.com/quintain-rl/quintain/policy/pool"
	"github.com/quintain-rl/quintain/queue"
	"github.com/quintain-rl/quintain/run"
	"github.com/quintain-rl/quintain/run/exam"
	"github.com/quintain-rl/quintain/run/rollout"
	"github.com/quintain-rl/quintain/run/rollout/curriculum"
	"github.com/quintain-rl/quintain/run/scalars"
	"github.com/quintain-rl/quintain/tiny"
)

// A rowsLog keeps rows.
type rowsLog struct {
	rows   []scalars.Row
	closed bool
}

func (l *rowsLog) Add(r scalars.Row) error { l.rows = append(l.rows, r); return nil }
func (l *rowsLog) Close() error            { l.closed = true; return nil }

// episode is one reply of a number of tokens. It begins as many seconds after another time,
// and takes one.
func episode(outcome quintain.Outcome, tokens int, reward float64) quintain.Trajectory {
	return quintain.Trajectory{Outcome: outcome, Started: time.Unix(int64(tokens), 0), Took: time.Second, Turns: []quintain.Turn{{
		Wrote: make([]quintain.Token, tokens), Reward: reward, Malformed: outcome == quintain.ModelFailed,
	}}}
}

// exchanges returns the exchanges of two servers; the second has answered nothing.
func exchanges() [][]pool.Exchange {
	return [][]pool.Exchange{{{Took: time.Second, Tries: 1}, {Took: 3 * time.Second, Tries: 2}, {Took: 5 * time.Second, Tries: 2, Exam: true}}, nil}
}

func TestMetrics(t *testing.T) {
	t.Parallel()
	log := &rowsLog{}
	n := run.NewMetrics(log, 0, 20)
	n.Watch(exchanges)
	mean := 0.25
	for _, e := range []run.Event{
		run.Played{Result: rollout.Result{Job: rollout.Job{Label: "gcd:1"}, Trajectories: []quintain.Trajectory{
			episode(quintain.Scored, 4, 1), episode(quintain.ModelFailed, 20, 0),
		}}, Scores: []float64{1, 0}},
		run.Played{Result: rollout.Result{Job: rollout.Job{Label: "lcm"}, Trajectories: []quintain.Trajectory{
			episode(quintain.Scored, 6, 0.5), episode(quintain.Scored, 10, 1), // a penalty made the scores equal
		}}, Scores: []float64{0.25, 0.25}, Drop: rollout.DropEqual},
		run.Played{Result: rollout.Result{Trajectories: []quintain.Trajectory{episode(quintain.InfraFailed, 100, 0)}}, Drop: rollout.DropInfra},
		run.Dropped{rollout.DropStale, []string{"a", "b"}, run.Cost{Groups: 2, Episodes: 4, Tokens: 48, Seconds: 5}},
		run.Stepped{Step: tiny.Step{Version: 3, Metrics: tiny.Metrics{Entropy: 0.5}}, Lags: []int{0, 3}, Trained: true, Cost: run.Cost{Groups: 1, Episodes: 2, Tokens: 16, Seconds: 3.5},
			Standings: []curriculum.Standing{{Name: "gcd", Complexity: 0.5, Share: 0.75, PassRate: 1, Moved: true, Target: 0.7}, {Name: "lcm", Share: 0.25}}},
		run.Examined{Version: 4, Report: &exam.Report{
			Summary: exam.Summary{Mean: &mean, Within: &stats.Interval{Low: 0.125, High: 0.5}}, Rows: []*exam.Row{{Label: "gcd:1", Summary: exam.Summary{Mean: &mean}}, {Label: "lcm"}},
		}},
	} {
		if err := n.Note(e); err != nil {
			t.Fatal(err)
		}
	}
	if err := n.Close(); err != nil || !log.closed {
		t.Errorf("closed: %v, %v", err, log.closed)
	}
	if len(log.rows) != 2 || log.rows[0].Step != 3 || log.rows[1].Step != 4 {
		t.Fatalf("the rows are %v, want one of step 3 and one of step 4: nothing happened after", log.rows)
	}
	for name, times := range map[string]float64{
		"groups": 3, "kept": 1, "steps": 1, "dropped/equal_scores": 1, "dropped/infra_failed": 1, "dropped/stale": 2,
	} {
		kind, why, _ := strings.Cut(name, "/")
		name = strings.TrimSuffix("train/"+kind+"_per_s/"+why, "/")
		if rate := log.rows[0].Values[name] / log.rows[0].Values["train/tokens_per_s"]; math.Abs(rate-times/140) > 1e-9 {
			t.Errorf("%s is %v of the rate of tokens, want %v", name, rate, times/140)
		}
		delete(log.rows[0].Values, name)
	}
	rate := log.rows[0].Values["train/tokens_per_s"]
	if rate <= 0 {
		t.Errorf("%v tokens a second", rate)
	}
	for name := range log.rows[0].Values {
		if len(name) > 6 && name[:6] == "learn/" && name != "learn/entropy" {
			delete(log.rows[0].Values, name)
		}
	}
	want := map[string]float64{
		"train_perf/task_duration_mean": 23. / 3, "train_perf/task_duration_std": math.Sqrt(416) / 3, "train_perf/task_duration_min": 1, "train_perf/task_duration_max": 17,
		"train_perf/succeeded_task_duration_mean": 17, "train_perf/succeeded_task_duration_std": 0, "train_perf/succeeded_task_duration_min": 17, "train_perf/succeeded_task_duration_max": 17,
		"train_perf/failed_task_duration_mean": 3, "train_perf/failed_task_duration_std": 2, "train_perf/failed_task_duration_min": 1, "train_perf/failed_task_duration_max": 5,
		"server/server_0_request_time_avg": 2, "server/server_0_request_time_std": 1, "server/server_0_request_time_99p": 2.98, "server/server_0_average_num_attempts": 1.5,
		"server/server_0_eval_request_time_avg": 5, "server/server_0_eval_request_time_std": 0, "server/server_0_eval_request_time_99p": 5, "server/server_0_eval_retry_rate": 1,
		"train/items_sent_to_api": 1, "train/items_rejected": 2, "train/tokens_per_s": rate,
		"train/groups_differ": 0.5, "train/episodes": 4, "train/stale_tokens": 12, "train/stale_seconds": 2.5, "train/kept_tokens": 12, "train/trained_tokens": 8, "train/trained_seconds": 3.5,
		"train/score": 0.375, "train/score/gcd:1": 0.5, "train/score/lcm": 0.25, "train/percent_correct": 0.75, "train/malformed": 0.25,
		"train/completion_lengths": 10, "train/completion_lengths_min": 4, "train/completion_lengths_max": 20,
		"train/completion_lengths_std": log.rows[0].Values["train/completion_lengths_std"], "train/completion_lengths_p95": 0.25,
		"train/lag": 1.5, "train/lag_max": 3, "learn/entropy": 0.5,
		"curriculum/complexity/gcd": 0.5, "curriculum/share/gcd": 0.75, "curriculum/pass_rate/gcd": 1,
		"curriculum/complexity/lcm": 0, "curriculum/share/lcm": 0.25, "curriculum/pass_rate/lcm": 0,
		"curriculum/avg_complexity": 0.25, "curriculum/min_complexity": 0, "curriculum/max_complexity": 0.5,
		"curriculum/avg_recent_accuracy": 0.5, "curriculum/total_tasks_tracked": 2,
		"curriculum/tasks_with_adjustments": 1, "curriculum/target_accuracy": 0.7,
	}
	total := map[string]float64{
		"total/groups": 3, "total/kept": 1, "total/dropped/equal_scores": 1, "total/dropped/infra_failed": 1, "total/dropped/stale": 2, "total/dropped_later": 2,
		"total/stale/groups": 2, "total/stale/episodes": 4, "total/stale/tokens": 48, "total/stale/seconds": 5,
		"total/trained/groups": 1, "total/trained/episodes": 2, "total/trained/tokens": 16, "total/trained/seconds": 3.5,
		"total/episodes/scored": 3, "total/episodes/model_failed": 1, "total/episodes/infra_failed": 1, "total/tokens": 140, "total/steps": 1, "total/lag/0": 1, "total/lag/3": 1,
	}
	maps.Copy(want, total)
	near := func(a, b float64) bool { return math.Abs(a-b) < 1e-9 }
	if !maps.EqualFunc(log.rows[0].Values, want, near) {
		t.Errorf("the numbers of the step are\n%v, want\n%v", log.rows[0].Values, want)
	}
	if std := log.rows[0].Values["train/completion_lengths_std"]; std < 6.16 || std > 6.17 {
		t.Errorf("the standard deviation of 4, 20, 6 and 10 is said to be %v", std)
	}
	maps.Copy(total, map[string]float64{"eval/percent_correct": mean, "eval/percent_correct_low": 0.125, "eval/percent_correct_high": 0.5, "eval/gcd:1": mean})
	if !maps.Equal(log.rows[1].Values, total) {
		t.Errorf("the numbers of the evaluation are\n%v, want\n%v", log.rows[1].Values, total)
	}
}

// TestARowOfAnEvaluationHasNoSums holds evaluations a moment after a row, and at the end: a
// mean over the one group since would look like a fall.
func TestARowOfAnEvaluationHasNoSums(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := &rowsLog{}
		n := run.NewMetrics(log, 5*time.Second, 0)
		mean, version := 0.5, 0
		wrong := episode(quintain.Scored, 4, 0)
		right := episode(quintain.Scored, 4, 1)
		play := func(score float64, played quintain.Trajectory) {
			version++
			for _, e := range []run.Event{
				run.Played{Result: rollout.Result{Job: rollout.Job{Label: "gcd"}, Trajectories: []quintain.Trajectory{played}}, Scores: []float64{score}},
				run.Stepped{Step: tiny.Step{Version: version}, Lags: []int{1}},
			} {
				if err := n.Note(e); err != nil {
					t.Fatal(err)
				}
			}
		}
		examine := func() {
			time.Sleep(20 * time.Second) // nothing is played meanwhile
			if err := n.Note(run.Examined{Version: version, Report: &exam.Report{Summary: exam.Summary{Mean: &mean}}}); err != nil {
				t.Fatal(err)
			}
		}
		examine()
		for range 6 {
			time.Sleep(time.Second)
			play(1, right)
		}
		play(0, wrong)
		examine()
		if err := n.Close(); err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, row := range log.rows {
			score, has := row.Values["train/score"]
			got = append(got, fmt.Sprintf("step %d: %v groups, %v kept a second, score %v %v, evaluated %v", row.Step, row.Values["total/groups"], row.Values["train/kept_per_s"], has, score, row.Values["eval/percent_correct"]))
		}
		want := []string{
			"step 0: 0 groups, 0 kept a second, score false 0, evaluated 0.5",
			"step 5: 5 groups, 1 kept a second, score true 1, evaluated 0",
			"step 7: 7 groups, 0 kept a second, score false 0, evaluated 0.5",
			"step 7: 7 groups, 0 kept a second, score false 0, evaluated 0",
		}
		if !slices.Equal(got, want) {
			t.Errorf("the rows are\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	})
}

// TestTotalsAreThoseOfTheReport compares the last row of two processes of a run with their
// reports.
func TestTotalsAreThoseOfTheReport(t *testing.T) {
	t.Parallel()
	want, before := map[string]float64{}, map[string]float64{}
	for seed := range uint64(2) {
		c, log := config(t, open(t, queue.NewMemory())), &rowsLog{}
		metrics := run.NewMetrics(log, 0, 0)
		metrics.Resume(before)
		c.Settings.Seed, c.Settings.ExamProblems, c.Sinks = seed, 4, []run.Sink{metrics}
		_, report := finish(t, c)
		if err := metrics.Close(); err != nil {
			t.Fatal(err)
		}
		add := func(name string, n int) {
			if n > 0 {
				want["total/"+name] += float64(n)
			}
		}
		add("kept", report.GroupsMade)
		add("steps", report.Steps)
		add("tokens", report.Tokens)
		for why, groups := range report.GroupsDropped {
			add("dropped/"+string(why), groups)
		}
		for outcome, episodes := range report.Episodes {
			add("episodes/"+string(outcome), episodes)
		}
		for lag, groups := range report.Staleness {
			add(fmt.Sprintf("lag/%d", lag), groups)
		}
		for of, cost := range map[string]run.Cost{"trained/": report.Trained, "stale/": report.Stale} {
			add(of+"groups", cost.Groups)
			add(of+"episodes", cost.Episodes)
			add(of+"tokens", cost.Tokens)
		}
		before = log.rows[len(log.rows)-1].Values
	}
	got := maps.Clone(before)
	maps.DeleteFunc(got, func(name string, _ float64) bool {
		return !strings.HasPrefix(name, "total/") || name == "total/groups" || name == "total/dropped_later" || strings.HasSuffix(name, "/seconds")
	})
	if !maps.Equal(got, want) || got["total/steps"] == 0 {
		t.Errorf("the totals are\n%v, and the reports say\n%v", got, want)
	}
	dropped := 0.0
	for name, n := range got {
		if strings.HasPrefix(name, "total/dropped/") {
			dropped += n
		}
	}
	if before["total/groups"] != got["total/kept"]+dropped-before["total/dropped_later"] {
		t.Errorf("%v", before)
	}
}

func TestMetricsAreSpacedAndTheLastAreKept(t *testing.T) {
	t.Parallel()
	log := &rowsLog{}
	n := run.NewMetrics(log, time.Hour, 0)
	for version := 1; version <= 3; version++ {
		if err := n.Note(run.Stepped{Step: tiny.Step{Version: version}, Lags: []int{1}}); err != nil {
			t.Fatal(err)
		}
	}
	if len(log.rows) != 0 {
		t.Errorf("%d rows within an hour", len(log.rows))
	}
	if err := n.Close(); err != nil || len(log.rows) != 1 || log.rows[0].Step != 3 {
		t.Errorf("at the end there are %v, %v; want one row of step 3", log.rows, err)
	}
}
