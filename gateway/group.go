package gateway

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/gateway/grader"
	"github.com/quintain-rl/quintain/internal/web"
	"github.com/quintain-rl/quintain/run/rollout"
)

// A group is sessions of one problem. The gateway's mutex guards the fields from sessions on.
type group struct {
	groupRecord
	job rollout.Job

	sessions []*session
	begun    bool // it has sessions, or had; the journal has it
	coming   int  // sessions that are being written
	closed   bool // it takes no sessions any more, and is formed of what it has
	whole    bool // nothing more can come for it
	done     bool // the host has it, or it was given up
	doneAt   time.Time
	finished chan struct{} // closed when it is done

	dropped atomic.Value // [rollout.Drop]: why the host keeps no group; nil or empty: it does, or is not done
}

// drop is why the host keeps no group of the sessions; empty: it does, or is not done.
func (of *group) drop() rollout.Drop {
	why, _ := of.dropped.Load().(rollout.Drop)
	return why
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

// lookAt moves a group and its sessions on, and reports whether it is whole now.
func (g *Gateway) lookAt(ctx context.Context, of *group, now time.Time) bool {
	g.mu.Lock()
	sessions, whole, done := of.sessions, of.whole, of.done
	gone := done && now.Sub(of.doneAt) > keepDone
	g.mu.Unlock()
	if gone {
		g.forget(of)
	}
	if whole {
		return false
	}
	for _, s := range sessions {
		if err := s.moveOn(ctx, now); err != nil {
			g.config.Log.Warn("a session cannot be kept", "session", s.id, "err", err)
			return false // the disk is full, perhaps: later
		}
	}
	return g.isWhole(of, now)
}

// grade rewards an ended session by its task or by the program of the settings. A fault of theirs
// ends the session, without a reward; what the disk does not take is graded again later.
func (g *Gateway) grade(ctx context.Context, s *session) {
	judge := s.judgeByTask
	if s.group.Grader == ByProgram {
		judge = s.judgeByProgram
	}
	r, err := judge(ctx)
	if ctx.Err() != nil {
		return // after a restart it is graded again
	}
	fault := err != nil
	if !fault {
		err = g.Reward(ctx, s.id, r)
		_, fault = errors.AsType[*web.Error](err)
	}
	s.graded(err, fault)
}

// judgeByTask has the scenario of a session's problem judge the last reply of its main branch.
func (s *session) judgeByTask(ctx context.Context) (none Reward, err error) {
	reply, answer, err := s.lastReply()
	if err != nil {
		return none, err
	}
	step, err := grader.Task(ctx, s.group.job.Scenario, s.group.job.Problem, reply, answer)
	return rewardOf(step), err
}

func rewardOf(s quintain.Step) Reward {
	return Reward{Reward: s.Reward, Right: s.Right, Malformed: s.Malformed, Why: s.Why, Answer: s.Answer}
}

// judgeByProgram has the program of the settings grade an ended session. Its standard output is a
// reward, as callers give one.
func (s *session) judgeByProgram(ctx context.Context) (none Reward, err error) {
	t, err := s.played()
	if err != nil {
		return none, err
	}
	_, answer, err := s.lastReply()
	if err != nil {
		return none, err
	}
	q := grader.Question{Session: s.id, Problem: s.group.Problem, Metadata: s.group.Metadata, Answer: answer, Branches: [][]quintain.Message{}}
	for _, b := range t.Branches() {
		q.Branches = append(q.Branches, t.Talk(b.Path))
	}
	said, err := grader.Ask(ctx, s.gateway.config.Settings.Grader, q)
	if err != nil {
		return none, err
	}
	return Reward{Reward: *said.Reward, Right: said.Right, Malformed: said.Malformed, Why: said.Why}, nil
}

// isWhole reports whether nothing more can come for a group: all its sessions are there and
// sealed, or its time is over.
func (g *Gateway) isWhole(of *group, now time.Time) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	sealed, failed := 0, 0
	for _, s := range of.sessions {
		if outcome := s.sealedAs(); outcome != "" {
			sealed++
			if !outcome.Rewarded() {
				failed++
			}
		}
	}
	wanted := of.Of + min(failed, of.Replace)
	if of.closed || now.Sub(of.Created) > g.config.Settings.GroupWithin {
		wanted = 0
	}
	of.whole = of.begun && of.coming == 0 && len(of.sessions) >= wanted && sealed == len(of.sessions)
	return of.whole
}

// finish gives a whole group to the host.
func (g *Gateway) finish(ctx context.Context, of *group) error {
	result := rollout.Result{Job: of.job}
	var rewarded []quintain.Trajectory
	g.mu.Lock()
	sessions := of.sessions
	g.mu.Unlock()
	for i, s := range sessions {
		t := s.final(fmt.Sprintf("%s#%d", of.Problem.ID(), i))
		result.Trajectories = append(result.Trajectories, t)
		if t.Outcome.Rewarded() {
			rewarded = append(rewarded, t)
		}
	}
	switch {
	case len(rewarded) >= of.enough():
		result.Trajectories = rewarded // those that failed are left out, never counted as 0
	case len(result.Trajectories) == len(rewarded):
		result.Drop = rollout.DropIncomplete
	case slices.ContainsFunc(result.Trajectories, failedBy(quintain.EnvFailed, unrewarded)):
		result.Drop = rollout.DropUnrewarded
	case slices.ContainsFunc(result.Trajectories, failedBy(quintain.TimedOut, staleWeights)):
		result.Drop = rollout.DropStale
	}
	if of.Mode == Train {
		drop, err := g.host.Judge(ctx, result)
		if err != nil {
			return err
		}
		of.dropped.Store(drop)
	}
	g.mu.Lock()
	of.done, of.doneAt = true, time.Now()
	close(of.finished)
	g.live -= len(of.sessions)
	g.mu.Unlock()
	g.events.Add("group", map[string]any{"group": of.Name, "sessions": len(of.sessions), "rewarded": len(rewarded), "dropped": of.drop()})
	return g.book.release(of)
}

// failedBy reports whether a session has an outcome for a reason that begins so.
func failedBy(outcome quintain.Outcome, why string) func(quintain.Trajectory) bool {
	return func(t quintain.Trajectory) bool { return t.Outcome == outcome && strings.HasPrefix(t.Error, why) }
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
	maps.DeleteFunc(g.orders, func(_ string, o orderRecord) bool { return o.Made != nil && o.Made.Group == of.Name })
}

// register makes a group known. g.mu is held, or nobody else knows g.
func (of *group) register(g *Gateway) {
	of.finished = make(chan struct{})
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
