package trace

import (
	"flag"
	"fmt"
	"strings"
	"time"

	"github.com/quintain-rl/quintain"
)

// A Filter is a query that people write as flags.
type Filter struct {
	query   Query
	outcome string
	since   time.Duration
	level   int // -1: any
}

// Flags returns flags that set the filter.
func (q *Filter) Flags() *flag.FlagSet {
	f := flag.NewFlagSet("trace", flag.ContinueOnError)
	f.StringVar(&q.query.Task, "task", "", "only groups of this task")
	f.IntVar(&q.level, "level", -1, "only groups of this level of their task in the run, from 0; -1: of any")
	f.StringVar(&q.query.Scenario, "scenario", "", "only groups of the scenario with this ID")
	f.StringVar(&q.outcome, "outcome", "", "only groups with an episode of this outcome: "+outcomeNames())
	f.StringVar(&q.query.Drop, "drop", "", "only kept groups, or dropped, or dropped for this reason")
	f.DurationVar(&q.since, "since", 0, "only groups from the last DURATION")
	f.IntVar(&q.query.Limit, "limit", 0, "at most this many groups, newest first; 0: all, oldest first")
	return f
}

// Query returns the query. The error names the invalid flag.
func (q *Filter) Query() (Query, error) {
	if q.outcome != "" && !strings.Contains(outcomeNames(), q.outcome) {
		return Query{}, fmt.Errorf("outcome is %q, want one of %s", q.outcome, outcomeNames())
	}
	of := q.query
	of.Outcome, of.Newest = quintain.Outcome(q.outcome), of.Limit > 0
	if q.level >= 0 {
		of.Level = &q.level
	}
	if q.since > 0 {
		of.From = time.Now().Add(-q.since)
	}
	return of, nil
}

// outcomeNames lists all outcomes.
func outcomeNames() string {
	var names []string
	for _, o := range quintain.Outcomes {
		names = append(names, string(o))
	}
	return strings.Join(names, ", ")
}
