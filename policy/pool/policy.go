package pool

import (
	"context"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/policy/remote"
)

// Chat is the client of a message server.
type Chat interface {
	Client
	quintain.Policy
}

// A Policy is a pool of message servers. It is a [quintain.Policy]. It never interrupts a
// request: the tokens sampled so far would be lost.
type Policy struct{ *Pool[Chat] }

// NewPolicy is [New] for message servers.
func NewPolicy(cfg Config, connect func(remote.Config) (Chat, error)) (*Policy, error) {
	p, err := New(cfg, connect)
	if err != nil {
		return nil, err
	}
	return &Policy{p}, nil
}

// Sample implements [quintain.Policy]. The error is a [*remote.Error], another error of the
// client, or the cause of ctx.
func (p *Policy) Sample(ctx context.Context, r quintain.Request) (samples []quintain.Sample, err error) {
	asked := &request[Chat]{key: r.Key, n: r.N, within: r.Within, exam: r.Exam, whole: true}
	err = p.ask(ctx, asked, func(ctx context.Context, c Chat) (err error) {
		samples, err = c.Sample(ctx, r)
		return err
	})
	for k := range samples {
		samples[k].Took = asked.took
	}
	return samples, err
}
