package backend

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/quintain-rl/quintain/internal/httpclient"
	"github.com/quintain-rl/quintain/internal/pause"
	"github.com/quintain-rl/quintain/internal/strictjson"
	"github.com/quintain-rl/quintain/sandbox"
)

// A kind is the kind of a server.
type kind int

const (
	unknown kind = iota
	quintain
	fusion
)

// A server is one of the servers. All but url belongs to the box' mu.
type server struct {
	box *Remote
	url string

	jobs   int       // at the moment
	fails  int       // in a row
	resume time.Time // when it may be asked again
	looked looked
}

// A looked is what is known of a server.
type looked struct {
	kind     kind
	strength sandbox.Strength
}

// pauses is how long a server that failed gets no job.
var pauses = pause.Backoff{First: 250 * time.Millisecond, Most: 15 * time.Second}

// take returns a server with a free place, the one with the fewest jobs. It waits for one, and for
// those that failed, until end.
func (b *Remote) take(ctx context.Context, end time.Time) (*server, error) {
	for {
		b.mu.Lock()
		best, soonest := b.free()
		if best != nil {
			best.jobs++
		}
		b.mu.Unlock()
		if best != nil {
			b.wake() // the next one that waits, if there is another place
			return best, nil
		}
		if soonest > 0 && time.Now().Add(soonest).After(end) {
			return nil, errors.New("no sandbox answers")
		}
		if err := wait(ctx, b.freed, soonest); err != nil {
			return nil, err
		}
	}
}

// wake wakes one that waits for a server.
func (b *Remote) wake() {
	select {
	case b.freed <- struct{}{}:
	default:
	}
}

// wait waits for a channel, or for a time if that is above 0.
func wait(ctx context.Context, freed <-chan struct{}, most time.Duration) error {
	var timeout <-chan time.Time
	if most > 0 {
		timer := time.NewTimer(most)
		defer timer.Stop()
		timeout = timer.C
	}
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-freed:
	case <-timeout:
	}
	return nil
}

// free returns a server with a free place, or else the time until one that failed may be asked; 0:
// all are busy. The caller must hold mu.
func (b *Remote) free() (best *server, soonest time.Duration) {
	now := time.Now()
	for _, s := range b.servers {
		switch left := s.resume.Sub(now); {
		case left > 0 && (soonest == 0 || left < soonest):
			soonest = left
		case left <= 0 && s.jobs < b.places(s) && (best == nil || s.jobs < best.jobs):
			best = s
		}
	}
	return best, soonest
}

// places is how many jobs a server may have: one if it failed, until that ends well. The caller must
// hold mu.
func (b *Remote) places(s *server) int {
	if s.fails > 0 {
		return 1
	}
	return b.config.InFlight
}

// give takes a job from a server. After a fault of its own, the server is left alone for a while,
// and asked what it is before the next job.
func (b *Remote) give(s *server, err error, cancelled bool) {
	b.mu.Lock()
	s.jobs--
	_, faulty := errors.AsType[*Fault](err)
	switch {
	case cancelled:
	case faulty:
		s.fails++
		s.resume, s.looked = time.Now().Add(pauses.After(s.fails)), looked{}
	default:
		s.fails, s.resume = 0, time.Time{}
	}
	b.mu.Unlock()
	b.wake()
}

// known is what is known of the server.
func (s *server) known() looked {
	s.box.mu.Lock()
	defer s.box.mu.Unlock()
	return s.looked
}

// forget forgets what is known of the server.
func (s *server) forget() {
	s.box.mu.Lock()
	defer s.box.mu.Unlock()
	s.looked = looked{}
}

// most bounds the answers that have no outputs of programs, in bytes.
const most = 1 << 20

// look finds out what the server is, and what holds there, unless that is known.
func (s *server) look(ctx context.Context) (sandbox.Strength, error) {
	if known := s.known(); known.kind != unknown {
		return known.strength, nil
	}
	ctx, cancel := httpclient.Within(ctx, s.box.config.Wait)
	defer cancel()
	found, err := s.lookAgain(ctx)
	if err != nil {
		return sandbox.Strength{}, err
	}
	s.box.mu.Lock()
	defer s.box.mu.Unlock()
	s.looked = found
	return found.strength, nil
}

// lookAgain asks the server for its strength. One without this route is of SandboxFusion if it answers
// its ping.
func (s *server) lookAgain(ctx context.Context) (looked, error) {
	text, err := s.call(ctx, request{method: http.MethodGet, path: PathStrength, most: most})
	if err == nil {
		var form Strength
		if err = strictjson.Unmarshal(text, &form); err == nil {
			var strength sandbox.Strength
			strength, err = form.Strength()
			if err == nil {
				return looked{quintain, strength}, nil
			}
		}
		return looked{}, s.fault(fmt.Errorf("%s: %w", PathStrength, err))
	}
	if status := httpclient.StatusOf(err); status != http.StatusNotFound && status != http.StatusMethodNotAllowed {
		return looked{}, err
	}
	if text, err = s.call(ctx, request{method: http.MethodGet, path: "/v1/ping", most: most}); err != nil {
		return looked{}, err
	}
	if string(text) != `"pong"` {
		return looked{}, s.fault(errors.New("it is neither quintain sandbox serve nor SandboxFusion"))
	}
	return looked{fusion, s.trusted()}, nil
}

// trusted is the strength of a server that does not say what holds.
func (s *server) trusted() sandbox.Strength {
	layer := sandbox.Layer{Name: "trusted by its user", Holds: s.box.config.Trust, Note: "SandboxFusion does not say what holds"}
	strength := sandbox.Strength{Backend: "SandboxFusion", Layers: []sandbox.Layer{layer}}
	if !s.box.config.Trust {
		strength.Lacks = []string{"a word about its isolation, so your own is needed (sandbox.trust)"}
	}
	return strength
}
