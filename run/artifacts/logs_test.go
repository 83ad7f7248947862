package artifacts_test

import (
	"os"
	"testing"

	"github.com/quintain-rl/quintain/internal/datadir"
	"github.com/quintain-rl/quintain/internal/jsonl"
	"github.com/quintain-rl/quintain/internal/stats"
	"github.com/quintain-rl/quintain/run"
	"github.com/quintain-rl/quintain/run/artifacts"
	"github.com/quintain-rl/quintain/run/exam"
	"github.com/quintain-rl/quintain/run/kept"
	"github.com/quintain-rl/quintain/tiny"
)

// place returns a place that is a data folder alone.
func place(t *testing.T) kept.Place {
	t.Helper()
	folder, err := datadir.Open(t.TempDir(), "test")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { folder.Close() })
	return kept.Place{Folder: folder}
}

// A line is written for each trained step and each evaluation with a score.
func TestLogs(t *testing.T) {
	t.Parallel()
	p := place(t)
	logs, err := artifacts.OpenLogs(p, tiny.Step{})
	if err != nil {
		t.Fatal(err)
	}
	mean := 0.5
	scored := exam.Summary{Mean: &mean, Within: &stats.Interval{Low: 0.4, High: 0.6}}
	report := &exam.Report{Summary: scored, Rows: []*exam.Row{{Label: "a:1", Summary: scored}, {Label: "b:1"}}}
	for _, e := range []run.Event{
		run.Stepped{Step: tiny.Step{Version: 1}, Trained: true}, run.Stepped{Step: tiny.Step{Version: 2}},
		run.Examined{Version: 1, Seconds: 3, Report: report}, run.Examined{Version: 1, Report: &exam.Report{}}, run.Said{},
	} {
		if err := logs.Note(e); err != nil {
			t.Error(err)
		}
	}
	if err := logs.Close(); err != nil {
		t.Error(err)
	}
	steps, err := jsonl.ReadLog[tiny.Step](p.Folder.Join(datadir.Training))
	if err != nil || len(steps) != 1 || steps[0].Version != 1 {
		t.Errorf("steps %+v, error %v", steps, err)
	}
	exams, err := jsonl.ReadLog[run.ExamLine](p.Folder.Join(datadir.Evaluations))
	if err != nil || len(exams) != 1 || exams[0].Version != 1 || exams[0].Seconds != 3 || exams[0].Mean != mean || exams[0].Interval.High != 0.6 ||
		len(exams[0].Tasks) != 1 || exams[0].Tasks["a:1"] != mean {
		t.Errorf("evaluations %+v, error %v", exams, err)
	}
}

// The next process writes the line that a killed one missed, and cuts off a torn line.
func TestLogsAreMended(t *testing.T) {
	t.Parallel()
	p := place(t)
	path := p.Folder.Join(datadir.Training)
	if err := os.WriteFile(path, []byte(`{"version":1,"batch":["a"]}`+"\n"+`{"version":2,"ba`), 0o600); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		logs, err := artifacts.OpenLogs(p, tiny.Step{Version: 2, Batch: []string{"b"}})
		if err != nil {
			t.Fatal(err)
		}
		if err := logs.Close(); err != nil {
			t.Error(err)
		}
	}
	steps, err := jsonl.ReadLog[tiny.Step](path)
	if err != nil || len(steps) != 2 || steps[1].Version != 2 || steps[1].Batch[0] != "b" {
		t.Errorf("steps %+v, error %v", steps, err)
	}
}
