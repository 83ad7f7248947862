package httpclient

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/quintain-rl/quintain/internal/strictjson"
)

// An Error says why a request got no reply with a status of 2xx, or not the expected one. It holds
// no key, no header, and neither user nor query of the address.
type Error struct {
	Method, URL string        // empty: the request could not be made
	Status      int           // of HTTP; 0: there was no reply, or it broke off
	Excerpt     string        // what the server said: the beginning of the body, on one line, or its error or message
	After       time.Duration // the pause that the server asks for by Retry-After; 0: none
	Err         error         // why there is no reply, or what is wrong with it; nil: see Status
}

// Error names the request, the fault, and what the server said.
func (e *Error) Error() string {
	var parts []string
	if e.URL != "" {
		parts = append(parts, strings.TrimSpace(e.Method+" "+e.URL))
	}
	if e.Status != 0 && e.Status != http.StatusOK {
		parts = append(parts, strings.TrimSpace(fmt.Sprintf("HTTP %d %s", e.Status, http.StatusText(e.Status))))
	}
	if e.Err != nil {
		parts = append(parts, e.Err.Error())
	}
	if e.Excerpt != "" {
		parts = append(parts, "the server said "+strings.ReplaceAll(strconv.Quote(e.Excerpt), `\"`, `"`))
	}
	text := strings.Join(parts, ": ")
	if e.Status/100 == 3 {
		text += "; redirects are not followed: use the address it points to"
	}
	return text
}

// Unwrap returns the fault below.
func (e *Error) Unwrap() error { return e.Err }

// Temporary reports whether the same request may succeed later: the server is away, fails, has too
// much to do, or did not send a whole reply.
func (e *Error) Temporary() bool {
	if e.Status == 0 {
		_, untrusted := errors.AsType[*tls.CertificateVerificationError](e.Err)
		return !untrusted && !errors.Is(e.Err, http.ErrSchemeMismatch)
	}
	return e.Status/100 == 2 || Temporary(e.Status)
}

// Temporary reports whether a request that got a status other than 2xx may succeed later.
func Temporary(status int) bool {
	switch status {
	case http.StatusRequestTimeout, http.StatusTooManyRequests:
		return true
	case http.StatusNotImplemented, http.StatusHTTPVersionNotSupported:
		return false
	}
	return status >= http.StatusInternalServerError
}

// Unreached reports whether nobody listens at the address, so that the request did nothing.
func (e *Error) Unreached() bool {
	dial, ok := errors.AsType[*net.OpError](e.Err)
	return ok && dial.Op == "dial"
}

// StatusOf returns the status of HTTP that err tells of; 0: none.
func StatusOf(err error) int {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Status
	}
	return 0
}

// broken returns the error of a request without a whole reply.
func broken(r *http.Request, err error) *Error {
	return &Error{Method: r.Method, URL: Plain(r.URL), Err: cause(r.Context(), err)}
}

// cause returns why a request failed: because its context ended, or err without the address.
func cause(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if outer, ok := errors.AsType[*url.Error](err); ok {
		return outer.Err
	}
	return err
}

// Invalid returns the error for a reply that is not what the caller asked for, because of err.
func (r *Reply) Invalid(err error) *Error { return r.fault(err) }

// fault returns the error for a reply.
func (r *Reply) fault(err error) *Error {
	return &Error{
		Method: r.request.Method, URL: Plain(r.request.URL), Status: r.Status, Err: err,
		Excerpt: r.from.Excerpt(r.Body), After: RetryAfter(r.Header.Get("Retry-After"), time.Now()),
	}
}

// Plain returns u without user, query and fragment, which may hold a key.
func Plain(u *url.URL) string {
	shown := *u
	shown.User, shown.RawQuery, shown.Fragment = nil, "", ""
	return shown.String()
}

// Excerpt returns what a body says: its error or message, if it is JSON with one, or else its
// beginning, of 300 bytes, on one line. No key of the client is in it.
func (c *Client) Excerpt(body []byte) string {
	const most = 300
	var of struct{ Error, Detail, Message any }
	text := string(body[:min(len(body), 8*most)])
	if strictjson.Unmarshal(body, &of) == nil {
		said := func(value any) string { s, _ := value.(string); return s }
		text = cmp.Or(said(of.Error), said(of.Detail), said(of.Message), text)
	}
	text = strings.Join(strings.Fields(c.hide(strings.ToValidUTF8(text, "\uFFFD"))), " ")
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "") + "…"
	}
	return text
}

// hide replaces the client's keys in text by "[key]".
func (c *Client) hide(text string) string {
	for _, secret := range c.secrets {
		text = strings.ReplaceAll(text, secret, "[key]")
	}
	return text
}

// Hide returns err or, if that tells a key of the client, its text without.
func (c *Client) Hide(err error) error {
	text := err.Error()
	if hidden := c.hide(text); hidden != text {
		return errors.New(hidden)
	}
	return err
}

// RetryAfter returns the pause in a Retry-After header, in seconds or until a date, a day at most;
// 0: none.
func RetryAfter(header string, now time.Time) time.Duration {
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
