package gateway

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"runtime/debug"
	"slices"
	"time"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/gateway/dialect"
	"github.com/quintain-rl/quintain/gateway/tree"
	"github.com/quintain-rl/quintain/internal/traceparent"
	"github.com/quintain-rl/quintain/text/toolcall"
)

// join returns the flight of a request: that of an equal one before it if the client asks
// again, else a new one.
func (g *Gateway) join(s *session, req *dialect.Request, d tree.Digest, again bool) (*flight, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if old := s.flights.by[d]; old != nil && again {
		s.counts["retry"]++
		g.Calls.WithLabelValues("retry").Inc()
		old.join()
		s.waiting++
		return old, nil
	}
	if err := s.over(); err != nil {
		return nil, sessionEnded(err.Error())
	}
	if s.cut {
		return nil, refusalOf(errStops)
	}
	if len(s.tree.Nodes) >= s.limits.Calls {
		return nil, g.limit(s, fmt.Sprintf("it made %d calls, as many as it may", len(s.tree.Nodes)))
	}
	if len(s.underway) >= min(s.limits.Parallel, s.limits.Calls-len(s.tree.Nodes)) {
		return nil, &dialect.Error{Status: http.StatusTooManyRequests, Code: "too_many_calls", Message: fmt.Sprintf("the session has %d calls under way, as many as it may", len(s.underway))}
	}
	if s.state == Created {
		s.become(Live)
		g.note(s)
	}
	f := &flight{id: newID(callBytes), req: req, body: d, done: make(chan struct{}), waiting: 1}
	ctx, cancel := context.WithCancelCause(context.Background())
	f.cancel = cancel
	s.flights.add(d, f)
	s.underway[f] = true
	s.waiting++
	g.flying.Go(func() { g.fly(ctx, s, f) })
	return f, nil
}

// limit ends a session that has used up what it may, and returns the refusal of its calls.
// s.mu is held.
func (g *Gateway) limit(s *session, why string) error {
	e, now := End{Limit: true, Why: why}, time.Now()
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

// fly plays a call to its end.
func (g *Gateway) fly(ctx context.Context, s *session, f *flight) {
	defer f.cancel(nil)
	nodes, err := g.answer(ctx, s, f)
	if err != nil { // the journal has the failure before the calls that its client makes after it
		s.mu.Lock()
		s.flights.drop(f.body, f)
		news := s.blame(f, err)
		s.mu.Unlock()
		if len(news) > 0 { // the agent is not told why
			g.config.Log.Warn("a call has no reply", "session", s.id, "call", f.id, "err", err)
		}
		g.book.keepArrival(g.config.Log, news)
	}
	s.mu.Lock()
	f.nodes, f.err, f.req, f.place = nodes, err, nil, tree.Place{} // they may be long
	delete(s.underway, f)
	f.stopTimer()
	s.used = time.Now()
	if err == nil {
		s.forgive(nodes[0])
	}
	over := s.state == Draining
	news := s.judgeArrival(f)
	close(f.done)
	s.mu.Unlock()
	g.book.keepArrival(g.config.Log, news)
	if over {
		g.due.add(s.group)
	}
}

// prepare places a call, and returns what to ask the policy.
func (g *Gateway) prepare(s *session, f *flight) (ask quintain.Request, err error) {
	if lost := s.whole(g, func() { ask, err = g.placed(s, f) }); lost != nil {
		return ask, unreadable(lost)
	}
	return ask, err
}

// placed places a call in a session, whose texts are in memory. s.mu is held.
func (g *Gateway) placed(s *session, f *flight) (ask quintain.Request, err error) {
	p, err := g.place(s, f.req)
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
		return ask, g.limit(s, fmt.Sprintf("it sampled %d tokens, as many as it may", s.sampled))
	}
	ask = g.ask(s, p, f.req)
	if g.book.journal != nil && !fitsJournal(len(p.Text)+len(f.req.Prompt), f.req.Messages[p.Fresh:]) {
		return ask, tooLarge()
	}
	if s.limits.Tokens > 0 {
		ask.Sampling.MaxTokens = min(left, cmp.Or(ask.Sampling.MaxTokens, left))
	}
	return ask, nil
}

