package gateway

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"time"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/web"
	"github.com/quintain-rl/quintain/run/rollout"
)

// A Solo is one session by itself, of an agent that this process starts: with a seat at a
// policy and a key that is void elsewhere, and without caller, group or journal.
type Solo struct {
	gateway *Gateway
	session *session
	seat    *countedSeat
}

// NewSolo returns the session of a problem at a seat. The error names the invalid setting.
func NewSolo(how Settings, at quintain.Seat, p quintain.Problem) (*Solo, error) {
	secret := make([]byte, secretBytes)
	rand.Read(secret) // never fails
	g, err := New(Config{Settings: how, Sampling: at.Sampling, Secret: secret, Keys: true})
	if err != nil {
		return nil, err
	}
	s := &Solo{gateway: g, seat: countCalls(at)}
	if g.player, err = how.PlayerOf(at.Policy); err != nil {
		return nil, err
	}
	g.player.Policy = s.seat
	mode := Train
	if at.Exam {
		mode = Exam
	}
	of := &group{
		groupRecord: groupRecord{Name: at.Key, Problem: p, Of: 1, Mode: mode, AgentRewards: how.AgentRewards, Limits: how.Limits},
		job:         rollout.Job{Problem: p},
	}
	s.session = newSession(of, &g.canon, sessionRecord{ID: newID(sessionBytes), Group: of.Name, Created: time.Now()})
	of.sessions = append(of.sessions, s.session)
	g.sessions[s.session.id] = s.session
	g.setOpen()
	return s, nil
}

// Routes are the routes of its agent.
func (s *Solo) Routes() []web.Route { return s.gateway.AgentRoutes() }

// ID is the ID of the session, and Key its key.
func (s *Solo) ID() string { return s.session.id }

// Key is the key of the session.
func (s *Solo) Key() string {
	return s.session.key(s.gateway.config.Secret)
}

// Watch waits until the session is over: at a limit, at the word of the agent, or when ctx
// ends.
func (s *Solo) Watch(ctx context.Context) {
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for {
		s.session.mu.Lock()
		s.session.expire(time.Now())
		over, changed := s.session.over() != nil, s.session.changed
		s.session.mu.Unlock()
		if over {
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-changed:
		case <-tick.C:
		}
	}
}

// Fail ends the session because of its agent, unless it is over. If the agent only did not
// bear that its conversation has no room for another reply, that is no failure.
func (s *Solo) Fail(why string) {
	e := End{Failed: failedAgent, Why: why}
	if s.seat.noRoom() != nil {
		e = End{Limit: true, Why: "there is no room for another reply: " + why}
	}
	s.end(e)
}

func (s *Solo) end(e End) {
	s.session.mu.Lock()
	defer s.session.mu.Unlock()
	s.session.end(e, time.Now())
	s.session.stopCalls(errEnded)
}

// A Final is the end of a session, to be judged.
type Final struct {
	Reply    string // of the last call of the main branch
	Finish   quintain.Finish
	Answer   string // what the agent gave as its answer; empty: it gave none
	Rewarded bool   // the agent gave its own reward
	Limit    string // the limit that ended it; empty: none
	Calls    int    // committed ones
}

// Close ends the session, unless it is over, and its calls. No request may be under way. The
// error says why the session has no reward, as [quintain.Agent] has it.
func (s *Solo) Close() (Final, error) {
	s.end(End{})
	s.gateway.flying.Wait()
	of := s.session
	of.mu.Lock()
	defer of.mu.Unlock()
	final := Final{Answer: of.ended.Answer, Rewarded: of.rewarded, Calls: len(of.tree.Nodes)}
	if of.ended.Limit {
		final.Limit = of.ended.Why
	}
	outcome, why := of.fate()
	switch full := s.seat.noRoom(); {
	case final.Calls == 0 && full != nil:
		return final, full
	case outcome == "":
	case outcome == quintain.InfraFailed:
		return final, errors.Join(fmt.Errorf("%w: %s", quintain.ErrLost, why), s.seat.lastFault())
	case outcome == quintain.TimedOut:
		return final, fmt.Errorf("%s: %w", why, quintain.ErrTimeout)
	case final.Calls == 0 && of.ended.Failed == "":
		return final, errors.New("the agent made no call of its model")
	default:
		return final, errors.New(why)
	}
	last := of.tree.Main()
	final.Reply, final.Finish = last.Turn.Reply, last.Turn.Finish
	return final, nil
}

// Trajectory returns the closed session as an episode: with its turns alone, or with a reward.
// Nil: that of the agent, if it gave one.
func (s *Solo) Trajectory(r *Reward) (quintain.Trajectory, error) {
	of := s.session
	of.mu.Lock()
	defer of.mu.Unlock()
	if r != nil {
		if err := of.take(*r); err != nil {
			return quintain.Trajectory{}, err
		}
	}
	if of.rewarded {
		of.settle(time.Now(), 0)
	}
	return of.trajectory(of.group.Name, &s.gateway.config.Settings), nil
}
