package gateway

import (
	"maps"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/internal/web"
)

// A conversation whose system message changes only by what makes no difference stays one; that
// is counted, in the next process too, and the first version stays.
func TestIgnoredChangesAreCounted(t *testing.T) {
	const first, later = "You help.\nToday's date is 2026-01-01", "You help.\nToday's date is 2026-01-02"
	folder := filepath.Join(t.TempDir(), "s")
	b := open(t, in(folder))
	s := b.make(`{"name": "x", "of": 1}`).Sessions[0]
	say := func(n int, messages ...any) {
		t.Helper()
		b.chatWith(b.at(s), map[string]any{"messages": messages, "n": n}, "Authorization", "Bearer "+s.Key)
	}
	say(1, system(first), user("one"))
	say(1, system(" "+first+"\n"), user("one"), says("reply 1"), user("two"))                         // white space is no change
	say(1, system(first), user("one"), says("reply 1"), user("two"), says("reply 2"), user("three"))  // nor is nothing
	say(1, system(later), user("one"), says("reply 1"), user("two"), says("reply 2"), user("four"))   // a branch
	say(2, system(later), user("one"), says("reply 1"), system("Today's date is 5"), user("a phase")) // two replies are one call
	say(1, system(later), user("one"), says("reply 1"), system("Today's date is 6"), user("a phase"), says("reply 5"), user("on"))
	say(1, system(later), user("another conversation, which is its own first"))
	if asked := b.policy.asked[3]; asked.Messages[0].Text() != first {
		t.Errorf("the policy reads %q", asked.Messages[0].Text())
	}
	want := map[string]int{"root": 2, "extends": 3, "branches": 2, "ignored_changes": 3, "ambiguous": 0}
	counts := b.view(s).Classes
	counts["ambiguous"] = 0
	if !maps.Equal(counts, want) {
		t.Errorf("counts %v, want %v", counts, want)
	}
	text := metrics(t, b)
	for _, line := range []string{`{class="ignored_changes"} 3`, `{class="root"} 2`, `{class="branches"} 2`} {
		if !strings.Contains(text, "quintain_gateway_calls_total"+line+"\n") {
			t.Errorf("the metrics have no %s: %s", line, text)
		}
	}
	b = b.again(folder)
	counts = b.view(s).Classes
	counts["ambiguous"] = 0
	if !maps.Equal(counts, want) {
		t.Errorf("after a restart: counts %v, want %v", counts, want)
	}
}

// metrics are those of a gateway as Prometheus reads them.
func metrics(t *testing.T, b *bench) string {
	t.Helper()
	var server *web.Server
	server, err := web.New(web.Config{Name: "test", Routes: []web.Route{{Method: "GET", Path: "/metrics", Serve: func(c *web.Call) error { return server.Metrics(c) }}}})
	if err != nil {
		t.Fatal(err)
	}
	server.Register(b.gateway.Calls)
	w := httptest.NewRecorder()
	server.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "http://127.0.0.1/metrics", nil))
	return w.Body.String()
}
