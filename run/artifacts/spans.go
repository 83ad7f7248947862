package artifacts

import (
	"cmp"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/traceparent"
	"github.com/quintain-rl/quintain/queue"
	"github.com/quintain-rl/quintain/run"
)

// openSpans opens the exporter of spans.
func (a *Artifacts) openSpans() error {
	c := &a.config
	sampler := c.OTLP.Sampler()
	if sampler == 0 {
		return nil
	}
	to, err := NewExporter(c.OTLP, c.Getenv, c.Log,
		Text("service.name", "quintain"), Text("service.version", strings.TrimPrefix(c.Program, "quintain ")), Text("quintain.run.id", a.run.ID()))
	if err != nil {
		return err
	}
	s := &spans{to: to, model: c.Model, of: func(group string) traceparent.Context { return sampler.Of(a.run.ID(), group) }, leased: map[string]time.Time{}}
	c.Register(to)
	a.files = append(a.files, to)
	a.run.AddSink(s)
	a.run.Beside(to.Run)
	c.Queue.OnLeased(s.handOut)
	c.Queue.OnAcked(s.acked)
	return nil
}

// spans makes spans of what happens to groups, once they are judged, and once they are
// acknowledged. It is a [run.Sink].
type spans struct {
	to    interface{ Add(all ...Span) }
	model string                                 // empty: unknown
	of    func(group string) traceparent.Context // the span of a group

	mu     sync.Mutex
	leased map[string]time.Time // when groups were handed out, by their IDs
}

// mostLeased is how many groups that are handed out are remembered.
const mostLeased = 1 << 16

// Note implements [run.Sink].
func (s *spans) Note(e run.Event) error {
	switch e := e.(type) {
	case run.Played:
		if e.Job.Span.Valid() {
			s.played(&e, time.Now())
		}
	case run.Dropped:
		for _, id := range e.Groups {
			s.forget(id)
			if group := s.of(id); group.Valid() {
				now := time.Now()
				s.to.Add(Span{
					Name: "drop", At: group.Child("drop"), Parent: group, Start: now, End: now,
					Attributes: []Attribute{Text("quintain.group.id", id), Text("quintain.outcome", string(e.Why))},
				})
			}
		}
	}
	return nil
}

// forget returns when a group was handed out; zero: unknown.
func (s *spans) forget(id string) time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	at := s.leased[id]
	delete(s.leased, id)
	return at
}

// handOut notes that groups are handed out.
func (s *spans) handOut(groups []queue.Entry) {
	now := time.Now()
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range groups {
		if _, again := s.leased[groups[i].ID]; again || len(s.leased) < mostLeased {
			s.leased[groups[i].ID] = now
		}
	}
}

// acked makes the spans of acknowledged groups: until they were handed out in a batch, and from
// then on.
func (s *spans) acked(groups []queue.Entry) {
	now := time.Now()
	for i := range groups {
		g := &groups[i]
		out, root := s.forget(g.ID), s.of(g.ID)
		if !root.Valid() || !g.HasTask {
			continue
		}
		about := []Attribute{Text("quintain.group.id", g.ID), Int("quintain.version.oldest", int(g.Oldest))}
		if out.IsZero() { // by an earlier process
			out = g.Put()
		} else {
			s.to.Add(Span{Name: "batch", At: root.Child("batch"), Parent: root, Start: g.Put(), End: out, Attributes: about})
		}
		s.to.Add(Span{Name: "ack", At: root.Child("ack"), Parent: root, Start: out, End: now, Attributes: about})
	}
}

// played makes the spans of a judged group.
func (s *spans) played(p *run.Played, now time.Time) {
	root := Span{Name: "group", At: p.Job.Span, Start: now, End: now, Attributes: aboutGroup(p)}
	for i := range p.Trajectories {
		if t := &p.Trajectories[i]; t.Started.Before(root.Start) && !t.Started.IsZero() {
			root.Start = t.Started
		}
	}
	if p.Lease != nil && p.Lease.Granted.Before(root.Start) {
		root.Start = p.Lease.Granted
	}
	m := maker{model: s.model, key: root.Start.UnixNano(), group: p.Job.Span}
	if p.Group == nil { // its problem may be played again, in the same trace
		root.At = m.name("dropped")
	}
	m.all = append(m.all, root)
	parent := root.At
	if l := p.Lease; l != nil {
		parent = l.Span(p.Job.Span)
		m.all = append(m.all, Span{
			Name: "lease", At: parent, Parent: root.At, Start: l.Granted, End: now,
			Attributes: []Attribute{Text("quintain.worker", l.Worker), Int("quintain.lease", int(l.Number)), Int("quintain.attempt", l.Attempt)}, //nolint:gosec // it counts
		})
	}
	for i := range p.Trajectories {
		m.episode(parent, i, &p.Trajectories[i])
	}
	if !p.Putting.IsZero() {
		m.all = append(m.all, Span{Name: "put", At: m.name("put"), Parent: root.At, Start: p.Putting, End: p.Putting.Add(p.Put)})
	}
	s.to.Add(m.all...)
}

