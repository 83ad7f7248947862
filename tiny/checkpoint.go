package tiny

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/quintain-rl/quintain/tiny/transformer"
)

// The notes of a checkpoint with a learner's counts.
const (
	NoteVersion = "learn.version" // steps taken
	noteSkipped = "learn.skipped" // consecutive updates skipped so far
)

// Checkpoint returns all inputs of the next step except the settings. It shares the
// learner's memory, so write it before the next step, with [transformer.Float32] to keep
// numbers exact. The caller fills in its vocabulary and any other notes.
func (l *Learner) Checkpoint() *transformer.Checkpoint {
	return &transformer.Checkpoint{
		Model: l.model, Optimizer: l.optimiser,
		Notes: map[string]string{NoteVersion: strconv.Itoa(l.version), noteSkipped: strconv.Itoa(l.skipped)},
	}
}

// Resume returns a learner that continues from checkpoint c: with the same settings and
// groups, its next step gives the same weights, bit for bit. Different settings apply
// from that step on. The learner takes ownership of c. The reference is as in [NewLearner]. A
// checkpoint without optimiser is an error: use New to begin from weights alone.
func Resume(c *transformer.Checkpoint, reference *transformer.Model, s Settings) (*Learner, error) {
	if c.Optimizer == nil {
		return nil, errors.New("checkpoint has no optimiser state, so training cannot resume from it")
	}
	var counts [2]int
	for i, name := range [...]string{NoteVersion, noteSkipped} {
		n, err := strconv.Atoi(c.Notes[name])
		if err != nil || n < 0 {
			return nil, fmt.Errorf("note %s of the checkpoint is %q, want a count: the checkpoint is not from a learner", name, c.Notes[name])
		}
		counts[i] = n
	}
	l, err := NewLearner(c.Model, reference, s)
	if err != nil {
		return nil, err
	}
	l.optimiser, l.version, l.skipped = c.Optimizer, counts[0], counts[1]
	l.optimiser.Settings = s.adam(l.version)
	return l, nil
}
