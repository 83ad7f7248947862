package remote

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/quintain-rl/quintain/internal/httpclient"
	"github.com/quintain-rl/quintain/internal/traceparent"
)

// An answer is the result of one attempt.
type answer struct {
	url    string // without its query
	status int    // HTTP status; 0: no answer
	page   bool   // it is HTML
	after  time.Duration
	body   []byte
}

// exchange sends the request of c and reads the whole answer. Without an error, the status
// is 2xx.
func (s *Server) exchange(ctx context.Context, method string, c *Call) (answer, *Error) {
	target := s.base.JoinPath(c.Path)
	a := answer{url: httpclient.Plain(target)}
	ctx, cancel := httpclient.Within(ctx, s.cfg.Timeout)
	defer cancel()
	request, err := s.http.Request(ctx, method, target.String(), c.Body)
	if err != nil {
		return a, s.sign(faultOf(ctx, err), a)
	}
	request.Header.Set("Accept", "application/json, text/event-stream")
	if span := traceparent.From(ctx); span.Valid() {
		request.Header.Set(traceparent.Header, span.String())
	}
	if err := s.send(request, &a, c); err != nil {
		fault := faultOf(ctx, err)
		if a.status == http.StatusNotFound {
			fault.Remedy = c.Missing
		}
		return a, s.sign(fault, a)
	}
	return a, nil
}

// send sends a request and reads the answer into a. A status other than 2xx is an error.
func (s *Server) send(request *http.Request, a *answer, c *Call) error {
	response, err := s.http.Start(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	a.status = response.StatusCode
	a.page = strings.HasPrefix(response.Header.Get("Content-Type"), "text/html")
	a.after = httpclient.RetryAfter(response.Header.Get("Retry-After"), time.Now())
	if err := s.receive(response, a, c); err != nil {
		return err
	}
	if a.status/100 != 2 {
		return refused(a.status, a.body)
	}
	return nil
}

// faultOf returns err as an [Error]. ctx is the context of the attempt.
func faultOf(ctx context.Context, err error) *Error {
	if fault, ok := errors.AsType[*Error](err); ok {
		return fault
	}
	if errors.Is(context.Cause(ctx), httpclient.ErrSlow) {
		return &Error{Kind: TooSlow, Err: context.Cause(ctx)}
	}
	e := &Error{Kind: Unreachable, Err: err}
	if broken, ok := errors.AsType[*httpclient.Error](err); ok {
		e.Err, e.final = broken.Err, !broken.Temporary()
	}
	if dns, ok := errors.AsType[*net.DNSError](err); ok {
		e.final = e.final || dns.IsNotFound
	}
	return e
}

// receive reads the body of r into a or, if c wants them, its events.
func (s *Server) receive(r *http.Response, a *answer, c *Call) (err error) {
	streams := strings.HasPrefix(r.Header.Get("Content-Type"), "text/event-stream")
	if c.Event == nil || !streams {
		a.body, err = httpclient.Read(r, s.cfg.MaxReplyBytes)
		switch {
		case errors.Is(err, httpclient.ErrTooLarge):
			return &Error{Kind: TooLarge, Err: fmt.Errorf("more than %d bytes", s.cfg.MaxReplyBytes)}
		case err != nil:
			return err
		case c.Event != nil && a.status/100 == 2:
			return Nonsensef("the answer is %.60q, want text/event-stream", r.Header.Get("Content-Type"))
		}
		return nil
	}
	reader := s.readers.Get().(*eventReader)
	defer s.readers.Put(reader)
	err = reader.read(r.Body, s.cfg.MaxReplyBytes, func(data []byte) *Error {
		fault := c.Event(data)
		if fault != nil {
			a.body = bytes.Clone(data)
		}
		return fault
	})
	switch {
	case err == nil:
		a.body = []byte(Done)
	case errors.Is(err, io.EOF):
		return nil
	}
	return err
}

// sign adds the facts about answer a to e.
func (s *Server) sign(e *Error, a answer) *Error {
	e.URL, e.Status, e.page, e.after, e.Attempts = a.url, a.status, a.page, a.after, 1
	if a.status/100 != 2 || e.Kind == Nonsense || e.Kind == Unsupported {
		e.Excerpt = s.http.Excerpt(a.body)
	}
	if e.Err != nil {
		e.Err = s.http.Hide(e.Err)
	}
	e.final = e.final || e.RefusesSeveral()
	return e
}