// aboutGroup says what became of a group.
func aboutGroup(p *run.Played) []Attribute {
	problem, tokens, sum := &p.Job.Problem, 0, 0.0
	for i := range p.Trajectories {
		tokens += p.Trajectories[i].Sampled()
	}
	about := []Attribute{
		Text("quintain.group.id", problem.ID()), Text("quintain.scenario", problem.Scenario), Text("quintain.task", problem.Task), Int("quintain.level", problem.Level),
		Text("quintain.outcome", cmp.Or(string(p.Drop), "kept")), Int("quintain.version", p.Version), Int("gen_ai.usage.output_tokens", tokens),
	}
	for _, score := range p.Scores {
		sum += score
	}
	if n := len(p.Scores); n > 0 {
		about = append(about, Float("quintain.reward", sum/float64(n)))
	}
	return about
}

// A maker makes the spans of a group.
type maker struct {
	model string
	key   int64 // tells this play of the problem from others
	group traceparent.Context
	all   []Span
}

// name names a span of this play.
func (m *maker) name(format string, args ...any) traceparent.Context {
	return m.group.Child(fmt.Sprint(m.key, " ") + fmt.Sprintf(format, args...))
}

// episode makes the spans of an episode.
func (m *maker) episode(parent traceparent.Context, i int, t *quintain.Trajectory) {
	if t.Started.IsZero() {
		return
	}
	s := Span{
		Name: "episode", At: m.name("episode %d", i), Parent: parent, Start: t.Started, End: t.Started.Add(t.Took), Error: t.Error,
		Attributes: []Attribute{
			Text("quintain.episode.id", t.ID), Text("quintain.outcome", string(t.Outcome)), Int("quintain.turns", len(t.Turns)),
			Int("quintain.replays", t.Replays), Int("gen_ai.usage.output_tokens", t.Sampled()),
		},
	}
	if t.Outcome.Rewarded() {
		s.Attributes = append(s.Attributes, Float("quintain.reward", t.Reward()))
	}
	m.all = append(m.all, s)
	for k := range t.Turns {
		if t.Turns[k].Times != (quintain.Times{}) { // else they are unknown
			m.turn(&s, t, k)
		}
	}
}

// turn makes the spans of a turn: the policy's, in the trace of the agent if it called in one, and
// the environment's.
func (m *maker) turn(episode *Span, t *quintain.Trajectory, k int) {
	turn := &t.Turns[k]
	s := Span{
		Name: "turn", At: episode.At.Child(fmt.Sprint("turn ", k)), Parent: episode.At, Calls: true,
		Start: t.Started.Add(turn.Times.Asked), End: t.Started.Add(turn.Times.Replied),
		Attributes: []Attribute{
			Text("gen_ai.operation.name", "chat"), Int("gen_ai.usage.input_tokens", len(t.Prompt(k))), Int("gen_ai.usage.output_tokens", len(turn.Wrote)),
			Texts("gen_ai.response.finish_reasons", string(turn.Finish)), Int("quintain.turn", k),
		},
	}
	if m.model != "" {
		s.Attributes = append(s.Attributes, Text("gen_ai.request.model", m.model))
	}
	if n := len(turn.Versions); n > 0 {
		s.Attributes = append(s.Attributes, Int("quintain.version", int(turn.Versions[n-1])))
	}
	if call := turn.Call; call != nil {
		s.At = m.group.Child(call.ID)
		if agent := traceparent.Parse(call.Span); agent.Valid() {
			s.At, s.Parent, s.Link = agent.Child(call.ID), agent, episode.At
		}
	}
	m.all = append(m.all, s)
	if turn.Times.Judged > 0 {
		m.all = append(m.all, Span{
			Name: "grade", At: episode.At.Child(fmt.Sprint("grade ", k)), Parent: episode.At, Start: s.End, End: t.Started.Add(turn.Times.Judged),
			Attributes: []Attribute{Int("quintain.turn", k), Float("quintain.reward", turn.Reward), Text("quintain.why", turn.Why)},
		})
	}
}
