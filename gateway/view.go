package gateway

import (
	"maps"
	"slices"
	"time"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/run/rollout"
)

// A View is what a caller sees of a session.
type View struct {
	ID       string           `json:"id"`
	Group    string           `json:"group"`
	State    State            `json:"state"`
	Outcome  quintain.Outcome `json:"outcome,omitempty"`
	Why      string           `json:"why,omitempty"`
	Calls    int              `json:"calls"`
	Tokens   int              `json:"tokens"` // sampled
	Classes  map[string]int   `json:"classes"`
	Drift    map[string]int   `json:"drift"`
	Versions []int32          `json:"versions,omitempty"` // lowest and highest
	Reward   *float64         `json:"reward"`
	IdleFor  float64          `json:"idle_for"` // seconds

	Dropped rollout.Drop `json:"dropped,omitempty"` // why its group is not trained on; empty: it is, or is not done
}

// view returns what a caller sees. s.mu is held.
func (s *session) view() View {
	v := View{
		ID: s.id, Group: s.group.Name, State: s.state, Outcome: s.outcome, Why: s.why, Calls: len(s.tree.Nodes), Tokens: s.sampled,
		Classes: maps.Clone(s.counts), Drift: map[string]int{}, Versions: slices.Clone(s.versions), IdleFor: time.Since(s.used).Seconds(), Dropped: s.group.drop(),
	}
	for _, n := range s.tree.Nodes {
		switch {
		case n.Turn.Fork:
			v.Drift["forked"]++
		case n.Turn.Realigned:
			v.Drift["realigned"]++
		default:
			v.Drift["clean"]++
		}
	}
	if s.rewarded {
		v.Reward = new(s.reward.Reward)
	}
	return v
}

// seen returns what a caller sees, and a channel that is closed when the state changes.
func (s *session) seen() (View, <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.view(), s.changed
}

// Views returns what a caller sees of each session.
func (g *Gateway) Views() []View {
	g.mu.Lock()
	all := slices.Collect(maps.Values(g.sessions))
	g.mu.Unlock()
	views := make([]View, len(all))
	for i, s := range all {
		views[i], _ = s.seen()
	}
	return views
}

// Session returns what a caller sees of a session, and its calls so far.
func (g *Gateway) Session(id string) (View, quintain.Trajectory, error) {
	s, err := g.session(id)
	if err != nil {
		return View{}, quintain.Trajectory{}, err
	}
	t, err := s.played(g)
	if err != nil {
		return View{}, t, err
	}
	v, _ := s.seen()
	return v, t, nil
}
