package worker_test

import (
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/policy/exact"
	"github.com/quintain-rl/quintain/policy/fake"
	"github.com/quintain-rl/quintain/run/fleet"
	"github.com/quintain-rl/quintain/run/fleet/worker"
	"github.com/quintain-rl/quintain/run/player"
)

// The inference server hears of the lease's span by the header traceparent, if there is one.
func TestAWorkerPassesTheSpanOfTheLeaseOn(t *testing.T) {
	const span = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
	for _, want := range []string{span, ""} {
		s := fake.Defaults()
		s.Shape, s.Rate, s.FirstToken, s.Length = string(fake.VLLM), 0, 0, "fixed:4"
		model, err := fake.New(fake.Config{Server: s})
		if err != nil {
			t.Fatal(err)
		}
		var mu sync.Mutex
		heard := map[string]int{}
		web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			mu.Lock()
			heard[r.Header.Get("Traceparent")]++
			mu.Unlock()
			model.ServeHTTP(w, r)
		}))
		defer web.Close()
		defer http.DefaultClient.CloseIdleConnections()
		c := newCoordinator(t, 1)
		c.change = func(l *fleet.Lease) { l.Span = want }
		p := c.start(func(w *worker.Config) {
			of := player.Default(player.Server)
			of.Server.Pool.URLs, of.Server.Files.Tokenizer, of.Sampling.MaxTokens = []string{web.URL + "/v1"}, exact.ByteTokenizer, 8
			w.Player, w.Trains = &of, true
		})
		c.until(func() bool { return len(c.finished) == 1 })
		if err := p.end(); err != nil {
			t.Error(err)
		}
		turn := c.finished[1].Episodes[0].Turns[0]
		if want == "" && turn.Times != (quintain.Times{}) || want != "" && turn.Times.Replied <= 0 || turn.Times.Replied < turn.Times.Asked || turn.Times.Judged < turn.Times.Replied {
			t.Errorf("the times of a turn are %+v", turn.Times)
		}
		mu.Lock()
		if others := len(heard); heard[want] == 0 || others > 2 || want == "" && others > 1 {
			t.Errorf("the server heard %v, want %q", heard, want)
		}
		mu.Unlock()
	}
}
