package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/cmd/quintain/screen"
	"github.com/quintain-rl/quintain/internal/stats"
	"github.com/quintain-rl/quintain/run/rollout"
	"github.com/quintain-rl/quintain/tasks/catalog"
)

func newEnvironmentsShow(w *world) *cobra.Command {
	c := &cobra.Command{
		Use:     "show ADDRESS",
		Short:   "Show an environment: its problems, versions, tools and an opening",
		Example: "  quintain environments show textarena:GuessTheNumber-v0",
		Args:    oneArg("ADDRESS"),
	}
	index := indexFlag(c)
	load := w.settings(c, "environments show")
	c.RunE = func(c *cobra.Command, args []string) error {
		cfg, err := load()
		if err == nil {
			err = cfg.playAddress(args[0])
		}
		if err != nil {
			return err
		}
		return w.poses(c, cfg, func(ctx context.Context) error {
			for _, hello := range cfg.Source.Scenario.Hellos() {
				fmt.Fprintf(w.stdout, "%s, version %d\n%s\n", hello.Name, hello.Version, screen.Wrap(screen.Safe(hello.Doc), "  "))
				if from := hello.Source; from != nil {
					fmt.Fprintf(w.stdout, "  from %s, digest %s\n", screen.Safe(strings.TrimSpace(from.Package+" "+from.Version)), screen.Safe(from.Digest))
				}
				if hello.MaxTurns > 0 {
					fmt.Fprintf(w.stdout, "  at most %s\n", stats.Count(hello.MaxTurns, "turn"))
				}
				if r := hello.RewardRange; r != nil {
					fmt.Fprintf(w.stdout, "  rewards %g to %g\n", r[0], r[1])
				}
				if hello.RightAt != nil {
					fmt.Fprintf(w.stdout, "  right from %g on\n", *hello.RightAt)
				}
			}
			for _, e := range cfg.Source.Scenario.Locks(ctx) {
				fmt.Fprintf(w.stdout, "  %s of lock %s, with Python %s\n", stats.Count(len(e.Locked), "package"), e.Digest(), e.Python)
			}
			return showProblems(ctx, w, cfg, index())
		})
	}
	return c
}

// showProblems shows the levels or splits of an environment, and the opening of a problem.
func showProblems(ctx context.Context, w *world, c *config, index int) error {
	streams, err := c.Source.One("", func(of catalog.Choice) catalog.Choice { return of }, c.Run.Of.Seed)
	if err != nil {
		return err
	}
	for _, s := range c.Source.Scenario.Streams(c.Run.Of.Seed) {
		size := "without end"
		if n := s.Size(); n > 0 {
			size = stats.Count(n, "problem")
		}
		fmt.Fprintf(w.stdout, "  problems %s: %s\n", screen.Safe(string(s.Scenario.TaskInfo().Levels[s.Level])), size)
	}
	opening, tools, err := begin(ctx, streams[0], index)
	if err != nil {
		return err
	}
	for _, m := range opening {
		screen.Message(w.stdout, m)
	}
	printTools(w, tools)
	return nil
}

// showTools shows the tools of a problem, if there are some.
func showTools(ctx context.Context, w *world, c *config, index int) error {
	streams, err := c.Source.One("", func(of catalog.Choice) catalog.Choice { return of }, c.Run.Of.Seed)
	if err != nil {
		return err
	}
	_, tools, err := begin(ctx, streams[0], index)
	printTools(w, tools)
	return err
}

// printTools prints tools, a line each.
func printTools(w *world, tools []quintain.Tool) {
	for _, t := range tools {
		fmt.Fprintf(w.stdout, "tool %s %s\n%s\n", screen.Safe(t.Name), screen.Safe(string(t.Params)), screen.Wrap(screen.Safe(t.Doc), "  "))
	}
}

// begin opens an episode of a stream's problem, and leaves it.
func begin(ctx context.Context, s rollout.Stream, index int) ([]quintain.Message, []quintain.Tool, error) {
	problem, err := s.Scenario.Problem(quintain.Draw{Seed: s.Seed, Level: s.Level, Index: index})
	if err != nil {
		return nil, nil, err
	}
	env, err := s.Scenario.Env(problem)
	if err != nil {
		return nil, nil, err
	}
	defer env.Close()
	opening, err := env.Open(ctx)
	if err != nil {
		return nil, nil, err
	}
	if tooled, ok := env.(quintain.Tooled); ok {
		return opening, tooled.Tools(), nil
	}
	return opening, nil, nil
}
