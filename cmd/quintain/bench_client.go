package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"time"
)

// A benchConn is a connection that carries one request after another, with as little
// work for each as can be: what is measured is the other side.
type benchConn struct {
	net.Conn
	in   *bufio.Reader
	text bytes.Buffer // the body of the last reply
	host string
	gzip bool // take replies zipped
}

// dialBench connects to the hub of a URL.
func dialBench(ctx context.Context, hub string) (*benchConn, error) {
	u, err := url.Parse(hub)
	if err != nil || u.Scheme != "http" || u.Port() == "" {
		return nil, usagef("--url: %q, want http://HOST:PORT", hub)
	}
	c, err := new(net.Dialer).DialContext(ctx, "tcp", u.Host)
	if err != nil {
		return nil, err
	}
	return &benchConn{Conn: c, in: bufio.NewReaderSize(c, 256<<10), host: u.Host}, nil
}

// head is that of a request; kind is its content type, with gzip behind it where the
// body is zipped.
func (c *benchConn) head(method, path, kind string, size int) []byte {
	b := fmt.Appendf(nil, "%s %s HTTP/1.1\r\nHost: %s\r\n", method, path, c.host)
	if c.gzip {
		b = append(b, "Accept-Encoding: gzip\r\n"...)
	}
	if size > 0 {
		zip := ""
		if kind == "gzip" {
			kind, zip = "application/json", "Content-Encoding: gzip\r\n"
		}
		b = fmt.Appendf(b, "Content-Type: %s\r\n%sContent-Length: %d\r\n", kind, zip, size)
	}
	return append(b, "\r\n"...)
}

// do sends a request and returns the body of its reply as it came, zipped perhaps. It
// is there until the next request.
func (c *benchConn) do(head, body []byte) ([]byte, error) {
	parts := net.Buffers{head, body}
	if _, err := parts.WriteTo(c.Conn); err != nil {
		return nil, err
	}
	reply, err := http.ReadResponse(c.in, nil)
	if err != nil {
		return nil, err
	}
	defer reply.Body.Close()
	c.text.Reset()
	if _, err := io.Copy(&c.text, reply.Body); err != nil {
		return nil, err
	}
	if reply.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s: %.200s", reply.Status, c.text.Bytes())
	}
	return c.text.Bytes(), nil
}

// ask sends a small request.
func (c *benchConn) ask(method, path, body string) ([]byte, error) {
	return c.do(c.head(method, path, "application/json", len(body)), []byte(body))
}

// A watch gathers how long things took, from many goroutines.
type watch struct {
	mu    sync.Mutex
	spans []time.Duration
}

func (w *watch) note(d time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.spans = append(w.spans, d)
}

// latency is what a watch has gathered, in milliseconds.
type latency struct {
	N   int     `json:"n"`
	P50 float64 `json:"p50_ms"`
	P99 float64 `json:"p99_ms"`
	Max float64 `json:"max_ms"`
}

func (w *watch) latency() latency {
	w.mu.Lock()
	defer w.mu.Unlock()
	n := len(w.spans)
	if n == 0 {
		return latency{}
	}
	slices.Sort(w.spans)
	at := func(part float64) float64 {
		return float64(w.spans[min(n-1, int(part*float64(n)))].Microseconds()) / 1000
	}
	return latency{n, at(0.5), at(0.99), at(1)}
}

// each runs work on connections of their own, side by side, and returns what failed.
// Work ends when its context does, which is at the first failure, too.
func (b *hubBench) each(ctx context.Context, n int, work func(ctx context.Context, k int, c *benchConn) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var all sync.WaitGroup
	errs := make([]error, n)
	for k := range n {
		c, err := dialBench(ctx, b.load.url)
		if err != nil {
			if ctx.Err() == nil { // else the work ended before all were there
				errs[k] = err
			}
			cancel()
			break
		}
		all.Go(func() {
			defer c.Close()
			if errs[k] = work(ctx, k, c); errs[k] != nil {
				cancel()
			}
		})
	}
	all.Wait()
	return errors.Join(errs...)
}
