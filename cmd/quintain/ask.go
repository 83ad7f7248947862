package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/cmd/quintain/screen"
	"github.com/quintain-rl/quintain/rollout"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/tasks/catalog"
	"github.com/quintain-rl/quintain/tiny/starter"
)

func newAsk(w *world) *cobra.Command {
	c := &cobra.Command{
		Use:   "ask [TASK[:LEVEL]]",
		Short: "Pose a problem to a policy, and show what it writes and earns",
		Long: `Ask poses one problem of a task to a policy and shows the conversation, the score and
why. Without a task it reads questions of your own from standard input, a line each, and
shows the replies. A program of your own (--scenario-command) may play the task, or ask its
own problems: then TASK is its name, and may be left out.

The tiny policy has the weights of --weights, else those of the checkpoint in the data
folder, else the embedded ones. Tasks that it was trained for are asked in the form that it knows.`,
		Example: `  quintain ask spell_backward
  quintain ask countdown:1 --policy server --url http://127.0.0.1:8001
  quintain ask --policy script --scenario-command "python my_env.py"
  echo 'Spell cat backward.' | quintain ask`,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) > 1 {
				return usagef("%s wants one task at most, has %d arguments", c.CommandPath(), len(args))
			}
			return nil
		},
	}
	index := c.Flags().Int("index", -1, "which problem of the stream of --seed; -1: any")
	load := w.settings(c, "ask")
	c.RunE = func(c *cobra.Command, args []string) error {
		cfg, err := load()
		if err != nil {
			return err
		}
		cfg.Run.Of.Parallel = 1
		if *index < 0 {
			*index = int(time.Now().UnixNano() % 1_000_000)
		}
		return w.attend(c.Context(), func(ctx context.Context, _ <-chan struct{}) error {
			defer cfg.Scenario.Stop()
			if err := cfg.Scenario.Start(ctx, cfg.Log.logger(w)); err != nil {
				return err
			}
			streams, err := cfg.asked(args)
			if err != nil {
				return usageError{err}
			}
			if len(streams) == 0 {
				return w.askTyped(ctx, cfg)
			}
			return w.ask(ctx, cfg, streams, *index)
		})
	}
	return c
}

// asked returns the stream of the task that args name, or of the level of the program that
// plays; none: there is neither.
func (c *config) asked(args []string) ([]rollout.Stream, error) {
	if own := c.Scenario.Streams(c.Run.Of.Seed); own != nil {
		return ownLevel(own, args)
	}
	if len(args) == 0 {
		if c.Scenario.External.Set() {
			return nil, errors.New("scenario.program: it plays tasks: name one")
		}
		return nil, nil
	}
	var chosen catalog.Choices
	if err := chosen.Set(args[0]); err != nil {
		return nil, err
	}
	if len(chosen) != 1 {
		return nil, fmt.Errorf("%s: want one task at one level", args[0])
	}
	choice := chosen[0]
	if c.Policy.Kind == kindTiny && !strings.Contains(args[0], ":") {
		made := starterTasks()
		if easiest := slices.IndexFunc(made, func(c catalog.Choice) bool { return c.Name == choice.Name }); easiest >= 0 {
			choice = made[easiest]
		}
	}
	all, err := task.NewSet(catalog.Tasks())
	if err != nil {
		return nil, err
	}
	return catalog.Choices{choice}.Streams(all, &c.Scenario, c.Run.Of.Seed)
}

// ownLevel returns the stream of the level of a program that args name, NAME or NAME:LEVEL;
// without them, the first.
func ownLevel(own []rollout.Stream, args []string) ([]rollout.Stream, error) {
	name := own[0].Scenario.TaskInfo().Name
	if len(args) == 0 || args[0] == name {
		return own[:1], nil
	}
	for i, s := range own {
		if args[0] == fmt.Sprintf("%s:%d", name, s.Level) {
			return own[i : i+1], nil
		}
	}
	return nil, fmt.Errorf("%s: the program plays %s, at the levels 0 to %d", args[0], name, len(own)-1)
}

// ask plays one problem of the one stream.
func (w *world) ask(ctx context.Context, c *config, streams []rollout.Stream, index int) error {
	policy, err := c.trained(ctx, w, streams)
	if err != nil {
		return err
	}
	if c.Policy.Kind == kindTiny {
		if err := starter.Readable(ctx, streams, c.Model.Context); err != nil {
			return usageError{err}
		}
	}
	s := streams[0]
	p, err := s.Scenario.Problem(quintain.Draw{Seed: s.Seed, Level: s.Level, Index: index})
	if err != nil {
		return err
	}
	var played quintain.Trajectory
	err = beside(ctx, policy, func(ctx context.Context) (err error) {
		played, err = rollout.Play(ctx, policy, c.Policy.Sampling, rollout.Job{Scenario: s.Scenario, Problem: p})
		return err
	})
	if err != nil {
		return err
	}
	return w.showEpisode(s.Scenario, &played)
}

// showEpisode prints an episode as it was played.
func (w *world) showEpisode(s quintain.Scenario, t *quintain.Trajectory) error {
	fmt.Fprintf(w.stdout, "problem %s\n", t.Problem.ID())
	for i := range t.Turns {
		screen.Turn(w.stdout, &t.Turns[i], true)
	}
	if !t.Outcome.Rewarded() {
		return fmt.Errorf("the episode has no score (%s): %s", t.Outcome, t.Error)
	}
	if solver, can := s.(quintain.Solver); can && !t.Solved() {
		solution, err := solver.Solve(t.Problem)
		if err != nil {
			return err
		}
		fmt.Fprintf(w.stdout, "an answer that is right: %s\n", solution)
	}
	return nil
}

// askTyped asks what is typed, a line each.
func (w *world) askTyped(ctx context.Context, c *config) error {
	policy, err := c.trained(ctx, w, nil)
	if err != nil {
		return err
	}
	if c.Policy.Kind == kindScript {
		return usagef("the script knows the solutions of tasks, and nothing else: name a task")
	}
	return beside(ctx, policy, func(ctx context.Context) error {
		lines := bufio.NewScanner(w.stdin)
		for n := 0; lines.Scan(); n++ {
			if strings.TrimSpace(lines.Text()) == "" {
				continue
			}
			samples, err := policy.Sample(ctx, quintain.Request{
				Key: fmt.Sprint("ask ", n), N: 1, Sampling: c.Policy.Sampling,
				Messages: []quintain.Message{{Role: quintain.RoleUser, Content: lines.Text()}},
			})
			if err != nil {
				return err
			}
			fmt.Fprintln(w.stdout, screen.Safe(samples[0].Text))
		}
		return errors.Join(lines.Err(), context.Cause(ctx))
	})
}
