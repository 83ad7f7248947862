package uplink

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/klauspost/compress/gzip"
)

// Limits of a request.
const (
	patience = 60 * time.Second
	maxReply = 1 << 20         // bytes
	leastZip = 1024            // bytes; larger bodies are compressed, as in Atropos
	idle     = 2 * time.Second // run-api closes an idle connection after 5 s
	maxShown = 300             // bytes of a reply in an error
)

// A client speaks to a hub. Many goroutines may use it at once.
type client struct {
	base *url.URL
	key  string
	http *http.Client
	zips *zipper
	ours bool // the hub is Quintain's
}

func newClient(address, key string) (client, error) {
	base, err := parse(address)
	if err != nil {
		return client{}, err
	}
	return client{base: base, key: key, zips: &zipper{}, http: &http.Client{
		Transport:     &http.Transport{Proxy: http.ProxyFromEnvironment, MaxIdleConnsPerHost: 4, IdleConnTimeout: idle},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}, nil
}

// parse reads the address of a hub.
func parse(address string) (*url.URL, error) {
	base, err := url.Parse(address)
	if err != nil || base.Host == "" || base.Scheme != "http" && base.Scheme != "https" {
		return nil, fmt.Errorf("the address of the hub is %q, want one such as http://localhost:8000 (--hub)", address)
	}
	return base, nil
}

// ownPath is the path of a route that only Quintain's hub has, below the run.
func (c *client) ownPath(route string) string {
	if strings.HasPrefix(c.base.Path, "/v1/runs/") {
		return route
	}
	return "v1/runs/default/" + route
}

// A call is a request.
type call struct {
	method, path string
	query        string
	body         []byte
	kind         string // type of a body that is not compressed again; empty: JSON
}

// An answer is a reply.
type answer struct {
	status int
	body   []byte
	mark   string // of a status of Quintain's hub; empty: none
}

// text returns the reply for people, on one line.
func (a answer) text() string {
	shown := strings.ToValidUTF8(string(a.body[:min(len(a.body), maxShown)]), "\uFFFD")
	return strings.Join(strings.Fields(shown), " ")
}

// A lostError says that there was no reply.
type lostError struct {
	error
	sent    bool // the whole request was written: it may have taken effect
	refused bool // nobody listens there
}

// Unwrap returns the cause.
func (e *lostError) Unwrap() error { return e.error }

// do makes a request. The error is a [*lostError].
func (c *client) do(ctx context.Context, to call) (answer, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, patience, fmt.Errorf("no answer within %v", patience))
	defer cancel()
	var sent atomic.Bool
	traced := httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		WroteRequest: func(w httptrace.WroteRequestInfo) { sent.Store(sent.Load() || w.Err == nil) },
	})
	a, err := c.exchange(traced, to)
	if err != nil {
		return a, lost(ctx, err, sent.Load())
	}
	return a, nil
}

// lost returns the error of a request that ended with err.
func lost(ctx context.Context, err error, sent bool) error {
	if of, ok := errors.AsType[*url.Error](err); ok {
		err = of.Err // without the address, which the caller names
	}
	if ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	dial, ok := errors.AsType[*net.OpError](err)
	return &lostError{err, sent, ok && dial.Op == "dial"}
}

// exchange makes a request. When it returns, nobody reads the body any more.
func (c *client) exchange(ctx context.Context, to call) (a answer, err error) {
	body, zipped := to.body, false
	if to.kind == "" {
		body, zipped = c.zips.pack(to.body)
	}
	address := c.base.JoinPath(to.path)
	address.RawQuery = to.query
	r, err := http.NewRequestWithContext(ctx, to.method, address.String(), nil)
	if err != nil {
		return a, err
	}
	defer lend(r, body)()
	if to.body != nil {
		r.Header.Set("Content-Type", cmp.Or(to.kind, "application/json"))
	}
	if zipped {
		r.Header.Set("Content-Encoding", "gzip")
	}
	if c.key != "" {
		r.Header.Set("Authorization", "Bearer "+c.key)
	}
	reply, err := c.http.Do(r)
	if err != nil {
		return a, err
	}
	defer reply.Body.Close()
	a.status, a.mark = reply.StatusCode, reply.Header.Get("Quintain-Status")
	a.body, err = io.ReadAll(io.LimitReader(reply.Body, maxReply))
	return a, err
}

// lend sets the body of a request. The function returned waits until the transport has
// closed the body and any copy it made for a retry: a failed request may still be read.
func lend(r *http.Request, body []byte) (returned func()) {
	if len(body) == 0 {
		return func() {}
	}
	var open sync.WaitGroup
	r.GetBody = func() (io.ReadCloser, error) {
		open.Add(1)
		return &lent{*bytes.NewReader(body), sync.OnceFunc(open.Done)}, nil
	}
	r.Body, _ = r.GetBody()
	r.ContentLength = int64(len(body))
	return open.Wait
}

// A lent is a body on loan.
type lent struct {
	bytes.Reader
	returned func()
}

// Close implements [io.Closer].
func (l *lent) Close() error {
	l.returned()
	return nil
}

// A zipper compresses bodies, one at a time, with one writer: a new writer has more than a
// megabyte of tables. Many goroutines may use it at once.
type zipper struct {
	mu sync.Mutex
	to *gzip.Writer // nil: not needed so far
}

// pack compresses a body if that makes it smaller.
func (z *zipper) pack(body []byte) (packed []byte, zipped bool) {
	if len(body) < leastZip {
		return body, false
	}
	z.mu.Lock()
	defer z.mu.Unlock()
	var b bytes.Buffer
	if z.to == nil {
		z.to, _ = gzip.NewWriterLevel(nil, gzip.BestSpeed) // the level exists
	}
	z.to.Reset(&b)
	_, err := z.to.Write(body)
	if err = errors.Join(err, z.to.Close()); err != nil || b.Len() >= len(body) {
		return body, false
	}
	return b.Bytes(), true
}
