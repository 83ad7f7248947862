package gateway

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/gateway/journal"
	"github.com/quintain-rl/quintain/gateway/tree"
	"github.com/quintain-rl/quintain/internal/strictjson"
)

// A restorer takes up the sessions of the last process.
type restorer struct {
	*Gateway
	held int // bytes of tokens and texts
}

// restore takes a record of the journal, in the order of writing: sessions are then as they
// were, but that calls which were under way are gone.
func (g *restorer) restore(r journal.Record) error {
	switch r.Kind {
	case kindGroup:
		return g.restoreGroup(r)
	case kindClosed:
		if of := g.groups[string(r.Data)]; of != nil {
			of.closed = true
		}
		return nil
	case kindOrder:
		return g.restoreOrder(r)
	case kindSession:
		return g.restoreSession(r)
	}
	s := g.sessions[r.Session]
	if s == nil {
		return nil // its group is done, and the rest of its records not yet gone
	}
	if err := g.restoreInto(s, r); err != nil {
		return fmt.Errorf("session %s: %w", s.id, err)
	}
	return nil
}

func (g *restorer) restoreGroup(r journal.Record) error {
	var of group
	if err := strictjson.Unmarshal(r.Data, &of.groupRecord); err != nil {
		return fmt.Errorf("group: %w", err)
	}
	of.job = g.host.Job(of.Problem)
	of.register(g.Gateway)
	return nil
}

func (g *restorer) restoreOrder(r journal.Record) error {
	var in orderRecord
	if err := strictjson.Unmarshal(r.Data, &in); err != nil {
		return fmt.Errorf("order: %w", err)
	}
	if in.Made != nil && g.groups[in.Made.Group] != nil {
		g.orders[in.Key] = in
	}
	return nil
}

func (g *restorer) restoreSession(r journal.Record) error {
	var in sessionRecord
	if err := strictjson.Unmarshal(r.Data, &in); err != nil {
		return fmt.Errorf("session: %w", err)
	}
	of := g.groups[in.Group]
	if of == nil {
		return nil
	}
	s := newSession(g.Gateway, of, in)
	s.used = time.Now()
	of.begun = true
	g.live++
	s.register(g.Gateway)
	return nil
}

// restoreInto takes a record of a session.
func (g *restorer) restoreInto(s *session, r journal.Record) error {
	switch r.Kind {
	case kindCall:
		return g.restoreCall(s, r.Data)
	case kindLost, kindDelivered:
		id, number, _ := strings.Cut(string(r.Data), ".")
		news, err := strconv.Atoi(number)
		if n := s.tree.ByID[id]; err == nil && n != nil && news > n.News {
			n.News, n.Lost = news, r.Kind == kindLost
			s.flights.arrived(n, !n.Lost)
		}
	case kindFailed:
		var in failure
		if err := strictjson.Unmarshal(r.Data, &in); err != nil {
			return fmt.Errorf("failure: %w", err)
		}
		s.failures = append(s.failures, in)
	case kindReward:
		var in Reward
		if err := strictjson.Unmarshal(r.Data, &in); err != nil {
			return fmt.Errorf("reward: %w", err)
		}
		_ = s.take(in) // it was accepted once
	case kindKey:
		generation, err := strconv.ParseUint(string(r.Data), 10, 32)
		if err != nil {
			return fmt.Errorf("key: %w", err)
		}
		s.generation.Store(uint32(generation))
	case kindEnd:
		var in endRecord
		if err := strictjson.Unmarshal(r.Data, &in); err != nil {
			return fmt.Errorf("end: %w", err)
		}
		s.end(in.End, time.Now())
	case kindSealed:
		var in sealedRecord
		if err := strictjson.Unmarshal(r.Data, &in); err != nil {
			return fmt.Errorf("outcome: %w", err)
		}
		if !slices.Contains(quintain.Outcomes, in.Outcome) || in.Outcome.Rewarded() && !s.rewarded {
			return fmt.Errorf("sealed as %.40q, with a reward: %v", in.Outcome, s.rewarded)
		}
		s.fate()
		s.outcome, s.why = in.Outcome, in.Why
		s.become(Sealed)
	}
	return nil
}

// restoreCall adds a call to a session's tree, with its place among those that a client may
// ask for again.
func (g *restorer) restoreCall(s *session, data []byte) error {
	n, r, err := tree.Decode(data)
	if err != nil {
		return err
	}
	n.Tokens = len(n.Turn.Read) + len(n.Turn.Wrote)
	n.Turn.Call.Parent = -1
	if r.Parent != "" {
		if n.Parent = s.tree.ByID[r.Parent]; n.Parent == nil {
			return fmt.Errorf("call %s continues a call %s that is not there", n.ID, r.Parent)
		}
		n.Turn.Call.Parent = n.Parent.Index
		if !n.Turn.Fork {
			n.Tokens += n.Parent.Tokens
		}
	}
	g.held -= s.tree.Size
	s.tree.Add(n)
	s.count(n)
	if g.held += s.tree.Size; int64(g.held) > g.config.Settings.Hold {
		g.held -= s.tree.Size
		s.tree.Release()
	}
	if r.Choice == 0 {
		s.classify(n)
	}
	s.forgive(n)
	s.vocabulary = r.Vocabulary
	if s.state == Created {
		s.state = Live
	}
	var d tree.Digest
	copy(d[:], r.Body)
	f := s.flights.by[d]
	if f == nil || r.Choice == 0 {
		f = &flight{id: n.ID, body: d, arrived: true, at: r.At, done: make(chan struct{})}
		close(f.done)
		s.flights.add(d, f)
	}
	f.nodes = append(f.nodes, n)
	return nil
}
