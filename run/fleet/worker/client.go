package worker

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/quintain-rl/quintain/internal/httpclient"
	"github.com/quintain-rl/quintain/internal/pause"
	"github.com/quintain-rl/quintain/internal/strictjson"
	"github.com/quintain-rl/quintain/run/fleet"
)

// Limits of a request.
const (
	patience  = 60 * time.Second  // beyond the wait that it asks for
	longPoll  = 30 * time.Second  // wait for a lease
	shortPoll = 2 * time.Second   // the same, for an evaluation alone
	mostAfter = 30 * time.Second  // heeded of the pause that the coordinator asks for
	maxReply  = fleet.MostWeights // bytes
)

// pauses are those after a failure.
var pauses = pause.Backoff{First: spread, Most: spread, Jitter: true}

// spread is the time over which calls are spread that would come together.
const spread = 2 * time.Second

// A call is a request.
type call struct {
	method, path string
	query        url.Values
	body         []byte                  // JSON; nil: none
	kind         string                  // content type of the body; empty: JSON
	wait         time.Duration           // that the coordinator may take on purpose
	into         any                     // gets the reply; nil: nothing does
	file         func(text []byte) error // reads a reply that is no JSON; not called for status 204, which no other call may have
}

// status returns that of a failed call; 0: there is none.
func status(err error) int {
	if e, ok := errors.AsType[*httpclient.Error](err); ok && e.Status/100 != 2 {
		return e.Status
	}
	return 0
}

// do makes a request once, and again if the coordinator is elsewhere before there is a reply.
// Unless ctx has ended, the error is a [*httpclient.Error].
func (c *Client) do(ctx context.Context, to call) error {
	for {
		at, err := c.where()
		if err == nil {
			err = c.exchange(ctx, at, to)
		}
		switch {
		case ctx.Err() != nil && err != nil && status(err) == 0:
			c.note(false)
			return context.Cause(ctx)
		case at != nil && at.left.Err() != nil && err != nil && status(err) == 0:
			if !pause.For(ctx, pauses.After(1)) {
				return context.Cause(ctx)
			}
			continue
		}
		f, failed := errors.AsType[*httpclient.Error](err)
		c.note(!failed || !f.Temporary())
		return err
	}
}

// exchange makes a request at a place, until the coordinator is elsewhere. The error is a [*httpclient.Error].
func (c *Client) exchange(ctx context.Context, p *place, to call) error {
	ctx, cancel := httpclient.Within(ctx, patience+to.wait)
	defer cancel()
	defer context.AfterFunc(p.left, cancel)()
	at := p.base.JoinPath(strings.Replace(to.path, "{run}", url.PathEscape(c.run), 1))
	at.RawQuery = to.query.Encode()
	r, err := p.http.Request(ctx, to.method, at.String(), to.body)
	if err != nil {
		return err
	}
	if to.kind != "" {
		r.Header.Set("Content-Type", to.kind)
	}
	reply, err := p.http.Do(r, maxReply)
	c.met(p, reply.Header.Get(fleet.HeaderProcess))
	switch {
	case err != nil:
		return err
	case to.file != nil && reply.Status == http.StatusNoContent:
		return nil
	case to.file != nil:
		err = to.file(reply.Body)
	case to.into != nil:
		err = strictjson.Unmarshal(reply.Body, to.into)
	}
	if err != nil { // a proxy's, or cut off
		return reply.Invalid(fmt.Errorf("the reply is not the coordinator's: %w", err))
	}
	return nil
}

// persist repeats a call until it has an answer other than a temporary failure, ctx ends, or the
// coordinator has been silent for too long. It tells news of failures and of the first success
// after one.
func (c *Client) persist(ctx context.Context, to call, news *news) error {
	for {
		err := c.do(ctx, to)
		f, failed := errors.AsType[*httpclient.Error](err)
		if !failed || !f.Temporary() {
			if !failed && err != nil {
				return err // ctx ended
			}
			news.well()
			return err
		}
		news.ill(f)
		if gone := c.gone(f); gone != nil {
			return gone
		}
		if !pause.For(ctx, min(f.After, mostAfter)+pauses.After(1)) {
			return context.Cause(ctx)
		}
	}
}

// news tells people when calls begin to fail, and when they succeed again.
type news struct {
	say        func(format string, args ...any)
	lost, back string // the first with a verb for the failure

	mu  sync.Mutex
	out bool
}

// ill notes a failure.
func (n *news) ill(why error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if !n.out {
		n.out = true
		n.say(n.lost, why)
	}
}

// well notes an answer.
func (n *news) well() {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.out {
		n.out = false
		n.say("%s", n.back)
	}
}

// Play returns what the worker needs to play for the run. It waits until the coordinator
// answers, and says so.
func (c *Client) Play(ctx context.Context, say func(format string, args ...any)) (play fleet.Play, err error) {
	n := &news{say: say, lost: "waiting for the coordinator: %v", back: "the coordinator answers"}
	err = c.persist(ctx, call{method: http.MethodGet, path: fleet.PathPlay, into: &play}, n)
	return play, c.explain(err)
}

// explain adds the remedy to a failure that stays.
func (c *Client) explain(err error) error {
	switch status(err) {
	case 0:
		return err
	case http.StatusUnauthorized, http.StatusForbidden:
		return fmt.Errorf("the coordinator refuses this worker (a key of the role worker is given by --coordinator-key-file): %w", err)
	case http.StatusNotFound:
		return fmt.Errorf("there is no run %q with workers at the coordinator's address (start it with quintain run --workers, or name another by worker.run): %w", c.run, err)
	}
	return fmt.Errorf("the coordinator: %w", err)
}
