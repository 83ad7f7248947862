package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/catalog"
	"github.com/quintain-rl/quintain/interop/reasoninggym"
	"github.com/quintain-rl/quintain/task"
)

func newTasks(w *world) *cobra.Command {
	c := &cobra.Command{
		Use:   "tasks",
		Short: "List, show and export the tasks",
		Example: `  quintain tasks list
  quintain tasks show word_ladder --level 2
  quintain tasks export --task countdown --seed 7 --level 1 --count 1000 > countdown.jsonl`,
		Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(newTasksList(w), newTasksShow(w), newTasksExport(w))
	return c
}

func newTasksList(w *world) *cobra.Command {
	var category string
	var asJSON bool
	c := &cobra.Command{
		Use:     "list",
		Short:   "List the tasks, a line each",
		Example: "  quintain tasks list --category games",
		Args:    noArgs,
		RunE: func(*cobra.Command, []string) error {
			rooms := catalog.Categories()
			if category != "" {
				rooms = slices.DeleteFunc(rooms, func(r catalog.Category) bool { return r.Name != category })
				if len(rooms) == 0 {
					return usagef("no category %q; there are %s", category, categoryNames())
				}
			}
			return listTasks(w.stdout, rooms, asJSON)
		},
	}
	c.Flags().StringVar(&category, "category", "", "only the tasks of this category")
	c.Flags().BoolVar(&asJSON, "json", false, "print a JSON object a line, with the parameters of every level")
	return c
}

// listTasks prints the tasks of rooms.
func listTasks(out io.Writer, rooms []catalog.Category, asJSON bool) error {
	if asJSON {
		return listJSON(out, rooms)
	}
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, room := range rooms {
		for _, t := range room.Tasks {
			info := t.Info()
			doc, _, _ := strings.Cut(info.Doc, ". ")
			fmt.Fprintf(table, "%s\t%s\t%d levels\t%s\n", info.Name, room.Name, len(info.Levels), strings.TrimSuffix(doc, ".")+".")
		}
	}
	return table.Flush()
}

// listJSON prints the tasks of rooms as JSON, a line each.
func listJSON(out io.Writer, rooms []catalog.Category) error {
	type line struct {
		Category string `json:"category"`
		quintain.Info
	}
	enc := json.NewEncoder(out)
	for _, room := range rooms {
		for _, t := range room.Tasks {
			if err := enc.Encode(line{room.Name, t.Info()}); err != nil {
				return err
			}
		}
	}
	return nil
}

// categoryNames lists the names of all categories.
func categoryNames() string {
	var names []string
	for _, room := range catalog.Categories() {
		names = append(names, room.Name)
	}
	return strings.Join(names, ", ")
}

// A draft says which problems a command makes, from its flags.
type draft struct {
	task   string
	seed   uint64
	level  int
	params string
	index  int
}

// flags adds the flags of d to c, all but the task.
func (d *draft) flags(c *cobra.Command) {
	c.Flags().Uint64Var(&d.seed, "seed", 1, "seed of the stream of problems")
	c.Flags().IntVar(&d.level, "level", 0, "level of difficulty, 0 is the easiest")
	c.Flags().StringVar(&d.params, "params", "", "own settings as a JSON object, in place of --level; the task's defaults where it is silent")
	c.Flags().IntVar(&d.index, "index", 0, "place in the stream of the first problem")
	c.MarkFlagsMutuallyExclusive("level", "params")
}

// open returns the task that d names, with its own settings where it has some.
func (d *draft) open() (quintain.Task, error) {
	tasks, err := task.NewSet(catalog.Tasks())
	if err != nil {
		return nil, err
	}
	t, err := tasks.Get(d.task)
	if err != nil {
		return nil, fmt.Errorf("%w (quintain tasks list names them all)", err)
	}
	if d.params == "" {
		return t, nil
	}
	return t.With(json.RawMessage(d.params))
}

// draw names the n-th problem of d.
func (d *draft) draw(n int) quintain.Draw {
	level := d.level
	if d.params != "" {
		level = 0
	}
	return quintain.Draw{Seed: d.seed, Level: level, Index: d.index + n}
}

func newTasksShow(w *world) *cobra.Command {
	var d draft
	c := &cobra.Command{
		Use:     "show NAME",
		Short:   "Show what a task is, its levels, and a specimen with its solution",
		Example: "  quintain tasks show countdown --level 2 --seed 5",
		Args:    oneArg("NAME"),
		RunE: func(_ *cobra.Command, args []string) error {
			d.task = args[0]
			t, err := d.open()
			if err != nil {
				return err
			}
			return showTask(w.stdout, t, d.draw(0))
		},
	}
	d.flags(c)
	return c
}

// showTask prints a task and one of its problems.
func showTask(out io.Writer, t quintain.Task, d quintain.Draw) error {
	p, err := t.Problem(d)
	if err != nil {
		return err
	}
	solution, err := t.Solve(p)
	if err != nil {
		return err
	}
	verdict, err := t.Grade(p, solution)
	if err != nil {
		return err
	}
	info := t.Info()
	fmt.Fprintf(out, "%s (version %d)\n%s\nSource: %s\n\n", info.Name, info.Version, info.Doc, info.Source)
	for level, params := range info.Levels {
		fmt.Fprintf(out, "level %d  %s\n", level, params)
	}
	_, err = fmt.Fprintf(out, "\n--- problem %s ---\n%s\n\n--- a solution, which scores %v ---\n%s\n", p.ID(), p.Prompt, verdict.Score, solution)
	return err
}

func newTasksExport(w *world) *cobra.Command {
	var d draft
	var format string
	var count int
	c := &cobra.Command{
		Use:   "export",
		Short: "Print problems, a JSON object a line",
		Long: `Export prints problems of one task, a JSON object a line. A problem holds all that
grading needs, the solution included: do not show its instance to a model.

With --format reasoning-gym the lines are entries of the Python library of that
name: {"question", "answer", "metadata"}.`,
		Example: `  quintain tasks export --task countdown --level 1 --count 1000 > countdown.jsonl
  quintain tasks export --task chain_sum --params '{"min_terms":3}' --format reasoning-gym`,
		Args: noArgs,
		RunE: func(*cobra.Command, []string) error {
			form, known := exporters[format]
			switch {
			case !known:
				return usagef("--format is %q, want quintain or reasoning-gym", format)
			case d.task == "":
				return usagef("--task is missing; quintain tasks list names them all")
			case count < 0:
				return usagef("--count is %d, want 0 or more", count)
			}
			t, err := d.open()
			if err != nil {
				return err
			}
			return d.export(w.stdout, t, count, form())
		},
	}
	c.Flags().StringVar(&d.task, "task", "", "name of the task")
	c.Flags().StringVar(&format, "format", "quintain", "form of the lines: quintain or reasoning-gym")
	c.Flags().IntVar(&count, "count", 1, "how many problems")
	d.flags(c)
	return c
}

// An exporter appends a problem to a line.
type exporter func(line []byte, t quintain.Task, p quintain.Problem) ([]byte, error)

// exporters are the forms of export.
var exporters = map[string]func() exporter{
	"quintain": func() exporter {
		return func(line []byte, _ quintain.Task, p quintain.Problem) ([]byte, error) {
			encoded, err := json.Marshal(p)
			return append(line, encoded...), err
		}
	},
	"reasoning-gym": func() exporter {
		var w reasoninggym.Writer
		return func(line []byte, t quintain.Task, p quintain.Problem) ([]byte, error) {
			solution, err := t.Solve(p)
			if err != nil {
				return nil, err
			}
			return w.Append(line, p, solution)
		}
	},
}

// export prints the first count problems of t, one a line.
func (d *draft) export(out io.Writer, t quintain.Task, count int, add exporter) error {
	buffered := bufio.NewWriterSize(out, 1<<16)
	var line []byte
	for n := range count {
		p, err := t.Problem(d.draw(n))
		if err != nil {
			return err
		}
		if line, err = add(line[:0], t, p); err != nil {
			return err
		}
		if _, err := buffered.Write(append(line, '\n')); err != nil {
			return err
		}
	}
	return buffered.Flush()
}
