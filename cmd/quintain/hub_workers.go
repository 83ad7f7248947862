package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/quintain-rl/quintain/internal/httpclient"
	"github.com/quintain-rl/quintain/internal/stats"
	"github.com/quintain-rl/quintain/internal/strictjson"
	"github.com/quintain-rl/quintain/internal/unicode15"
	"github.com/quintain-rl/quintain/run/fleet"
)

// showWorkers asks a run for its workers and prints them, or the reply of the run as it is.
func (a hubAsk) showWorkers(ctx context.Context, out io.Writer, asJSON bool) error {
	text, err := a.fetch(ctx, "workers")
	if httpclient.StatusOf(err) == http.StatusNotFound {
		return fmt.Errorf("the run %q at %s has no workers: it plays its problems itself; quintain run --workers leases them", a.Run, a.URL)
	}
	if err != nil {
		return err
	}
	if asJSON {
		_, err := fmt.Fprintf(out, "%s\n", text)
		return err
	}
	var r fleet.Roster
	if err := strictjson.Unmarshal(text, &r); err != nil {
		return fmt.Errorf("%s: the answer is not a list of workers: %w", a.URL, err)
	}
	return printWorkers(out, &r, time.Now())
}

// printWorkers prints the workers of a run at the time now, then the lost ones, and how the
// leases ended since the coordinator began.
func printWorkers(out io.Writer, r *fleet.Roster, now time.Time) error {
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	if len(r.Workers)+len(r.Lost) > 0 {
		fmt.Fprintln(table, "worker\tmodel\tinstance\tslots\tholds\tplayed\treturned\texpired\tfenced\tlast seen")
	}
	row := func(w *fleet.Worker, state string) {
		fmt.Fprintf(table, "%s\t%s\t%.8s\t%d\t%d\t%d\t%d\t%d\t%d\t%s ago%s\n",
			safe(w.Name), safe(w.Model), safe(w.Instance), w.Slots, w.Leases, w.Groups, w.Returned, w.Expired, w.Fenced, stats.Span(now.Sub(w.LastSeen)), state)
	}
	for i := range r.Workers {
		state := ""
		if why := r.Workers[i].Fault; why != "" {
			state = "; it lies, and gets nothing more: " + safe(why)
		}
		row(&r.Workers[i], state)
	}
	for i := range r.Lost {
		row(&r.Lost[i], "; it is lost")
	}
	if err := table.Flush(); err != nil {
		return err
	}
	fmt.Fprintf(out, "%s with %s; %s under way are wanted\n", stats.Count(len(r.Workers), "worker"), stats.Count(r.Held, "lease"), stats.Count(r.Wanted, "episode"))
	var ends []string
	for _, how := range fleet.Endings() {
		ends = append(ends, fmt.Sprintf("%d %s", r.Ended[how], how))
	}
	fmt.Fprintf(out, "since the coordinator began: %s granted; %s\n", stats.Count(r.Granted, "lease"), strings.Join(ends, ", "))
	for _, p := range r.Poison {
		fmt.Fprintf(out, "given up %s ago, since %s were lost with it: %s\n", stats.Span(now.Sub(p.At)), stats.Count(p.Workers, "worker"), safe(p.Problem))
	}
	return nil
}

// safe removes characters with which a worker could move the cursor.
func safe(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode15.IsPrint(r) {
			return r
		}
		return -1
	}, text)
}
