package worker

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/quintain-rl/quintain/internal/httpclient"
	"github.com/quintain-rl/quintain/internal/pause"
)

// Limits of the search for a coordinator that has taken over, while a beat has no reply.
const (
	doubt   = time.Second     // between two looks at the file with the address
	probing = 2 * time.Second // that a coordinator elsewhere has for a reply
)

// A Client speaks to a coordinator. Many goroutines may use it at once.
type Client struct {
	run, key, file string
	transport      http.RoundTripper

	giveUp time.Duration                    // see [Settings]
	say    func(format string, args ...any) // tells people

	mu     sync.Mutex
	at     *place    // nil: to be read from file
	stale  bool      // so is it
	silent time.Time // when calls began to fail; zero: the last one did not
}

// A place is where the coordinator is, as far as the client knows.
type place struct {
	base    *url.URL
	http    *httpclient.Client // has the connections to there
	left    context.Context    //nolint:containedctx // ends when the coordinator is elsewhere
	leave   context.CancelFunc // ends left
	process string             // that replied there; empty: none yet; guarded by Client.mu
}

// NewClient returns the client of a run's coordinator. An address that begins with @ names
// a file with the address, which is read again after each failure. A nil transport is that
// of the network.
func NewClient(s Settings, key string, transport http.RoundTripper) (*Client, error) {
	if transport == nil {
		transport = httpclient.Pool(2+2*senders, time.Minute)
	}
	c := &Client{run: s.Run, key: key, transport: transport, giveUp: s.GiveUp, say: func(string, ...any) {}}
	file, ok := strings.CutPrefix(s.Coordinator, "@")
	if ok {
		c.file = file
		return c, nil
	}
	base, err := parse(s.Coordinator)
	if err != nil {
		return nil, err
	}
	c.at = c.place(base)
	return c, nil
}

// serve has the client work for a worker. The caller calls no other method meanwhile.
func (c *Client) serve(of *Config) { c.giveUp, c.say = of.Settings.GiveUp, of.Say }

// parse reads the address of a coordinator.
func parse(address string) (*url.URL, error) {
	base, err := httpclient.ParseURL(address)
	if err != nil {
		return nil, fmt.Errorf("the address of the coordinator %w, or @FILE for a file with it (--coordinator)", err)
	}
	return base, nil
}

// place returns a place, with connections of its own.
func (c *Client) place(base *url.URL) *place {
	own := c.transport
	if t, ok := own.(*http.Transport); ok {
		own = t.Clone()
	}
	p := &place{base: base, http: httpclient.New(httpclient.Config{Key: c.key, Transport: own})}
	p.left, p.leave = context.WithCancel(context.Background())
	return p
}

// close ends the calls at a place, and its connections.
func (p *place) close() {
	p.leave()
	p.http.CloseIdle()
}

// where returns the place of the coordinator. The error is temporary.
func (c *Client) where() (*place, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.at == nil || c.stale {
		if err := c.read(); err != nil {
			return nil, err
		}
	}
	return c.at, nil
}

// read reads the address in the file. The error is an [*httpclient.Error]. c.mu is held.
func (c *Client) read() error {
	text, err := os.ReadFile(c.file)
	if errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("%w; quintain run --announce %s writes it", err, c.file)
	}
	if err != nil {
		return &httpclient.Error{Err: err}
	}
	base, err := parse(strings.TrimSpace(string(text)))
	if err != nil {
		return &httpclient.Error{Err: fmt.Errorf("%s: %w", c.file, err)}
	}
	c.stale = false
	if c.at == nil || c.at.base.String() != base.String() {
		c.move(c.place(base))
	}
	return nil
}

// move has calls made at another place, also those that have no reply yet. c.mu is held.
func (c *Client) move(to *place) {
	if c.at != nil {
		c.at.close()
		c.say("the coordinator is another process now, at %s: what has no answer yet is sent there", to.base.Redacted())
	}
	c.at = to
}

// met notes which process replied at a place, through a load balancer perhaps.
func (c *Client) met(at *place, process string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case process == "" || at.process == process:
	case at.process == "":
		at.process = process
	case at == c.at:
		c.move(c.place(at.base))
		c.at.process = process
	}
}

// note notes whether a call had an answer. If not, a coordinator that has taken over may be elsewhere.
func (c *Client) note(answered bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case answered:
		c.silent = time.Time{}
	case c.silent.IsZero():
		c.silent = time.Now()
	}
	c.stale = c.stale || !answered && c.file != ""
}

// errSilent ends a worker whose coordinator is gone.
var errSilent = errors.New("the coordinator has not answered")

// gone returns an error once no call has had an answer for so long that the worker is to give up.
// The last one failed with why.
func (c *Client) gone(why error) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.giveUp == 0 || c.silent.IsZero() || time.Since(c.silent) < c.giveUp {
		return nil
	}
	return fmt.Errorf("%w for %v (worker.give_up): %s", errSilent, c.giveUp, why.Error())
}

// seek makes a request once, as do does. While there is no reply, it looks for a coordinator that
// has taken over, and moves there: to one whose address is in the file now, or that replies at the
// same address, such as that of a load balancer. A coordinator that is only slow keeps its calls.
func (c *Client) seek(ctx context.Context, to call) error {
	asking, end := context.WithCancel(ctx)
	var looks sync.WaitGroup
	defer looks.Wait()
	defer end()
	looks.Go(func() {
		for n := 1; pause.For(asking, doubt); n++ {
			at := c.look()
			if at != nil && n&(n-1) == 0 { // more and more seldom: a coordinator with too much to do gets few more calls
				looks.Go(func() { c.probe(asking, at, to) })
			}
		}
	})
	return c.do(ctx, to)
}

// look reads the address again, and returns the place of the coordinator. Without a file that can
// be read, that stays; nil: there was none.
func (c *Client) look() *place {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.file != "" {
		_ = c.read() // the next call tells
	}
	return c.at
}

// probe makes a request by a connection of its own, and moves there if another process replies.
func (c *Client) probe(ctx context.Context, at *place, to call) {
	ctx, cancel := context.WithTimeout(ctx, probing)
	defer cancel()
	other := c.place(at.base)
	to.into = nil
	_ = c.exchange(ctx, other, to) // without a reply, process is empty
	c.mu.Lock()
	defer c.mu.Unlock()
	if other.process == "" || other.process == at.process || at != c.at {
		other.close()
		return
	}
	c.move(other)
}
