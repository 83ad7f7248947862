package openai

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// A Config says which server to ask, and how patiently. URL and Model are
// needed; the zero value of every other field is a sensible default.
type Config struct {
	// URL is the base of the API, "http://127.0.0.1:8000/v1". A query in it, such
	// as an API version, is sent along with every request.
	URL string

	// Model is the name that the server knows the model by, and the vocabulary of
	// the samples where TokenIDs is set.
	Model string

	// APIKey is sent as a bearer token; empty: none is sent. It is part of no error.
	APIKey string

	// TokenIDs asks the server for the exact tokens of prompt and reply (vLLM
	// 0.10.2 or newer, recent SGLang and LMDeploy). Without it the samples count
	// in bytes.
	TokenIDs bool

	// NoLogProbs does not ask for log-probabilities, which some servers refuse.
	NoLogProbs bool

	// ExtraBody is added to the body of every request. It may not hold what a
	// request sets by itself, nor "stream", nor "seed", which would make all
	// samples of a group the same. A "top_k" holds for requests without one: vLLM
	// and SGLang fall back on the generation_config.json of the model for what a
	// request does not tell, and {"top_k": -1} keeps them from it, as does
	// --generation-config vllm on vLLM's command line.
	ExtraBody map[string]any

	// Version tells the version of the weights that the server samples with. It
	// is read before each request is sent and marks all tokens of the reply, which
	// makes them no newer than they are. nil: the version is 0.
	Version func() int32

	// Timeout is for one HTTP exchange; 0: one hour. What runs into it is not
	// tried again: that would favour short replies.
	Timeout time.Duration

	// Retries is how often one HTTP exchange is tried again after a fault that
	// may pass; 0: 9, which takes some two minutes; below 0: never.
	Retries int

	// The pause before retry i is drawn evenly from 0 to Backoff·2^i, or to
	// MaxBackoff where that is less; 0: 500 ms and 1 min. A server's Retry-After
	// adds to it, MaxBackoff at most.
	Backoff, MaxBackoff time.Duration

	// Told is called before a fault is tried again, from many goroutines. Nil: nobody is
	// told.
	Told func(fault *Error, attempt int)

	// MaxInFlight is how many HTTP exchanges run at once, others waiting; 0: 1024.
	MaxInFlight int

	// MaxReplyBytes limits the body of one answer; 0: 64 MiB. It is one of
	// thousands that arrive at once.
	MaxReplyBytes int64

	// Transport replaces the HTTP connection pool; nil: one that is made for
	// thousands of long requests to one server.
	Transport http.RoundTripper
}

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
	if c.Transport == nil {
		c.Transport = newTransport(c.MaxInFlight)
	}
	return c
}

func setDefault[T comparable](field *T, value T) {
	var zero T
	if *field == zero {
		*field = value
	}
}

// check reports the first invalid field. It knows no defaults.
func (c Config) check() error {
	base, err := url.Parse(c.URL)
	switch {
	case err != nil:
		return errors.New("url is not one, want the likes of http://127.0.0.1:8000/v1")
	case base.Scheme != "http" && base.Scheme != "https", base.Host == "":
		return fmt.Errorf("url is %q, want the likes of http://127.0.0.1:8000/v1", base.Redacted())
	case base.User != nil:
		return errors.New("url holds a user's name: a key belongs into the setting for it")
	case c.Model == "":
		return errors.New("model is empty, want the name that the server knows it by")
	case strings.ContainsFunc(c.APIKey, func(r rune) bool { return r <= ' ' || r >= 0x7f }):
		return errors.New("api key holds a character that no header may have; is there a line end in it?")
	case c.Timeout < 0, c.Backoff < 0, c.MaxBackoff < 0:
		return errors.New("a duration is below 0")
	case c.MaxInFlight < 0:
		return fmt.Errorf("max in flight is %d, want 1 or more", c.MaxInFlight)
	case c.MaxReplyBytes < 0:
		return fmt.Errorf("max reply bytes is %d, want 1 or more", c.MaxReplyBytes)
	}
	return c.checkExtra()
}

// checkExtra reports what ExtraBody may not hold.
func (c Config) checkExtra() error {
	for _, name := range []string{
		"model", "messages", "n", "temperature", "top_p", "max_tokens", "logprobs",
		"return_token_ids", "stream", "seed",
	} {
		if _, found := c.ExtraBody[name]; found {
			return fmt.Errorf("extra body holds %q, which is not for it to say", name)
		}
	}
	if _, err := json.Marshal(c.ExtraBody); err != nil {
		return fmt.Errorf("extra body: %w", err)
	}
	return nil
}

// newTransport makes a pool for inFlight long requests to one server. A dead peer
// is noticed within two minutes, by TCP's own probes or by HTTP/2 pings: a reply
// may take an hour without a byte. Idle connections are closed before the five
// seconds after which uvicorn, which most such servers run on, closes them: a
// request that meets a closing connection is lost.
func newTransport(inFlight int) *http.Transport {
	dialer := &net.Dialer{
		Timeout:         10 * time.Second,
		KeepAliveConfig: net.KeepAliveConfig{Enable: true, Idle: 30 * time.Second, Interval: 15 * time.Second, Count: 4},
	}
	return &http.Transport{
		Proxy:               http.ProxyFromEnvironment,
		DialContext:         dialer.DialContext,
		TLSHandshakeTimeout: 10 * time.Second,
		MaxIdleConnsPerHost: inFlight,
		IdleConnTimeout:     4 * time.Second,
		DisableCompression:  true, // MaxReplyBytes is then what arrives
		ForceAttemptHTTP2:   true,
		HTTP2:               &http.HTTP2Config{SendPingTimeout: 30 * time.Second, PingTimeout: 30 * time.Second},
	}
}
