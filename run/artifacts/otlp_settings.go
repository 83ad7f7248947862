package artifacts

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/quintain-rl/quintain/internal/httpclient"
	"github.com/quintain-rl/quintain/internal/settings"
	"github.com/quintain-rl/quintain/internal/traceparent"
)

// OTLPSettings say where spans go, and of which problems.
type OTLPSettings struct {
	URL   string  // of a collector; empty: there are no spans
	Ratio float64 // share of the problems that have a trace
}

// DefaultOTLP returns the default settings.
func DefaultOTLP() OTLPSettings { return OTLPSettings{Ratio: 1} }

// HeadersVariable is the variable of the environment with the headers of requests.
const HeadersVariable = "OTEL_EXPORTER_OTLP_HEADERS"

// Declare implements [settings.Declarer].
func (s *OTLPSettings) Declare(d *settings.Section) {
	d.Text(&s.URL, "url", "collector of OpenTelemetry that gets spans of the run by OTLP/HTTP, such as http://127.0.0.1:4318; "+HeadersVariable+" has headers for it")
	d.Float(&s.Ratio, "ratio", "share of the problems that have spans").Between(0, 1)
}

// Check implements [settings.Checker].
func (s *OTLPSettings) Check() error {
	if s.URL == "" {
		return nil
	}
	if _, err := s.address(); err != nil {
		return fmt.Errorf("url: %w", err)
	}
	return nil
}

// Sampler chooses the problems that have a trace: none without a collector.
func (s *OTLPSettings) Sampler() traceparent.Sampler {
	if s.URL == "" {
		return 0
	}
	return traceparent.Sampler(s.Ratio)
}

// address is where requests go.
func (s *OTLPSettings) address() (string, error) {
	at, err := httpclient.ParseURL(s.URL)
	switch {
	case err != nil:
		return "", err
	case at.User != nil || at.RawQuery != "":
		return "", errors.New("has a password or a query, want neither: " + HeadersVariable + " is for keys")
	case strings.HasSuffix(at.Path, tracesPath):
		return at.String(), nil
	}
	return at.JoinPath(tracesPath).String(), nil
}

// tracesPath is the path of a collector that takes spans.
const tracesPath = "/v1/traces"

// headersOf reads headers as OpenTelemetry writes them: name=value,name=value, percent-encoded.
func headersOf(text string) (http.Header, error) {
	all := http.Header{}
	for i, one := range strings.Split(text, ",") {
		if strings.TrimSpace(one) == "" {
			continue
		}
		name, value, ok := strings.Cut(one, "=")
		name = strings.TrimSpace(name)
		value, err := url.PathUnescape(strings.TrimSpace(value))
		if err != nil || !ok || name == "" || strings.ContainsAny(name, " \t\r\n:\"") || strings.ContainsAny(value, "\r\n") {
			return nil, fmt.Errorf("%s: number %d is no name=value", HeadersVariable, i+1) // it may hold a key
		}
		all.Set(name, value)
	}
	return all, nil
}
