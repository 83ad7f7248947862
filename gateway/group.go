package gateway

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/rollout"
)

// A group is sessions of one problem. The gateway's mutex guards sessions, replaced, closed
// and done.
type group struct {
	groupRecord
	job rollout.Job

	sessions []*session
	coming   int  // sessions that are being written
	closed   bool // it takes no sessions any more, and is formed of what it has
	done     bool // the host has it, or it was given up
	doneAt   time.Time
	drop     string // why it is not trained on; empty: it is

	vocabulary string // of the tokens
}

// A groupRecord is what the journal keeps of a group.
type groupRecord struct {
	Name         string           `json:"name"`
	Problem      quintain.Problem `json:"problem"`
	Prompt       string           `json:"prompt,omitempty"`
	Of           int              `json:"of"`
	AtLeast      int              `json:"at_least,omitempty"`
	Replace      int              `json:"replace,omitempty"`
	Mode         Mode             `json:"mode"`
	Grader       Grader           `json:"grader"`
	RewardWithin time.Duration    `json:"reward_within"`
	AgentRewards bool             `json:"agent_rewards,omitempty"`
	Limits       Limits           `json:"limits"`
	Metadata     json.RawMessage  `json:"metadata,omitempty"`
	Join         string           `json:"join,omitempty"` // see [Spec]
	Created      time.Time        `json:"created"`
}

// keepDone is how long a finished group can be looked at.
const keepDone = 10 * time.Minute

// lookAt moves a group and its sessions on.
func (g *Gateway) lookAt(ctx context.Context, of *group, now time.Time) error {
	g.mu.Lock()
	sessions, done := of.sessions, of.done
	gone := done && now.Sub(of.doneAt) > keepDone
	g.mu.Unlock()
	switch {
	case gone:
		g.forget(of)
		return nil
	case done:
		return nil
	}
	for _, s := range sessions {
		if now.Sub(of.Created) > g.config.Settings.GroupWithin {
			s.late(now)
		}
		if err := g.lookAtSession(ctx, s, now); err != nil {
			g.config.Log.Warn("a session cannot be kept", "session", s.id, "err", err)
			return nil // the disk is full, perhaps: later
		}
	}
	if !g.whole(of, now) {
		return nil
	}
	return g.finish(ctx, of, now)
}

// lookAtSession moves a session on. It grades an ended one whose task is the judge.
func (g *Gateway) lookAtSession(ctx context.Context, s *session, now time.Time) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	before := s.state
	if before == Sealed {
		return nil
	}
	s.expire(now)
	sealed := s.settle(now, s.group.RewardWithin)
	if s.state == Awaiting && !s.rewarded && s.group.Grader == ByTask {
		if err := s.grade(ctx); err != nil {
			s.ended.Failed, s.ended.Why = failedAgent, "grader: "+err.Error()
		}
		sealed = s.settle(now, s.group.RewardWithin)
	}
	if s.state != before {
		g.note(s)
	}
	if sealed {
		return g.book.keepSealed(ctx, s)
	}
	return nil
}

// grade has the problem's own scenario judge the last reply of the main branch. s.mu is
// held.
func (s *session) grade(ctx context.Context) error {
	last := s.tree.main()
	if last == nil || s.group.job.Scenario == nil {
		return fmt.Errorf("nothing can judge it")
	}
	env, err := s.group.job.Scenario.Env(s.group.job.Problem)
	if err != nil {
		return err
	}
	defer func() { _ = env.Close() }()
	if _, err := env.Open(ctx); err != nil {
		return err
	}
	reply := quintain.Reply{Text: last.turn.Reply, Finish: last.turn.Finish}
	if s.ended.Answer != "" {
		reply.Text = s.ended.Answer
	}
	step, err := env.Step(ctx, reply)
	if err != nil {
		return err
	}
	return s.take(Reward{Reward: step.Reward, Right: step.Right, Malformed: step.Malformed, Why: step.Why, Answer: step.Answer})
}

// whole reports whether nothing more can come for a group: all its sessions are there and
// sealed, or its time is over.
func (g *Gateway) whole(of *group, now time.Time) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	late := of.closed || now.Sub(of.Created) > g.config.Settings.GroupWithin
	sealed, failed := 0, 0
	for _, s := range of.sessions {
		s.mu.Lock()
		if s.state == Sealed {
			sealed++
			if !s.outcome.Rewarded() {
				failed++
			}
		}
		s.mu.Unlock()
	}
	if late {
		return sealed == len(of.sessions)
	}
	wanted := of.Of + min(failed, of.Replace)
	return len(of.sessions) >= wanted && sealed == len(of.sessions)
}

// finish gives a group to the host.
func (g *Gateway) finish(ctx context.Context, of *group, now time.Time) error {
	result := rollout.Result{Job: of.job}
	var rewarded []quintain.Trajectory
	g.mu.Lock()
	for i, s := range of.sessions {
		s.mu.Lock()
		t := s.trajectory(fmt.Sprintf("%s#%d", of.Problem.ID(), i), &g.config.Settings)
		s.mu.Unlock()
		result.Trajectories = append(result.Trajectories, t)
		if t.Outcome.Rewarded() {
			rewarded = append(rewarded, t)
		}
	}
	g.mu.Unlock()
	switch {
	case len(rewarded) >= of.enough():
		result.Trajectories = rewarded // those that failed are left out, never counted as 0
	case len(result.Trajectories) == len(rewarded):
		result.Drop = rollout.DropIncomplete
	case slices.ContainsFunc(result.Trajectories, isUnrewarded):
		result.Drop = rollout.DropUnrewarded
	}
	if of.Mode == Train {
		if err := g.host.Done(ctx, result); err != nil {
			return err
		}
	}
	g.mu.Lock()
	of.done, of.doneAt = true, now
	g.mu.Unlock()
	g.events.Add("group", map[string]any{"group": of.Name, "sessions": len(of.sessions), "rewarded": len(rewarded)})
	return g.book.release(of)
}

// isUnrewarded reports whether nobody rewarded a session in time.
func isUnrewarded(t quintain.Trajectory) bool {
	return t.Outcome == quintain.EnvFailed && strings.HasPrefix(t.Error, unrewarded)
}

// enough is the number of rewarded sessions that make a group.
func (of *group) enough() int {
	if of.AtLeast > 0 {
		return max(2, of.AtLeast)
	}
	return max(1, of.Of)
}

// forget removes a group.
func (g *Gateway) forget(of *group) {
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.groups, of.Name)
	if g.joining[of.Join] == of.Name {
		delete(g.joining, of.Join)
	}
	for _, s := range of.sessions {
		delete(g.sessions, s.id)
		if g.names[s.as] == s.id {
			delete(g.names, s.as)
		}
	}
}

// register makes a group known. g.mu is held, or nobody else knows g.
func (of *group) register(g *Gateway) {
	g.groups[of.Name] = of
	if of.Join != "" {
		g.joining[of.Join] = of.Name
	}
}

// register makes a session of a group known. g.mu is held, or nobody else knows g.
func (s *session) register(g *Gateway) {
	s.group.sessions = append(s.group.sessions, s)
	g.sessions[s.id] = s
	if s.as != "" {
		g.names[s.as] = s.id
	}
}
