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

	"github.com/quintain-rl/quintain/internal/settings/flags"
	"github.com/quintain-rl/quintain/run/watch"
	"github.com/quintain-rl/quintain/tasks/catalog"
	"github.com/quintain-rl/quintain/text/tokenizer"
)

func newView(w *world) *cobra.Command {
	c := &cobra.Command{
		Use:   "view [FOLDER|FILE…]",
		Short: "Show a run in the browser: its metrics, groups, tokens and failures",
		Long: `View serves pages on the data folder of a run, during or after the run: scores over time,
groups to sort and search, replies side by side with every token, and failures. It only
reads. The first FOLDER is a data folder, by default quintain-data, or the folder of a
trace. Folders of quintain eval --out are shown as evaluations, and compared. Data folders
of one run, that one process took over from another, are shown as one: --data A --data B.

A FILE has groups as JSON lines: records of quintain export, scored groups or rollouts of
Atropos, or of this program in the same forms, the results.jsonl or traces.jsonl of
verifiers, or rollouts dumped by AReaL.

View knows the text of tokens of the model in this program and of bytes; for other models
name the tokenizer.

With --export it serves nothing and writes one page that needs no other file: the metrics
of the run, its failures and tasks, and the newest groups with their tokens.`,
		Example: `  quintain view
  quintain view quintain-data --port 8010 --tokenizer my-model
  quintain view before after
  quintain view --data quintain-data --data successor
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
		names := &watch.Sources{Paths: args, Folders: []string{cfg.Data}, Program: "quintain " + version()}
		if c.Flags().Changed("data") {
			names.Folders = folders()
		}
		if c.Flags().Changed("export") {
			if err := watch.CheckFile(*export); err != nil {
				return usagef("--export: %w", err)
			}
		}
		return w.attend(c.Context(), func(ctx context.Context, _ <-chan struct{}) error {
			return w.view(ctx, cfg, names, func(ctx context.Context, pages *watch.Server) error {
				if *export != "" {
					return w.exportPage(ctx, pages, *export)
				}
				return pages.Serve(ctx, cfg.Server, cfg.Log.Logger(w.stderr), func(at net.Addr) {
					fmt.Fprintf(w.stderr, "quintain view: %s on http://%s%s; Ctrl-C stops\n%s", strings.Join(names.All(), ", "), at, watch.Home, emptyNote(names.All()[0]))
					w.show(at, *open)
				})
			})
		})
	}
	return c
}

// emptyNote tells of a folder without files.
func emptyNote(dir string) string {
	if list, err := os.ReadDir(dir); err == nil && len(list) == 0 {
		return fmt.Sprintf("quintain view: %s is empty; the pages follow a run that begins there\n", dir)
	}
	return ""
}

// view opens the pages of what is named for use.
func (w *world) view(ctx context.Context, c *config, names *watch.Sources, use func(context.Context, *watch.Server) error) error {
	if _, err := c.Policy.Server.Files.Load(); err != nil {
		return fmt.Errorf("policy.tokenizer: %w", err)
	}
	err := names.Use(func(of watch.Config) error {
		pages, err := c.pages(of, c.Log.Logger(w.stderr))
		if err != nil {
			return err
		}
		return use(ctx, pages)
	})
	if _, ok := errors.AsType[*watch.MissingError](err); ok {
		err = usageError{err}
	}
	return err
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

// pages returns the pages of data.
func (c *config) pages(of watch.Config, log *slog.Logger) (*watch.Server, error) {
	of.Log, of.Tasks, of.Adviser = log, catalog.Tasks, catalog.Adviser
	of.Tokenizer = sync.OnceValues(func() (*tokenizer.Tokenizer, error) { return c.Policy.Tokenizer(of.Data) })
	return watch.New(of)
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
