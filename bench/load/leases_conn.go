package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/quintain-rl/quintain/internal/pause"
	"github.com/quintain-rl/quintain/internal/strictjson"
	"github.com/quintain-rl/quintain/run/fleet"
)

// A leaseConn is a connection that carries one request after another with little work, so as to
// measureLeases the other side. It is closed when its context ends.
type leaseConn struct {
	net.Conn
	in   *bufio.Reader
	text bytes.Buffer // the body of the last reply
	stop func() bool
}

func dialLeases(ctx context.Context, addr string) (*leaseConn, error) {
	c, err := new(net.Dialer).DialContext(ctx, "tcp", addr)
	if err != nil {
		return nil, err
	}
	return &leaseConn{Conn: c, in: bufio.NewReader(c), stop: context.AfterFunc(ctx, func() { c.Close() })}, nil
}

// Close closes the connection.
func (c *leaseConn) Close() error {
	c.stop()
	return c.Conn.Close()
}

// ask sends a request of the run at a path of package fleet, and reads the reply into got. A
// body of a finish is a frame, others are JSON.
func (c *leaseConn) ask(method, path string, body []byte, got any) (status int, err error) {
	head := fmt.Appendf(nil, "%s %s HTTP/1.1\r\nHost: 127.0.0.1\r\n", method, strings.Replace(path, "{run}", "default", 1))
	if len(body) > 0 {
		kind := "application/json"
		if strings.HasSuffix(path, "/finish") {
			kind = fleet.Frame
		}
		head = fmt.Appendf(head, "Content-Type: %s\r\nContent-Length: %d\r\n", kind, len(body))
	}
	parts := net.Buffers{append(head, "\r\n"...), body}
	if _, err := parts.WriteTo(c.Conn); err != nil {
		return 0, err
	}
	reply, err := http.ReadResponse(c.in, nil)
	if err != nil {
		return 0, err
	}
	defer reply.Body.Close()
	c.text.Reset()
	if _, err := io.Copy(&c.text, reply.Body); err != nil || reply.StatusCode != http.StatusOK || got == nil {
		return reply.StatusCode, err
	}
	return reply.StatusCode, strictjson.Unmarshal(c.text.Bytes(), got)
}

// must is ask for a request that only succeeds with status 200.
func (c *leaseConn) must(method, path string, body []byte, got any) error {
	status, err := c.ask(method, path, body, got)
	if err == nil && status != http.StatusOK {
		err = fmt.Errorf("%s %s: status %d: %.200s", method, path, status, c.text.Bytes())
	}
	return err
}

// instance names a worker of the load.
func instance(n int) string { return fmt.Sprintf("bench%016d", n) }

// register registers worker n, as soon as the run is open.
func (c *leaseConn) register(ctx context.Context, n int) error {
	body, err := json.Marshal(fleet.Registration{Instance: instance(n), Name: fmt.Sprint("bench-", n), Slots: 32, Program: program})
	if err != nil {
		return err
	}
	for {
		status, err := c.ask(http.MethodPost, fleet.PathWorkers, body, nil)
		switch {
		case err != nil:
			return err
		case status == http.StatusOK:
			return nil
		case status != http.StatusServiceUnavailable:
			return fmt.Errorf("registration: status %d: %.200s", status, c.text.Bytes())
		case !pause.For(ctx, 10*time.Millisecond):
			return context.Cause(ctx)
		}
	}
}

// take asks for leases of worker n.
func (c *leaseConn) take(n, most int, wait time.Duration) (fleet.Grant, error) {
	var g fleet.Grant
	path := fmt.Sprintf("%s?instance=%s&max=%d&wait=%v", fleet.PathLeases, instance(n), most, wait.Seconds())
	return g, c.must(http.MethodPost, path, nil, &g)
}

// beat gives a sign of life of worker n.
func (c *leaseConn) beat(n int, leases []uint64) error {
	body, err := json.Marshal(fleet.Beat{Leases: leases})
	if err != nil {
		return err
	}
	return c.must(http.MethodPost, strings.Replace(fleet.PathBeat, "{instance}", instance(n), 1), body, nil)
}
