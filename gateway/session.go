package gateway

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/gateway/tree"
	"github.com/quintain-rl/quintain/internal/web"
)

// A State is where a session stands in its life.
type State string

// The states of a session, in their order.
const (
	Created  State = "created"  // without a call
	Live     State = "live"     // with calls
	Draining State = "draining" // it ends; calls are under way
	Awaiting State = "awaiting" // ended, without a reward
	Sealed   State = "sealed"   // it has an outcome
)

// A session is one episode that an agent plays.
type session struct {
	id         string
	as         string        // another ID of it; empty: none
	generation atomic.Uint32 // of its key
	number     int           // in its group
	group      *group
	limits     Limits

	mu       sync.Mutex
	state    State
	tree     *tree.Tree
	flights  flights
	underway map[*flight]bool // calls
	waiting  int              // requests for them
	sampled  int              // tokens
	counts   map[string]int
	versions []int32 // lowest and highest of the weights that sampled a token; nil: unknown
	readers  int     // of its calls in the journal
	unread   error   // why they cannot be read; nil: they can

	rewarded bool
	reward   Reward
	byKey    map[string]Reward // by their keys of idempotency
	hung     bool              // a call was unanswered for long after the end

	failures   []failure // of the policy, which no later call of their branches made good
	vocabulary string    // of the tokens

	ended   End
	judging bool             // a program grades it
	outcome quintain.Outcome // once sealed
	why     string

	created, used, endedAt time.Time
	changed                chan struct{} // closed and replaced at every change of state
	cut                    bool          // its calls were stopped
}

// A Reward is what somebody says of a session.
type Reward struct {
	Reward    float64 `json:"reward"` // finite
	Call      string  `json:"call,omitempty"`
	Mode      string  `json:"mode,omitempty"` // set, add; empty: set
	Right     bool    `json:"right,omitempty"`
	Malformed bool    `json:"malformed,omitempty"`
	Why       string  `json:"why,omitempty"`
	Answer    string  `json:"answer,omitempty"`
	Key       string  `json:"key,omitempty"`   // of idempotency
	Force     bool    `json:"force,omitempty"` // even if the policy failed
}

// An End is why a session ended.
type End struct {
	Answer string `json:"answer,omitempty"` // the agent's final answer; empty: its last reply
	Failed string `json:"failed,omitempty"` // agent, infra, cancelled, timed_out; empty: it did not
	Why    string `json:"why,omitempty"`
	Limit  bool   `json:"limit,omitempty"` // a limit of calls or tokens ended it
}

// unrewarded begins the reason of a session without a reward.
const unrewarded = "unrewarded"

// Reasons for which a session failed.
const (
	failedAgent     = "agent"
	failedInfra     = "infra"
	failedCancelled = "cancelled"
	failedTime      = "timed_out"
)

func newSession(g *group, canon *tree.Canon, r sessionRecord) *session {
	s := &session{
		id: r.ID, as: r.As, number: r.Number, group: g, limits: g.Limits, state: Created, tree: tree.New(canon), flights: newFlights(),
		counts: map[string]int{}, byKey: map[string]Reward{}, created: r.Created, used: r.Created, changed: make(chan struct{}), underway: map[*flight]bool{},
	}
	s.generation.Store(r.Generation)
	return s
}

// key is the key of the session.
func (s *session) key(secret []byte) string { return keyOf(secret, s.id, s.generation.Load()) }

// generationNow is the generation of the key; 0 if there is no session.
func (s *session) generationNow() uint32 {
	if s == nil {
		return 0
	}
	return s.generation.Load()
}

// become changes the state, and wakes those who wait. s.mu is held.
func (s *session) become(state State) {
	if s.state == state {
		return
	}
	s.state = state
	close(s.changed)
	s.changed = make(chan struct{})
}

// over is the refusal of calls of an ended session; nil: it is not over. The SDKs of agents
// do not ask again after 410. s.mu is held.
func (s *session) over() error {
	switch {
	case s.state == Created || s.state == Live:
		return nil
	case s.ended.Limit || s.ended.Failed == failedTime: // other reasons are the caller's, or name the solution
		return errors.New("the session has ended: " + s.ended.Why)
	}
	return errors.New("the session has ended")
}

// mayTake reports why a session does not take a reward. s.mu is held.
func (s *session) mayTake(r Reward) error {
	if s.took(r) {
		return nil
	}
	sum := r.Reward
	_, used := s.byKey[r.Key]
	switch n := s.tree.Call(r.Call); {
	case used && r.Key != "":
		return errKeyUsed()
	case s.state == Sealed:
		return web.Errorf(http.StatusConflict, "the session is sealed as %s: it takes no reward any more", s.outcome)
	case r.Mode != "" && r.Mode != "set" && r.Mode != "add":
		return web.Errorf(http.StatusUnprocessableEntity, "mode: is %.40q, want set or add", r.Mode)
	case r.Call != "" && n == nil:
		return web.Errorf(http.StatusNotFound, "call: there is no call %.40q in this session", r.Call)
	case r.Mode == "add" && n != nil && n.Reward != nil:
		sum += *n.Reward
	case r.Mode == "add" && n == nil && s.rewarded:
		sum += s.reward.Reward
	}
	if err := quintain.CheckReward(sum); err != nil { // of all calls in mode add
		return web.Errorf(http.StatusUnprocessableEntity, "%v", err)
	}
	return nil
}

// take records a reward; a second one of the same idempotency key is the same. s.mu is held.
func (s *session) take(r Reward) error {
	if err := s.mayTake(r); err != nil || s.took(r) {
		return err
	}
	if r.Key != "" {
		s.byKey[r.Key] = r
	}
	n, add := s.tree.Call(r.Call), r.Mode == "add"
	if n != nil {
		if add && n.Reward != nil {
			r.Reward += *n.Reward
		}
		n.Reward = &r.Reward
		return nil
	}
	if add && s.rewarded {
		r.Reward += s.reward.Reward
	}
	s.rewarded, s.reward = true, r
	return nil
}

