package hub

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/quintain-rl/quintain/internal/stats"
	"github.com/quintain-rl/quintain/queue/packing"
)

// Print prints the statistics at the time now: the run's content, then its counts since the hub
// started.
func (st *RunStats) Print(out io.Writer, now time.Time) {
	line := func(name, format string, values ...any) {
		fmt.Fprintf(out, "%-13s %s\n", name, fmt.Sprintf(format, values...))
	}
	switch {
	case st.Registered:
		line("run", "%s: batches of %s, step %d", st.Run, stats.Count(st.BatchSize, strings.TrimSuffix(string(cmp.Or(st.BatchUnit, packing.Sequences)), "s")), st.Step)
	case st.Local:
		line("run", "%s: this process trains on the groups itself, step %d", st.Run, st.Step)
	default:
		line("run", "%s: no trainer has registered", st.Run)
	}
	timeout := time.Duration(st.EnvTimeout * float64(time.Second))
	line("environments", "%d, %d heard from in the last %s", st.Envs, st.Connected, stats.Span(timeout))
	q := st.Queue
	line("waiting", "%s, %s, %s, %.1f MB", stats.Count(q.Waiting.Groups, "group"), stats.Count(q.Waiting.Sequences, "sequence"), stats.Count(q.Waiting.Tokens, "token"), float64(q.Waiting.Bytes)/1e6)
	if !q.OldestPut.IsZero() {
		before := ""
		if q.OldestPut.Before(st.Since) {
			before = ", before the hub started"
		}
		line("", "the oldest came %s ago%s", stats.Span(now.Sub(q.OldestPut)), before)
	}
	if st.Held > 0 {
		line("", "%d of them until others make up the group size of their environment", st.Held)
	}
	if q.Aside.Groups > 0 {
		line("set aside", "%s that cannot be read", stats.Count(q.Aside.Groups, "group"))
	}
	for _, b := range st.OpenBatches {
		until := ""
		if b.Until != nil {
			until = ", until " + b.Until.Local().Format(time.DateTime)
		}
		line("batch", "%d of %s: %s, %s%s", b.Number, stats.Count(b.Groups, "group"), b.State, b.Trainer, until)
	}
	fmt.Fprintf(out, "since the hub started %s ago:\n", stats.Span(now.Sub(st.Since)))
	line("  received", "%s and %s from outside, in %s; %s came again", stats.Count(st.GroupsIn, "group"), stats.Count(st.TokensIn, "token"), stats.Count(st.Posts, "post"), stats.Count(q.Duplicates, "group"))
	line("  refused", "%s as invalid, %d for lack of room", stats.Count(st.Refused, "request"), st.Full)
	line("  handed out", "%s, %d more than once; %s and %s", stats.Count(st.Batches, "batch"), st.Again, stats.Count(st.GroupsOut, "group"), stats.Count(st.TokensOut, "token"))
	line("  of these", "%d acknowledged, %d given back; %s did not arrive, %s ran out", st.Acked, st.Nacked, stats.Count(st.Torn, "reply"), stats.Count(st.Expired, "lease"))
	if st.Dropped > 0 {
		line("  dropped", "%s to make room", stats.Count(st.Dropped, "group"))
	}
}
