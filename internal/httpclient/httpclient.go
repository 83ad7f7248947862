// Package httpclient is how this program asks other services: inference servers, hubs,
// coordinators, sandboxes, collectors. It bounds what a service may send, follows no redirect,
// tells what may pass by itself from what does not, and makes errors that hold no secret.
package httpclient

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

// A Config describes a client. Its zero value is one without a key.
type Config struct {
	Key    string      // sent as a bearer token; empty: none
	Header http.Header // sent with each request

	// Connections is how many connections to each server stay open while nobody uses them; 0: 4.
	// Idle is for how long: 0: four seconds, since uvicorn and Atropos' run-api close theirs
	// after five, and a request on a closing connection is lost.
	Connections int
	Idle        time.Duration

	Transport http.RoundTripper // nil: Pool(Connections, Idle)
}

// A Client asks services. Many goroutines may use it at once. Its only goroutines are those of its
// connections; CloseIdle ends them.
type Client struct {
	http    *http.Client
	key     string
	header  http.Header
	secrets []string // that no error may hold
}

// New returns a client. It contacts nobody.
func New(c Config) *Client {
	if c.Transport == nil {
		c.Transport = Pool(c.Connections, c.Idle)
	}
	of := &Client{key: c.Key, header: c.Header, http: &http.Client{
		Transport:     c.Transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }, // keys go nowhere else
	}}
	of.secrets = []string{c.Key, strings.TrimPrefix(c.Header.Get("Authorization"), "Bearer ")}
	for _, values := range c.Header {
		of.secrets = append(of.secrets, values...)
	}
	of.secrets = slices.DeleteFunc(of.secrets, func(s string) bool { return s == "" })
	return of
}

// Sizes of the buffers of a connection, of which there may be thousands: a request, and most of a
// reply, in one call of the system.
const (
	readBuffer  = 8 << 10
	writeBuffer = 16 << 10
)

// Pool returns a pool of connections; see [Config]. A reply may take an hour without a byte, so TCP
// probes or HTTP/2 pings find out within two minutes that a peer is dead.
func Pool(connections int, idle time.Duration) *http.Transport {
	dialer := &net.Dialer{
		Timeout:         10 * time.Second,
		KeepAliveConfig: net.KeepAliveConfig{Enable: true, Idle: 30 * time.Second, Interval: 15 * time.Second, Count: 4},
	}
	if connections == 0 {
		connections = 4
	}
	if idle == 0 {
		idle = 4 * time.Second
	}
	return &http.Transport{
		Proxy:               http.ProxyFromEnvironment,
		DialContext:         dialer.DialContext,
		TLSHandshakeTimeout: 10 * time.Second,
		MaxIdleConnsPerHost: connections,
		ReadBufferSize:      readBuffer,
		WriteBufferSize:     writeBuffer,
		IdleConnTimeout:     idle,
		DisableCompression:  true, // the bytes that arrive are bounded
		ForceAttemptHTTP2:   true,
		HTTP2:               &http.HTTP2Config{SendPingTimeout: 30 * time.Second, PingTimeout: 30 * time.Second},
	}
}

// ParseURL reads the address of a service. The error begins with a verb, and holds no password.
func ParseURL(text string) (*url.URL, error) {
	u, err := url.Parse(text)
	const want = "want one with http:// or https:// before it, such as http://HOST:PORT"
	switch {
	case err != nil:
		return nil, errors.New("is not valid, " + want)
	case u.Scheme != "http" && u.Scheme != "https", u.Host == "":
		return nil, fmt.Errorf("is %q, %s", Plain(u), want)
	}
	return u, nil
}

// CloseIdle closes the connections that nobody uses.
func (c *Client) CloseIdle() { c.http.CloseIdleConnections() }

// ErrSlow is the cause of a context of [Within] whose time is up.
var ErrSlow = errors.New("no answer in time")

// Within returns a context that ends after limit, with [ErrSlow] in its cause.
func Within(ctx context.Context, limit time.Duration) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(ctx, limit, fmt.Errorf("%w (%v)", ErrSlow, limit))
}

// Request returns a request with the client's key and headers. A body is JSON, unless the caller
// sets another Content-Type; nil: none.
func (c *Client) Request(ctx context.Context, method, url string, body []byte) (*http.Request, error) {
	r, err := http.NewRequestWithContext(ctx, method, url, bytes.NewReader(body))
	if err != nil {
		return nil, &Error{Method: method, Err: cause(ctx, err)}
	}
	maps.Copy(r.Header, c.header)
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	if c.key != "" {
		r.Header.Set("Authorization", "Bearer "+c.key)
	}
	return r, nil
}

// Start sends a request, and returns the reply with any status; the caller reads and closes its
// body. The error is an [*Error].
func (c *Client) Start(r *http.Request) (*http.Response, error) {
	response, err := c.http.Do(r)
	if err != nil {
		return nil, broken(r, err)
	}
	return response, nil
}

// A Reply is what a service answered.
type Reply struct {
	Status int
	Header http.Header
	Body   []byte

	from    *Client
	request *http.Request
}

// mostText bounds the body of a reply that tells of a fault, in bytes.
const mostText = 64 << 10

// Do sends a request and reads the reply, whose body may have most bytes. Without a reply, if its
// status is not 2xx, and if its body is too large or breaks off, the error is an [*Error]; the reply
// has what came.
func (c *Client) Do(r *http.Request, most int64) (Reply, error) {
	response, err := c.Start(r)
	if err != nil {
		return Reply{}, err
	}
	defer response.Body.Close()
	reply := Reply{Status: response.StatusCode, Header: response.Header, from: c, request: r}
	if reply.Status/100 != 2 {
		reply.Body, _ = Read(response, min(most, mostText)) // a part says enough
		return reply, reply.fault(nil)
	}
	reply.Body, err = Read(response, most)
	switch {
	case errors.Is(err, ErrTooLarge):
		return reply, reply.fault(err)
	case err != nil:
		return reply, broken(r, err)
	}
	return reply, nil
}

// ErrTooLarge is the fault of a body with more bytes than the caller allows.
var ErrTooLarge = errors.New("the reply is too large")

// Read reads the body of a reply. If it has more than most bytes, the error is [ErrTooLarge], and
// the bytes are the first most.
func Read(r *http.Response, most int64) ([]byte, error) {
	var body bytes.Buffer
	if size := r.ContentLength; size > 0 && size <= most {
		body.Grow(int(size) + bytes.MinRead)
	}
	_, err := body.ReadFrom(io.LimitReader(r.Body, most+1))
	if int64(body.Len()) > most {
		return body.Bytes()[:most], fmt.Errorf("%w: more than %d bytes", ErrTooLarge, most)
	}
	return body.Bytes(), err
}
