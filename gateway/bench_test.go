package gateway

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/gateway/keys"
	"github.com/quintain-rl/quintain/internal/web"
	"github.com/quintain-rl/quintain/rollout"
)

// A quick policy answers at once: 2,000 tokens are read, 100 written.
type quick struct{}

func (quick) Sample(_ context.Context, r quintain.Request) ([]quintain.Sample, error) {
	s := quintain.Sample{
		Text: strings.Repeat("word ", 20), Whole: strings.Repeat("word ", 20), Read: make([]quintain.Token, 2000), Wrote: make([]quintain.Token, 100),
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
			go func() { ended <- g.Run(ctx, Player{Policy: quick{}}, &desk{results: make(chan rollout.Result, 1<<12)}) }()
			<-g.opened
			body := fmt.Sprintf(`{"model":"m","messages":[{"role":"user","content":%q}]}`, strings.Repeat("lorem ipsum ", 700))
			b.SetParallelism(64)
			b.ReportAllocs()
			b.ResetTimer()
			b.RunParallel(func(p *testing.PB) {
				var s MadeSession
				for n := 0; p.Next(); n++ {
					if n%10 == 0 {
						out, err := g.Make(b.Context(), Spec{Name: keys.NewID(4), Of: 1}, 0, "")
						if err != nil {
							b.Error(err)
							return
						}
						s = out.Sessions[0]
					}
					r := httptest.NewRequest(http.MethodPost, "http://127.0.0.1/sessions/"+s.ID+"/v1/chat/completions", strings.NewReader(body))
					r.Header.Set("Authorization", "Bearer "+s.Key)
					w := httptest.NewRecorder()
					server.ServeHTTP(w, r)
					if w.Code != http.StatusOK {
						b.Errorf("status %d: %s", w.Code, w.Body)
						return
					}
				}
			})
			b.StopTimer()
			stop()
			if err := <-ended; err != nil {
				b.Error(err)
			}
		})
	}
}
