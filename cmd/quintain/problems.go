package main

import (
	"errors"
	"fmt"

	"github.com/quintain-rl/quintain/cmd/quintain/screen"
	"github.com/quintain-rl/quintain/run/exam"
	"github.com/quintain-rl/quintain/run/player"
	"github.com/quintain-rl/quintain/run/rollout"
	"github.com/quintain-rl/quintain/run/rollout/curriculum"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/tasks/catalog"
)

// fileless makes an error of the source of problems an error of use, unless a file that is
// there cannot be read.
func fileless(err error) error {
	if _, ok := errors.AsType[*catalog.FileError](err); ok || err == nil {
		return err
	}
	return usageError{err}
}

// readMixture sets the tasks and the seed to those of the mixture, if there is one.
func (c *config) readMixture() (err error) {
	c.Run.Of.Seed, err = c.Source.ReadMixture(c.Run.Of.Seed)
	return fileless(err)
}

// streams returns the streams of problems of an evaluation, or of a run without a
// curriculum. It reports unusable rows of a file.
func (c *config) streams() ([]rollout.Stream, error) {
	streams, err := c.Source.Streams(c.usual, c.Run.Of.Seed)
	used, faults := c.Source.Skipped()
	screen.Skipped(c.notes, c.Source.File, used, faults)
	if err != nil && c.starter() && !c.Source.Given() {
		err = fmt.Errorf("the tiny policy is not made for scenario %s: choose --policy script or server (%w)", c.Source.Scenario.Name, err)
	}
	return streams, fileless(err)
}

// usual returns the tasks that suit the evaluation or the policy.
func (c *config) usual(all *task.Set) catalog.Choices {
	if c.Exam.Rule == exam.AtroposRule {
		return catalog.AtroposTasks(all, c.Run.Of.Seed)
	}
	switch {
	case c.starter():
		return catalog.StarterTasks(c.Source.Scenario.Name)
	case c.Policy.Kind == player.Tiny:
		return catalog.LanguageTasks(c.Source.Scenario.Name)
	}
	return catalog.Usual(all, c.Source.Scenario.Name)
}

// runStreams returns the streams of problems of a run.
func (c *config) runStreams() ([]rollout.Stream, error) {
	streams, err := c.streams()
	if err != nil || c.Curriculum.Mode == curriculum.None {
		return streams, err
	}
	return catalog.Courses(streams), nil
}
