package remote

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/quintain-rl/quintain/internal/traceparent"
)

// errSlow is the cause of an attempt that exceeded Config.Timeout.
var errSlow = errors.New("no answer in time")

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
	a := answer{url: plain(target)}
	ctx, cancel := patiently(ctx, s.cfg.Timeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, method, target.String(), bytes.NewReader(c.Body))
	if err != nil {
		return a, s.sign(broken(err), a)
	}
	request.Header.Set("Accept", "application/json, text/event-stream")
	request.Header.Set("Content-Type", "application/json")
	if s.cfg.APIKey != "" {
		request.Header.Set("Authorization", "Bearer "+s.cfg.APIKey)
	}
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
	response, err := s.http.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	a.status = response.StatusCode
	a.page = strings.HasPrefix(response.Header.Get("Content-Type"), "text/html")
	a.after = retryAfter(response.Header.Get("Retry-After"), time.Now())
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
	if errors.Is(context.Cause(ctx), errSlow) {
		return &Error{Kind: TooSlow, Err: context.Cause(ctx)}
	}
	return broken(err)
}

// receive reads the body of r into a or, if c wants them, its events.
func (s *Server) receive(r *http.Response, a *answer, c *Call) (err error) {
	streams := strings.HasPrefix(r.Header.Get("Content-Type"), "text/event-stream")
	if c.Event == nil || !streams {
		a.body, err = readAll(r, s.cfg.MaxReplyBytes)
		switch {
		case err != nil:
			return err
		case int64(len(a.body)) > s.cfg.MaxReplyBytes:
			return &Error{Kind: TooLarge, Err: fmt.Errorf("more than %d bytes", s.cfg.MaxReplyBytes)}
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

// patiently returns a context that ends after limit, with errSlow in its cause.
func patiently(ctx context.Context, limit time.Duration) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(ctx, limit, fmt.Errorf("%w (%v)", errSlow, limit))
}

// readAll reads the body of r, but at most limit+1 bytes.
func readAll(r *http.Response, limit int64) ([]byte, error) {
	var body bytes.Buffer
	if size := r.ContentLength; size > 0 && size <= limit {
		body.Grow(int(size) + bytes.MinRead)
	}
	_, err := body.ReadFrom(io.LimitReader(r.Body, limit+1))
	return body.Bytes(), err
}

// sign adds the facts about answer a to e.
func (s *Server) sign(e *Error, a answer) *Error {
	e.URL, e.Status, e.page, e.after, e.Attempts = a.url, a.status, a.page, a.after, 1
	if a.status/100 != 2 || e.Kind == Nonsense || e.Kind == Unsupported {
		e.Excerpt = excerpt(a.body, s.cfg.APIKey)
	}
	if e.Err != nil {
		if text := e.Err.Error(); hide(text, s.cfg.APIKey) != text {
			e.Err = errors.New(hide(text, s.cfg.APIKey))
		}
	}
	e.final = e.final || e.RefusesSeveral()
	return e
}

// plain returns u without its query, which may hold a key.
func plain(u *url.URL) string {
	shown := *u
	shown.RawQuery, shown.Fragment = "", ""
	return shown.String()
}

// retryAfter returns the pause in a Retry-After header, in seconds or until a date; 0:
// none.
func retryAfter(header string, now time.Time) time.Duration {
	const most = 24 * time.Hour // prevents overflow
	if header == "" {
		return 0
	}
	seconds, err := strconv.ParseInt(strings.TrimSpace(header), 10, 64)
	if err != nil {
		date, err := http.ParseTime(header)
		if err != nil {
			return 0
		}
		return max(0, min(date.Sub(now), most))
	}
	return time.Duration(max(0, min(seconds, int64(most/time.Second)))) * time.Second
}
