package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
)

// A hubConn is a connection that carries one request after another with little work, so as to
// measureHub the other side.
type hubConn struct {
	net.Conn
	in   *bufio.Reader
	text bytes.Buffer // the body of the last reply
	host string
	gzip bool // take replies zipped
}

// dialHub connects to the hub of a URL.
func dialHub(ctx context.Context, hub string) (*hubConn, error) {
	u, err := url.Parse(hub)
	if err != nil || u.Scheme != "http" || u.Port() == "" {
		return nil, fmt.Errorf("url: is %q, want http://HOST:PORT", hub)
	}
	c, err := new(net.Dialer).DialContext(ctx, "tcp", u.Host)
	if err != nil {
		return nil, err
	}
	return &hubConn{Conn: c, in: bufio.NewReaderSize(c, 256<<10), host: u.Host}, nil
}

// head is the header of a request; kind is its content type, or gzip for zipped JSON.
func (c *hubConn) head(method, path, kind string, size int) []byte {
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

// do sends a request and returns the body of its reply from the wire, perhaps zipped. The
// body is valid until the next request.
func (c *hubConn) do(head, body []byte) ([]byte, error) {
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
func (c *hubConn) ask(method, path, body string) ([]byte, error) {
	return c.do(c.head(method, path, "application/json", len(body)), []byte(body))
}
