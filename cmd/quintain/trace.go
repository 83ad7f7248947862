package main

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/quintain-rl/quintain/cmd/quintain/screen"
	"github.com/quintain-rl/quintain/internal/settings/flags"
	"github.com/quintain-rl/quintain/internal/strictjson"
	"github.com/quintain-rl/quintain/trace"
)

func newTrace(w *world) *cobra.Command {
	c := &cobra.Command{
		Use:   "trace",
		Short: "List and show the episodes of a run, and draw its learning curve",
		Long: `Trace reads the trace of a run in its data folder: the conversations, tokens, scores,
verdicts and failures of every played group (docs/formats/trace.md). It works during the
run too.`,
		Example: `  quintain trace list --outcome model_failed --limit 20
  quintain trace show 'reasoning_gym.v2/countdown.v4.s1.l0.12'`,
		Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(newTraceList(w), newTraceShow(w), newTracePlot(w))
	return c
}

// A traceQuery is where to look for which groups.
type traceQuery struct {
	data     func() []string
	regraded bool // records have the rewards of their newest grading
	filter   trace.Filter
}

// regradedFlag gives f the flag that asks for gradings.
func (q *traceQuery) regradedFlag(f *pflag.FlagSet) {
	f.BoolVar(&q.regraded, "regraded", false, "the rewards and scores of the newest quintain regrade, for groups that have one")
}

// flags gives f the flags of the query.
func (q *traceQuery) flags(f *pflag.FlagSet) {
	q.dataFlag(f)
	f.AddGoFlagSet(q.filter.Flags())
}

// dataFlag gives f the flag of the folders.
func (q *traceQuery) dataFlag(f *pflag.FlagSet) {
	f.String("data", "quintain-data", "data folder of the run, or the folder of a trace; several, if others took over the run")
	q.data = flags.Several(f, "data")
}

// open opens the trace, and returns the query of the filter.
func (q *traceQuery) open() (r *trace.Reader, query trace.Query, err error) {
	if query, err = q.filter.Query(); err != nil {
		return nil, query, usagef("--%w", err)
	}
	r, err = trace.OpenRuns(q.data()...)
	if errors.Is(err, fs.ErrNotExist) {
		err = usageError{err}
	}
	if err == nil && q.regraded {
		err = r.Regrade()
	}
	return r, query, err
}

func newTraceList(w *world) *cobra.Command {
	var q traceQuery
	c := &cobra.Command{
		Use:     "list",
		Short:   "List played groups, a line each",
		Example: `  quintain trace list --task spell_backward --drop equal_scores`,
		Args:    noArgs,
	}
	q.flags(c.Flags())
	asJSON := c.Flags().Bool("json", false, "print a JSON object a line")
	c.RunE = func(*cobra.Command, []string) error {
		r, query, err := q.open()
		if err != nil {
			return err
		}
		if err := screen.Traces(w.stdout, r.Find(query), *asJSON); err != nil {
			return err
		}
		return sayDamage(w.stderr, r.Damage())
	}
	return c
}

func newTraceShow(w *world) *cobra.Command {
	var q traceQuery
	c := &cobra.Command{
		Use:     "show GROUP",
		Short:   "Show the conversations of a group, with scores and verdicts",
		Example: `  quintain trace show 'reasoning_gym.v2/countdown.v4.s1.l0.12'`,
		Args:    oneArg("GROUP"),
	}
	q.dataFlag(c.Flags())
	q.regradedFlag(c.Flags())
	asJSON := c.Flags().Bool("json", false, "print the record as JSON, with all tokens")
	c.RunE = func(_ *cobra.Command, args []string) error {
		r, _, err := q.open()
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
			return strictjson.WriteIndented(w.stdout, record)
		}
		screen.Record(w.stdout, record)
		return nil
	}
	return c
}
