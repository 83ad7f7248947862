package remote

import (
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/pause"
)

// call returns an arbitrary request.
func call() Call {
	return Call{Path: "x", Begin: func(int32) {}, Read: func([]byte) *Error { return nil }}
}

// A transport answers without a network, as synctest bubbles require.
type transport func() (*http.Response, error)

func (f transport) RoundTrip(r *http.Request) (*http.Response, error) {
	_, _ = io.Copy(io.Discard, r.Body)
	return f()
}

func response(status int, body string, headers ...string) *http.Response {
	r := &http.Response{StatusCode: status, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(body))}
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	return r
}

// TestPausesGrowUpToTheLimit draws the longest possible pause each time.
func TestPausesGrowUpToTheLimit(t *testing.T) {
	for _, test := range []struct {
		why    string
		header string
		want   []time.Duration
	}{
		{"doubling up to the limit", "", []time.Duration{2 * time.Second, 4 * time.Second, 8 * time.Second, 10 * time.Second, 10 * time.Second}},
		{"the server asks for more", "3", []time.Duration{5 * time.Second, 7 * time.Second, 11 * time.Second, 13 * time.Second, 13 * time.Second}},
		{"the server asks for too much", "86400", []time.Duration{12 * time.Second, 14 * time.Second, 18 * time.Second, 20 * time.Second, 20 * time.Second}},
		{"a date", "Sat, 01 Jan 2000 00:00:05 GMT", []time.Duration{7 * time.Second, 4 * time.Second, 8 * time.Second, 10 * time.Second, 10 * time.Second}},
		{"a date that has passed", "Mon, 01 Jan 1990 00:00:00 GMT", []time.Duration{2 * time.Second, 4 * time.Second, 8 * time.Second, 10 * time.Second, 10 * time.Second}},
	} {
		synctest.Test(t, func(t *testing.T) { // time begins at midnight UTC 2000-01-01
			var times []time.Time
			s, err := New(Config{
				URL: "http://server/v1", Backoff: time.Second, MaxBackoff: 10 * time.Second,
				Transport: transport(func() (*http.Response, error) {
					times = append(times, time.Now())
					if len(times) <= len(test.want) {
						return response(429, "", "Retry-After", test.header), nil
					}
					return response(200, "{}"), nil
				}),
			})
			if err != nil {
				t.Fatal(err)
			}
			s.retry.backoff.Jitter = false
			if err := s.Ask(t.Context(), call()); err != nil {
				t.Fatal(err)
			}
			var got []time.Duration
			for i := range times[1:] {
				got = append(got, times[i+1].Sub(times[i]))
			}
			if !slices.Equal(got, test.want) {
				t.Errorf("%s: pauses of %v, want %v", test.why, got, test.want)
			}
		})
	}
}

// TestDefaultsArePatient uses a server that takes a minute to start.
func TestDefaultsArePatient(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		s, err := New(Config{URL: "http://server/v1", Transport: transport(func() (*http.Response, error) {
			if time.Since(start) < time.Minute {
				return nil, errors.New("connection refused")
			}
			return response(200, "{}"), nil
		})})
		if err != nil {
			t.Fatal(err)
		}
		s.retry.backoff = pause.Backoff{First: s.retry.backoff.First / 2, Most: s.retry.backoff.Most / 2} // the mean of the draws
		if err := s.Ask(t.Context(), call()); err != nil {
			t.Errorf("after %v: %v", time.Since(start), err)
		}
	})
}

func TestComplaintsAboutTheContext(t *testing.T) {
	for _, test := range []struct {
		server, says string
		status       int
		is           bool
	}{
		{"vLLM", `This model's maximum context length is 1024 tokens. However, your request has 1100 input tokens.`, 400, true},
		{"vLLM's engine", `The decoder prompt (length 1100) is longer than the maximum model length of 1024.`, 400, true},
		{"SGLang", `The input (1100 tokens) is longer than the model's context length (1024 tokens).`, 400, true},
		{"llama.cpp", `{"error":{"code":400,"type":"exceed_context_size_error","message":"the request exceeds the available context size"}}`, 400, true},
		{"OpenAI", `{"error":{"code":"context_length_exceeded"}}`, 400, true},
		{"another complaint", `temperature must not be below 0`, 400, false},
		{"a failure", `context length`, 500, false},
	} {
		fault := refused(test.status, []byte(test.says))
		if is := fault.Kind == TooLong; is != test.is || errors.Is(fault, quintain.ErrNoRoom) != is || is && !errors.Is(fault, quintain.ErrFinal) {
			t.Errorf("%s: %q is %s", test.server, test.says, fault.Kind)
		}
	}
}
