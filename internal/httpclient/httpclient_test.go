package httpclient

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// ask makes a GET request, whose reply may have 100 bytes.
func ask(t *testing.T, c *Client, url string) (Reply, error) {
	t.Helper()
	r, err := c.Request(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	return c.Do(r, 100)
}

// Whatever a server answers, the error says it, says whether it may pass, and holds no secret.
func TestFaults(t *testing.T) {
	const key, other = "sk-123", "v-456"
	for _, c := range []struct {
		why       string
		serve     http.HandlerFunc
		status    int
		temporary bool
		after     time.Duration
		says      string
	}{
		{"it is busy", says(503, "Retry-After", "3", "later"), 503, true, 3 * time.Second, `HTTP 503 Service Unavailable: the server said "later"`},
		{"it has too many", says(429, "", "", `{"error": "wait\n a bit"}`), 429, true, 0, `HTTP 429 Too Many Requests: the server said "wait a bit"`},
		{"it gave up", says(408, "", "", ""), 408, true, 0, "HTTP 408 Request Timeout"},
		{"it cannot", says(501, "", "", `{"message": "no"}`), 501, false, 0, `the server said "no"`},
		{"it refuses", says(422, "", "", `{"detail": [{"loc": 1}]}`), 422, false, 0, `the server said "{"detail": [{"loc": 1}]}"`},
		{"it repeats the keys", says(401, "", "", "Bearer "+key+", "+other), 401, false, 0, `"Bearer [key], [key]"`},
		{"it leads elsewhere", says(307, "Location", "/there", ""), 307, false, 0, "redirects are not followed"},
		{"it says too much", says(200, "", "", strings.Repeat("x", 101)), 200, true, 0, "the reply is too large: more than 100 bytes"},
		{"it breaks off", says(200, "Content-Length", "90", "x"), 0, true, 0, "unexpected EOF"},
		{"it closes", func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, 0, true, 0, "EOF"},
	} {
		t.Run(c.why, func(t *testing.T) {
			s := httptest.NewServer(c.serve)
			defer s.Close()
			client := New(Config{Key: key, Header: http.Header{"X-Key": {other}}})
			defer client.CloseIdle()
			_, err := ask(t, client, strings.Replace(s.URL, "//", "//user:"+key+"@", 1)+"/path?key="+key)
			e, ok := errors.AsType[*Error](err)
			if !ok || e.Status != c.status || StatusOf(err) != c.status || e.Temporary() != c.temporary || e.After != c.after || e.Unreached() {
				t.Fatalf("%+v", err)
			}
			text := fmt.Sprintf("%v %+v %#v", err, *e, e)
			if !strings.HasPrefix(text, "GET "+s.URL+"/path: ") || !strings.Contains(text, c.says) || strings.Contains(text, key) || strings.Contains(text, other) {
				t.Errorf("it says %s, want %s", text, c.says)
			}
		})
	}
}

// says answers with a status, a header and a body.
func says(status int, name, value, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		if name != "" {
			w.Header().Set(name, value)
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

// A request has the key and the headers, and its reply is whole.
func TestAnExchange(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		w.Header().Set("Mark", "7")
		fmt.Fprint(w, r.Method, " ", r.URL, " ", r.Header.Get("Authorization"), " ", r.Header.Get("X-More"), " ", r.Header.Get("Content-Type"), " ", string(body))
	}))
	defer s.Close()
	c := New(Config{Key: "k", Header: http.Header{"X-More": {"1"}}})
	defer c.CloseIdle()
	r, err := c.Request(t.Context(), http.MethodPost, s.URL+"/a?b=c", []byte("{}"))
	if err != nil {
		t.Fatal(err)
	}
	reply, err := c.Do(r, 100)
	if err != nil || reply.Status != 200 || reply.Header.Get("Mark") != "7" || string(reply.Body) != "POST /a?b=c Bearer k 1 application/json {}" {
		t.Errorf("%+v, error %v", reply, err)
	}
	if e := reply.Invalid(errors.New("no")); !e.Temporary() || e.Error() != "POST "+s.URL+"/a: no: the server said "+fmt.Sprintf("%q", c.Excerpt(reply.Body)) {
		t.Errorf("an invalid reply: %v", e)
	}
}

