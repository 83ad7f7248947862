package mcptools

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strconv"
	"sync"

	"github.com/quintain-rl/quintain/internal/strictjson"
)

// What a server may send.
const (
	mostBytes    = 4 << 20 // of a message
	mostPages    = 100     // of the list of tools
	mostRequests = 1000    // of its own, which are refused
)

// A wire carries the messages of a session. Many goroutines may use it at once.
type wire interface {
	// send sends a message. The error is [quintain.ErrLost] if the server never got it.
	send(ctx context.Context, message []byte) error

	// over is closed once no answer can come any more to what was sent; fault then says why.
	over() <-chan struct{}
	fault() error

	// agreed notes the version of the protocol.
	agreed(version string)

	// close ends the session. It may be called twice.
	close()
}

// A session is a handshake with a server, and what follows. Many goroutines may use it at once.
type session struct {
	wire   wire
	log    *slog.Logger
	about  About
	tools  []Tool
	digest string // of the tools
	asks   bool   // the tools may change without a word: the server tells so where nobody listens
	users  int    // guarded by the box

	refusing sync.WaitGroup

	mu      sync.Mutex // guards the fields below
	last    int64      // number of a request
	waiting map[int64]chan *incoming
	changed bool // the tools are others
	refused map[string]int
}

// An incoming message is a request, a notification or an answer.
type incoming struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Method  string          `json:"method"`
	Result  json.RawMessage `json:"result"`
	Error   *Fault          `json:"error"`
}

// begin shakes hands and asks for the tools.
func (s *session) begin(ctx context.Context) error {
	all := Versions()
	var hello Hello
	asked := map[string]any{"protocolVersion": all[len(all)-1], "capabilities": struct{}{}, "clientInfo": About{"quintain", "1"}}
	if err := s.ask(ctx, Initialize, asked, &hello); err != nil {
		return err
	}
	switch {
	case !slices.Contains(all, hello.Version):
		return fmt.Errorf("it speaks version %.40q of the protocol, want one of %v", hello.Version, all)
	case hello.Capabilities.Tools == nil:
		return errors.New("it has no tools")
	}
	s.wire.agreed(hello.Version)
	_, pushes := s.wire.(*process)
	s.about, s.asks = hello.Server, hello.Capabilities.Tools.Told && !pushes
	if err := s.post(ctx, nil, "notifications/initialized", nil); err != nil {
		return err
	}
	var err error
	if s.tools, err = s.list(ctx); err == nil {
		s.digest = digest(s.tools)
	}
	return err
}

// list asks for the tools, and checks them.
func (s *session) list(ctx context.Context) (all []Tool, err error) {
	asked := map[string]string{}
	for range mostPages {
		var page Page
		if err := s.ask(ctx, ListTools, asked, &page); err != nil {
			return nil, err
		}
		all = append(all, page.Tools...)
		if page.Next == "" {
			return all, checkTools(all)
		}
		asked["cursor"] = page.Next
	}
	return nil, fmt.Errorf("its list of tools has more than %d pages", mostPages)
}

// call calls a tool, and returns what a model is told. The error is a [*Fault] if the server refuses
// the request.
func (s *session) call(ctx context.Context, c Call) (text string, failed bool, err error) {
	var r struct {
		Result
		Raw json.RawMessage `json:"structuredContent"`
	}
	if err := s.ask(ctx, CallTool, c, &r); err != nil {
		return "", false, err
	}
	return r.text(r.Raw), r.IsError, nil
}

// ask sends a request, and reads the result of its answer.
func (s *session) ask(ctx context.Context, method string, params, into any) error {
	s.mu.Lock()
	s.last++
	id, answer := s.last, make(chan *incoming, 1)
	s.waiting[id] = answer
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.waiting, id)
	}()
	if err := s.post(ctx, strconv.AppendInt(nil, id, 10), method, params); err != nil {
		return fmt.Errorf("%s: %w", method, err)
	}
	select {
	case m := <-answer:
		return m.read(method, into)
	case <-ctx.Done():
		return fmt.Errorf("%s: %w", method, context.Cause(ctx))
	case <-s.wire.over():
	}
	select {
	case m := <-answer:
		return m.read(method, into)
	default:
		return fmt.Errorf("%s: %w", method, s.wire.fault())
	}
}

// read reads the result of an answer.
func (m *incoming) read(method string, into any) error {
	if m.Error != nil {
		return fmt.Errorf("%s: it answers with error %d: %w", method, m.Error.Code, m.Error)
	}
	if err := strictjson.Unmarshal(m.Result, into); err != nil {
		return fmt.Errorf("%s: its answer: %w", method, err)
	}
	return nil
}

// post sends a request; without an ID, a notification.
func (s *session) post(ctx context.Context, id json.RawMessage, method string, params any) error {
	r := Request{Version: "2.0", ID: id, Method: method}
	var err error
	if params != nil {
		if r.Params, err = strictjson.Legible(params); err != nil {
			return err
		}
	}
	text, err := strictjson.Legible(r)
	if err != nil {
		return err
	}
	return s.wire.send(ctx, text)
}

// hear takes a message of the server. An error ends the session.
func (s *session) hear(ctx context.Context, text []byte) error {
	m := new(incoming)
	if err := strictjson.Unmarshal(text, m); err != nil || m.Version != "2.0" {
		return fmt.Errorf("it sends what is no message: %.200q", text)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case m.Method == "":
		if n, ok := strictjson.Int(m.ID); ok && s.waiting[int64(n)] != nil {
			s.waiting[int64(n)] <- m
			delete(s.waiting, int64(n))
		}
	case len(m.ID) > 0:
		return s.refuse(ctx, m)
	case m.Method == "notifications/tools/list_changed":
		s.changed = true
	}
	return nil
}

// refuse answers a request of the server, which gets nothing but an answer to a ping. s.mu is held.
func (s *session) refuse(ctx context.Context, m *incoming) error {
	r := Response{Version: "2.0", ID: m.ID, Result: struct{}{}}
	if m.Method != Ping {
		r.Result, r.Error = nil, &Fault{UnknownMethod, "refused: this client answers nothing but pings"}
		m.Method = fmt.Sprintf("%.40s", m.Method)
	}
	s.refused[m.Method]++
	total := 0
	for n := range maps.Values(s.refused) {
		total += n
	}
	text, err := strictjson.Legible(r)
	switch {
	case err != nil:
		return err
	case total > mostRequests:
		return fmt.Errorf("it asks more than %d times", mostRequests)
	}
	s.refusing.Go(func() { _ = s.wire.send(ctx, text) }) // one that gets no answer may end, which is noticed
	return nil
}

// changes reports whether the tools may be others, of a change once.
func (s *session) changes() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	changed := s.changed
	s.changed = false
	return changed || s.asks
}

// close ends the session, and tells what it refused.
func (s *session) close() {
	s.wire.close()
	s.refusing.Wait()
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.refused, Ping)
	for method, n := range s.refused {
		s.log.Warn("requests of an MCP server were refused", "server", s.about.Name, "method", method, "count", n)
	}
}
