package main

import (
	"fmt"
	"slices"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/mathverify"
	"github.com/quintain-rl/quintain/rollout"
	"github.com/quintain-rl/quintain/rollout/curriculum"
	"github.com/quintain-rl/quintain/run/exam"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/tasks/catalog"
	"github.com/quintain-rl/quintain/tasks/dataset"
	"github.com/quintain-rl/quintain/tiny/starter"
)

// streams returns the streams of problems of an examination, or of a run without a
// curriculum.
func (c *config) streams() ([]rollout.Stream, error) {
	if own := c.Scenario.Streams(c.Run.Of.Seed); own != nil {
		if len(c.Tasks) > 0 || c.Problems != "" || c.Mixture != "" {
			return nil, usagef("scenario.program: it has problems of its own: leave out tasks, mixture and problems")
		}
		return own, nil
	}
	if c.Problems != "" {
		return c.fileStream()
	}
	all, err := task.NewSet(catalog.Tasks())
	if err != nil {
		return nil, err
	}
	streams, err := c.chosen(all).Streams(all, &c.Scenario, c.Run.Of.Seed)
	if err != nil {
		return nil, usagef("tasks: %w", err)
	}
	return streams, nil
}

// runStreams returns the streams of problems of a run. With a curriculum, streams of one
// task that stand next to each other are its levels; one that stands alone, without
// parameters of its own, gets all harder levels too.
func (c *config) runStreams() ([]rollout.Stream, error) {
	chosen, err := c.streams()
	if err != nil || c.Curriculum.Mode == curriculum.None {
		return chosen, err
	}
	var streams []rollout.Stream
	for first := 0; first < len(chosen); {
		info := chosen[first].Scenario.TaskInfo()
		end := first + 1
		for end < len(chosen) && chosen[end].Scenario.TaskInfo().Name == info.Name {
			end++
		}
		levels := slices.Clone(chosen[first:end])
		if len(levels) == 1 {
			levels = upFrom(levels[0], len(info.Levels))
		}
		for i := range levels {
			levels[i].Course = info.Name
		}
		streams = append(streams, levels...)
		first = end
	}
	return streams, nil
}

// upFrom returns the stream of a level and those of all harder ones, of n in all, which
// share its weight.
func upFrom(easiest rollout.Stream, n int) (levels []rollout.Stream) {
	easiest.Weight /= float64(n - easiest.Level)
	for ; easiest.Level < n; easiest.Level++ {
		levels = append(levels, easiest)
	}
	return levels
}

// fileStream returns the stream of the file of problems.
func (c *config) fileStream() ([]rollout.Stream, error) {
	if len(c.Tasks) > 0 {
		return nil, usagef("problems: there is a file of problems, and there are tasks; choose one")
	}
	t, err := dataset.Open(c.Problems, c.Columns, mathverify.Grade)
	if err != nil {
		return nil, fmt.Errorf("problems: %s: %w", c.Problems, err)
	}
	c.sayFaults(t)
	s, err := c.Scenario.Over(t)
	if err != nil {
		return nil, usageError{err}
	}
	return []rollout.Stream{{Scenario: s, Seed: c.Run.Of.Seed, Weight: 1, Label: t.Info().Name}}, nil
}

// mostFaults is how many of the rows that cannot be used are named.
const mostFaults = 10

// sayFaults says which rows of the file of problems are not used.
func (c *config) sayFaults(t *dataset.Set) {
	faults := t.Faults()
	if len(faults) == 0 {
		return
	}
	fmt.Fprintf(c.notes, "quintain: %s: %d problems are used, and %d rows are not:\n", c.Problems, t.Size(0), len(faults))
	for _, f := range faults[:min(len(faults), mostFaults)] {
		fmt.Fprintf(c.notes, "  %v\n", f)
	}
	if more := len(faults) - mostFaults; more > 0 {
		fmt.Fprintf(c.notes, "  and %d more\n", more)
	}
}

// chosen are the tasks of a run: those that are set, or those that fit policy and
// scenario.
func (c *config) chosen(all *task.Set) catalog.Choices {
	switch {
	case len(c.Tasks) > 0:
		return c.Tasks
	case c.Exam.Rule == exam.AtroposRule:
		return catalog.AtroposTasks(all, c.Run.Of.Seed)
	case c.Scenario.Name == "math_multi_turn" && c.Policy.Kind == kindTiny:
		return catalog.Choices{{Name: "chain_sum", Params: starter.Ladder()[0].Params, Weight: 1}}
	case c.Scenario.Name == "math_multi_turn":
		return catalog.Choices{{Name: "chain_sum", Level: 2, Weight: 1}}
	case c.Policy.Kind == kindTiny:
		return starterTasks()
	}
	var choices catalog.Choices
	for _, t := range all.All() {
		choices = append(choices, catalog.Choice{Name: t.Info().Name, Weight: 1})
	}
	return choices
}

// starterTasks are the problems of the embedded model as tasks of a run.
func starterTasks() (choices catalog.Choices) {
	for _, c := range starter.Ladder() {
		choices = append(choices, catalog.Choice{Name: c.Task, Params: c.Params, Weight: c.Weight})
	}
	return choices
}

// played lists the scenarios of streams.
func played(streams []rollout.Stream) []quintain.Scenario {
	all := make([]quintain.Scenario, len(streams))
	for i, s := range streams {
		all[i] = s.Scenario
	}
	return all
}
