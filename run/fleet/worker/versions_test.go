package worker_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/quintain-rl/quintain/policy/exact"
	"github.com/quintain-rl/quintain/policy/fake"
	"github.com/quintain-rl/quintain/run/fleet"
	"github.com/quintain-rl/quintain/run/fleet/worker"
	"github.com/quintain-rl/quintain/run/player"
)

// A worker labels its samples by what was told for the server, before what was told for all, and
// tells the coordinator which servers it uses.
func TestAWorkerLabelsByTheServer(t *testing.T) {
	for _, test := range []struct {
		why   string
		shape fake.Shape
		want  int32
		says  int32
	}{
		{"a server that reports no version", fake.LlamaCpp, 5, -1},
		{"one that does", fake.SGLang, 3, 3},
	} {
		t.Run(test.why, func(t *testing.T) {
			s := fake.Defaults()
			s.Shape, s.Rate, s.FirstToken, s.Length, s.Version = string(test.shape), 0, 0, "fixed:4", 3
			model, err := fake.New(fake.Config{Server: s})
			if err != nil {
				t.Fatal(err)
			}
			web := httptest.NewServer(model)
			defer web.Close()
			defer http.DefaultClient.CloseIdleConnections()
			c := newCoordinator(t, 1)
			c.every, c.version, c.servers = 1, 8, map[string]int32{web.URL: 5}
			p := c.start(func(w *worker.Config) {
				of := player.Default(player.Server)
				of.Server.Pool.URLs, of.Server.Files.Tokenizer, of.Sampling.MaxTokens = []string{web.URL + "/v1"}, exact.ByteTokenizer, 8
				w.Player, w.Trains = &of, true
			})
			c.until(func() bool { return len(c.finished) == 1 && c.uses[web.URL] == fleet.Server{Version: test.says} })
			if v := c.finished[1].Episodes[0].Turns[0].Versions[0]; v != test.want {
				t.Errorf("version %d, want %d", v, test.want)
			}
			if err := p.end(); err != nil {
				t.Error(err)
			}
		})
	}
}
