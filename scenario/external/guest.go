package external

import (
	"context"
	"errors"
	"log/slog"
	"sync/atomic"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/httpclient"
)

// A Guest is a program of this process, such as the client of another system's server. Its answers
// are those of docs/formats/scenario.md, and are checked alike. Many goroutines may use it at once;
// an episode has one call at a time, and ctx ends with [Settings.AnswerTime], that of Hello with [Settings.StartTime]. An error is
// [quintain.ErrLost] if the policy's reply cannot be its cause ([Lost] makes one): then the episode
// is played again. After any other the environment has failed.
type Guest interface {
	// Hello introduces the guest, always in the same words.
	Hello(context.Context) (*Hello, error)

	// Open begins an episode; its number names it in the other calls.
	Open(ctx context.Context, episode uint64, problem *quintain.Problem) (*Answer, error)

	// Step judges a reply. After an answer with an end the guest has forgotten the episode.
	Step(ctx context.Context, episode uint64, reply *Reply) (*Answer, error)

	// Forget forgets an episode that has not ended, or did not open.
	Forget(ctx context.Context, episode uint64)

	// Close ends the guest. No call is under way.
	Close()
}

// Lost marks a fault of a guest as independent of the policy's reply.
func Lost(fault error) error { return lost(fault) }

// OpenGuest is [Open] for a guest, which it closes in the end, or after an error.
func OpenGuest(ctx context.Context, guest Guest, how Settings, log *slog.Logger) (*Program, error) {
	how.Processes = 1
	return open(ctx, how, log, func() (link, error) { return &guestLink{guest: guest, how: how, free: make(chan struct{}, 1)}, nil })
}

// A guestLink is the link to a guest.
type guestLink struct {
	guest  Guest
	how    Settings
	free   chan struct{} // filled for each call
	played atomic.Bool
}

// ask implements [link].
func (l *guestLink) ask(ctx context.Context, r *Request) (*Answer, error) {
	select {
	case l.free <- struct{}{}:
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	defer func() { <-l.free }()
	ctx, cancel := httpclient.Within(ctx, l.how.limit(r))
	defer cancel()
	a, err := l.call(ctx, r)
	if err != nil {
		return nil, err
	}
	l.played.Store(l.played.Load() || a.Hello == nil)
	return a, nil
}

// call calls the method for a request.
func (l *guestLink) call(ctx context.Context, r *Request) (*Answer, error) {
	switch {
	case r.Hello != nil:
		h, err := l.guest.Hello(ctx)
		return &Answer{Hello: h}, err
	case r.Open != nil:
		return l.guest.Open(ctx, r.ID, r.Open)
	case r.Step != nil:
		return l.guest.Step(ctx, r.ID, r.Step)
	case r.Close != nil:
		l.guest.Forget(ctx, r.ID)
		return &Answer{}, nil
	}
	return nil, errors.ErrUnsupported
}

// widen implements [link].
func (l *guestLink) widen(n int) { l.free = make(chan struct{}, n) }

// gone implements [link]: a guest restarts by itself.
func (l *guestLink) gone() (played bool, fault error) { return l.played.Load(), nil }

// close implements [link].
func (l *guestLink) close() { l.guest.Close() }