// Without a reply, the error says whether another try may help, and whether the request did nothing.
func TestNoReply(t *testing.T) {
	for _, c := range []struct {
		why                  string
		err                  error
		temporary, unreached bool
	}{
		{"nobody listens", &net.OpError{Op: "dial", Err: errors.New("connection refused")}, true, true},
		{"it breaks off", io.ErrUnexpectedEOF, true, false},
		{"nobody vouches for it", &tls.CertificateVerificationError{Err: errors.New("unknown authority")}, false, false},
		{"it speaks no TLS", http.ErrSchemeMismatch, false, false},
	} {
		_, err := ask(t, New(Config{Transport: fails{c.err}}), "http://server/x?k=1")
		e, ok := errors.AsType[*Error](err)
		if !ok || e.Temporary() != c.temporary || e.Unreached() != c.unreached || !errors.Is(err, c.err) || e.Error() != "GET http://server/x: "+c.err.Error() {
			t.Errorf("%s: %v", c.why, err)
		}
	}
	if _, err := New(Config{}).Request(t.Context(), "G E T", "http://server", nil); err == nil || StatusOf(err) != 0 {
		t.Errorf("an invalid method: %v", err)
	}
}

// A fails is a network that fails.
type fails struct{ err error }

func (f fails) RoundTrip(*http.Request) (*http.Response, error) { return nil, f.err }

// A waits is a network without an answer.
type waits struct{}

func (waits) RoundTrip(r *http.Request) (*http.Response, error) {
	<-r.Context().Done()
	return nil, r.Context().Err()
}

func TestATimeLimitIsTheReason(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		ctx, cancel := Within(t.Context(), time.Minute)
		defer cancel()
		c := New(Config{Transport: waits{}})
		r, err := c.Request(ctx, http.MethodGet, "http://server", nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err = c.Do(r, 1); !errors.Is(err, ErrSlow) || !strings.Contains(err.Error(), "no answer in time (1m0s)") || time.Since(start) != time.Minute {
			t.Errorf("%v after %v", err, time.Since(start))
		}
		over := errors.New("over")
		ended, end := context.WithCancelCause(t.Context())
		end(over)
		if _, err = c.Do(r.WithContext(ended), 1); !errors.Is(err, over) {
			t.Errorf("%v, want the cause", err)
		}
	})
}

func TestRetryAfter(t *testing.T) {
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for header, want := range map[string]time.Duration{
		"": 0, "5": 5 * time.Second, " 5 ": 5 * time.Second, "-5": 0, "soon": 0, "NaN": 0,
		"9000000000000000000": 24 * time.Hour, "99999999999999999999999": 0,
		"Thu, 01 Jan 2026 00:01:00 GMT": time.Minute, "Wed, 31 Dec 2025 00:00:00 GMT": 0,
		"Fri, 01 Jan 2100 00:00:00 GMT": 24 * time.Hour,
	} {
		if got := RetryAfter(header, now); got != want {
			t.Errorf("%q: %v, want %v", header, got, want)
		}
	}
}

func TestExcerptIsShortAndSafe(t *testing.T) {
	for _, c := range []struct{ why, body, key, want string }{
		{"on one line", "a\n\t b\x00", "", "a b\x00"},
		{"without the key", "Bearer k1, k1", "k1", "Bearer [key], [key]"},
		{"bytes that are not text", "a\xff", "", "a\uFFFD"},
		{"cut within a character", strings.Repeat("é", 200), "", strings.Repeat("é", 150) + "…"},
		{"cut at 300 bytes", "x" + strings.Repeat("é", 200), "", "x" + strings.Repeat("é", 149) + "…"},
		{"an error in JSON", `{"detail": "d", "error": "e k1"}`, "k1", "e [key]"},
		{"another form", `{"error": {"message": "m"}}`, "", `{"error": {"message": "m"}}`},
	} {
		if got := New(Config{Key: c.key}).Excerpt([]byte(c.body)); got != c.want {
			t.Errorf("%s: %q, want %q", c.why, got, c.want)
		}
	}
}

func TestAddresses(t *testing.T) {
	if u, err := ParseURL("https://host:1/path?q=1"); err != nil || u.Host != "host:1" || u.Path != "/path" {
		t.Errorf("%v, error %v", u, err)
	}
	for _, text := range []string{"", "host:80", "127.0.0.1:80", "ftp://u:secret@host", "http://", "http:///?k=secret", "http://u:secret@h o"} {
		if u, err := ParseURL(text); err == nil || strings.Contains(err.Error(), "secret") || !strings.Contains(err.Error(), "want one with http://") {
			t.Errorf("%q: %v, error %v", text, u, err)
		}
	}
}
