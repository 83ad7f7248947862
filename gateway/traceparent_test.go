package gateway

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/traceparent"
	"github.com/quintain-rl/quintain/run/rollout"
)

// A watched policy notes the spans of requests.
type watched struct {
	parrot
	mu    sync.Mutex
	spans []traceparent.Context
}

func (w *watched) Sample(ctx context.Context, r quintain.Request) ([]quintain.Sample, error) {
	w.mu.Lock()
	w.spans = append(w.spans, traceparent.From(ctx))
	w.mu.Unlock()
	return w.parrot.Sample(ctx, r)
}

// A traced desk names the spans of groups.
type traced struct {
	*desk
	span traceparent.Context
}

func (d traced) Next() (rollout.Job, error) {
	job, err := d.desk.Next()
	job.Span = d.span
	return job, err
}

func (d traced) Job(p quintain.Problem) rollout.Job {
	job := d.desk.Job(p)
	job.Span = d.span
	return job
}

// A call is a span in the agent's trace, or else in that of the group; the policy's requests belong
// to it. Nothing of ours comes between the agent and the policy if the group has no trace.
func TestACallIsASpanOfTheAgentOrOfTheGroup(t *testing.T) {
	const agent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
	const silent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00"
	group := traceparent.Sampler(1).Of("run", "problem")
	none := func(string) traceparent.Context { return traceparent.Context{} }
	for _, c := range []struct {
		why, header, mode string
		group             traceparent.Context
		want              func(call string) traceparent.Context
		kept              string // in the turn
	}{
		{"nobody traces", "", "train", traceparent.Context{}, none, ""},
		{"the group is traced", "", "train", group, group.Child, ""},
		{"the agent and the group are traced", agent, "train", group, traceparent.Parse(agent).Child, agent},
		{"the agent names a span that nobody keeps", silent, "train", group, group.Child, ""},
		{"the group is not traced", agent, "train", traceparent.Context{}, func(string) traceparent.Context { return traceparent.Parse(agent) }, ""},
		{"the header is none", "what", "train", traceparent.Context{}, none, ""},
		{"the group is an evaluation's", agent, "exam", group, func(string) traceparent.Context { return traceparent.Parse(agent) }, agent},
	} {
		t.Run(c.why, func(t *testing.T) {
			p, d := &watched{}, &desk{results: make(chan rollout.Result, 1), opens: make(chan struct{})}
			b := start(t, Config{Settings: Defaults(), GroupSize: 1, Secret: []byte("secret")}, Player{Policy: p}, traced{d, c.group})
			s := b.make(`{"mode": "` + c.mode + `"}`).Sessions[0]
			b.want(200, "POST", s.OpenAI+"/chat/completions", `{"messages": [{"role": "user", "content": "a"}]}`, "Traceparent", c.header)
			inner, err := b.gateway.session(s.ID)
			if err != nil {
				t.Fatal(err)
			}
			inner.mu.Lock()
			turn := inner.tree.Nodes[0].Turn
			inner.mu.Unlock()
			if want := c.want(turn.Call.ID); len(p.spans) != 1 || p.spans[0] != want {
				t.Errorf("the policy's requests belong to %v, want %v", p.spans, want)
			}
			if turn.Call.Span != c.kept {
				t.Errorf("the turn has the agent's span %q, want %q", turn.Call.Span, c.kept)
			}
			if at := turn.Times; (at == quintain.Times{}) == c.group.Valid() || at.Replied < at.Asked || at.Replied > time.Minute {
				t.Errorf("the times of the turn are %+v", at)
			}
		})
	}
}
