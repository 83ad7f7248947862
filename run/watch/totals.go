package watch

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/run/watch/words"
	"github.com/quintain-rl/quintain/trace"
)

// totals are the counts of a run: those of its last row, as in its report, or of the groups
// in the trace if it has none.
type totals struct {
	FromTrace bool // else of the whole run
	Groups    int  // played
	Tokens    int  // sampled; from a trace, read and sampled
	Drops     []share
	Dropped   int
	Kept      int // not dropped
	Episodes  []share
	All       int     // episodes
	Lags      []share // groups trained on, by versions behind
	Lagged    int     // groups in Lags
	MeanLag   float64
	MostLag   int
}

// A share is a part of all.
type share struct {
	Name    string
	N       int
	Why     string // what it means; empty: unknown
	InTrace int    // groups of this name in the trace
}

// newTotals counts the run.
func newTotals(numbers *runNumbers, counts *trace.Counts) (t totals) {
	all := map[string]int{}
	for _, name := range numbers.Names() {
		if what, ok := strings.CutPrefix(name, "total/"); ok {
			p, _ := numbers.Last(name)
			all[what] = int(p.Value)
		}
	}
	if _, has := all["groups"]; !has && len(all) == 0 {
		return totalsOf(counts)
	}
	t.Groups, t.Tokens = all["groups"], all["tokens"]
	lags := map[int]int{}
	for what, n := range all {
		if why, ok := strings.CutPrefix(what, "dropped/"); ok {
			t.drop(why, n, counts)
		}
		if lag, err := strconv.Atoi(strings.TrimPrefix(what, "lag/")); err == nil {
			lags[lag] = n
		}
	}
	for _, o := range quintain.Outcomes {
		if n := all["episodes/"+string(o)]; n > 0 {
			t.Episodes = append(t.Episodes, share{string(o), n, words.Meaning(o), counts.Outcomes[o]})
			t.All += n
		}
	}
	t.lags(lags)
	t.finish()
	return t
}

// totalsOf are the counts of the groups in a trace.
func totalsOf(counts *trace.Counts) totals {
	t := totals{FromTrace: true, Groups: counts.Groups, Tokens: counts.Tokens}
	for why, n := range counts.Drops {
		if why != "" {
			t.drop(why, n, counts)
		}
	}
	t.finish()
	return t
}

func (t *totals) drop(why string, n int, counts *trace.Counts) {
	t.Drops = append(t.Drops, share{why, n, words.Dropped(why), counts.Drops[why]})
	t.Dropped += n
}

// lags sets the staleness.
func (t *totals) lags(by map[int]int) {
	sum := 0
	for _, lag := range slices.Sorted(maps.Keys(by)) {
		t.Lags = append(t.Lags, share{Name: strconv.Itoa(lag), N: by[lag]})
		t.Lagged += by[lag]
		sum += lag * by[lag]
		t.MostLag = lag
	}
	t.MeanLag = float64(sum) / float64(max(1, t.Lagged))
}

// finish counts the kept groups, and puts the most frequent reasons first.
func (t *totals) finish() {
	t.Kept = max(0, t.Groups-t.Dropped)
	slices.SortFunc(t.Drops, func(a, b share) int { return cmp.Or(cmp.Compare(b.N, a.N), cmp.Compare(a.Name, b.Name)) })
}

// failedGroups is the number of groups with a failed or stopped episode.
func failedGroups(counts *trace.Counts) (n int) {
	for o, groups := range counts.Outcomes {
		if !o.Rewarded() {
			n += groups
		}
	}
	return n
}

// A speed is how fast the run was in its last row with rates.
type speed struct {
	Tokens, Groups, Steps float64 // a second
	Mean, Slowest         string  // time of a group; empty: unknown
	Pace                  string  // time of a step; empty: there is none
	Over                  string  // time that all of these are over; empty: unknown
}

// newSpeed is the speed of the last rates.
func newSpeed(numbers *runNumbers) (v speed) {
	last := func(name string) float64 {
		p, _ := numbers.Last(name)
		return p.Value
	}
	v.Tokens, v.Groups, v.Steps = last("train/tokens_per_s"), last("train/groups_per_s"), last("train/steps_per_s")
	if over := numbers.Lasted("train/tokens_per_s"); over > 0 {
		v.Over = words.Seconds(over)
	}
	if v.Steps != 0 {
		v.Pace = words.Seconds(1 / v.Steps)
	}
	if mean := last("train_perf/task_duration_mean"); mean > 0 {
		v.Mean, v.Slowest = words.Seconds(mean), words.Seconds(last("train_perf/task_duration_max"))
	}
	return v
}
