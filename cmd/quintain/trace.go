package main

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/cmd/quintain/screen"
	"github.com/quintain-rl/quintain/internal/jsonform"
	"github.com/quintain-rl/quintain/settings/flags"
	"github.com/quintain-rl/quintain/trace"
	"github.com/quintain-rl/quintain/trace/sources"
)

func newTrace(w *world) *cobra.Command {
	c := &cobra.Command{
		Use:   "trace",
		Short: "List and show the episodes of a run",
		Long: `Trace reads the trace of a run in its data folder: the conversations, tokens, scores,
verdicts and failures of every played group (docs/formats/trace.md). It works during the
run too.`,
		Example: `  quintain trace list --outcome model_failed --limit 20
  quintain trace show 'reasoning_gym.v2/countdown.v2.s1.l0.12'`,
		Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(newTraceList(w), newTraceShow(w))
	return c
}

// A traceQuery is a query by flags.
type traceQuery struct {
	data    func() []string
	query   trace.Query
	outcome string
	since   time.Duration
	level   int // -1: any
}

// flags gives c the flags of the query.
func (q *traceQuery) flags(c *cobra.Command) {
	f := c.Flags()
	q.dataFlag(f)
	f.StringVar(&q.query.Task, "task", "", "only groups of this task")
	f.IntVar(&q.level, "level", -1, "only groups of this level of their task in the run, from 0; -1: of any")
	f.StringVar(&q.query.Scenario, "scenario", "", "only groups of the scenario with this ID")
	f.StringVar(&q.outcome, "outcome", "", "only groups with an episode of this outcome: "+outcomeNames())
	f.StringVar(&q.query.Drop, "drop", "", "only kept groups, or dropped, or dropped for this reason")
	f.DurationVar(&q.since, "since", 0, "only groups from the last DURATION")
	f.IntVar(&q.query.Limit, "limit", 0, "at most this many groups, newest first; 0: all, oldest first")
}

// dataFlag gives f the flag of the folders.
func (q *traceQuery) dataFlag(f *pflag.FlagSet) {
	f.String("data", "quintain-data", "data folder of the run, the folder of a trace, or an archive; several, if others took over the run")
	q.data = flags.Several(f, "data")
}

// outcomeNames lists all outcomes.
func outcomeNames() string {
	var names []string
	for _, o := range quintain.Outcomes {
		names = append(names, string(o))
	}
	return strings.Join(names, ", ")
}

// open opens the trace.
func (q *traceQuery) open(c *cobra.Command, w *world) (*trace.Reader, error) {
	if q.outcome != "" && !strings.Contains(outcomeNames(), q.outcome) {
		return nil, usagef("--outcome is %q, want one of %s", q.outcome, outcomeNames())
	}
	q.query.Outcome = quintain.Outcome(q.outcome)
	q.query.Newest = q.query.Limit > 0
	if q.level >= 0 {
		q.query.Level = &q.level
	}
	if q.since > 0 {
		q.query.From = time.Now().Add(-q.since)
	}
	r, err := sources.Finder{Getenv: w.getenv}.Open(c.Context(), q.data()...)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, usageError{err}
	}
	return r, err
}

func newTraceList(w *world) *cobra.Command {
	var q traceQuery
	c := &cobra.Command{
		Use:     "list",
		Short:   "List played groups, a line each",
		Example: `  quintain trace list --task countdown --drop equal_scores`,
		Args:    noArgs,
	}
	q.flags(c)
	asJSON := c.Flags().Bool("json", false, "print a JSON object a line")
	c.RunE = func(*cobra.Command, []string) error {
		r, err := q.open(c, w)
		if err != nil {
			return err
		}
		return screen.Traces(w.stdout, r.Find(q.query), *asJSON)
	}
	return c
}

func newTraceShow(w *world) *cobra.Command {
	var q traceQuery
	c := &cobra.Command{
		Use:     "show GROUP",
		Short:   "Show the conversations of a group, with scores and verdicts",
		Example: `  quintain trace show 'reasoning_gym.v2/countdown.v2.s1.l0.12'`,
		Args:    oneArg("GROUP"),
	}
	q.dataFlag(c.Flags())
	asJSON := c.Flags().Bool("json", false, "print the record as JSON, with all tokens")
	c.RunE = func(_ *cobra.Command, args []string) error {
		r, err := q.open(c, w)
		if err != nil {
			return err
		}
		found := r.Find(trace.Query{Group: args[0], Newest: true, Limit: 1})
		if len(found) == 0 {
			return fmt.Errorf("the trace has no group %q; quintain trace list names them", args[0])
		}
		record, err := r.Read(found[0].Ref)
		if err != nil {
			return err
		}
		if *asJSON {
			return jsonform.WriteIndented(w.stdout, record)
		}
		screen.Record(w.stdout, record)
		return nil
	}
	return c
}
