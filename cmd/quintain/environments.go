package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/quintain-rl/quintain/cmd/quintain/screen"
	"github.com/quintain-rl/quintain/internal/stats"
	"github.com/quintain-rl/quintain/run/player"
	"github.com/quintain-rl/quintain/scenario/external/guest"
	"github.com/quintain-rl/quintain/scenario/external/venv"
)

func newEnvironments(w *world) *cobra.Command {
	c := &cobra.Command{
		Use:   "environments",
		Short: "List, install, show and try environments of others: textarena, gymnasium, verifiers and more",
		Example: `  quintain environments install textarena:GuessTheNumber-v0
  quintain environments list textarena
  quintain environments try textarena:GuessTheNumber-v0`,
		Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(newEnvironmentsList(w), newEnvironmentsShow(w), newEnvironmentsInstall(w), newEnvironmentsRemove(w), newEnvironmentsTry(w))
	return c
}

func newEnvironmentsInstall(w *world) *cobra.Command {
	var o venv.Order
	c := &cobra.Command{
		Use:   "install ADDRESS",
		Short: "Install the packages of an environment",
		Long: `Install makes a virtual environment of Python in your cache folder, by uv if there is one, else by the venv and pip
of Python. It has the packages of the address's scheme, in versions that were tried, and those of
environment.packages, and prints its lock: the exact versions. What is installed already is left as it is.`,
		Example: `  quintain environments install textarena:GuessTheNumber-v0
  quintain environments install textarena:Hangman-v0 --with environment.packages=nltk
  quintain environments install gymnasium:FrozenLake-v1 --find-links wheels
  quintain environments install textarena:GuessTheNumber-v0 --lock data/environments/textarena-1f0c52dd91b7.txt`,
		Args: oneArg("ADDRESS"),
	}
	c.Flags().StringVar(&o.Lock, "lock", "", "install the exact versions of the lock in `FILE`")
	c.Flags().StringVar(&o.Python, "python", "", "interpreter, or version such as 3.11 (default: any that goes with the packages)")
	c.Flags().StringVar(&o.FindLinks, "find-links", "", "take the packages from the wheels in `FOLDER`, without network")
	load := w.settings(c, "environments install")
	c.RunE = func(c *cobra.Command, args []string) error {
		cfg, err := load()
		if err != nil {
			return err
		}
		a, err := parseAddress(args[0])
		if err != nil {
			return err
		}
		o.Wish = venv.Wish{Scheme: a.Scheme, Packages: cfg.Source.Scenario.Environment.Packages}
		return w.attend(c.Context(), func(ctx context.Context, _ <-chan struct{}) error {
			e, err := install(ctx, w, o)
			if err == nil {
				fmt.Fprint(w.stdout, e.Lock())
			}
			return err
		})
	}
	return c
}

// parseAddress reads an address; a scheme alone stands for all of it.
func parseAddress(text string) (guest.Address, error) {
	if _, err := venv.Find(text); err == nil {
		return guest.Address{Scheme: text}, nil
	}
	a, err := guest.Parse(text)
	if err != nil {
		return a, usageError{err}
	}
	return a, nil
}

// install installs, and tells about it.
func install(ctx context.Context, w *world, o venv.Order) (venv.Env, error) {
	store, err := venv.Open()
	if err != nil {
		return venv.Env{}, err
	}
	began, said := time.Now(), false
	o.Say = func(line string) {
		if !said {
			fmt.Fprintf(w.stderr, "installing %s below %s\n", o.Scheme, store.Dir)
		}
		said = true
		fmt.Fprintf(w.stderr, "  %s\n", screen.Safe(line))
	}
	e, err := store.Install(ctx, o)
	switch {
	case err != nil:
		return e, fmt.Errorf("%s: %w", o.Scheme, err)
	case said:
		fmt.Fprintf(w.stderr, "installed %s with Python %s in %s: lock %s\n", stats.Count(len(e.Locked), "package"), e.Python, stats.Span(time.Since(began)), e.Digest())
	default:
		fmt.Fprintf(w.stderr, "it is installed: lock %s, with Python %s\n", e.Digest(), e.Python)
	}
	return e, nil
}

// offer installs what an environment lacks, if the person at the terminal says so; else it returns the error with the command.
func offer(ctx context.Context, w *world, missing *venv.MissingError) error {
	peer, err := venv.Find(missing.Scheme)
	if err != nil || !w.typed || !w.terminal {
		return missing
	}
	fmt.Fprintf(w.stderr, "%s is not installed here. Install %s now? [Y/n] ", missing.Scheme, peer.Versions())
	answer, one := "", make([]byte, 1)
	for { // a reader with a buffer would take what a player types next
		n, err := w.stdin.Read(one)
		if err != nil || n == 1 && one[0] == '\n' {
			break
		}
		answer += string(one[:n])
	}
	if answer = strings.ToLower(strings.TrimSpace(answer)); answer != "" && answer != "y" && answer != "yes" {
		return missing
	}
	_, err = install(ctx, w, venv.Order{Wish: missing.Wish})
	return err
}

func newEnvironmentsRemove(w *world) *cobra.Command {
	return &cobra.Command{
		Use:     "remove SCHEME|LOCK",
		Short:   "Remove the packages of a scheme, or those of one lock",
		Example: "  quintain environments remove textarena\n  quintain environments remove 1f0c52dd91b7",
		Args:    oneArg("SCHEME or LOCK"),
		RunE: func(_ *cobra.Command, args []string) error {
			store, err := venv.Open()
			if err != nil {
				return err
			}
			name, _, _ := strings.Cut(args[0], ":")
			gone, err := store.Remove(name)
			if err != nil {
				return err
			}
			if len(gone) == 0 {
				return fmt.Errorf("nothing of %s is installed (quintain environments list)", name)
			}
			for _, e := range gone {
				fmt.Fprintf(w.stdout, "removed %s, lock %s\n", e.Scheme, e.Digest())
			}
			return nil
		},
	}
}

func newEnvironmentsList(w *world) *cobra.Command {
	c := &cobra.Command{
		Use:   "list [SCHEME]",
		Short: "List what is installed, or the environments that the package of a scheme knows",
		Args:  wants("one SCHEME at most", 0, 1),
	}
	load := w.settings(c, "environments list")
	c.RunE = func(c *cobra.Command, args []string) error {
		cfg, err := load()
		if err != nil {
			return err
		}
		if len(args) == 0 {
			return listInstalled(w)
		}
		if _, err := venv.Find(args[0]); err != nil {
			return usageError{err}
		}
		names, err := guest.Names(c.Context(), args[0], cfg.Source.Scenario.Environment)
		if missing, ok := errors.AsType[*venv.MissingError](err); ok {
			missing.Address = args[0]
		}
		for _, name := range names {
			fmt.Fprintf(w.stdout, "%s:%s\n", args[0], screen.Safe(name))
		}
		return err
	}
	return c
}

// listInstalled lists the schemes with what is installed of each.
func listInstalled(w *world) error {
	store, err := venv.Open()
	if err != nil {
		return err
	}
	all, err := store.List()
	if err != nil {
		return err
	}
	table := tabwriter.NewWriter(w.stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "SCHEME\tTRIED WITH\tINSTALLED\tPYTHON\tLOCK")
	for _, p := range venv.Peers() {
		has := false
		for _, e := range all {
			if e.Scheme == p.Scheme {
				has = true
				fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\n", p.Scheme, p.Versions(), strings.Join(append([]string{e.Version(p)}, e.Packages...), ", "), e.Python, e.Digest())
			}
		}
		if !has {
			fmt.Fprintf(table, "%s\t%s\t–\n", p.Scheme, p.Versions())
		}
	}
	return table.Flush()
}

func newEnvironmentsTry(w *world) *cobra.Command {
	c := &cobra.Command{
		Use:   "try ADDRESS",
		Short: "Play one episode of an environment, by hand or by another policy",
		Long: `Try plays one episode of an environment and shows its tools, its messages and its rewards. You reply: a line is a
reply, and a line that ends with a backslash goes on in the next one. With --policy another policy replies.`,
		Example: "  quintain environments try textarena:GuessTheNumber-v0\n  quintain environments try reasoning_gym:chain_sum --policy script",
		Args:    oneArg("ADDRESS"),
	}
	index := indexFlag(c)
	load := w.settings(c, "environments try")
	c.RunE = func(c *cobra.Command, args []string) error {
		byHand := !c.Flags().Changed("policy")
		cfg, err := load()
		if err == nil {
			err = cfg.playAddress(args[0])
		}
		if err != nil {
			return err
		}
		if byHand {
			cfg.Policy.Kind = player.Script // whose prompts people read, too
		}
		return w.poses(c, cfg, func(ctx context.Context) error {
			if err := showTools(ctx, w, cfg, index()); err != nil {
				return err
			}
			if byHand {
				return w.play(ctx, cfg, nil, index())
			}
			return w.ask(ctx, cfg, nil, question{index: index()})
		})
	}
	return c
}

// playAddress makes an environment the one that plays.
func (c *config) playAddress(text string) error {
	a, err := guest.Parse(text)
	if err != nil {
		return usageError{err}
	}
	c.Source.Scenario.Environment.Address = guest.Addresses{a}
	return nil
}

// keepLocks keeps the locks of the environments among the artifacts of the run. Other versions than before make other problems: it says so.
func (c *config) keepLocks(ctx context.Context, log *slog.Logger) error {
	for _, e := range c.Source.Scenario.Locks(ctx) {
		before, err := e.Keep(filepath.Join(c.Data, "environments"))
		if err != nil {
			return err
		}
		if before != "" {
			log.Warn("the packages are others than before: the problems get new IDs, and the streams begin anew; "+
				"quintain environments install --lock FILE brings the old ones back", "scheme", e.Scheme, "lock", e.Digest(), "before", before)
		}
	}
	return nil
}
