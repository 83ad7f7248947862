package gateway

import (
	"context"
	"net/http"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/web"
)

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

// mayTake reports why a session does not take a reward.
func (s *sessionState) mayTake(r Reward) error {
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

// take records a reward; a second one of the same idempotency key is the same.
func (s *sessionState) take(r Reward) error {
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

// took reports whether a reward was taken before, by its key.
func (s *sessionState) took(r Reward) bool {
	old, used := s.byKey[r.Key]
	return used && r.Key != "" && old == r
}

// keepReward takes a reward once it is on disk.
func (s *sessionState) keepReward(ctx context.Context, r Reward) error {
	if err := s.mayTake(r); err != nil || s.took(r) {
		return err
	}
	if err := s.gateway.book.keep(ctx, s.id, kindReward, r); err != nil {
		return notKept(err)
	}
	return s.take(r)
}

// addReward takes a reward once it is on disk.
func (s *session) addReward(ctx context.Context, r Reward) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	defer s.gateway.due.add(s.group)
	return s.keepReward(ctx, r)
}

// beginJudging lets the task judge an answer, or refuses it.
func (s *session) beginJudging() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch err := s.over(); {
	case s.group.Grader != ByTask:
		return web.Errorf(http.StatusForbidden, "no task grades the answers of this session: its caller rewards it")
	case err != nil:
		return web.Errorf(http.StatusGone, "%v", err)
	case s.judging:
		return web.Errorf(http.StatusConflict, "an answer of this session is being graded")
	case s.rewarded:
		return errRewarded()
	}
	s.judging = true
	return nil
}

// submitted takes what the task says of an answer.
func (s *session) submitted(ctx context.Context, step quintain.Step, fault error) (r Reward, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	defer s.gateway.due.add(s.group)
	s.judging = false
	if fault != nil {
		s.gateway.config.Log.Warn("a submitted answer cannot be graded", "session", s.id, "err", fault)
		return r, web.Errorf(http.StatusBadGateway, "the answer cannot be graded: it has no reward")
	}
	if s.rewarded {
		return r, errRewarded()
	}
	r = rewardOf(step)
	return r, s.keepReward(ctx, r)
}

// graded ends the grading of an ended session. An error is a fault of the grader, which fails the session,
// or says that its reward is not kept: then it is graded again later.
func (s *session) graded(err error, fault bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.judging = false
	switch {
	case fault && s.unread == nil:
		s.ended.Failed, s.ended.Why = failedAgent, "grader: "+err.Error()
	case err != nil && s.unread == nil:
		s.gateway.config.Log.Warn("the reward of a session cannot be kept", "session", s.id, "err", err)
		return
	}
	s.gateway.due.add(s.group)
}

// lastReply returns the last reply of the main branch, if there is one, and the agent's own answer.
func (s *session) lastReply() (reply quintain.Reply, answer string, err error) {
	err = s.whole(func() {
		if last := s.tree.Main(); last != nil {
			reply = quintain.Reply{Text: last.Turn.Reply, Finish: last.Turn.Finish}
		}
		answer = s.ended.Answer
	})
	return reply, answer, err
}
