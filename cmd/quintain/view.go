package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"github.com/quintain-rl/quintain/exam/examdir"
	"github.com/quintain-rl/quintain/hub"
	"github.com/quintain-rl/quintain/run"
	"github.com/quintain-rl/quintain/trace"
	"github.com/quintain-rl/quintain/watch"
	"github.com/quintain-rl/quintain/watch/lines"
	"github.com/quintain-rl/quintain/web"
)

func newView(w *world) *cobra.Command {
	c := &cobra.Command{
		Use:   "view [FOLDER|FILE…]",
		Short: "Show a run in the browser: its numbers, groups, tokens and failures",
		Long: `View serves pages on what a run keeps in its data folder, whether the run goes on or not:
scores over time, groups to sort and search, replies side by side with every token, and
what failed. It only reads. The first FOLDER is a data folder, quintain-data if none is
named, or the folder of a trace; all that quintain eval --out has made are shown as
evaluations, and compared.

A FILE has groups as JSON lines: scored groups or rollouts of Atropos, or of this program
in these forms, the results.jsonl of verifiers, or what AReaL dumps of rollouts.

The text of tokens is known for the model in this program and for bytes; for others,
name the tokenizer.`,
		Example: `  quintain view
  quintain view quintain-data --port 8010 --tokenizer my-model
  quintain view before after
  quintain view results.jsonl`,
	}
	open := openFlag(c)
	load := w.settings(c, "view")
	c.RunE = func(c *cobra.Command, args []string) error {
		cfg, err := load()
		if err != nil {
			return err
		}
		if len(args) == 0 {
			args = []string{cfg.Data}
		}
		cfg.Data = args[0]
		return w.attend(c.Context(), func(ctx context.Context, _ <-chan struct{}) error { return w.view(ctx, cfg, args, *open) })
	}
	return c
}

// view serves the pages of a folder until ctx ends.
func (w *world) view(ctx context.Context, c *config, paths []string, open bool) (err error) {
	evaluations, files, err := tellApart(paths)
	if err != nil {
		return err
	}
	if len(files) > 0 {
		c.Data, err = traceOf(files)
		defer func() { err = errors.Join(err, os.RemoveAll(c.Data)) }()
		if err != nil {
			return err
		}
	}
	if _, err := c.Policy.Server.Files.Load(); err != nil {
		return fmt.Errorf("policy.tokenizer: %w", err)
	}
	log := c.Log.logger(w)
	pages, err := c.pages(log, evaluations...)
	if err != nil {
		return err
	}
	door, err := web.Listen(ctx, c.Server, hub.Producer, hub.Trainer)
	if err != nil {
		return err
	}
	server, err := web.New(web.Config{Settings: c.Server, Name: "view", Keys: door.Keys, Log: log, Routes: append(pages.Routes(), watch.Front())})
	if err != nil {
		return errors.Join(err, door.Close())
	}
	fmt.Fprintf(w.stderr, "quintain view: %s on http://%s%s; Ctrl-C stops\n", strings.Join(paths, ", "), door.Addr(), watch.Home)
	w.show(door.Addr(), open)
	return run.Together(ctx, func(ctx context.Context) error { return server.Run(ctx, door) }, pages.Run)
}

// tellApart finds evaluations and files among paths, each of which must exist.
func tellApart(paths []string) (evaluations, files []string, err error) {
	for _, path := range paths {
		info, err := os.Stat(path)
		switch {
		case err != nil:
			return nil, nil, usagef("%s is neither a folder nor a file: name the data folder of a run", path)
		case info.Mode().IsRegular():
			files = append(files, path)
		default:
			if _, err := os.Stat(filepath.Join(path, examdir.ReportName)); err == nil {
				evaluations = append(evaluations, path)
			}
		}
	}
	return evaluations, files, nil
}

// traceOf makes a trace of files of other programs, in a folder that the caller removes.
func traceOf(files []string) (folder string, err error) {
	if folder, err = os.MkdirTemp("", "quintain-view-"); err != nil {
		return "", err
	}
	to, err := trace.NewWriter(folder, trace.Head{Run: filepath.Base(files[0]), Program: "quintain " + version()}, trace.Settings{On: true, MaxBytes: math.MaxInt64, SegmentBytes: trace.Default().SegmentBytes})
	if err != nil {
		return folder, err
	}
	for _, file := range files {
		if err = lines.Read(file, to.Write); err != nil {
			break
		}
	}
	return folder, errors.Join(err, to.Close())
}

// pages are those of the data folder, and of evaluations.
func (c *config) pages(log *slog.Logger, evaluations ...string) (*watch.Server, error) {
	return watch.New(watch.Config{Data: c.Data, Evaluations: evaluations, Tokenizer: sync.OnceValues(c.Policy.Server.Files.Load), Log: log})
}

// openFlag gives c the flag that opens the pages.
func openFlag(c *cobra.Command) *bool {
	return c.Flags().Bool("open", false, "open the pages in a browser")
}

// browse opens an address in the browser of whoever sits at this machine.
func browse(url string) error {
	name, args := "xdg-open", []string{url}
	switch runtime.GOOS {
	case "darwin":
		name = "open"
	case "windows":
		name, args = "rundll32", []string{"url.dll,FileProtocolHandler", url}
	}
	c := exec.CommandContext(context.Background(), name, args...)
	if err := c.Start(); err != nil {
		return err
	}
	return c.Process.Release() // it may be the browser itself, which outlives this program
}

// show opens the pages of a server at an address, if that is wanted.
func (w *world) show(at net.Addr, wanted bool) {
	if !wanted || w.browse == nil {
		return
	}
	url := "http://" + at.String() + watch.Home
	if err := w.browse(url); err != nil {
		fmt.Fprintf(w.stderr, "quintain: no browser could be opened, look at %s: %v\n", url, err)
	}
}
