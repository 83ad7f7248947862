package worker

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"sync"

	"github.com/quintain-rl/quintain/run"
	"github.com/quintain-rl/quintain/run/fleet"
	"github.com/quintain-rl/quintain/run/player"
	"github.com/quintain-rl/quintain/tiny"
	"github.com/quintain-rl/quintain/tiny/transformer"
)

// A student is the tiny policy with the weights of its coordinator, which trains it.
type student struct {
	*tiny.Policy
	client *Client

	mu      sync.Mutex
	changed chan struct{} // closed and replaced at each version
}

// student returns the tiny policy with the coordinator's weights, for which it waits.
func (w *Worker) student(ctx context.Context) (*student, error) {
	n := &news{say: w.config.Say, lost: "waiting for the weights: %v", back: "the weights are here"}
	model, version, err := w.config.Client.weights(ctx, -1, n)
	if err != nil {
		return nil, err
	}
	p, err := tiny.New(model, version, tiny.Options{MaxSequences: w.slots, Seed: w.config.Run.Seed})
	if err != nil {
		return nil, err
	}
	w.config.Say("sampling with version %d of the run's model, with %s kernels", version, transformer.Kernels())
	return &student{Policy: p, client: w.config.Client, changed: make(chan struct{})}, nil
}

// weights waits until the coordinator has another version than after, and returns it.
func (c *Client) weights(ctx context.Context, after int32, n *news) (model *transformer.Model, version int32, err error) {
	to := call{
		method: http.MethodGet, path: fleet.PathWeights, wait: longPoll,
		query: url.Values{"after": {strconv.Itoa(int(after))}, "wait": {strconv.Itoa(int(longPoll.Seconds()))}},
		file: func(text []byte) (err error) {
			model, version, err = tiny.ReadVersion(text, nil)
			return err
		},
	}
	for model == nil && err == nil {
		err = c.persist(ctx, to, n)
	}
	if status(err) == http.StatusNotFound {
		return nil, 0, player.Invalid(fmt.Errorf("policy.kind: the coordinator has no weights of the tiny policy; leave the policy to the run's settings: %w", err))
	}
	return model, version, c.explain(err)
}

// Run samples until ctx ends, and takes each version of the weights as soon as there is one: from
// the next token on, as in the process that trains.
func (p *student) Run(ctx context.Context) error { return run.Together(ctx, p.Policy.Run, p.follow) }

// follow takes the newest weights until ctx ends.
func (p *student) follow(ctx context.Context) error {
	quiet := &news{say: func(string, ...any) {}} // those who ask for leases tell of an outage
	for {
		model, version, err := p.client.weights(ctx, p.Version(), quiet)
		if err != nil {
			return Ended(ctx, err)
		}
		if err := p.SetWeights(model, version); err != nil {
			return fmt.Errorf("the coordinator goes on from older data, or is another's: start the worker again: %w", err)
		}
		p.mu.Lock()
		close(p.changed)
		p.changed = make(chan struct{})
		p.mu.Unlock()
	}
}

// reach waits for the weights that the coordinator had when it granted a lease, so that the group
// is no older than its gate allows. It reports whether they came before ctx or the lease ended.
func (p *student) reach(ctx context.Context, l *lease) bool {
	for {
		p.mu.Lock()
		changed := p.changed
		p.mu.Unlock()
		if int(p.Version()) >= l.version {
			return true
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return false
		case <-l.life.Done():
			return false
		}
	}
}
