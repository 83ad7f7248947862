package environment

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/klauspost/compress/gzip"

	"github.com/quintain-rl/quintain/internal/httpclient"
	"github.com/quintain-rl/quintain/internal/strictjson"
)

// LinkLimits of a request.
const (
	patience = 60 * time.Second
	maxReply = 1 << 20 // bytes
	leastZip = 1024    // bytes; larger bodies are compressed, as in Atropos
)

// A client speaks to a hub. Many goroutines may use it at once.
type client struct {
	base *url.URL
	http *httpclient.Client
	zips *zipper
	ours bool // the hub is Quintain's
}

func newClient(address, key string) (client, error) {
	base, err := parse(address)
	if err != nil {
		return client{}, err
	}
	return client{base: base, zips: &zipper{}, http: httpclient.New(httpclient.Config{Key: key})}, nil
}

// parse reads the address of a hub.
func parse(address string) (*url.URL, error) {
	base, err := httpclient.ParseURL(address)
	if err != nil {
		return nil, fmt.Errorf("the address of the hub %w (--hub)", err)
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

// do makes a request. When it returns, nobody reads the body any more. The error is an
// [*httpclient.Error].
func (c *client) do(ctx context.Context, to call) (httpclient.Reply, error) {
	ctx, cancel := httpclient.Within(ctx, patience)
	defer cancel()
	body, zipped := to.body, false
	if to.kind == "" {
		body, zipped = c.zips.pack(to.body)
	}
	address := c.base.JoinPath(to.path)
	address.RawQuery = to.query
	r, err := c.http.Request(ctx, to.method, address.String(), nil)
	if err != nil {
		return httpclient.Reply{}, err
	}
	defer lend(r, body)()
	if to.body != nil {
		r.Header.Set("Content-Type", cmp.Or(to.kind, "application/json"))
	}
	if zipped {
		r.Header.Set("Content-Encoding", "gzip")
	}
	return c.http.Do(r, maxReply)
}

// ask makes a request, and reads the JSON of the reply.
func (c *client) ask(ctx context.Context, to call, into any) (httpclient.Reply, error) {
	a, err := c.do(ctx, to)
	if err != nil {
		return a, err
	}
	if err := strictjson.Unmarshal(a.Body, into); err != nil {
		return a, a.Invalid(err)
	}
	return a, nil
}

// silent reports whether err says that the hub did not reply.
func silent(err error) bool { return err != nil && httpclient.StatusOf(err) == 0 }

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
