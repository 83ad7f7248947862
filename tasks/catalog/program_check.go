package catalog

import (
	"context"
	"fmt"
	"io"
	"log/slog"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/stats"
	"github.com/quintain-rl/quintain/scenario"
)

// A ProgramCheck says how to check a program that plays.
type ProgramCheck struct {
	Task     quintain.Task // for a program without its own problems
	Seed     uint64
	Problems int // of each level
	Log      *slog.Logger
}

// ProgramFaults tells how a program kept its promises.
type ProgramFaults struct {
	Scenario string // its ID
	Levels   int
	Played   int  // problems, each of them twice
	Solves   bool // right replies were played too
	*scenario.Finding
}

// Write prints the faults, or that there are none. With faults, it returns an error that counts
// them.
func (f *ProgramFaults) Write(out io.Writer) error {
	for _, fault := range f.Faults {
		fmt.Fprintln(out, fault)
	}
	if len(f.Faults) > 0 {
		return fmt.Errorf("scenario %s: %d faults in %d problems", f.Scenario, len(f.Faults), f.Played)
	}
	fmt.Fprintf(out, "%s keeps its promises: %d problems of %d levels, each played twice, in episodes of at most %s\n", f.Scenario, f.Played, f.Levels, stats.Count(f.Replies, "reply"))
	if !f.Solves {
		fmt.Fprintf(out, "without solve, no right or wrong reply was played; senseless ones earn %.4g at most\n", f.Senseless)
		return nil
	}
	fmt.Fprintf(out, "the solution earns %.4g at least, that of another problem %.4g at most, senseless replies %.4g at most\n", f.Right, f.Wrong, f.Senseless)
	if f.Told > 0 {
		fmt.Fprintf(out, "the question contains its solution in %s: does it give it away?\n", stats.Count(f.Told, "problem"))
	}
	return nil
}

// CheckProgram starts the program of s twice and holds the two processes to
// [scenario.Check]. The program must be set.
func (s *ScenarioChoice) CheckProgram(ctx context.Context, of ProgramCheck) (ProgramFaults, error) {
	check := scenario.Check{Seed: of.Seed, Problems: of.Problems}
	for _, process := range []*quintain.Scenario{&check.First, &check.Second} {
		program := *s
		program.Environment.Limits.Processes = 1
		defer program.Stop()
		if err := program.Start(ctx, of.Log); err != nil {
			return ProgramFaults{}, err
		}
		if program.programs[0].drives {
			return ProgramFaults{}, fmt.Errorf("%s asks the model itself: only a run or an evaluation can play it", program.programs[0].Info().Name)
		}
		if *process = program.programs[0].own; *process != nil {
			continue
		}
		var err error
		if *process, err = program.Over(of.Task); err != nil {
			return ProgramFaults{}, err
		}
	}
	found, err := check.Run(ctx)
	levels := len(check.First.TaskInfo().Levels)
	_, solves := check.First.(quintain.Solver)
	return ProgramFaults{check.First.Info().ID(), levels, levels * of.Problems, solves, found}, err
}
