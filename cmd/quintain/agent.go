package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/quintain-rl/quintain/cmd/quintain/screen"
)

func newAgent(w *world) *cobra.Command {
	c := &cobra.Command{Use: "agent", Short: "Try an agent: a program of yours that calls its model", Args: noArgs, RunE: func(c *cobra.Command, _ []string) error { return c.Help() }}
	c.AddCommand(newAgentTry(w))
	return c
}

func newAgentTry(w *world) *cobra.Command {
	c := &cobra.Command{
		Use:   "try [TASK[:LEVEL]]",
		Short: "Play one episode with your agent, and show each of its calls",
		Long: `Try starts your agent on one problem (default: of chain_sum, or of --problems), and shows
every model call with its messages, tools, reply, tokens and time, then what the program
wrote, and the reward. With --policy script a script that knows the solutions is the model:
try your agent with it before you pay for a model. quintain run, eval and ask take the same
--agent-command.

The program finds its problem in the file QUINTAIN_PROBLEM, and its model by
OPENAI_BASE_URL or ANTHROPIC_BASE_URL; see docs/gateway.md.`,
		Example: `  quintain agent try --agent-command "python my_agent.py" --policy script
  quintain agent try countdown:1 --agent-command "python my_agent.py" --policy server --url http://127.0.0.1:8001`,
		Args: atMostOneArg("TASK"),
	}
	index := indexFlag(c)
	load := w.settings(c, "agent try")
	c.RunE = func(c *cobra.Command, args []string) error {
		cfg, err := load()
		if err != nil {
			return err
		}
		of := &cfg.Source
		if !of.Scenario.Agent.Set() {
			return usagef("which agent? Set --agent-command")
		}
		if of.File == "" && len(args) == 0 && !of.Scenario.External.Set() {
			args = []string{"chain_sum"}
		}
		return w.poses(c, cfg, func(ctx context.Context) error { return w.ask(ctx, cfg, args, question{index(), screen.Try}) })
	}
	return c
}
