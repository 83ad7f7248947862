package run

import (
	"errors"
	"sync"

	"github.com/quintain-rl/quintain/internal/datadir"
	"github.com/quintain-rl/quintain/internal/jsonl"
	"github.com/quintain-rl/quintain/internal/stats"
	"github.com/quintain-rl/quintain/tiny/learn"
)

// An ExamLine is a line of the log of evaluations.
type ExamLine struct {
	Version int                `json:"version"` // of the policy, at the end of the evaluation
	Seconds float64            `json:"seconds"` // of all processes of the run until then
	Mean    float64            `json:"mean_score"`
	Tasks   map[string]float64 `json:"tasks"` // mean score of each, by its label

	Interval *stats.Interval `json:"interval,omitempty"` // of Mean, with 95 % confidence, over the problems

	// Examples are one problem of each label, the same in every evaluation of the run.
	Examples []Example `json:"examples,omitempty"`
}

// ReadExams reads the log of evaluations at path. The error is [fs.ErrNotExist] if there
// is none.
func ReadExams(path string) ([]ExamLine, error) { return jsonl.ReadLog[ExamLine](path) }

// Logs are a [Sink] that writes a line for each training step and each evaluation into
// files of the data folder.
type Logs struct {
	mu    sync.Mutex
	steps *jsonl.Log[learn.Step]
	exams *jsonl.Log[ExamLine]
}

// OpenLogs opens or makes the logs of a folder. Last is the step of the learner's
// checkpoint; its line is missing if the process was killed between the two.
func OpenLogs(folder *datadir.Folder, last learn.Step) (*Logs, error) {
	steps, err := openSteps(folder.Join(datadir.Training), last)
	if err != nil {
		return nil, err
	}
	exams, _, err := jsonl.OpenLog[ExamLine](folder.Join(datadir.Evaluations))
	if err != nil {
		return nil, errors.Join(err, steps.Close())
	}
	return &Logs{steps: steps, exams: exams}, nil
}

// openSteps opens the log of training steps, and adds the line of the last if it is missing.
func openSteps(path string, last learn.Step) (*jsonl.Log[learn.Step], error) {
	steps, written, err := jsonl.OpenLog[learn.Step](path)
	if err != nil {
		return nil, err
	}
	if last.Version > 0 && (written == nil || written.Version < last.Version) {
		if err := steps.Add(last); err != nil {
			return nil, errors.Join(err, steps.Close())
		}
	}
	return steps, nil
}

// Note implements [Sink].
func (l *Logs) Note(e Event) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch e := e.(type) {
	case Stepped:
		if e.Trained {
			return l.steps.Add(e.Step)
		}
	case Examined:
		if e.Report.Mean == nil {
			return nil
		}
		line := ExamLine{Version: e.Version, Seconds: e.Seconds, Mean: *e.Report.Mean, Tasks: map[string]float64{}, Interval: e.Report.Within, Examples: e.Examples}
		for _, row := range e.Report.Rows {
			if row.Mean != nil {
				line.Tasks[row.Label] = *row.Mean
			}
		}
		return l.exams.Add(line)
	}
	return nil
}

// Close closes the files.
func (l *Logs) Close() error { return errors.Join(l.steps.Close(), l.exams.Close()) }
