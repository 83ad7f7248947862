package main

import (
	"fmt"
	"os"

	"github.com/quintain-rl/quintain/tasks/catalog"
)

// readMixture sets the tasks to those of the file of the mixture, if there is one, and the
// seed to that of the file.
func (c *config) readMixture() error {
	if c.Mixture == "" {
		return nil
	}
	if len(c.Tasks) > 0 || c.Problems != "" {
		return usagef("mixture: there is a mixture, and there are tasks or a file of problems; choose one")
	}
	m, err := openMixture(c.Mixture, c.Run.Of.Seed)
	c.Tasks, c.Run.Of.Seed = m.Datasets, m.Seed
	return err
}

// openMixture reads the file of a mixture. Seed is that of a file that names none.
func openMixture(path string, seed uint64) (catalog.Mixture, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return catalog.Mixture{}, fmt.Errorf("mixture: %w", err)
	}
	m, err := catalog.ReadMixture(path, data, seed)
	if err != nil {
		return m, usageError{err}
	}
	return m, nil
}