// place finds where a call belongs in a session, whose texts are in memory. s.mu is held.
func (g *Gateway) place(s *session, req *dialect.Request) (p tree.Place, err error) {
	if err := s.tree.Expand(req); err != nil {
		return p, err
	}
	start := g.canon.StartOf(req.Tools)
	text, from, err := g.player.text(req, s.tree)
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

// answer samples the replies of a call, and keeps them.
func (g *Gateway) answer(ctx context.Context, s *session, f *flight) (nodes []*tree.Node, err error) {
	defer func() { // of a template or a policy: it must not end the other sessions
		if fault := recover(); fault != nil {
			g.config.Log.Error("a call panicked", "session", s.id, "fault", fault, "stack", string(debug.Stack()))
			err = policyFailed(errors.New("the call failed by a fault of the gateway"))
		}
	}()
	id, began := f.id, time.Now()
	samples, unforced, err := g.draw(traceparent.With(ctx, s.span(f)), s, f)
	if err != nil {
		return nil, err
	}
	nodes = make([]*tree.Node, len(samples))
	for i := range samples {
		if err := samples[i].Check(); err != nil {
			return nil, policyFailed(err)
		}
		if i > 0 {
			id = newID(callBytes)
		}
		nodes[i] = g.node(id, f.place, f.req, &samples[i])
		nodes[i].Unforced, nodes[i].Turn.Call.Took = unforced, time.Since(began)
		if !f.req.Keeps(&nodes[i].Turn) {
			return nil, unguided(f.req.SchemaField, errors.New("the reply is no JSON: does the policy's server take schemas, and does its model think first?"))
		}
	}
	if t := &nodes[0].Turn; !f.live.begins(t.Reasoning, t.Reply) {
		g.config.Log.Error("a reply does not go on from what its client was shown", "session", s.id, "call", f.id)
		return nil, policyFailed(errors.New("the policy began the reply anew after a part of it was shown"))
	}
	f.at = time.Now()
	for _, n := range nodes {
		n.At = f.at
		if s.group.job.Span.Sampled {
			n.Turn.Times = quintain.Times{Asked: began.Sub(s.created), Replied: f.at.Sub(s.created)}
			if f.req.Span.Sampled {
				n.Turn.Call.Span = f.req.Span.String()
			}
		}
	}
	if err := g.book.keepCall(s, f, samples[0].Vocabulary, nodes); err != nil {
		return nil, replyNotKept(err)
	}
	s.mu.Lock()
	for _, n := range nodes {
		s.tree.Add(n)
		s.count(n)
	}
	s.classify(nodes[0])
	g.Calls.WithLabelValues(f.place.Class).Inc()
	if f.place.Ignored {
		g.Calls.WithLabelValues(ignoredChanges).Inc()
	}
	s.vocabulary = samples[0].Vocabulary
	s.mu.Unlock()
	return nodes, nil
}

// span is that of a call, to which the policy's requests belong: one in the agent's own trace, if
// its request names one that is kept. Without a trace of the group, it is the agent's span.
func (s *session) span(f *flight) traceparent.Context {
	switch group := s.group.job.Span; {
	case !group.Valid() || s.group.Mode == Exam:
		return f.req.Span
	case f.req.Span.Sampled:
		return f.req.Span.Child(f.id)
	default:
		return group.Child(f.id)
	}
}

// draw samples the replies of a call. It reports whether the model was free to call no tool
// although the client wants one called, as in training, or where the policy cannot force it.
func (g *Gateway) draw(ctx context.Context, s *session, f *flight) (samples []quintain.Sample, unforced bool, err error) {
	ask, err := g.prepare(s, f)
	if err != nil {
		return nil, false, err
	}
	ask.Text = g.player.showing(f)
	sample := func(ask quintain.Request) ([]quintain.Sample, error) { return g.player.Policy.Sample(ctx, ask) }
	samples, err = tree.OrInParts(f.place, ask, sample)
	if ask.ToolChoice != "" && errors.Is(err, quintain.ErrUnguided) {
		ask.ToolChoice = ""
		samples, err = tree.OrInParts(f.place, ask, sample)
	}
	switch {
	case err != nil && ctx.Err() != nil:
		err = refusalOf(context.Cause(ctx))
	case errors.Is(err, quintain.ErrUnguided):
		err = unguided(f.req.SchemaField, err)
	case err != nil:
		err = refusalOf(err)
	case len(samples) != ask.N:
		err = policyFailed(errors.New("the policy returned too few replies"))
	}
	return samples, ask.Tools != nil && ask.ToolChoice != f.req.Forced(), err
}

// ask is the request to the policy. s.mu is held.
func (g *Gateway) ask(s *session, p tree.Place, req *dialect.Request) quintain.Request {
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

// node makes the node of a sample.
func (g *Gateway) node(id string, p tree.Place, req *dialect.Request, sample *quintain.Sample) *tree.Node {
	read := g.player.read(req, sample)
	for i := range read.Calls {
		if read.Calls[i].ID == "" {
			read.Calls[i].ID = dialect.CallID(id, i)
		}
	}
	n := &tree.Node{
		ID: id, Parent: p.Parent, Whole: sample.Whole, Asked: p.Asked, Start: p.Start, System: p.System, Instructed: req.Instructed, Ignored: p.Ignored, Continues: p.Continues,
		Turn: quintain.Turn{
			Observed: slices.Clone(req.Messages[p.Fresh:]), Reply: read.Content, Reasoning: read.Reasoning, ToolCalls: read.Calls,
			Read: sample.Read, Wrote: sample.Wrote, LogProbs: sample.LogProbs, Versions: sample.Versions, Finish: sample.Finish,
			Fork: sample.Fork, Realigned: sample.Realigned, Malformed: read.Malformed, Why: read.Why,
			Call: &quintain.Call{ID: id, Parent: -1, Class: p.Class, Branch: p.Branch},
		},
	}
	if req.Prompt != "" {
		n.Completed = req.Prompt + sample.Text
	}
	n.Tokens = len(sample.Read) + len(sample.Wrote)
	if p.Branch == tree.Compacted && p.Parent == nil && len(sample.Read) >= p.Most {
		n.Turn.Call.Branch = ""
	}
	if p.Parent != nil {
		n.Turn.Call.Parent = p.Parent.Index
		if !sample.Fork {
			n.Tokens += p.Parent.Tokens
		}
	}
	if p.Parent == nil || p.Parent.Start != p.Start {
		n.Turn.Call.Tools = req.Tools
	}
	seen := n.Turn.Message()
	seen.ToolCalls = shown(req, seen.ToolCalls)
	n.End = g.canon.After(p.Asked, seen)
	return n
}

// read parses a sample's text: thoughts, content, tool calls.
func (p *Player) read(req *dialect.Request, sample *quintain.Sample) toolcall.Reply {
	format, in := p.form(req)
	in.Cut = sample.Finish == quintain.Length
	if format == nil || sample.Whole == "" {
		return toolcall.Reply{Reasoning: sample.Reasoning, Content: sample.Text, Calls: sample.ToolCalls}
	}
	return format.Parse(sample.Whole, in)
}

// form returns the format of the replies to a request; nil: their text is all content.
func (p *Player) form(req *dialect.Request) (f *toolcall.Format, in toolcall.Context) {
	if p.Format == nil || req.Prompt != "" {
		return nil, in
	}
	if req.Choice != dialect.ToolsNone {
		in.Tools = req.Tools
	}
	if p.Opens != nil {
		in.Thinking = p.Opens(req.Vars)
	}
	return p.Format.For(in.Tools), in
}

// showing returns what shows the one reply of a stream while it is sampled; nil: nobody looks.
func (p *Player) showing(f *flight) func(text, whole string) {
	if !f.req.Stream || f.req.N > 1 {
		return nil
	}
	format, in := p.form(f.req)
	return func(text, whole string) {
		if format == nil {
			f.live.show("", text)
		} else {
			f.live.show(format.Sure(whole, in))
		}
	}
}

// shown returns the tool calls that a client gets: one, if it wants no more. The tokens stay.
func shown(req *dialect.Request, all []quintain.ToolCall) []quintain.ToolCall {
	if req.OneCall && len(all) > 1 {
		return all[:1]
	}
	return all
}

// reply makes the reply of a flight.
func (g *Gateway) reply(req *dialect.Request, f *flight) *dialect.Reply {
	r := &dialect.Reply{Call: f.id, Model: modelOf(req, g.config.Model), Created: f.at}
	for _, n := range f.nodes {
		t := &n.Turn
		c := dialect.Choice{Content: t.Reply, Reasoning: t.Reasoning, ToolCalls: shown(req, t.ToolCalls), Finish: t.Finish}
		if req.LogProbs {
			c.LogProbs = dialect.LogProbs(t.Wrote, t.LogProbs, g.player.Piece)
		}
		r.Choices = append(r.Choices, c)
		r.Usage.Completed += len(t.Wrote)
	}
	r.Usage.Prompt = f.nodes[0].Tokens - len(f.nodes[0].Turn.Wrote)
	return r
}
