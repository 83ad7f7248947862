package gateway

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/web"
	"github.com/quintain-rl/quintain/run/rollout"
)

// A quick policy answers at once: so many tokens are read, 100 written.
type quick int

func (q quick) Sample(_ context.Context, r quintain.Request) ([]quintain.Sample, error) {
	s := quintain.Sample{
		Text: strings.Repeat("word ", 20), Whole: strings.Repeat("word ", 20), Read: make([]quintain.Token, q), Wrote: make([]quintain.Token, 100),
		LogProbs: make([]float32, 100), Versions: make([]int32, 100), Finish: quintain.Stop, Vocabulary: "v",
	}
	for i := range s.Read {
		s.Read[i] = quintain.Token(i * 37 % 150_000)
	}
	return []quintain.Sample{s}, nil
}

// BenchmarkCalls makes calls of sessions of ten calls, without the network: with and without
// a journal, many at once.
func BenchmarkCalls(b *testing.B) {
	for _, journal := range []bool{false, true} {
		b.Run(fmt.Sprintf("journal=%v", journal), func(b *testing.B) {
			c := Config{Settings: Defaults(), GroupSize: 1, Secret: []byte("s")}
			c.Settings.Limits.Calls = 1 << 30
			if journal {
				c.Folder = b.TempDir()
			}
			g, call := benched(b, c, quick(2000))
			body := fmt.Sprintf(`{"model":"m","messages":[{"role":"user","content":%q}]}`, strings.Repeat("lorem ipsum ", 700))
			b.SetParallelism(64)
			b.ReportAllocs()
			b.ResetTimer()
			b.RunParallel(func(p *testing.PB) {
				var s MadeSession
				for n := 0; p.Next(); n++ {
					if n%10 == 0 {
						out, err := g.Make(b.Context(), Spec{Name: newID(4), Of: 1}, 0, "")
						if err != nil {
							b.Error(err)
							return
						}
						s = out.Sessions[0]
					}
					call(s, "chat/completions", body)
				}
			})
		})
	}
}

// benched runs a gateway until the end of a benchmark, and returns it with a function that makes a
// call without the network.
func benched(b *testing.B, c Config, p quintain.Policy) (*Gateway, func(s MadeSession, path, body string) string) {
	b.Helper()
	g, err := New(c)
	if err != nil {
		b.Fatal(err)
	}
	server, err := web.New(web.Config{Name: "bench", Routes: g.Routes()})
	if err != nil {
		b.Fatal(err)
	}
	ctx, stop := context.WithCancel(b.Context())
	ended := make(chan error)
	go func() { ended <- g.Run(ctx, Player{Policy: p}, &desk{results: make(chan rollout.Result, 1<<12)}) }()
	<-g.opened
	b.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			b.Error(err)
		}
	})
	return g, func(s MadeSession, path, body string) string {
		r := httptest.NewRequest(http.MethodPost, "http://127.0.0.1/sessions/"+s.ID+"/v1/"+path, strings.NewReader(body))
		r.Header.Set("Authorization", "Bearer "+s.Key)
		w := httptest.NewRecorder()
		server.ServeHTTP(w, r)
		if w.Code != http.StatusOK {
			b.Errorf("status %d: %s", w.Code, w.Body)
		}
		return w.Body.String()
	}
}

// BenchmarkMemory makes sessions of 20 calls of 1,500 tokens, and tells the memory that each takes
// in the end; -benchtime 10000x makes so many.
func BenchmarkMemory(b *testing.B) {
	for _, hold := range []int64{64 << 20, 1 << 40} {
		b.Run(fmt.Sprintf("hold=%dMiB", hold>>20), func(b *testing.B) {
			c := Config{Settings: Defaults(), GroupSize: 1, Secret: []byte("s"), Folder: b.TempDir()}
			c.Settings.MaxSessions, c.Settings.Hold = 1<<20, hold
			before := heap()
			g, call := benched(b, c, quick(1400))
			b.SetParallelism(64)
			b.RunParallel(func(p *testing.PB) {
				for p.Next() {
					out, err := g.Make(b.Context(), Spec{Name: newID(4), Of: 1}, 0, "")
					if err != nil {
						b.Error(err)
						return
					}
					previous := ""
					for range 20 {
						body := fmt.Sprintf(`{"input": %q%s}`, strings.Repeat("lorem ipsum ", 400), previous)
						var reply struct{ ID string }
						if err := json.Unmarshal([]byte(call(out.Sessions[0], "responses", body)), &reply); err != nil {
							b.Error(err)
							return
						}
						previous = fmt.Sprintf(`, "previous_response_id": %q`, reply.ID)
					}
				}
			})
			b.StopTimer()
			g.flying.Wait()
			makeRoom(g)
			b.ReportMetric(float64(heap()-before)/float64(b.N), "B/session")
		})
	}
}

// heap is the memory in use.
func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
