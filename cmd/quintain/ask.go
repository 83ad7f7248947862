package main

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/cmd/quintain/screen"
	"github.com/quintain-rl/quintain/internal/settings/flags"
	"github.com/quintain-rl/quintain/run"
	"github.com/quintain-rl/quintain/run/player"
	"github.com/quintain-rl/quintain/run/rollout"
	"github.com/quintain-rl/quintain/tasks/catalog"
	"github.com/quintain-rl/quintain/tiny"
	"github.com/quintain-rl/quintain/tiny/starter"
)

func newAsk(w *world) *cobra.Command {
	c := &cobra.Command{
		Use:   "ask [TASK[:LEVEL] | QUESTION]",
		Short: "Pose a problem to a policy, and show its reply and score",
		Long: `Ask poses one problem of a task to a policy and shows the conversation, the score and the
reason for it. A question of your own, several words, gets the policy's reply; without an
argument, ask reads questions from standard input, one a line. A program of your own (--environment command:…) may play the task,
or ask its own problems: then TASK is its name, and optional. With --play you reply, in place of a policy: a line is a
reply, and a line that ends with a backslash goes on in the next one.

With --environment agent:… ask starts your agent on the problem (default: of chain_sum, or of --problems), and shows every model
call with its messages, tools, reply, tokens and time, then what the program wrote, and the reward. The agent finds its
problem in the file QUINTAIN_PROBLEM, and its model by OPENAI_BASE_URL or ANTHROPIC_BASE_URL (docs/gateway.md). With
--policy script a script that knows the solutions is the model: try your agent with it before you pay for a model.

The model in this program has the weights of --weights, else of the checkpoint in the data folder, else the embedded
ones; the embedded model is asked its own tasks in the form that it knows. A language model that a run has trained
replies twice: as it was before the training, and as it is now.`,
		Example: `  quintain ask spell_backward
  quintain ask "What is 3 + 4?" --policy server --url http://127.0.0.1:8001
  quintain ask countdown:1 --policy server --url http://127.0.0.1:8001
  quintain ask --scenario nim_family --play
  quintain ask --policy script --environment "command:python my_env.py"
  quintain ask countdown:1 --policy script --environment "agent:python my_agent.py"
  echo 'Who wrote Emma?' | quintain ask --policy server --url http://127.0.0.1:8001`,
		Args: wants("one task, or one question in quotation marks", 0, 1), ValidArgsFunction: flags.Complete(catalog.CompleteTask),
	}
	index := indexFlag(c)
	play := c.Flags().Bool("play", false, "you reply, at this terminal")
	load := w.settings(c, "ask")
	c.RunE = func(c *cobra.Command, args []string) error {
		if *play && !c.Flags().Changed("policy") { // whose prompts people read, too
			if err := c.Flags().Set("policy", player.Script); err != nil {
				return err
			}
		}
		cfg, err := load()
		if err != nil {
			return err
		}
		return w.poses(c, cfg, func(ctx context.Context) error { return w.answer(ctx, cfg, args, question{index(), *play}) })
	}
	return c
}

// answer asks what args name: the task, the typed questions, or the problem of a file, a program or an agent.
func (w *world) answer(ctx context.Context, c *config, args []string, q question) error {
	of := &c.Source
	own := of.File != "" || of.Scenario.Environment.Set() || of.Scenario.OnlyTask() != ""
	switch agent := of.Scenario.HasAgent(); {
	case agent && len(args) == 0 && !own:
		return w.ask(ctx, c, []string{"chain_sum"}, q)
	case !agent && len(args) == 1 && isQuestion(args[0]):
		return w.askTyped(ctx, c, strings.NewReader(args[0]))
	case !agent && len(args) == 0 && !own:
		return w.askTyped(ctx, c, w.stdin)
	case q.play:
		return w.play(ctx, c, args, q.index)
	}
	return w.ask(ctx, c, args, q)
}

// indexFlag gives c the flag of a problem's index, and returns what reads it.
func indexFlag(c *cobra.Command) func() int {
	index := c.Flags().Int("index", -1, "index of the problem in the stream of --seed; -1: any")
	return func() int {
		if *index < 0 {
			return int(time.Now().UnixNano() % 1_000_000)
		}
		return *index
	}
}

