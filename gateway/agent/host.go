package agent

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/gateway"
	"github.com/quintain-rl/quintain/internal/web"
)

// A Host is an [quintain.Env] with a machine of its own in which programs act. However a program of it ends, a Step
// without calls judges what it did there.
type Host interface {
	quintain.Env

	// About returns what programs may know of the problem beside its messages.
	About() map[string]any

	// Routes returns routes by which a program outside acts there. They serve until the program has ended.
	Routes() []web.Route

	// Live runs the program of a [Within] there to its end, and returns the end of its output. The program reads the problem, and
	// asks where serve serves while do runs; asked is how long it has waited for replies. If it is ended with ctx, the error is ctx's cause.
	Live(ctx context.Context, problem []byte, asked func() time.Duration, serve Serve) (said string, err error)
}

// Serve serves a session on a listener while do runs. An error is a fault of the machine.
type Serve = func(ctx context.Context, l net.Listener, do func()) error

// Within returns a program that each episode's [Host] runs; the command is a part of the scenario's settings alone. The error names
// the invalid setting.
func Within(how Settings) (*Program, error) {
	session := how.session()
	if _, err := session.Player(nil, nil); err != nil {
		return nil, err
	}
	return &Program{how: how, free: make(chan struct{}, how.Processes)}, nil
}

// within plays an episode by the program that its host runs.
func (e *episode) within(ctx context.Context, session *gateway.Solo) (said string, err error) {
	host, is := e.Env.(Host)
	if !is {
		return "", errors.New("the scenario " + e.info.Name + " has no machine in which the agent could live")
	}
	problem, err := describe(e.problem, e.talk, host.About())
	if err != nil {
		return "", err
	}
	living, stop := until(ctx, session, e.program.how.Leave)
	defer stop()
	var clock replies
	said, err = host.Live(living, problem, clock.asked, func(ctx context.Context, l net.Listener, do func()) error {
		return serve(ctx, l, clock.routes(session), do)
	})
	if errors.Is(err, errKilled) && ctx.Err() == nil {
		return fmt.Sprintf("%s[the program ended: %v]\n", said, errKilled), nil
	}
	return said, err
}

// until returns a context that ends with ctx, or some time after a session is over: then its cause is errKilled. The caller must
// stop it.
func until(ctx context.Context, session *gateway.Solo, leave time.Duration) (_ context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	var beside sync.WaitGroup
	beside.Go(func() {
		session.Watch(ctx)
		late := time.NewTimer(leave)
		defer late.Stop()
		select {
		case <-ctx.Done():
		case <-late.C:
			cancel(errKilled)
		}
	})
	return ctx, func() {
		cancel(nil)
		beside.Wait()
	}
}

// replies measures how long a program waits for replies, of one or several at once.
type replies struct {
	mu    sync.Mutex
	open  int
	since time.Time // of open > 0
	total time.Duration
}

// asked is how long it has waited.
func (r *replies) asked() time.Duration {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.open > 0 {
		return r.total + time.Since(r.since)
	}
	return r.total
}

// count notes that a call begins or ends.
func (r *replies) count(n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	now := time.Now()
	if r.open > 0 {
		r.total += now.Sub(r.since)
	}
	r.open, r.since = r.open+n, now
}

// routes are those of a session for whoever reaches them, with any key.
func (r *replies) routes(session *gateway.Solo) (all []web.Route) {
	for _, route := range session.Routes() {
		serve := route.Serve
		route.Serve = func(c *web.Call) error {
			r.count(1)
			defer r.count(-1)
			c.R.Header.Del("X-Api-Key")
			c.R.Header.Set("Authorization", "Bearer "+session.Key())
			return serve(c)
		}
		if !strings.HasPrefix(route.Path, sessionPath) {
			all = append(all, route)
		}
	}
	return all
}

// Paths of a session's routes, and of those of its host.
const (
	sessionPath = "/sessions/"
	trialPath   = "/trial/"
)

// hosted returns the routes of a session and those of the host, which a program reaches by the session's ID.
func hosted(session *gateway.Solo, host Host) []web.Route {
	all := session.Routes()
	if host == nil {
		return all
	}
	for _, route := range host.Routes() {
		serve := route.Serve
		route.Path = trialPath + "{session}" + route.Path
		route.Serve = func(c *web.Call) error {
			if c.Param("session") != session.ID() {
				c.SkipBody()
				return web.Errorf(http.StatusNotFound, "there is no such session")
			}
			return serve(c)
		}
		all = append(all, route)
	}
	return all
}
