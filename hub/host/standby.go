package host

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/quintain-rl/quintain/internal/web"
)

// A standing is what a standby knows of the queue that it waits for.
type standing struct {
	Status  string     `json:"status"`          // "standby", or "starting": the queue is its own
	Standby bool       `json:"standby"`         // another process owns the queue, as far as is known
	Owner   string     `json:"owner"`           // of the queue, for people; empty: not known
	Since   *time.Time `json:"since,omitempty"` // when Owner became the owner
}

// String tells a client why it is refused.
func (s *standing) String() string {
	switch {
	case !s.Standby:
		return "this hub is starting: try again"
	case s.Owner == "":
		return "this hub is on standby, and does not know yet who owns the queue: try again"
	}
	return fmt.Sprintf("this hub is on standby: the queue has belonged to %s since %s; ask that hub, or try again", s.Owner, s.Since.Format(time.RFC3339))
}

// A standby answers on the ports of a hub that waits for its queue, until the hub runs.
type standby struct {
	now atomic.Pointer[standing]
}

func newStandby() *standby {
	s := &standby{}
	s.now.Store(&standing{Status: "standby", Standby: true})
	return s
}

// waits notes the owner of the queue.
func (s *standby) waits(owner string, since time.Time) {
	s.now.Store(&standing{Status: "standby", Standby: true, Owner: owner, Since: &since})
}

// owns notes that the queue is the hub's own.
func (s *standby) owns() { s.now.Store(&standing{Status: "starting"}) }

// front serves on a port until the hub runs.
func (s *standby) front(ctx context.Context, l *web.Listener, c Config) (*front, error) {
	server, err := web.New(web.Config{Settings: c.Server, Name: "standby", Keys: l.Keys, Log: c.Log, Rest: s.refuse, Routes: []web.Route{
		{Method: "GET", Path: "/healthz", Serve: s.healthz},
		{Method: "GET", Path: "/readyz", Serve: s.readyz},
	}})
	if err != nil {
		return nil, err
	}
	ctx, stop := context.WithCancel(context.WithoutCancel(ctx))
	f := &front{server: server, stop: stop, ended: make(chan struct{})}
	f.serving.Go(func() {
		defer close(f.ended)
		f.err = server.Run(ctx, l.Listener)
	})
	return f, nil
}

// healthz says that the process answers, whatever the queue does.
func (s *standby) healthz(c *web.Call) error { return c.JSON(http.StatusOK, []byte(`{"status":"ok"}`)) }

// readyz says that the hub takes no groups, and who does.
func (s *standby) readyz(c *web.Call) error {
	body, err := json.Marshal(s.now.Load())
	if err != nil {
		return err
	}
	c.W.Header().Set("Retry-After", "1")
	return c.JSON(http.StatusServiceUnavailable, body)
}

// refuse answers all other requests.
func (s *standby) refuse(c *web.Call) error {
	c.SkipBody()
	c.W.Header().Set("Retry-After", "1")
	return web.Errorf(http.StatusServiceUnavailable, "%v", s.now.Load())
}

// A front is the server of a standby on one port.
type front struct {
	server  *web.Server
	stop    context.CancelFunc
	serving sync.WaitGroup
	ended   chan struct{} // closed when it serves no more
	err     error         // why, once it has ended; nil: it was stopped
}

// run lets the front serve until ctx ends or its port fails.
func (f *front) run(ctx context.Context) error {
	select {
	case <-ctx.Done():
	case <-f.ended:
	}
	f.close()
	return f.err
}

// close stops the front. A nil front does nothing.
func (f *front) close() {
	if f != nil {
		f.stop()
		f.serving.Wait()
	}
}
