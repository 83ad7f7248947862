package gateway

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/gateway/dialect"
	"github.com/quintain-rl/quintain/gateway/journal"
	"github.com/quintain-rl/quintain/gateway/tree"
	"github.com/quintain-rl/quintain/internal/stats"
)

// A call of a session is begun, placed, then kept or failed; each of its requests ends with
// arrived. Each of these locks the session once.

// begin returns the flight of a request: that of an equal one before it if the client asks
// again, else a new one, which flies. It reports whether the flight has landed: deliver then
// comes before its reply. The caller calls arrived.
func (s *session) begin(req *dialect.Request, d tree.Digest, again bool) (f *flight, landed bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	g := s.gateway
	if old := s.flights.by[d]; old != nil && again {
		s.counts["retry"]++
		g.Calls.WithLabelValues("retry").Inc()
		s.hold(old)
		return old, !old.underway(), nil
	}
	if err := s.mayCall(); err != nil {
		return nil, false, err
	}
	if s.state == Created {
		s.become(Live)
		g.note(&s.sessionState)
	}
	f = &flight{id: newID(callBytes), req: req, body: d, done: make(chan struct{}), holds: 1}
	ctx, cancel := context.WithCancelCause(context.Background())
	f.cancel = cancel
	s.flights.add(d, f)
	s.underway[f] = true
	s.hold(f)
	g.flying.Go(func() { g.fly(ctx, s, f) })
	return f, false, nil
}

// mayCall refuses a new call that the session may not make.
func (s *sessionState) mayCall() error {
	if err := s.over(); err != nil {
		return sessionEnded(err.Error())
	}
	made := len(s.tree.Nodes)
	switch {
	case s.cut:
		return refusalOf(errStops)
	case made >= s.limits.Calls:
		return s.useUp(fmt.Sprintf("it made %s, as many as it may", stats.Count(made, "call")))
	case len(s.underway) >= min(s.limits.Parallel, s.limits.Calls-made):
		return &dialect.Error{Status: http.StatusTooManyRequests, Code: "too_many_calls", Message: fmt.Sprintf("the session has %s under way, as many as it may", stats.Count(len(s.underway), "call"))}
	}
	return nil
}

// useUp ends a session that has used up what it may, and returns the refusal of its calls.
func (s *sessionState) useUp(why string) error {
	e, now, g := End{Limit: true, Why: why}, time.Now(), s.gateway
	if s.over() == nil {
		if err := g.book.keep(context.Background(), s.id, kindEnd, endRecord{e, now}); err != nil {
			g.config.Log.Warn("the end of a session is not kept", "session", s.id, "err", err)
		}
		s.end(e, now)
		g.note(s)
		g.due.add(s.group)
	}
	return sessionEnded("the session has ended: " + why)
}

// hold has one request more wait for a flight.
func (s *sessionState) hold(f *flight) {
	f.holds++
	s.waiting++
	f.stopTimer()
}

// place finds where a call belongs, and returns what to ask the policy.
func (s *session) place(f *flight) (ask quintain.Request, err error) {
	if lost := s.whole(func() { ask, err = s.placed(f) }); lost != nil {
		return ask, unreadable(lost)
	}
	return ask, err
}

// placed places a call. The texts are in memory.
func (s *sessionState) placed(f *flight) (ask quintain.Request, err error) {
	p, err := s.find(f.req)
	if err != nil {
		return ask, err
	}
	if main := s.tree.Main(); main != nil {
		p.Most = main.Tokens
	}
	p.Branch = cmp.Or(f.req.Branch, s.tree.Label(p, len(s.underway)))
	f.place = p
	left := s.limits.Tokens - s.sampled
	if s.limits.Tokens > 0 && left <= 0 {
		return ask, s.useUp(fmt.Sprintf("it sampled %s, as many as it may", stats.Count(s.sampled, "token")))
	}
	ask = s.ask(p, f.req)
	if s.gateway.book.journal != nil && !fitsJournal(len(p.Text)+len(f.req.Prompt), f.req.Messages[p.Fresh:]) {
		return ask, tooLarge()
	}
	if s.limits.Tokens > 0 {
		ask.Sampling.MaxTokens = min(left, cmp.Or(ask.Sampling.MaxTokens, left))
	}
	return ask, nil
}

