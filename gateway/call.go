package gateway

import (
	"context"
	"errors"
	"runtime/debug"
	"slices"
	"time"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/gateway/dialect"
	"github.com/quintain-rl/quintain/gateway/tree"
	"github.com/quintain-rl/quintain/internal/traceparent"
	"github.com/quintain-rl/quintain/text/toolcall"
)

// fly plays a call to its end.
func (g *Gateway) fly(ctx context.Context, s *session, f *flight) {
	defer f.cancel(nil)
	if err := g.answer(ctx, s, f); err != nil {
		s.failed(f, err)
	}
}

// answer samples the replies of a call, and keeps them.
func (g *Gateway) answer(ctx context.Context, s *session, f *flight) (err error) {
	defer func() { // of a template or a policy: it must not end the other sessions
		if fault := recover(); fault != nil {
			g.config.Log.Error("a call panicked", "session", s.id, "fault", fault, "stack", string(debug.Stack()))
			err = policyFailed(errors.New("the call failed by a fault of the gateway"))
		}
	}()
	id, began := f.id, time.Now()
	samples, unforced, err := g.draw(traceparent.With(ctx, s.span(f)), s, f)
	if err != nil {
		return err
	}
	nodes := make([]*tree.Node, len(samples))
	for i := range samples {
		if err := samples[i].Check(); err != nil {
			return policyFailed(err)
		}
		if i > 0 {
			id = newID(callBytes)
		}
		nodes[i] = g.node(id, f.place, f.req, &samples[i])
		nodes[i].Unforced, nodes[i].Turn.Call.Took = unforced, time.Since(began)
		if !f.req.Keeps(&nodes[i].Turn) {
			return unguided(f.req.SchemaField, errors.New("the reply is no JSON: does the policy's server take schemas, and does its model think first?"))
		}
	}
	if t := &nodes[0].Turn; !f.live.begins(t.Reasoning, t.Reply) {
		g.config.Log.Error("a reply does not go on from what its client was shown", "session", s.id, "call", f.id)
		return policyFailed(errors.New("the policy began the reply anew after a part of it was shown"))
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
		return replyNotKept(err)
	}
	s.kept(f, samples[0].Vocabulary, nodes)
	return nil
}

// span is that of a call, to which the policy's requests belong: one in the agent's own trace, if
// its request names one that is kept. Without a trace of the group, it is the agent's span.
func (s *sessionState) span(f *flight) traceparent.Context {
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
	ask, err := s.place(f)
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
