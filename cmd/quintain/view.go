package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"github.com/quintain-rl/quintain/settings/flags"
	"github.com/quintain-rl/quintain/watch"
	"github.com/quintain-rl/quintain/watch/lines"
)

func newView(w *world) *cobra.Command {
	c := &cobra.Command{
		Use:   "view [FOLDER|FILE…]",
		Short: "Show a run in the browser: its metrics, groups, tokens and failures",
		Long: `View serves pages on the data folder of a run, during or after the run: scores over time,
groups to sort and search, replies side by side with every token, and failures. It only
reads. The first FOLDER is a data folder, by default quintain-data, or the folder of a
trace. Folders of quintain eval --out are shown as evaluations, and compared. Data folders
of one run, that one process took over from another, are shown as one by --data A --data B.

A FILE has groups as JSON lines: scored groups or rollouts of Atropos, or of this program
in the same forms, the results.jsonl or traces.jsonl of verifiers, or rollouts dumped by
AReaL.

View knows the text of tokens of the model in this program and of bytes; for other models
name the tokenizer.

With --export it serves nothing and writes one page that needs no other file: the metrics
of the run, its failures and tasks, and the newest groups with their tokens.`,
		Example: `  quintain view
  quintain view quintain-data --port 8010 --tokenizer my-model
  quintain view before after
  quintain view --data quintain-data --data successor
  quintain view results.jsonl
  quintain view quintain-data --export run.html`,
	}
	open := openFlag(c)
	export := c.Flags().String("export", "", "write one page that needs no other file to `FILE`, and end")
	c.MarkFlagsMutuallyExclusive("open", "export")
	load := w.settings(c, "view")
	folders := flags.Several(c.Flags(), "data")
	c.RunE = func(c *cobra.Command, args []string) error {
		cfg, err := load()
		if err != nil {
			return err
		}
		args = cfg.viewed(args, folders())
		if c.Flags().Changed("export") {
			if err := watch.CheckFile(*export); err != nil {
				return usagef("--export: %w", err)
			}
		}
		return w.attend(c.Context(), func(ctx context.Context, _ <-chan struct{}) error {
			return w.view(ctx, cfg, args, func(ctx context.Context, pages *watch.Server) error {
				if *export != "" {
					return w.exportPage(ctx, pages, *export)
				}
				return pages.Serve(ctx, cfg.Server, cfg.Log.Logger(w.stderr), func(at net.Addr) {
					fmt.Fprintf(w.stderr, "quintain view: %s on http://%s%s; Ctrl-C stops\n", strings.Join(args, ", "), at, watch.Home)
					w.show(at, *open)
				})
			})
		})
	}
	return c
}

// viewed returns what to view: the arguments, or else the data folders.
func (c *config) viewed(args, folders []string) []string {
	switch {
	case len(args) > 0:
		c.Data = args[0]
		return args
	case len(folders) > 1:
		c.others = folders[1:]
		return folders
	}
	return []string{c.Data}
}

// view opens the pages of a folder or of files for use.
func (w *world) view(ctx context.Context, c *config, paths []string, use func(context.Context, *watch.Server) error) (err error) {
	evaluations, files, err := watch.Sort(paths)
	if err != nil {
		return usageError{err}
	}
	if len(files) > 0 {
		if c.Data, err = os.MkdirTemp("", "quintain-view-"); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, os.RemoveAll(c.Data)) }()
		if err := lines.Convert(files, c.Data, "quintain "+version()); err != nil {
			return err
		}
	}
	if _, err := c.Policy.Server.Files.Load(); err != nil {
		return fmt.Errorf("policy.tokenizer: %w", err)
	}
	pages, err := c.pages(c.Log.Logger(w.stderr), evaluations...)
	if err != nil {
		return err
	}
	return use(ctx, pages)
}

// exportPage writes a page that needs no other file.
func (w *world) exportPage(ctx context.Context, pages *watch.Server, path string) error {
	size, err := pages.ExportFile(ctx, path)
	if err != nil {
		return fmt.Errorf("--export %s: %w", path, err)
	}
	fmt.Fprintf(w.stderr, "quintain view: %s has %.1f MB\n", path, float64(size)/1e6)
	return nil
}

// pages returns the pages of the data folder and of evaluations.
func (c *config) pages(log *slog.Logger, evaluations ...string) (*watch.Server, error) {
	return watch.New(watch.Config{Data: c.Data, Others: c.others, Evaluations: evaluations, Tokenizer: sync.OnceValues(c.Policy.Server.Files.Load), Log: log})
}

// openFlag gives c the flag that opens the pages.
func openFlag(c *cobra.Command) *bool {
	return c.Flags().Bool("open", false, "open the pages in a browser")
}

// show opens the pages of a server in a browser, if wanted.
func (w *world) show(at net.Addr, wanted bool) {
	if !wanted || w.browse == nil {
		return
	}
	url := "http://" + at.String() + watch.Home
	if err := w.browse(url); err != nil {
		fmt.Fprintf(w.stderr, "quintain: no browser could be opened, look at %s: %v\n", url, err)
	}
}
