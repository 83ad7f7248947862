package environment

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quintain-rl/quintain/internal/httpclient"
)

// A waiting hub of Quintain answers for a known status when the wait is over. One that does
// not know the parameter answers at once, without a mark.
type waiting struct {
	*hubStub
	old bool
}

func (h waiting) RoundTrip(r *http.Request) (*http.Response, error) {
	query := r.URL.Query()
	if r.URL.Path != "/status-env" || h.old {
		return h.hubStub.RoundTrip(r)
	}
	if wait, err := time.ParseDuration(query.Get("wait")); err == nil && query.Get("seen") == "m" {
		select {
		case <-time.After(wait):
		case <-r.Context().Done():
			r.Body.Close()
			return nil, context.Cause(r.Context())
		}
	}
	reply, err := h.hubStub.RoundTrip(r)
	if err == nil {
		reply.Header.Set("Quintain-Status", "m")
	}
	return reply, err
}

// An environment that waits asks Quintain's hub seldom, and other hubs ten times a second. It
// does not wait while the status does not tell of sent groups, or when somebody must know now.
func TestLongPoll(t *testing.T) {
	for _, test := range []struct {
		why         string
		ours, old   bool
		least, most int // polls in 100 s
	}{{"ours", true, false, 9, 12}, {"ours, an older one", true, true, 900, 1002}, {"run-api", false, true, 900, 1002}} {
		synctest.Test(t, func(t *testing.T) {
			h := &hubStub{trainer: true, ours: test.ours}
			l, said := h.link(t, LinkConfig{TotalSteps: 30})
			l.hub.http = httpclient.New(httpclient.Config{Transport: waiting{h, test.old}})
			if err := l.connect(t.Context()); err != nil {
				t.Fatal(err)
			}
			polls := func() (n int) {
				h.mu.Lock()
				defer h.mu.Unlock()
				return strings.Count(strings.Join(h.requests, "\n"), "/status-env")
			}
			ctx, stop := context.WithCancel(t.Context())
			ended := make(chan error)
			go func() { ended <- l.Run(ctx) }()
			time.Sleep(100 * time.Second)
			if n := polls(); n < test.least || n > test.most {
				t.Errorf("%s: %d polls, want %d to %d", test.why, n, test.least, test.most)
			}
			begin := time.Now()
			if err := l.poll(t.Context(), 0); err != nil || time.Since(begin) > 0 {
				t.Errorf("%s: a poll without a wait took %v, error %v", test.why, time.Since(begin), err)
			}
			if _, err := l.Send(t.Context(), groups(0, 2), unmarked); err != nil {
				t.Fatal(err)
			}
			time.Sleep(longPoll + time.Second)
			synctest.Wait()
			l.mu.Lock()
			if l.unseen != 0 {
				t.Errorf("%s: the status tells of all but %d groups", test.why, l.unseen)
			}
			l.mu.Unlock()
			for _, text := range *said {
				if strings.Contains(text, "waiting for the hub") {
					t.Errorf("%s: it says %s", test.why, text)
				}
			}
			stop()
			<-ended
		})
	}
}
