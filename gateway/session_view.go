package gateway

import (
	"maps"
	"slices"
	"time"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/gateway/tree"
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

// view returns what a caller sees.
func (s *sessionState) view() View {
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
	return s.view(), s.changed.Next()
}

// look returns what the routes of another project see.
func (s *session) look() Look {
	s.mu.Lock()
	defer s.mu.Unlock()
	return Look{
		ID: s.id, Over: s.over() != nil, Rewarded: s.rewarded, Reward: s.reward.Reward, AgentRewards: s.group.AgentRewards,
		Problem: s.group.Problem.ID(), Prompt: s.group.Prompt, Metadata: s.group.Metadata, Replies: len(s.tree.Nodes),
	}
}

// calls returns the replies, in the order of their ends.
func (s *session) calls() []CallLook {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := make([]CallLook, len(s.tree.Nodes))
	for i, n := range s.tree.Nodes {
		all[i] = CallLook{n.ID, n.Reward}
	}
	return all
}

// awaited reports whether the session has ended, and is sealed if it has a reward. The channel is
// closed when the state changes.
func (s *session) awaited() (ended bool, changed <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.state == Sealed || s.state == Awaiting && !s.rewarded, s.changed.Next()
}

// sealedAs is the outcome of a sealed session; empty: it is not sealed.
func (s *session) sealedAs() (outcome quintain.Outcome) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.state == Sealed {
		outcome = s.outcome
	}
	return outcome
}

// watched ends a session whose time is over, and reports whether it is over. The channel is closed
// when the state changes.
func (s *session) watched(now time.Time) (over bool, changed <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.expire(now)
	return s.over() != nil, s.changed.Next()
}

// holds reports whether a client got the newest reply, and waits for no other.
func (s *session) holds() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	made := len(s.tree.Nodes)
	return made > 0 && !s.tree.Nodes[made-1].Lost && len(s.underway) == 0 && s.waiting == 0
}

// endNow ends the session, and its calls.
func (s *session) endNow(e End) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.end(e, time.Now())
	s.stopCalls(errEnded)
}

// ending returns how an ended session ended, and the outcome if it can have no reward, with the
// reason. It reports whether somebody said that it failed.
func (s *session) ending() (final Final, outcome quintain.Outcome, why string, failed bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	final = Final{Answer: s.ended.Answer, Rewarded: s.rewarded, Calls: len(s.tree.Nodes)}
	if s.ended.Limit {
		final.Limit = s.ended.Why
	}
	if outcome, why = s.fate(); outcome == "" {
		last := s.tree.Main()
		final.Reply, final.Finish = last.Turn.Reply, last.Turn.Finish
	}
	return final, outcome, why, s.ended.Failed != ""
}

// sealAlone returns an ended session without a caller as an episode, with a reward if there is one.
func (s *session) sealAlone(r *Reward) (quintain.Trajectory, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r != nil {
		if err := s.take(*r); err != nil {
			return quintain.Trajectory{}, err
		}
	}
	if s.rewarded {
		s.settle(time.Now(), 0)
	}
	return s.trajectory(s.group.Name, &s.gateway.config.Settings), nil
}

// trajectory returns the session as an episode, without turns if its calls are not in memory.
func (s *sessionState) trajectory(id string, how *Settings) quintain.Trajectory {
	t := quintain.Trajectory{
		ID: id, Problem: s.group.job.Problem, Vocabulary: s.vocabulary, Outcome: s.outcome, Started: s.created, Took: s.endedAt.Sub(s.created),
	}
	if !s.outcome.Rewarded() {
		t.Error = s.why
	} else if t.End = quintain.Terminated; s.ended.Limit {
		t.End = quintain.Truncated
	}
	if s.tree.Released {
		return t
	}
	main := s.tree.Main()
	for _, n := range s.tree.Nodes {
		turn := n.Turn
		call := *turn.Call
		if turn.Call = &call; how.TrainUnused && call.Unused == tree.Abandoned {
			call.Unused = ""
		}
		if s.outcome.Rewarded() {
			if n.Reward != nil {
				turn.Reward = *n.Reward
			}
			if n == main {
				turn.Reward += s.reward.Reward
				turn.Right, turn.Malformed, turn.Why, turn.Answer = s.reward.Right, s.reward.Malformed, s.reward.Why, s.reward.Answer
			}
		}
		t.Turns = append(t.Turns, turn)
	}
	s.counts["left_out"] = tree.LeaveOut(&t, how.MaxSequences)
	return t
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
	t, err := s.played()
	if err != nil {
		return View{}, t, err
	}
	v, _ := s.seen()
	return v, t, nil
}
