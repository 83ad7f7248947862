package script

import (
	"context"
	"errors"
	"reflect"
	"sync"

	"github.com/quintain-rl/quintain"
)

// mostRecalled is how many values a [recall] keeps at least.
const mostRecalled = 1024

// A recall keeps what was used last: mostRecalled values, and up to twice as many. Many goroutines may use
// it. The zero value is empty.
type recall[T any] struct {
	mu          sync.Mutex
	now, before map[string]T
}

// put keeps a value, and returns those that are forgotten.
func (r *recall[T]) put(key string, value T) (forgotten map[string]T) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.now == nil || len(r.now) >= mostRecalled {
		forgotten, r.before, r.now = r.before, r.now, map[string]T{}
	}
	r.now[key] = value
	return forgotten
}

// take returns the value of a key, and no longer keeps it.
func (r *recall[T]) take(key string) (value T, has bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if value, has = r.now[key]; !has {
		value, has = r.before[key]
	}
	delete(r.now, key)
	delete(r.before, key)
	return value, has
}

// An advising is an env that knows what to reply.
type advising interface {
	quintain.Env
	Advice() quintain.Advice
}

// An episode is played beside the policy's own.
type episode struct {
	env  advising
	said []quintain.Reply // so far
}

// advise returns what the env of an episode advises after some replies; nil: envs of s advise nothing. It goes
// on from the last request of the episode, unless the replies up to there are others.
func (b *Book) advise(ctx context.Context, key string, of made, said []quintain.Reply) (*quintain.Advice, error) {
	e, kept := b.episodes.take(key)
	if n := len(e.said); kept && (n > len(said) || n > 0 && !reflect.DeepEqual(e.said, said[:n])) {
		if err := e.env.Close(); err != nil {
			return nil, err
		}
		kept = false
	}
	if !kept {
		env, err := of.scenario.Env(of.problem)
		if err != nil {
			return nil, err
		}
		var can bool
		if e.env, can = env.(advising); !can {
			return nil, env.Close()
		}
		e.said = nil
		if _, err := e.env.Open(ctx); err != nil {
			return nil, errors.Join(err, e.env.Close())
		}
	}
	for _, reply := range said[len(e.said):] {
		if _, err := e.env.Step(ctx, reply); err != nil {
			return nil, errors.Join(err, e.env.Close())
		}
		e.said = append(e.said, reply)
	}
	advice := e.env.Advice()
	for _, old := range b.episodes.put(key, e) {
		if err := old.env.Close(); err != nil {
			return nil, err
		}
	}
	return &advice, nil
}
