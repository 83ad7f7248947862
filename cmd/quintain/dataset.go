package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/quintain-rl/quintain/cmd/quintain/screen"
	"github.com/quintain-rl/quintain/grade/codegrade/problems"
	"github.com/quintain-rl/quintain/harbor"
	"github.com/quintain-rl/quintain/harbor/play"
	"github.com/quintain-rl/quintain/internal/datadir"
	"github.com/quintain-rl/quintain/internal/stats"
	"github.com/quintain-rl/quintain/internal/strictjson"
	"github.com/quintain-rl/quintain/scenario/external/guest"
)

func newDataset(w *world) *cobra.Command {
	k := problems.New(w.stdout)
	h := harborCheck{world: w}
	c := &cobra.Command{
		Use: "check FILE|FOLDER", Short: "Find out which problems of a file, or tasks of a folder, can be used",
		Long: `Check reads a file of problems; of code problems it runs the solutions. Of a folder of tasks in the format of Harbor it
plays each task with its solution, and with nothing: a task is good if the solution earns 1 and nothing earns less. It keeps
the results, goes on where it was stopped, and plays again only what has changed.`,
		Example: "  quintain dataset check train.jsonl\n  quintain dataset check tasks --workers 2 --write good.txt", Args: oneArg("FILE or FOLDER"),
	}
	c.Flags().AddGoFlagSet(k.Flags())
	c.Flags().IntVar(&h.repeat, "repeat", 1, "of tasks of Harbor: how often each is played")
	c.Flags().StringVar(&h.format, "format", "text", "of tasks of Harbor: text or json")
	c.Flags().StringVar(&h.results, "results", "", "of tasks of Harbor: `FILE` of the results (default: .quintain-check.jsonl in the folder)")
	load := w.settings(c, "dataset check")
	c.RunE = func(c *cobra.Command, args []string) error {
		info, err := os.Stat(strings.TrimPrefix(args[0], "harbor:"))
		if tasks := err == nil && info.IsDir() || strings.HasPrefix(args[0], "harbor:"); !tasks {
			return w.attend(c.Context(), func(ctx context.Context, _ <-chan struct{}) error { return k.Run(ctx, args[0]) })
		}
		cfg, err := load()
		if err != nil {
			return err
		}
		h.write = k.Write
		h.of = play.Check{How: cfg.Source.Scenario.Harbor, Workers: k.Workers(), Repeat: h.repeat, Log: cfg.Log.Logger(w.stderr)}
		return w.attend(c.Context(), func(ctx context.Context, _ <-chan struct{}) error { return h.run(ctx, args[0]) })
	}
	all := &cobra.Command{Use: "dataset", Short: "Check a file of problems, or a folder of tasks", Args: noArgs}
	all.AddCommand(c)
	return all
}

// A harborCheck checks tasks for a person to see.
type harborCheck struct {
	*world
	of                     play.Check
	repeat                 int
	format, results, write string

	done, kept int
	good       []string
	counts     map[play.Verdict]int
	notes      map[harbor.Mark][]string // the first of each task
	whys       map[string]string        // the first task of each reason
	began      time.Time
}

// run checks the tasks of an address, or of a folder.
func (h *harborCheck) run(ctx context.Context, text string) error {
	a := guest.Address{Scheme: "harbor", Name: text}
	if strings.HasPrefix(text, "harbor:") {
		var err error
		if a, err = parseAddress(text); err != nil {
			return err
		}
	}
	if h.format != "text" && h.format != "json" {
		return usagef("--format: is %q, want text or json", h.format)
	}
	if h.of.Results = h.results; h.results == "" {
		h.of.Results = filepath.Join(a.Name, ".quintain-check.jsonl")
	}
	h.counts, h.notes, h.whys, h.began = map[play.Verdict]int{}, map[harbor.Mark][]string{}, map[string]string{}, time.Now()
	if err := h.of.Run(ctx, a, h.row); err != nil {
		if h.done > 0 {
			fmt.Fprintf(h.stderr, "%s are checked; the same command goes on\n", stats.Count(h.done, "task"))
		}
		return err
	}
	return h.sum()
}

// row prints what was found out about a task.
func (h *harborCheck) row(r play.Row, n int) error {
	h.done++
	h.counts[r.Verdict]++
	if r.Kept {
		h.kept++
	}
	if r.Verdict == play.Good {
		h.good = append(h.good, r.Task)
	}
	if h.format == "json" {
		return strictjson.WriteLegible(h.stdout, r)
	}
	why := strings.ReplaceAll(r.Why, r.Task, "")
	first, told := h.whys[why]
	line := fmt.Sprintf("%*d/%d  %-9s  empty %-4s  oracle %-4s  %s", len(fmt.Sprint(n)), h.done, n, r.Verdict, play.Earned(r.Empty), play.Earned(r.Oracle), r.Task)
	if told {
		line += ": as " + first
	}
	fmt.Fprintln(h.stdout, screen.Safe(line))
	if r.Why != "" && !told {
		h.whys[why] = r.Task
		fmt.Fprintln(h.stdout, screen.Wrap(screen.Safe(r.Why), "    "))
	}
	marks := map[harbor.Mark]bool{}
	for _, note := range r.Notes {
		if !marks[note.Mark] {
			marks[note.Mark] = true
			h.notes[note.Mark] = append(h.notes[note.Mark], r.Task+": "+note.Text)
		}
	}
	for _, t := range append(r.Oracle, r.Empty...) {
		if t.Output != "" && (r.Verdict == play.Broken || r.Verdict == play.Untested || r.Verdict == play.Inverted || r.Verdict == play.Flaky) {
			fmt.Fprintln(h.stdout, "    | "+strings.ReplaceAll(screen.Safe(t.Output), "\n", "\n    | "))
			break
		}
	}
	return nil
}

// sum prints the counts, and writes the names of the good tasks.
func (h *harborCheck) sum() error {
	var words []string
	for _, v := range play.Verdicts() {
		if n := h.counts[v]; n > 0 {
			words = append(words, fmt.Sprintf("%d %s", n, v))
		}
	}
	to := h.stdout
	if h.format == "json" {
		to = h.stderr
	}
	for _, mark := range slices.Sorted(maps.Keys(h.notes)) {
		all := h.notes[mark]
		fmt.Fprintf(to, "%-24s %*d of %d, such as %s\n", mark, len(fmt.Sprint(h.done)), len(all), h.done, screen.Safe(all[0]))
	}
	fmt.Fprintf(to, "%s in %s: %s; %d as found before\n", stats.Count(h.done, "task"), stats.Span(time.Since(h.began)), strings.Join(words, ", "), h.kept)
	if h.write != "" {
		if err := datadir.WriteFile(h.write, []byte(strings.Join(append(h.good, ""), "\n"))); err != nil {
			return err
		}
	}
	switch {
	case h.counts[play.Failed] > 0:
		return fmt.Errorf("%s could not be checked: mend the machine, and check again", stats.Count(h.counts[play.Failed], "task"))
	case len(h.good)+h.counts[play.Unknown] == 0:
		return errors.New("there is no task that can be used")
	}
	return nil
}
