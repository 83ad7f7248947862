package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/quintain-rl/quintain/internal/settings/flags"
)

// A verb is a command at the root.
type verb struct {
	name string
	make func(*world) *cobra.Command
}

// A purpose is what people want to do with some verbs.
type purpose struct {
	title string
	verbs []verb
}

// purposes lists all verbs in the order of the help.
func purposes() []purpose {
	return []purpose{
		{"Train:", []verb{{"run", newRun}, {"worker", newWorker}, {"env", newEnv}}},
		{"Evaluate:", []verb{{"eval", newEval}, {"ask", newAsk}, {"grade", newGrade}, {"judge", newJudge}, {"regrade", newRegrade}, {"prove", newProve}}},
		{"Serve:", []verb{{"hub", newHub}, {"gateway", newGateway}, {"serve", newServe}}},
		{"Look:", []verb{{"view", newView}, {"trace", newTrace}}},
		{"Make:", []verb{{"tasks", newTasks}, {"scenarios", newScenarios}, {"environments", newEnvironments}, {"images", newImages}, {"dataset", newDataset}, {"export", newExport}}},
		{"Check:", []verb{{"doctor", newDoctor}, {"settings", newSettings}, {"policy", newPolicy}, {"sandbox", newSandbox}}},
	}
}

// newRoot returns the command tree: with the called verb alone if that is one, for the flags of all
// of them cost 8 ms; with none to print the version; else with every verb.
func newRoot(w *world, called string) *cobra.Command {
	root := &cobra.Command{
		Use:   "quintain VERB",
		Short: "Problems, episodes, grades and a durable queue for reinforcement learning of language models",
		Long: `Quintain gives problems to language models, plays the conversation, grades the answers,
and keeps the scored groups on disk until a trainer has taken them.`,
		Example: `  quintain run --minutes 5           play, grade, queue and train, with only this binary
  quintain ask spell_backward        pose a problem to the model that the run trained
  quintain tasks list                all tasks, a line each
  quintain hub                       only the durable queue, for trainers and environments of Atropos`,
		SilenceErrors: true,
		SilenceUsage:  true,
		Version:       strings.TrimPrefix(itself(), "quintain "),
		Args:          noArgs,
		RunE:          func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error { return usageError{flags.Explain(c, err)} })
	root.SetUsageFunc(flags.Usage)
	flags.CheckHelp(root, &w.misused)
	root.CompletionOptions.HiddenDefaultCmd = true
	root.PersistentPreRunE = func(*cobra.Command, []string) error { return w.checkEnviron() }
	root.FParseErrWhitelist.UnknownFlags = !strings.HasPrefix(called, "-") // the verb is unknown, and noArgs says so
	if called == "--version" || called == "-v" {
		return root
	}
	all := purposes()
	for _, p := range all {
		for _, v := range p.verbs {
			if v.name == called {
				root.AddCommand(v.make(w))
				return root
			}
		}
	}
	for _, p := range all {
		var made []*cobra.Command
		for _, v := range p.verbs {
			made = append(made, v.make(w))
		}
		flags.Group(root, p.title, made...)
	}
	giveHelp(root)
	if strings.HasPrefix(called, cobra.ShellCompRequestCmd) {
		completes(root)
	}
	return root
}

// giveHelp gives root the verb help, which also writes the manual pages for packages.
func giveHelp(root *cobra.Command) {
	root.InitDefaultHelpCmd() // it completes verbs
	help, _, err := root.Find([]string{"help"})
	if err != nil {
		panic(err)
	}
	help.Use, help.Short, help.Long = "help [VERB]", "Explain a verb", "Help explains a verb, or lists all."
	help.Example = "  quintain help run\n  quintain help trace list\n  quintain help --man man1"
	pages := help.Flags().String("man", "", "write the manual pages of all verbs into `FOLDER`")
	help.Run, help.RunE = nil, func(_ *cobra.Command, args []string) error {
		if *pages != "" {
			return flags.WriteManual(*pages, version(), root)
		}
		c, rest, err := root.Find(args)
		if err == nil && len(rest) > 0 {
			err = noArgs(c, rest)
		}
		if err != nil {
			return err
		}
		c.InitDefaultHelpFlag()
		c.InitDefaultVersionFlag()
		return c.Help()
	}
}

// moved returns an error that names the spelling of a verb that stands elsewhere.
func moved(args []string) error {
	if len(args) > 0 && args[0] == "help" {
		args = args[1:]
	}
	for n := min(2, len(args)); n > 0; n-- {
		old := strings.Join(args[:n], " ")
		if spelling := elsewhere()[old]; spelling != "" {
			return fmt.Errorf("quintain %s: is %s", old, spelling)
		}
	}
	return nil
}

// elsewhere names the spellings of verbs that stood at another place.
func elsewhere() map[string]string {
	return map[string]string{
		"agent":                "quintain ask --environment agent:COMMAND",
		"agent try":            "quintain ask --environment agent:COMMAND",
		"bench":                "go run ./bench/load NAME in the repository",
		"bench fleet":          "go run ./bench/load fleet in the repository",
		"bench hub":            "go run ./bench/load hub in the repository",
		"bench leases":         "go run ./bench/load leases in the repository",
		"bench openenv":        "go run ./bench/load openenv in the repository",
		"bench policy":         "go run ./bench/load policy in the repository",
		"bench sandbox":        "go run ./bench/load sandbox in the repository",
		"fake-server":          "quintain policy fake",
		"init":                 "quintain scenarios init",
		"man":                  "quintain help --man",
		"math":                 "quintain grade math",
		"math explain":         "quintain grade math GOLD ANSWER",
		"math verify":          "quintain grade math",
		"mcp":                  "quintain serve mcp",
		"pipe":                 "quintain serve pipe",
		"plot":                 "quintain trace plot",
		"pretrain":             "go run ./tiny/pretrain in the repository",
		"queue":                "quintain hub queue",
		"queue check":          "quintain hub queue check",
		"queue dump":           "quintain hub queue dump",
		"queue repair":         "quintain hub queue repair",
		"sandbox bench":        "go run ./bench/load sandbox in the repository",
		"template":             "quintain policy template",
		"template render":      "quintain policy template",
		"tokenizer":            "quintain policy tokenizer",
		"tokenizer decode":     "quintain policy tokenizer decode",
		"tokenizer encode":     "quintain policy tokenizer encode",
		"version":              "quintain --version",
		"version --check-data": "quintain doctor data",
	}
}
