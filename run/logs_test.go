package run_test

import (
	"os"
	"testing"

	"github.com/quintain-rl/quintain/internal/datadir"
	"github.com/quintain-rl/quintain/internal/jsonl"
	"github.com/quintain-rl/quintain/queue"
	"github.com/quintain-rl/quintain/run"
	"github.com/quintain-rl/quintain/tiny/learn"
)

func TestLogs(t *testing.T) {
	t.Parallel()
	folder, err := datadir.Open(t.TempDir(), "test")
	if err != nil {
		t.Fatal(err)
	}
	defer folder.Close()
	logs, err := run.OpenLogs(folder, learn.Step{})
	if err != nil {
		t.Fatal(err)
	}
	c := config(t, open(t, queue.NewMemory()))
	c.Settings.ExamProblems, c.Consumer, c.Sinks = 4, run.Train(&learner{}), []run.Sink{logs}
	finish(t, c)
	if err := logs.Close(); err != nil {
		t.Error(err)
	}
	steps, err := jsonl.ReadLog[learn.Step](folder.Join(datadir.Training))
	if err != nil || len(steps) != 5 || steps[4].Version != 5 {
		t.Errorf("steps %+v, error %v", steps, err)
	}
	exams, err := run.ReadExams(folder.Join(datadir.Evaluations))
	if err != nil || len(exams) != 2 || exams[1].Version != 5 || len(exams[1].Tasks) != 2 || exams[0].Seconds > exams[1].Seconds ||
		exams[0].Interval == nil || exams[0].Interval.Low > exams[0].Mean || exams[0].Interval.High < exams[0].Mean {
		t.Errorf("evaluations %+v, error %v", exams, err)
	}
}

// The next process writes the line that a killed one missed, and cuts off a torn line.
func TestLogsAreMended(t *testing.T) {
	t.Parallel()
	folder, err := datadir.Open(t.TempDir(), "test")
	if err != nil {
		t.Fatal(err)
	}
	defer folder.Close()
	if err := os.WriteFile(folder.Join(datadir.Training), []byte(`{"version":1,"batch":["a"]}`+"\n"+`{"version":2,"ba`), 0o600); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		logs, err := run.OpenLogs(folder, learn.Step{Version: 2, Batch: []string{"b"}})
		if err != nil {
			t.Fatal(err)
		}
		if err := logs.Close(); err != nil {
			t.Error(err)
		}
	}
	steps, err := jsonl.ReadLog[learn.Step](folder.Join(datadir.Training))
	if err != nil || len(steps) != 2 || steps[1].Version != 2 || steps[1].Batch[0] != "b" {
		t.Errorf("steps %+v, error %v", steps, err)
	}
}
