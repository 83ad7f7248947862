package run

import (
	"fmt"
	"maps"
	"strings"

	"github.com/quintain-rl/quintain/run/rollout"
)

// totalPrefix begins the names of the totals in a row.
const totalPrefix = "total/"

// mostLag is the largest staleness with a count of its own; larger ones count as it.
const mostLag = 64

// totals count the events of a run, over all its processes, by the names of the numbers in a
// row. The report counts the same since its process began.
type totals map[string]float64

// note counts an event.
func (t totals) note(e Event) {
	switch e := e.(type) {
	case Played:
		t.played(&e)
	case Dropped:
		t.add("dropped/"+string(e.Why), len(e.Groups))
		t.add("dropped_later", len(e.Groups))
		if isLate(e.Why) {
			t.cost("stale", e.Cost)
		}
	case Stepped:
		t.add("steps", 1)
		t.cost("trained", e.Cost)
		for _, lag := range e.Lags {
			t.add(fmt.Sprintf("lag/%d", min(lag, mostLag)), 1)
		}
	case Sent:
		t.add("sent", len(e.Groups))
	}
}

// played counts a group.
func (t totals) played(p *Played) {
	t.add("groups", 1)
	for i := range p.Trajectories {
		t.add("episodes/"+string(p.Trajectories[i].Outcome), 1)
		t.add("tokens", p.Trajectories[i].Sampled())
	}
	if p.Drop == "" {
		t.add("kept", 1)
	} else {
		t.add("dropped/"+string(p.Drop), 1)
	}
	if p.Drop == rollout.DropWithheld {
		t.cost("stale", costOf(p.Trajectories))
	}
}

// cost adds what groups took, if there is any.
func (t totals) cost(of string, c Cost) {
	if c.Groups > 0 {
		t.add(of+"/groups", c.Groups)
		t.add(of+"/episodes", c.Episodes)
		t.add(of+"/tokens", c.Tokens)
		t[totalPrefix+of+"/seconds"] += c.Seconds
	}
}

func (t totals) add(name string, n int) { t[totalPrefix+name] += float64(n) }

// reasons lists the reasons for which a group was ever dropped.
func (t totals) reasons() (all []string) {
	for name := range t {
		if why, ok := strings.CutPrefix(name, totalPrefix+"dropped/"); ok {
			all = append(all, why)
		}
	}
	return all
}

// resume goes on from the values of the last row of an earlier process.
func (t totals) resume(last map[string]float64) {
	maps.Copy(t, last)
	maps.DeleteFunc(t, func(name string, _ float64) bool { return !strings.HasPrefix(name, totalPrefix) })
}