// wouldAsk finds where a request would belong, and what it would ask the policy, without a call.
func (s *session) wouldAsk(req *dialect.Request) (p tree.Place, ask quintain.Request, err error) {
	lost := s.whole(func() {
		if p, err = s.find(req); err == nil {
			ask = s.ask(p, req)
		}
	})
	if lost != nil {
		err = unreadable(lost)
	}
	return p, ask, err
}

// find finds where a request belongs. The texts are in memory.
func (s *sessionState) find(req *dialect.Request) (p tree.Place, err error) {
	if err := s.tree.Expand(req); err != nil {
		return p, err
	}
	start := s.gateway.canon.StartOf(req.Tools)
	text, from, err := s.gateway.player.text(req, s.tree)
	if err != nil {
		return p, err
	}
	if text != nil {
		start = tree.Digest{} // that of no chat
	}
	p = s.tree.Find(start, req.Messages, tree.AnchorsOf(req))
	p.Text, p.Continues = text, from
	return p, nil
}

// ask is the request to the policy.
func (s *sessionState) ask(p tree.Place, req *dialect.Request) quintain.Request {
	g := s.gateway
	r := quintain.Request{
		Key: fmt.Sprintf("%s#%d~%s", s.group.Problem.ID(), s.number, newID(4)), N: max(1, req.N), Sampling: g.config.Sampling,
		Tools: req.Tools, Vars: req.Vars, Stop: req.Stop, Exam: s.group.Mode == Exam, Fresh: p.Fresh,
	}
	if req.Choice == dialect.ToolsNone {
		r.Tools = nil
	}
	if s.group.Mode == Exam {
		req.Asked.Over(&r.Sampling)
	}
	if r.Schema = req.Schema; s.guides(&g.config.Settings) && r.Tools != nil {
		r.ToolChoice = req.Forced()
	}
	if most := req.MaxTokens; most > 0 {
		r.Sampling.MaxTokens = min(most, cmp.Or(r.Sampling.MaxTokens, most))
	}
	if most := s.limits.TotalTokens; most > 0 {
		r.Sampling.MaxTotal = min(most, cmp.Or(r.Sampling.MaxTotal, most))
	}
	if p.Parent == nil {
		r.Fresh = 0
		r.Messages, r.Tokens = req.Messages, p.Text
		return r
	}
	for _, n := range p.Parent.Path() {
		r.Messages = append(append(r.Messages, n.Turn.Observed...), n.Message())
	}
	r.Fresh = len(r.Messages)
	r.Messages = append(r.Messages, req.Messages[p.Fresh:]...)
	r.Context, r.Wrote = p.Parent.Context(), len(p.Parent.Turn.Wrote)
	return r
}

// kept lands a call with its replies, which the journal has.
func (s *session) kept(f *flight, vocabulary string, nodes []*tree.Node) {
	s.step(func() []journal.Record {
		for _, n := range nodes {
			s.tree.Add(n)
			s.count(n)
		}
		s.classify(nodes[0])
		s.gateway.Calls.WithLabelValues(f.place.Class).Inc()
		if f.place.Ignored {
			s.gateway.Calls.WithLabelValues(ignoredChanges).Inc()
		}
		s.vocabulary = vocabulary
		s.forgive(nodes[0])
		return s.land(f, nodes, nil)
	})
}

// failed lands a call without a reply. The journal has the failure before the client knows, and
// so before the calls that it makes then.
func (s *session) failed(f *flight, err error) {
	s.step(func() []journal.Record {
		s.flights.drop(f.body, f)
		if news := s.blame(f, err); len(news) > 0 { // the agent is not told why
			s.gateway.config.Log.Warn("a call has no reply", "session", s.id, "call", f.id, "err", err)
			s.gateway.book.keepArrival(s.gateway.config.Log, news)
		}
		return s.land(f, nil, err)
	})
}

// arrived ends the wait of a request, whose client did or did not get all of the reply.
func (s *session) arrived(f *flight, did bool) {
	s.step(func() []journal.Record {
		s.waiting--
		return s.release(f, did)
	})
}

// step locks the session for a part of a call, and writes what became of replies by it.
func (s *session) step(do func() []journal.Record) {
	var news []journal.Record
	ends := false
	defer func() {
		s.gateway.book.keepArrival(s.gateway.config.Log, news)
		if ends {
			s.gateway.due.add(s.group)
		}
	}()
	s.mu.Lock()
	defer s.mu.Unlock()
	news, ends = do(), s.state == Draining
}

