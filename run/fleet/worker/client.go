package worker

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/quintain-rl/quintain/internal/pause"
	"github.com/quintain-rl/quintain/internal/strictjson"
	"github.com/quintain-rl/quintain/run/fleet"
)

// Limits of a request.
const (
	patience  = 60 * time.Second  // beyond the wait that it asks for
	longPoll  = 30 * time.Second  // wait for a lease
	shortPoll = 2 * time.Second   // the same, for an evaluation alone
	spread    = 2 * time.Second   // the next try after a failure comes within this time, at random
	mostAfter = 30 * time.Second  // heeded of the pause that the coordinator asks for
	maxReply  = fleet.MostWeights // bytes
	maxShown  = 500               // bytes of a reply in an error
)

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

// A failure is a reply other than 200, or none.
type failure struct {
	status int // 0: no reply
	text   string
	after  time.Duration // pause that the coordinator asks for
}

// Error implements error.
func (f *failure) Error() string {
	if f.status == 0 {
		return f.text
	}
	return fmt.Sprintf("status %d: %s", f.status, f.text)
}

// temporary reports whether the same request may succeed later.
func (f *failure) temporary() bool {
	return f.status == 0 || f.status == http.StatusRequestTimeout || f.status == http.StatusTooManyRequests || f.status >= http.StatusInternalServerError
}

// status returns that of a failed call; 0: there is none.
func status(err error) int {
	if f, ok := errors.AsType[*failure](err); ok {
		return f.status
	}
	return 0
}

// do makes a request once, and again if the coordinator is elsewhere before there is a reply.
// Unless ctx has ended, the error is a [*failure].
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
			if !pause.For(ctx, rand.N(spread)) {
				return context.Cause(ctx)
			}
			continue
		}
		f, failed := errors.AsType[*failure](err)
		c.note(!failed || !f.temporary())
		return err
	}
}

// exchange makes a request at a place, until the coordinator is elsewhere. The error is a [*failure].
func (c *Client) exchange(ctx context.Context, p *place, to call) error {
	ctx, cancel := context.WithTimeout(ctx, patience+to.wait)
	defer cancel()
	defer context.AfterFunc(p.left, cancel)()
	at := p.base.JoinPath(strings.Replace(to.path, "{run}", url.PathEscape(c.run), 1))
	at.RawQuery = to.query.Encode()
	r, err := http.NewRequestWithContext(ctx, to.method, at.String(), bytes.NewReader(to.body))
	if err != nil {
		return &failure{text: err.Error()}
	}
	if to.body != nil {
		r.Header.Set("Content-Type", cmp.Or(to.kind, "application/json"))
	}
	if c.key != "" {
		r.Header.Set("Authorization", "Bearer "+c.key)
	}
	reply, err := p.http.Do(r)
	if err != nil {
		return &failure{text: err.Error()}
	}
	defer reply.Body.Close()
	text, err := io.ReadAll(io.LimitReader(reply.Body, maxReply))
	if err != nil {
		return &failure{text: fmt.Sprintf("%s: the reply broke off: %v", at, err)}
	}
	c.met(p, reply.Header.Get(fleet.HeaderProcess))
	if reply.StatusCode == http.StatusNoContent && to.file != nil {
		return nil
	}
	if reply.StatusCode != http.StatusOK {
		seconds, _ := strconv.Atoi(reply.Header.Get("Retry-After")) // 0 if there is none
		return &failure{reply.StatusCode, legible(text), time.Duration(max(0, seconds)) * time.Second}
	}
	if to.file == nil && to.into == nil {
		return nil
	}
	if to.file != nil {
		err = to.file(text)
	} else {
		err = strictjson.Unmarshal(text, to.into)
	}
	if err != nil { // a proxy's, or cut off
		return &failure{text: fmt.Sprintf("%s: the reply is not the coordinator's: %v", at, err)}
	}
	return nil
}

// legible returns the reply to a failed request on one line.
func legible(reply []byte) string {
	var of struct {
		Error  string `json:"error"`
		Detail string `json:"detail"`
	}
	text := string(reply)
	if strictjson.Unmarshal(reply, &of) == nil {
		text = cmp.Or(of.Error, of.Detail, text)
	}
	text = strings.ToValidUTF8(text[:min(len(text), maxShown)], "\uFFFD")
	return strings.Join(strings.Fields(text), " ")
}

// persist repeats a call until it has an answer other than a temporary failure, ctx ends, or the
// coordinator has been silent for too long. It tells news of failures and of the first success
// after one.
func (c *Client) persist(ctx context.Context, to call, news *news) error {
	for {
		err := c.do(ctx, to)
		f, failed := errors.AsType[*failure](err)
		if !failed || !f.temporary() {
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
		if !pause.For(ctx, min(f.after, mostAfter)+rand.N(spread)) {
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