// took reports whether a reward was taken before, by its key. s.mu is held.
func (s *session) took(r Reward) bool {
	old, used := s.byKey[r.Key]
	return used && r.Key != "" && old == r
}

// end begins the end of a session. It does nothing if the session is over. s.mu is held.
func (s *session) end(e End, now time.Time) {
	if s.over() != nil {
		return
	}
	s.ended, s.endedAt = e, now
	s.become(Draining)
}

// settle moves an ended session on: to Awaiting once no call is under way, and to Sealed
// once it has a reward or can have none. It reports whether it sealed it. s.mu is held.
func (s *session) settle(now time.Time, within time.Duration) (sealed bool) {
	if s.state == Draining {
		late := now.Sub(s.endedAt) >= s.limits.Drain
		if late {
			s.hung = s.hung || len(s.underway) > 0
			s.stopCalls(errEnded)
		}
		if len(s.underway) > 0 || s.waiting > 0 && !late {
			return false
		}
		s.become(Awaiting)
	}
	if s.state != Awaiting {
		return false
	}
	outcome, why := s.fate()
	if outcome == "" && !s.rewarded {
		if now.Sub(s.endedAt) < within || s.judging {
			return false
		}
		if !slices.ContainsFunc(s.tree.Nodes, func(n *tree.Node) bool { return n.Reward != nil }) {
			outcome, why = quintain.EnvFailed, fmt.Sprintf("%s: no reward came within %v of its end", unrewarded, within)
		}
	}
	if outcome == "" {
		outcome = quintain.Scored
		if last := s.tree.Main(); s.reward.Malformed || last.Turn.Finish == quintain.Length {
			outcome = quintain.ModelFailed
		}
	}
	s.outcome, s.why = outcome, why
	s.become(Sealed)
	return true
}

// fate is the outcome of a session that can have no reward; empty: it can. s.mu is held.
func (s *session) fate() (quintain.Outcome, string) {
	ambiguous := s.tree.JudgeUse()
	s.counts["ambiguous"] = ambiguous
	switch {
	case s.ended.Failed == failedCancelled:
		return quintain.Cancelled, s.ended.Why
	case s.ended.Failed == failedTime:
		return quintain.TimedOut, s.ended.Why
	case s.unread != nil:
		return quintain.InfraFailed, "its calls cannot be read back: " + s.unread.Error()
	case s.stale() != "":
		return quintain.TimedOut, s.stale()
	case len(s.failures) > 0 && !s.reward.Force:
		return quintain.InfraFailed, s.failures[0].Why
	case s.ended.Failed == failedInfra:
		return quintain.InfraFailed, s.ended.Why
	case s.hung && (s.ended.Failed != "" || s.tree.Main() == nil):
		return quintain.InfraFailed, "the policy had not answered a call when the session ended, nor soon after"
	case s.ended.Failed != "":
		return quintain.EnvFailed, s.ended.Why
	case s.tree.Main() == nil:
		return quintain.EnvFailed, "the agent ended without a reply of the model that it used"
	}
	return "", ""
}

// count counts the tokens of a call, and notes the versions of the weights that sampled them.
// s.mu is held.
func (s *session) count(n *tree.Node) {
	s.sampled += len(n.Turn.Wrote)
	all := n.Turn.Versions // they never fall
	if len(all) == 0 {
		return
	}
	first, last := all[0], all[len(all)-1]
	if s.versions == nil {
		s.versions = []int32{first, last}
	}
	s.versions[0], s.versions[1] = min(s.versions[0], first), max(s.versions[1], last)
}

// ignoredChanges counts the calls whose system messages changed by what makes no difference.
const ignoredChanges = "ignored_changes"

// classify counts a call by its first reply. s.mu is held.
func (s *session) classify(n *tree.Node) {
	s.counts[n.Turn.Call.Class]++
	if n.Ignored {
		s.counts[ignoredChanges]++
	}
	if n.Unforced {
		s.counts["unforced"]++
	}
}

// stale is why a session is of too many weights to be trained on; empty: it is not. s.mu is
// held.
func (s *session) stale() string {
	if s.group.Mode != Train {
		return ""
	}
	return s.limits.Stale(s.versions)
}

// stopCalls ends the calls under way. s.mu is held.
func (s *session) stopCalls(why error) {
	s.cut = true
	for f := range s.underway {
		f.cancel(why)
	}
}

// late ends a session whose group's time is over.
func (s *session) late(now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.end(End{Failed: failedTime, Why: "the time of its group is over"}, now)
}

// expire ends a session whose time is over. s.mu is held.
func (s *session) expire(now time.Time) {
	switch {
	case s.over() != nil:
	case s.stale() != "":
		s.end(End{Failed: failedTime, Why: s.stale()}, now)
	case s.limits.Seconds > 0 && now.Sub(s.created).Seconds() > s.limits.Seconds:
		s.end(End{Failed: failedTime, Why: fmt.Sprintf("it took more than %g seconds", s.limits.Seconds)}, now)
	case s.limits.Idle > 0 && len(s.underway) == 0 && now.Sub(s.used).Seconds() > s.limits.Idle:
		s.end(End{Failed: failedTime, Why: fmt.Sprintf("no call came for %g seconds", s.limits.Idle)}, now)
	}
}

// trajectory returns the session as an episode, without turns if its calls are not in memory.
// s.mu is held.
func (s *session) trajectory(id string, how *Settings) quintain.Trajectory {
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