// land ends a flight. s.mu is held.
func (s *session) land(f *flight, nodes []*tree.Node, err error) []journal.Record {
	f.nodes, f.err, f.req, f.place = nodes, err, nil, tree.Place{} // they may be long
	delete(s.underway, f)
	f.stopTimer()
	s.used = time.Now()
	close(f.done)
	return s.release(f, false)
}

// release lets go of a flight. The replies of one that landed count as delivered once a client
// has got all of one, and as lost once nobody waits any more; the records say what changed. s.mu is held.
func (s *session) release(f *flight, arrived bool) []journal.Record {
	f.holds--
	f.arrived = f.arrived || arrived
	switch {
	case f.underway() && f.holds == 1:
		s.abandon(f)
		return nil
	case f.holds > 0 && !f.arrived:
		return nil
	}
	return s.mark(f, !f.arrived)
}

// abandon ends a flight that nobody waits for, unless somebody asks for it within a while: SDKs
// ask again within seconds. s.mu is held.
func (s *session) abandon(f *flight) {
	f.alone = time.AfterFunc(s.gateway.config.Settings.AbandonAfter, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if f.holds == 1 && f.underway() {
			s.hung = s.hung || s.over() != nil
			s.flights.drop(f.body, f) // the next one samples anew
			f.cancel(errNobodyWaits)
		}
	})
}

// mark marks the replies of a flight as lost or not, and returns the records of those that
// were not so.
func (s *sessionState) mark(f *flight, lost bool) (news []journal.Record) {
	kind := byte(kindDelivered)
	if lost {
		kind = kindLost
	}
	for _, n := range f.nodes {
		if n.Lost != lost {
			n.Lost = lost
			n.News++
			news = append(news, journal.Record{Session: s.id, Kind: kind, Data: fmt.Appendf(nil, "%s.%d", n.ID, n.News)})
		}
	}
	return news
}

// deliver readies a flight that had landed for a request that asks again: before a lost reply goes
// out, the journal has that it arrives, as its client may have it when the process is killed.
func (s *session) deliver(f *flight) error {
	var news []journal.Record
	if err := s.whole(func() { news = s.mark(f, false) }); err != nil {
		return unreadable(err)
	}
	if len(news) == 0 {
		return nil
	}
	if err := s.gateway.book.write(context.Background(), news...); err != nil {
		return replyNotKept(err)
	}
	return nil
}

// count counts the tokens of a call, and notes the versions of the weights that sampled them.
func (s *sessionState) count(n *tree.Node) {
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

// classify counts a call by its first reply.
func (s *sessionState) classify(n *tree.Node) {
	s.counts[n.Turn.Call.Class]++
	if n.Ignored {
		s.counts[ignoredChanges]++
	}
	if n.Unforced {
		s.counts["unforced"]++
	}
}

// A failure is a call that the policy failed. A session that has one at its end has no
// reward.
type failure struct {
	Parent string `json:"parent,omitempty"` // ID of the call that it continued
	Start  []byte `json:"start"`            // digests as of a node
	System []byte `json:"system"`
	Why    string `json:"why"`
}

// blame remembers that the policy failed a call, and returns the record that says so.
func (s *sessionState) blame(f *flight, err error) []journal.Record {
	refused, ok := errors.AsType[*dialect.Error](err)
	if ok && (refused.Status < http.StatusInternalServerError || refused.Code == codeAskAgain) {
		return nil
	}
	one := failure{Start: f.place.Start[:], System: f.place.System[:], Why: err.Error()}
	if f.place.Parent != nil {
		one.Parent = f.place.Parent.ID
	}
	s.failures = append(s.failures, one)
	return []journal.Record{recordOf(s.id, kindFailed, one)}
}

// forgive forgets the failures of calls that a later one of their branch made good: it
// continues the same call or, if they began a conversation, has the same instructions and
// tools.
func (s *sessionState) forgive(n *tree.Node) {
	if len(s.failures) == 0 {
		return
	}
	path := n.Path()
	s.failures = slices.DeleteFunc(s.failures, func(one failure) bool {
		if one.Parent == "" {
			return string(one.Start) == string(n.Start[:]) && string(one.System) == string(n.System[:])
		}
		return slices.ContainsFunc(path, func(at *tree.Node) bool { return at.ID == one.Parent })
	})
}