// poses asks questions of c's settings with its scenario.
func (w *world) poses(c *cobra.Command, cfg *config, ask func(context.Context) error) error {
	cfg.Run.Of.Parallel, cfg.Source.Scenario.Untried = 1, true
	return w.attend(c.Context(), func(ctx context.Context, _ <-chan struct{}) error {
		defer cfg.Source.Scenario.Stop()
		if err := cfg.Source.Scenario.Start(ctx, cfg.Log.Logger(w.stderr)); err != nil {
			return err
		}
		return ask(ctx)
	})
}

// isQuestion reports whether an argument is a question, and not the name of a task.
func isQuestion(text string) bool { return strings.ContainsAny(text, " ?") }

// policy opens the policy for an evaluation or a question; untrained: a language model without its adapters.
func (w *world) policy(ctx context.Context, c *config, streams []rollout.Stream, untrained bool) (quintain.Policy, error) {
	return c.Policy.Open(ctx, player.Start{
		Data: c.Data, Streams: streams, Seed: c.Run.Of.Seed, Parallel: c.Run.Of.Parallel, Log: c.Log.Logger(w.stderr),
		Say: func(text string) { fmt.Fprintf(w.stderr, "quintain: %s\n", text) }, Untrained: untrained,
	})
}

// A question is one problem of a task.
type question struct {
	index int
	play  bool // at this terminal
}

// ask plays one problem of the task in args, or of the file.
func (w *world) ask(ctx context.Context, c *config, args []string, q question) error {
	easiest := func(of catalog.Choice) catalog.Choice { return of }
	if c.starter() {
		easiest = catalog.Easiest
	}
	streams, err := c.Source.One(strings.Join(args, ""), easiest, c.Run.Of.Seed)
	if err != nil {
		return fileless(err)
	}
	for _, untrained := range []bool{true, false} {
		if untrained && !(c.language && c.Policy.Trained()) {
			continue
		}
		policy, err := w.policy(ctx, c, streams, untrained)
		if err != nil {
			return err
		}
		if of, ok := policy.(*tiny.Policy); ok {
			if err := starter.Readable(ctx, streams, of.Vocabulary(), of.Context()); err != nil {
				return usageError{err}
			}
		}
		others, err := c.opponents(ctx, w, streams)
		if err != nil {
			return err
		}
		var played quintain.Trajectory
		err = run.Together(ctx, append(others.Beside, func(ctx context.Context) (err error) {
			played, err = player.One(ctx, rollout.Engine{Policy: policy, Sampling: c.Policy.Sampling, Opponents: others.By}, streams[0], q.index)
			return err
		})...)
		if err != nil {
			return err
		}
		show := func() error { return screen.Episode(w.stdout, streams[0].Scenario, &played) }
		if c.Source.Scenario.HasAgent() {
			show = func() error { return screen.Try(w.stdout, &played) }
		}
		if err := show(); err != nil {
			return err
		}
	}
	return nil
}

// play has the person at the terminal play one problem of the task in args, or of the file.
func (w *world) play(ctx context.Context, c *config, args []string, index int) error {
	streams, err := c.Source.One(strings.Join(args, ""), func(of catalog.Choice) catalog.Choice { return of }, c.Run.Of.Seed)
	if err != nil {
		return fileless(err)
	}
	person := player.Person{In: w.stdin, Out: w.stdout, Show: func(m quintain.Message) { screen.Message(w.stdout, m) }}
	played, err := person.Play(ctx, streams[0], index)
	if err != nil {
		return err
	}
	screen.Judged(w.stdout, &played.Turns[len(played.Turns)-1], played.Outcome)
	return screen.Ending(w.stdout, streams[0].Scenario, &played)
}

// askTyped asks questions, one a line.
func (w *world) askTyped(ctx context.Context, c *config, questions io.Reader) error {
	policy, err := w.policy(ctx, c, nil, false)
	if err != nil {
		return err
	}
	switch {
	case c.Policy.Kind == player.Script:
		return usagef("the script knows the solutions of tasks, and nothing else: name a task")
	case c.starter():
		fmt.Fprintln(w.stderr, "quintain: the embedded model knows its own tasks alone, such as spell_backward; --policy server asks a real one")
	}
	return player.Ask(ctx, policy, c.Policy.Sampling, questions, func(reply string) { fmt.Fprintln(w.stdout, screen.Safe(reply)) })
}
