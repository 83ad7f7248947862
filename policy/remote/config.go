package remote

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/quintain-rl/quintain/internal/httpclient"
)

// A Config names a server and its limits. URL is required; the zero value of every other
// field is a sensible default.
type Config struct {
	// URL is the base of the API, such as "http://127.0.0.1:8000/v1". Its query, such as an
	// API version, is sent with every request.
	URL string

	// APIKey is sent as a bearer token; empty: none. No error contains it.
	APIKey string

	// Version returns the version of the server's weights. It is called before each request
	// and applies to all tokens of the reply, which therefore never count as newer than
	// they are. nil: the version is 0.
	Version func() int32

	// VersionPath is the path at which the server reports the version of its weights, as
	// {"weight_version": "7"}. It is read before a request, at most once a second, and
	// never again if the server lacks the route. If the answer is not a whole number,
	// Version applies. "" and Unasked: never read.
	VersionPath string

	// Newest returns the newest version that the weights can have in this run. A server whose
	// first report is above it still has the label of another run: until it reports another
	// one, Version applies. nil: any report is of this run.
	Newest func() int32

	// Said is called with each version that the server reports and that applies, from many
	// goroutines at once; nil: not called.
	Said func(version int32)

	// Timeout limits one attempt; 0: one hour. A timeout is not retried, because that would
	// favour short replies.
	Timeout time.Duration

	// Retries is the number of retries after temporary faults; 0: 9, which take about two
	// minutes; below 0: none.
	Retries int

	// The pause before retry i is drawn uniformly from 0 to Backoff·2^i, or to MaxBackoff
	// if that is less; 0: 500 ms and 1 min. A server's Retry-After is added, up to
	// MaxBackoff.
	Backoff, MaxBackoff time.Duration

	// Told is called before each retry, from many goroutines at once; nil: not called.
	Told func(fault *Error, attempt int)

	// Stop, once closed, ends the pauses before retries and all retrying; nil: never.
	Stop <-chan struct{}

	// MaxInFlight limits the concurrent HTTP requests; others wait; 0: 1024.
	MaxInFlight int

	// MaxReplyBytes limits the body of one answer; 0: 64 MiB. Thousands may arrive at once.
	MaxReplyBytes int64

	// Transport replaces the HTTP connection pool; nil: a pool for thousands of long
	// requests to one server.
	Transport http.RoundTripper
}

// Unasked, as VersionPath, turns the version request off where "" stands for the path of a
// server's kind.
const Unasked = "-"

// withDefaults returns c with its zero fields filled in.
func (c Config) withDefaults() Config {
	setDefault(&c.Timeout, time.Hour)
	setDefault(&c.Retries, 9)
	setDefault(&c.Backoff, 500*time.Millisecond)
	setDefault(&c.MaxBackoff, time.Minute)
	setDefault(&c.MaxInFlight, 1024)
	setDefault(&c.MaxReplyBytes, 64<<20)
	if c.Version == nil {
		c.Version = func() int32 { return 0 }
	}
	return c
}

func setDefault[T comparable](field *T, value T) {
	var zero T
	if *field == zero {
		*field = value
	}
}

// check reports the first invalid field, before defaults apply.
func (c Config) check() error {
	base, err := httpclient.ParseURL(c.URL)
	switch {
	case err != nil:
		return fmt.Errorf("url %w", err)
	case base.User != nil:
		return errors.New("url contains a user name: put a key into the API key setting instead")
	case strings.ContainsFunc(c.APIKey, func(r rune) bool { return r <= ' ' || r >= 0x7f }):
		return errors.New("api key contains a character that is not allowed in a header; is it a line end?")
	case c.Timeout < 0, c.Backoff < 0, c.MaxBackoff < 0:
		return errors.New("a duration is below 0")
	case c.MaxInFlight < 0:
		return fmt.Errorf("max in flight is %d, want 1 or more", c.MaxInFlight)
	case c.MaxReplyBytes < 0:
		return fmt.Errorf("max reply bytes is %d, want 1 or more", c.MaxReplyBytes)
	}
	return nil
}

// Root returns the address of a server from url, its API below /v1.
func Root(url string) string { return strings.TrimSuffix(strings.TrimSuffix(url, "/"), "/v1") }
