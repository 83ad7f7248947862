package mcptools

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"

	"github.com/quintain-rl/quintain/internal/httpclient"
	"github.com/quintain-rl/quintain/scenario/external"
)

// A post is a session over streamable HTTP: each message is a request, whose reply has the answer, perhaps in a
// stream of events with other messages. It implements [wire].
type post struct {
	url    string
	client *httpclient.Client
	hear   func(context.Context, []byte) error
	ended  chan struct{} // closed: no answer comes later than with its request

	mu      sync.Mutex // guards the fields below
	session string     // named by the server; empty: not
	version string     // of the protocol, once it is agreed
	closed  bool
}

// The headers of the protocol.
const (
	sessionHeader = "Mcp-Session-Id"
	versionHeader = "Mcp-Protocol-Version"
)

// newPost returns a session at an address. It calls hear for each message.
func newPost(url string, client *httpclient.Client, hear func(context.Context, []byte) error) *post {
	p := &post{url: url, client: client, hear: hear, ended: make(chan struct{})}
	close(p.ended)
	return p
}

// request returns a request of the session.
func (p *post) request(ctx context.Context, method string, body []byte) (*http.Request, error) {
	r, err := p.client.Request(ctx, method, p.url, body)
	if err != nil {
		return nil, err
	}
	r.Header.Set("Accept", "application/json, text/event-stream")
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.session != "" {
		r.Header.Set(sessionHeader, p.session)
	}
	if p.version != "" {
		r.Header.Set(versionHeader, p.version)
	}
	return r, nil
}

// send implements [wire]. A session that the server does not know, and a server that nobody can reach,
// are lost.
func (p *post) send(ctx context.Context, message []byte) error {
	r, err := p.request(ctx, http.MethodPost, message)
	if err != nil {
		return err
	}
	reply, err := p.client.Start(r)
	if fault, failed := errors.AsType[*httpclient.Error](err); failed && fault.Unreached() {
		return external.Lost(err)
	}
	if err != nil {
		return err
	}
	defer reply.Body.Close()
	if reply.StatusCode/100 == 2 && strings.HasPrefix(reply.Header.Get("Content-Type"), "text/event-stream") {
		p.named(reply.Header.Get(sessionHeader))
		return p.events(ctx, reply.Body)
	}
	body, err := httpclient.Read(reply, mostBytes)
	if err != nil {
		return err
	}
	if reply.StatusCode/100 != 2 {
		fault := fmt.Errorf("status %d: %s", reply.StatusCode, p.client.Excerpt(body))
		if reply.StatusCode == http.StatusNotFound {
			return external.Lost(fault)
		}
		return fault
	}
	p.named(reply.Header.Get(sessionHeader))
	if len(bytes.TrimSpace(body)) == 0 {
		return nil
	}
	return p.hear(ctx, body)
}

// named notes the name of the session.
func (p *post) named(session string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if session != "" {
		p.session = session
	}
}

// events reads a stream of events, whose data are messages.
func (p *post) events(ctx context.Context, from io.Reader) error {
	lines := bufio.NewScanner(io.LimitReader(from, 4*mostBytes))
	lines.Buffer(nil, mostBytes)
	var data []byte
	for more := true; more; {
		more = lines.Scan()
		line := lines.Bytes()
		if value, is := bytes.CutPrefix(line, []byte("data:")); is {
			data = append(append(data, bytes.TrimPrefix(value, []byte(" "))...), '\n')
			continue
		}
		if len(line) > 0 || len(bytes.TrimSpace(data)) == 0 {
			continue
		}
		if err := p.hear(ctx, data); err != nil {
			return err
		}
		data = data[:0]
	}
	return lines.Err()
}

// over implements [wire].
func (p *post) over() <-chan struct{} { return p.ended }

// fault implements [wire].
func (p *post) fault() error { return errors.New("the server sends no answer") }

// agreed implements [wire].
func (p *post) agreed(version string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.version = version
}

// close implements [wire]. It tells the server, which need not know how to end a session.
func (p *post) close() {
	p.mu.Lock()
	tell := p.session != "" && !p.closed
	p.closed = true
	p.mu.Unlock()
	if !tell {
		return
	}
	ctx, cancel := httpclient.Within(context.Background(), patience)
	defer cancel()
	if r, err := p.request(ctx, http.MethodDelete, nil); err == nil {
		_, _ = p.client.Do(r, mostBytes)
	}
}
