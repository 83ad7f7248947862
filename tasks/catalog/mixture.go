package catalog

import (
	"errors"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/settings"
)

// A Mixture is a list of tasks with weights, in the form of reasoning-gym's composite data
// set.
type Mixture struct {
	Size     int    // size of a data set; a run has no end
	Seed     uint64 // of the problems
	Datasets Choices
}

// defaultSize is the default of Size, as in reasoning-gym.
const defaultSize = 500

// Declare implements [settings.Declarer].
func (m *Mixture) Declare(d *settings.Section) {
	d.Int(&m.Size, "size", "number of problems in an export").AtLeast(1)
	d.Uint64(&m.Seed, "seed", "seed of the problems")
	d.Value(&m.Datasets, "datasets", "tasks with their weights")
}

// Check implements [settings.Checker].
func (m *Mixture) Check() error {
	if len(m.Datasets) == 0 {
		return errors.New("datasets: is empty, want at least one task")
	}
	return nil
}

// ReadMixture reads a mixture in YAML; seed is its default Seed. The error lists all
// faults, with file, line and column.
func ReadMixture(file string, data []byte, seed uint64) (Mixture, error) {
	m := Mixture{Size: defaultSize, Seed: seed}
	err := settings.New(&m).Load(settings.Sources{File: file, Data: data})
	return m, err
}

// Task returns the task that mixes them.
func (m *Mixture) Task() (quintain.Task, error) {
	t, err := NewComposite()
	if err != nil {
		return nil, err
	}
	params, err := settings.JSON(m)
	if err != nil {
		return nil, err
	}
	return t.With(params)
}
