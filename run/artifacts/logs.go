package artifacts

import (
	"errors"
	"sync"

	"github.com/quintain-rl/quintain/internal/datadir"
	"github.com/quintain-rl/quintain/run"
	"github.com/quintain-rl/quintain/run/kept"
	"github.com/quintain-rl/quintain/tiny"
)

// Logs are a [run.Sink] that keeps a line for each training step and each evaluation.
type Logs struct {
	mu    sync.Mutex
	steps *kept.Log[tiny.Step]
	exams *kept.Log[run.ExamLine]
}

// OpenLogs opens or makes the logs at a place. Last is the step of the learner's
// checkpoint; its line is missing if the process was killed between the two.
func OpenLogs(p kept.Place, last tiny.Step) (*Logs, error) {
	steps, err := openSteps(p, last)
	if err != nil {
		return nil, err
	}
	exams, _, err := kept.OpenLog[run.ExamLine](p, datadir.Evaluations)
	if err != nil {
		return nil, errors.Join(err, steps.Close())
	}
	return &Logs{steps: steps, exams: exams}, nil
}

// openSteps opens the log of training steps, and adds the line of the last if it is missing.
func openSteps(p kept.Place, last tiny.Step) (*kept.Log[tiny.Step], error) {
	steps, written, err := kept.OpenLog[tiny.Step](p, datadir.Training)
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

// Note implements [run.Sink].
func (l *Logs) Note(e run.Event) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch e := e.(type) {
	case run.Stepped:
		if e.Trained {
			return l.steps.Add(e.Step)
		}
	case run.Examined:
		if line := e.Line(); line != nil {
			return l.exams.Add(*line)
		}
	}
	return nil
}

// Close closes the files.
func (l *Logs) Close() error { return errors.Join(l.steps.Close(), l.exams.Close()) }
