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
	s.session = newSession(g, of, sessionRecord{ID: newID(sessionBytes), Group: of.Name, Created: time.Now()})
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
	return s.session.key()
}

// Watch waits until the session is over: at a limit, at the word of the agent, or when ctx
// ends.
func (s *Solo) Watch(ctx context.Context) {
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for {
		over, changed := s.session.watched(time.Now())
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
	s.session.endNow(e)
}

// Holds reports whether its agent has a reply of the model that no call under way follows: then the reply
// may be the cause of what the agent does.
func (s *Solo) Holds() bool { return s.session.holds() }

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
	s.session.endNow(End{})
	s.gateway.flying.Wait()
	final, outcome, why, failed := s.session.ending()
	switch full := s.seat.noRoom(); {
	case final.Calls == 0 && full != nil:
		return final, full
	case outcome == "":
		return final, nil
	case outcome == quintain.InfraFailed:
		return final, errors.Join(fmt.Errorf("%w: %s", quintain.ErrLost, why), s.seat.lastFault())
	case outcome == quintain.TimedOut:
		return final, fmt.Errorf("%s: %w", why, quintain.ErrTimeout)
	case final.Calls == 0 && !failed:
		return final, errors.New("the agent made no call of its model")
	}
	return final, errors.New(why)
}

// Trajectory returns the closed session as an episode: with its turns alone, or with a reward.
// Nil: that of the agent, if it gave one.
func (s *Solo) Trajectory(r *Reward) (quintain.Trajectory, error) {
	return s.session.sealAlone(r)
}
