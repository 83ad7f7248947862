package openai

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

	"github.com/quintain-rl/quintain"
)

// errSlow is the cause of an exchange that exceeded Config.Timeout.
var errSlow = errors.New("no answer in time")

// try waits for a slot and makes one exchange for samples.
func (c *Client) try(ctx context.Context, q *query) ([]quintain.Sample, *Error) {
	select {
	case c.slots <- struct{}{}:
		defer func() { <-c.slots }()
	case <-ctx.Done():
		return nil, broken(context.Cause(ctx))
	}
	c.asked.Add(1)
	q.version = c.cfg.Version()
	a, fault := c.exchange(ctx, http.MethodPost, "chat/completions", q.body)
	if fault != nil {
		return nil, fault
	}
	samples, fault := q.read(a.body)
	if fault != nil {
		return nil, c.sign(fault, a)
	}
	for _, s := range samples {
		if s.LogProbs == nil && !c.cfg.NoLogProbs {
			c.noProbs.Add(1)
		}
	}
	return samples, nil
}

// An answer is the result of one exchange.
type answer struct {
	url    string // without its query
	status int    // HTTP status; 0: no answer came
	after  time.Duration
	body   []byte
}

// exchange sends one request and reads the whole answer. If there is no error, its
// status is 2xx.
func (c *Client) exchange(ctx context.Context, method, path string, body []byte) (answer, *Error) {
	target := c.base.JoinPath(path)
	a := answer{url: plain(target)}
	ctx, cancel := c.patiently(ctx, c.cfg.Timeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, method, target.String(), bytes.NewReader(body))
	if err != nil {
		return a, c.sign(broken(err), a)
	}
	request.Header.Set("Accept", "application/json")
	request.Header.Set("Content-Type", "application/json")
	if c.cfg.APIKey != "" {
		request.Header.Set("Authorization", "Bearer "+c.cfg.APIKey)
	}
	response, err := c.http.Do(request)
	if err == nil {
		defer response.Body.Close()
		a.status = response.StatusCode
		a.after = retryAfter(response.Header.Get("Retry-After"), time.Now())
		a.body, err = readAll(response, c.cfg.MaxReplyBytes)
	}
	var fault *Error
	switch {
	case err != nil && errors.Is(context.Cause(ctx), errSlow):
		fault = &Error{Kind: TooSlow, Err: context.Cause(ctx)}
	case err != nil:
		fault = broken(err)
	case int64(len(a.body)) > c.cfg.MaxReplyBytes:
		fault = &Error{Kind: TooLarge, Err: fmt.Errorf("more than %d bytes", c.cfg.MaxReplyBytes)}
	case a.status/100 != 2:
		fault = refused(a.status, a.body)
	default:
		return a, nil
	}
	return a, c.sign(fault, a)
}

// patiently returns a context that ends after limit, with errSlow in its cause.
func (c *Client) patiently(ctx context.Context, limit time.Duration) (context.Context, context.CancelFunc) {
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
func (c *Client) sign(e *Error, a answer) *Error {
	e.URL, e.Status, e.after, e.Attempts = a.url, a.status, a.after, 1
	if a.status/100 != 2 || e.Kind == Nonsense || e.Kind == Unsupported {
		e.Excerpt = excerpt(a.body, c.cfg.APIKey)
	}
	if e.Err != nil {
		if text := e.Err.Error(); hide(text, c.cfg.APIKey) != text {
			e.Err = errors.New(hide(text, c.cfg.APIKey))
		}
	}
	e.final = e.final || e.wantsOne()
	return e
}

// plain is the text of u without its query, which may hold a key.
func plain(u *url.URL) string {
	shown := *u
	shown.RawQuery, shown.Fragment = "", ""
	return shown.String()
}

// retryAfter is the pause that a Retry-After header asks for, in seconds or until a
// date; 0: none.
func retryAfter(header string, now time.Time) time.Duration {
	const most = 24 * time.Hour // prevents overflow
	if header == "" {
		return 0
	}
	if seconds, err := strconv.ParseInt(strings.TrimSpace(header), 10, 64); err == nil {
		return time.Duration(max(0, min(seconds, int64(most/time.Second)))) * time.Second
	}
	date, err := http.ParseTime(header)
	if err != nil {
		return 0
	}
	return max(0, min(date.Sub(now), most))
}
