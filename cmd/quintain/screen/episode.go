package screen

import (
	"fmt"
	"io"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/stats"
	"github.com/quintain-rl/quintain/queue/files"
)

// Episode prints an episode, and a right answer if the episode is unsolved. The error says
// why the episode has no score.
func Episode(out io.Writer, s quintain.Scenario, t *quintain.Trajectory) error {
	fmt.Fprintf(out, "problem %s\n", t.Problem.ID())
	for i := range t.Turns {
		Turn(out, &t.Turns[i], true, t.Outcome)
	}
	wrote(out, t)
	return Ending(out, s, t)
}

// Ending prints a right answer if the episode is unsolved. The error says why it has no score.
func Ending(out io.Writer, s quintain.Scenario, t *quintain.Trajectory) error {
	if !t.Outcome.Rewarded() {
		return fmt.Errorf("the episode has no score (%s): %s", t.Outcome, t.Error)
	}
	solver, can := s.(quintain.Solver)
	if !can || t.Solved() {
		return nil
	}
	solution, err := solver.Solve(t.Problem)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "a right answer: %s\n", solution)
	return nil
}

// mostFaults limits the unusable rows that are named.
const mostFaults = 10

// Skipped prints which rows of a file of problems are unusable, if any are.
func Skipped(out io.Writer, path string, used int, faults []error) {
	if len(faults) == 0 {
		return
	}
	fmt.Fprintf(out, "quintain: %s: %s used, %s not:\n", path, stats.Count(used, "problem"), stats.Count(len(faults), "row"))
	for _, f := range faults[:min(len(faults), mostFaults)] {
		fmt.Fprintf(out, "  %v\n", f)
	}
	if more := len(faults) - mostFaults; more > 0 {
		fmt.Fprintf(out, "  and %d more\n", more)
	}
}

// Queues prints the reports of checks of queues: what was found, then the counts. Of several it
// names the folders.
func Queues(out io.Writer, list []files.Report) {
	for _, r := range list {
		if len(list) > 1 {
			fmt.Fprintln(out, r.Folder)
		}
		for _, finding := range r.Findings {
			fmt.Fprintln(out, finding)
		}
		if r.Err == nil {
			fmt.Fprintf(out, "%s waiting, %d done; %d missing, %d unreadable; %s damaged, %s unfinished\n",
				stats.Count(r.Stats.Waiting.Groups, "group"), r.Stats.Known, r.Stats.Lost, r.Stats.Aside.Groups, stats.Count(r.Damaged, "place"), stats.Count(r.Cut, "write"))
		}
	}
}
