package gateway

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/gateway/tree"
	"github.com/quintain-rl/quintain/internal/pause"
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

// A session is one episode that an agent plays: its state under its mutex, which the files
// session*.go alone lock.
type session struct {
	mu sync.Mutex
	sessionState
}

// A sessionState is what a session is. The mutex of the session is held for its methods, and for its
// fields from state on.
type sessionState struct {
	gateway    *Gateway
	id         string
	as         string        // another ID of it; empty: none
	generation atomic.Uint32 // of its key
	number     int           // in its group
	group      *group
	limits     Limits

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
	changed                pause.Signal // of state
	cut                    bool         // its calls were stopped
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

func newSession(g *Gateway, of *group, r sessionRecord) *session {
	s := &session{sessionState: sessionState{
		gateway: g, id: r.ID, as: r.As, number: r.Number, group: of, limits: of.Limits, state: Created, tree: tree.New(&g.canon), flights: newFlights(),
		counts: map[string]int{}, byKey: map[string]Reward{}, created: r.Created, used: r.Created, underway: map[*flight]bool{},
	}}
	s.generation.Store(r.Generation)
	return s
}

// key is the key of the session.
func (s *sessionState) key() string { return keyOf(s.gateway.config.Secret, s.id, s.generation.Load()) }

// newKey gives the session a new key, and makes the one before void.
func (s *session) newKey(ctx context.Context) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.state == Sealed {
		return "", web.Errorf(http.StatusConflict, "the session is sealed as %s: it needs no key any more", s.outcome)
	}
	next := s.generation.Load() + 1
	if err := s.gateway.book.keep(ctx, s.id, kindKey, next); err != nil {
		return "", notKept(err)
	}
	s.generation.Store(next)
	return s.key(), nil
}

// generationNow is the generation of the key; 0 if there is no session.
func (s *session) generationNow() uint32 {
	if s == nil {
		return 0
	}
	return s.generation.Load()
}

// become changes the state, and wakes those who wait.
func (s *sessionState) become(state State) {
	if s.state == state {
		return
	}
	s.state = state
	s.changed.Wake()
}

// over is the refusal of calls of an ended session; nil: it is not over. The SDKs of agents
// do not ask again after 410.
func (s *sessionState) over() error {
	switch {
	case s.state == Created || s.state == Live:
		return nil
	case s.ended.Limit || s.ended.Failed == failedTime: // other reasons are the caller's, or name the solution
		return errors.New("the session has ended: " + s.ended.Why)
	}
	return errors.New("the session has ended")
}

// endWith ends the session by somebody's word, which the journal has first.
func (s *session) endWith(ctx context.Context, e End) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.over() != nil {
		return nil
	}
	now := time.Now()
	if err := s.gateway.book.keep(ctx, s.id, kindEnd, endRecord{e, now}); err != nil {
		return notKept(err)
	}
	s.end(e, now)
	s.gateway.note(&s.sessionState)
	s.gateway.due.add(s.group)
	return nil
}

// moveOn moves the session on with time. It has an ended one graded that nobody else rewards.
func (s *session) moveOn(ctx context.Context, now time.Time) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if now.Sub(s.group.Created) > s.gateway.config.Settings.GroupWithin {
		s.end(End{Failed: failedTime, Why: "the time of its group is over"}, now)
	}
	before := s.state
	if before == Sealed {
		return nil
	}
	s.expire(now)
	sealed := s.settle(now, s.group.RewardWithin)
	if by := s.group.Grader; s.state == Awaiting && !s.rewarded && !s.judging && (by == ByTask || by == ByProgram) {
		s.judging = true
		s.gateway.flying.Go(func() { s.gateway.grade(ctx, s) })
	}
	if s.state != before {
		s.gateway.note(&s.sessionState)
	}
	if sealed {
		return s.gateway.book.keepSealed(ctx, s)
	}
	return nil
}

// end begins the end of a session. It does nothing if the session is over.
func (s *sessionState) end(e End, now time.Time) {
	if s.over() != nil {
		return
	}
	s.ended, s.endedAt = e, now
	s.become(Draining)
}

// settle moves an ended session on: to Awaiting once no call is under way, and to Sealed
// once it has a reward or can have none. It reports whether it sealed it.
func (s *sessionState) settle(now time.Time, within time.Duration) (sealed bool) {
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

// fate is the outcome of a session that can have no reward; empty: it can.
func (s *sessionState) fate() (quintain.Outcome, string) {
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

// stale is why a session is of too many weights to be trained on; empty: it is not.
func (s *sessionState) stale() string {
	if s.group.Mode != Train {
		return ""
	}
	return s.limits.Stale(s.versions)
}

// stopCalls ends the calls under way.
func (s *sessionState) stopCalls(why error) {
	s.cut = true
	for f := range s.underway {
		f.cancel(why)
	}
}

// stop ends the calls under way.
func (s *session) stop(why error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stopCalls(why)
}

// expire ends a session whose time is over.
func (s *sessionState) expire(now time.Time) {
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
