package run

import (
	"errors"
	"sync"

	"github.com/quintain-rl/quintain/internal/datadir"
	"github.com/quintain-rl/quintain/internal/jsonl"
	"github.com/quintain-rl/quintain/tiny/learn"
)

// An ExamLine is a line of the log of examinations.
type ExamLine struct {
	Version int                `json:"version"` // of the policy, at the end of the examination
	Seconds float64            `json:"seconds"` // that the processes of the run have run until then
	Mean    float64            `json:"mean_score"`
	Tasks   map[string]float64 `json:"tasks"` // mean score of each, by its label
}

// ReadExams reads the log of examinations of a data folder. If there is none, the error
// is [fs.ErrNotExist].
func ReadExams(path string) ([]ExamLine, error) { return jsonl.ReadLog[ExamLine](path) }

// Logs are the files of a data folder with a line for each step of training and for
// each examination. They are a [Sink].
type Logs struct {
	mu    sync.Mutex
	steps *jsonl.Log[learn.Step]
	exams *jsonl.Log[ExamLine]
}

// OpenLogs opens the logs of a folder, or makes them. Last is the step of the learner's
// checkpoint: its line is added if the process that made it was killed before.
func OpenLogs(folder *datadir.Folder, last learn.Step) (l *Logs, err error) {
	l = &Logs{}
	var written *learn.Step
	if l.steps, written, err = jsonl.OpenLog[learn.Step](folder.Join(datadir.Training)); err != nil {
		return nil, err
	}
	if last.Version > 0 && (written == nil || written.Version < last.Version) {
		err = l.steps.Add(last)
	}
	if err == nil {
		l.exams, _, err = jsonl.OpenLog[ExamLine](folder.Join(datadir.Examinations))
	}
	if err != nil {
		return nil, errors.Join(err, l.steps.Close())
	}
	return l, nil
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
		line := ExamLine{e.Version, e.Seconds, *e.Report.Mean, map[string]float64{}}
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
