package screen

import (
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/quintain-rl/quintain/internal/stats"
	"github.com/quintain-rl/quintain/internal/strictjson"
	"github.com/quintain-rl/quintain/run/regrade"
)

// mostFlips and mostGraders are how many of these a table lists.
const mostFlips, mostGraders = 20, 5

// Changes prints what another grading of stored episodes changes: as a table, as records or as json.
func Changes(out io.Writer, c *regrade.Changes, format string) error {
	switch format {
	case "json":
		return strictjson.WriteIndented(out, c)
	case "records":
		return c.Records(out)
	}
	for i, g := range c.Graders {
		if i == mostGraders {
			fmt.Fprintf(out, "… and %d more: --format json lists them\n", len(c.Graders)-i)
			break
		}
		fmt.Fprintf(out, "graded by %s %s (%s)\n", Safe(g.Name), Safe(g.Version), g.Hash)
	}
	fmt.Fprintf(out, "%s, %d of them graded before; %s, %d of them ungraded\n", stats.Count(c.Groups, "group"), c.Known, stats.Count(c.Episodes, "episode"), c.Ungraded)
	for _, why := range slices.Sorted(maps.Keys(c.Why)) {
		fmt.Fprintf(out, "  ungraded %d: %s\n", c.Why[why], Fault(why))
	}
	if c.Lost > 0 {
		fmt.Fprintf(out, "%s could not be read: the trace is damaged there, or has removed them\n", stats.Count(c.Lost, "group"))
	}
	if c.Compared > 0 {
		fmt.Fprintf(out, "agreement: %.2f %% of %s with the same reward; %d from wrong to right, %d from right to wrong\n", 100*float64(c.Same)/float64(c.Compared), stats.Count(c.Compared, "episode"), c.ToRight, c.ToWrong)
		order := "no group has an order by both"
		if c.Correlation != nil {
			order = fmt.Sprintf("rank correlation in groups %.3f (tau-b), %d of %d pairs turned", *c.Correlation, c.Turned, c.Pairs)
		}
		fmt.Fprintf(out, "order: %s; equal rewards now in %s, no longer in %d\n\n", order, stats.Count(c.NowEqual, "group"), c.NowApart)
	}
	if c.Tasks != nil {
		tasks := *c.Tasks
		tasks.Flips = nil // of episodes, below
		if err := Comparison(out, &tasks, "", ""); err != nil {
			return err
		}
	}
	shown, flips := 0, c.ToRight+c.ToWrong
	for i := range c.Changed {
		if one := &c.Changed[i]; one.Flipped() && shown < mostFlips {
			shown++
			fmt.Fprintf(out, "\nepisode %d was %.3g, is %.3g: %s\n  %s", one.Episode, *one.Was, *one.Reward, Clip(Safe(one.Why), 100), Safe(one.Show))
		}
	}
	if shown > 0 {
		fmt.Fprintln(out)
	}
	if flips > shown {
		fmt.Fprintf(out, "… and %d more: --format records prints all\n", flips-shown)
	}
	if c.Queued > 0 || len(c.Dropped) > 0 {
		fmt.Fprintf(out, "\nin the queue under their new scores: %s; not: %v\n", stats.Count(c.Queued, "group"), c.Dropped)
	}
	return nil
}
