package screen

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/quintain-rl/quintain/internal/curve"
	"github.com/quintain-rl/quintain/run"
)

// sparkWidth is the width of a curve in a table, in characters.
const sparkWidth = 16

// Report prints the report of a run.
func Report(out io.Writer, r *run.Report) error {
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight|tabwriter.TabIndent)
	fmt.Fprintf(t, "task\tgroups\tfirst score\tlast score\tcurve\t")
	_, adaptive := r.Complexity()
	if adaptive {
		fmt.Fprintf(t, "complexity\tshare\t")
	}
	fmt.Fprintln(t)
	for _, task := range r.Tasks {
		fmt.Fprintf(t, "%s\t%d\t%.3f\t%.3f\t%s\t", task.Label, task.Groups, task.First, task.Last, curve.Spark(task.Curve, sparkWidth))
		if adaptive {
			fmt.Fprintf(t, "%.2f\t%.2f\t", task.Curriculum.Complexity, task.Curriculum.Share)
		}
		fmt.Fprintln(t)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	fmt.Fprintf(out, "\nsteps          %d in %.1f s, to version %s\n", r.Steps, r.Seconds, Version(r.Version))
	fmt.Fprintf(out, "groups made    %d\n", r.GroupsMade)
	if r.GroupsSent > 0 {
		fmt.Fprintf(out, "groups sent    %d\n", r.GroupsSent)
	}
	fmt.Fprintf(out, "groups dropped %s\n", counted(r.GroupsDropped))
	fmt.Fprintf(out, "episodes       %s\n", counted(r.Episodes))
	if r.NoLogProbs > 0 {
		fmt.Fprintf(out, "no logprobs    %d sequences\n", r.NoLogProbs)
	}
	if r.Unscored > 0 {
		fmt.Fprintf(out, "no teacher     %d groups: %s\n", r.Unscored, r.TeacherFault)
	}
	if r.Replays > 0 || r.PlayedAgain > 0 {
		fmt.Fprintf(out, "played again   %d episodes, %d problems\n", r.Replays, r.PlayedAgain)
	}
	fmt.Fprintf(out, "%-14s %d, %.0f a second\n", r.Unit, r.Tokens, r.Rate())
	if r.Turns != (run.Turns{}) {
		fmt.Fprintf(out, "further turns  %v\n", r.Turns)
	}
	if len(r.SolvedAt) > 1 {
		fmt.Fprintf(out, "solved         %.1f %% of them at a later turn than the first\n", 100*r.SolvedLater())
	}
	err := staleness(out, r)
	if r.ExamBefore != nil && r.ExamAfter != nil {
		_, err = fmt.Fprintf(out, "held out       %.3f before, %.3f after\n", *r.ExamBefore, *r.ExamAfter)
	}
	if r.Failed() > 0 {
		_, err = fmt.Fprintf(out, "last fault     %s\n", r.LastFault)
	}
	for _, advice := range r.Advice {
		_, err = fmt.Fprintf(out, "note           %s\n", advice)
	}
	return err
}

// Version writes the version of the policy's weights.
func Version(version int) string {
	if version < 0 {
		return "unknown"
	}
	return fmt.Sprint(version)
}

// counted writes a map of counters, sorted by key, without zeros.
func counted[K ~string | ~int](m map[K]int) string {
	var parts []string
	sum := 0
	for _, key := range slices.Sorted(maps.Keys(m)) {
		if sum += m[key]; m[key] > 0 {
			parts = append(parts, fmt.Sprintf("%v: %d", key, m[key]))
		}
	}
	if parts == nil {
		return "0"
	}
	return fmt.Sprintf("%d (%s)", sum, strings.Join(parts, ", "))
}

// staleness prints how old the groups were, and how the stale ones differ from the others.
func staleness(out io.Writer, r *run.Report) error {
	lags := counted(r.Staleness)
	if _, known := r.Lag(); !known {
		lags = "unknown"
	}
	_, err := fmt.Fprintf(out, "staleness      %s\n", lags)
	if r.Stale.Groups > 0 {
		_, err = fmt.Fprintf(out, "stale          %.0f %s an episode, %.1f s a group; of the kept groups %.0f and %.1f s\n",
			r.Stale.Length(), r.Unit, r.Stale.Duration(), r.Kept.Length(), r.Kept.Duration())
	}
	return err
}
