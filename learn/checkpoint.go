package learn

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/quintain-rl/quintain/transformer"
)

// Notes of a checkpoint in which a learner keeps its counts.
const (
	noteVersion = "learn.version" // steps that were made
	noteSkipped = "learn.skipped" // updates in a row that were skipped, up to the last
)

// Checkpoint returns all that the next step depends on but the settings. It shares the
// learner's memory: it is to be written, with [transformer.Float32] for exact numbers,
// before the next step. Its vocabulary, and notes of other names, are the caller's to
// fill.
func (l *Learner) Checkpoint() *transformer.Checkpoint {
	return &transformer.Checkpoint{
		Model: l.model, Optimizer: l.optimiser,
		Notes: map[string]string{noteVersion: strconv.Itoa(l.version), noteSkipped: strconv.Itoa(l.skipped)},
	}
}

// Resume returns a learner that goes on where the one that made c stood: with the same
// settings and the same groups, its next step gives the same weights, bit for bit.
// Other settings hold from that step on. It takes over c. The reference is as in [New].
// A checkpoint of weights alone is an error: New begins with these.
func Resume(c *transformer.Checkpoint, reference *transformer.Model, s Settings) (*Learner, error) {
	if c.Optimizer == nil {
		return nil, errors.New("checkpoint has no optimiser: it holds weights to begin with, not to resume from")
	}
	var counts [2]int
	for i, name := range [...]string{noteVersion, noteSkipped} {
		n, err := strconv.Atoi(c.Notes[name])
		if err != nil || n < 0 {
			return nil, fmt.Errorf("note %s of the checkpoint is %q, want a count: no learner made it", name, c.Notes[name])
		}
		counts[i] = n
	}
	l, err := New(c.Model, reference, s)
	if err != nil {
		return nil, err
	}
	l.optimiser, l.version, l.skipped = c.Optimizer, counts[0], counts[1]
	l.optimiser.Settings = s.adam()
	return l, nil
}
