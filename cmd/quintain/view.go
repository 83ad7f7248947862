package main

import (
	"context"
	"errors"
	"fmt"
	"io"
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

	"github.com/quintain-rl/quintain/hub"
	"github.com/quintain-rl/quintain/internal/datadir"
	"github.com/quintain-rl/quintain/internal/web"
	"github.com/quintain-rl/quintain/run"
	"github.com/quintain-rl/quintain/run/exam/examdir"
	"github.com/quintain-rl/quintain/trace"
	"github.com/quintain-rl/quintain/watch"
	"github.com/quintain-rl/quintain/watch/lines"
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
in these forms, the results.jsonl or traces.jsonl of verifiers, or what AReaL dumps of
rollouts.

The text of tokens is known for the model in this program and for bytes; for others,
name the tokenizer.

With --export it serves nothing, and writes one page that needs nothing else: the numbers
of the run, its failures and tasks, and the newest groups with their tokens.`,
		Example: `  quintain view
  quintain view quintain-data --port 8010 --tokenizer my-model
  quintain view before after
  quintain view results.jsonl
  quintain view quintain-data --export run.html`,
	}
	open := openFlag(c)
	export := c.Flags().String("export", "", "write one page to `FILE` that needs nothing else, and end")
	c.MarkFlagsMutuallyExclusive("open", "export")
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
		if c.Flags().Changed("export") {
			if err := checkFile("--export", *export); err != nil {
				return err
			}
		}
		return w.attend(c.Context(), func(ctx context.Context, _ <-chan struct{}) error {
			return w.view(ctx, cfg, args, func(ctx context.Context, pages *watch.Server) error {
				if *export != "" {
					return w.exportPage(ctx, pages, *export)
				}
				return w.serveView(ctx, cfg, pages, viewed{args, *open})
			})
		})
	}
	return c
}

// checkFile refuses what is not the name of a file in a folder that exists.
func checkFile(flag, path string) error {
	if path == "" {
		return usagef("%s: name the file", flag)
	}
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return usagef("%s: %s is a folder, want the name of a file", flag, path)
	}
	if info, err := os.Stat(filepath.Dir(path)); err != nil || !info.IsDir() {
		return usagef("%s: there is no folder %s", flag, filepath.Dir(path))
	}
	return nil
}

// view opens the pages of a folder or of files for use.
func (w *world) view(ctx context.Context, c *config, paths []string, use func(context.Context, *watch.Server) error) (err error) {
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
	pages, err := c.pages(c.Log.logger(w), evaluations...)
	if err != nil {
		return err
	}
	return use(ctx, pages)
}

// exportPage writes a page that needs nothing else, or nothing.
func (w *world) exportPage(ctx context.Context, pages *watch.Server, path string) error {
	err := datadir.WriteTo(path, func(to io.Writer) error { return pages.Export(ctx, to) })
	if err != nil {
		return fmt.Errorf("--export %s: %w", path, err)
	}
	info, err := os.Stat(path)
	if err == nil {
		fmt.Fprintf(w.stderr, "quintain view: %s has %.1f MB\n", path, float64(info.Size())/1e6)
	}
	return err
}

// A viewed is what is shown, and whether a browser is to open it.
type viewed struct {
	paths []string
	open  bool
}

// serveView serves pages until ctx ends.
func (w *world) serveView(ctx context.Context, c *config, pages *watch.Server, of viewed) error {
	door, err := web.Listen(ctx, c.Server, hub.Producer, hub.Trainer)
	if err != nil {
		return err
	}
	server, err := web.New(web.Config{Settings: c.Server, Name: "view", Keys: door.Keys, Log: c.Log.logger(w), Routes: append(pages.Routes(), watch.Front())})
	if err != nil {
		return errors.Join(err, door.Close())
	}
	fmt.Fprintf(w.stderr, "quintain view: %s on http://%s%s; Ctrl-C stops\n", strings.Join(of.paths, ", "), door.Addr(), watch.Home)
	w.show(door.Addr(), of.open)
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
