package openenv_test

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/web"
	"github.com/quintain-rl/quintain/internal/web/webtest"
	"github.com/quintain-rl/quintain/interop/reasoninggym"
	"github.com/quintain-rl/quintain/scenario/external"
	served "github.com/quintain-rl/quintain/serve/openenv"
	"github.com/quintain-rl/quintain/serve/sessions"
	"github.com/quintain-rl/quintain/tasks/catalog"
)

// BenchmarkReplies plays replies in a thousand sessions at our own server, which is in the same process:
// what is told of memory and time is that of both.
func BenchmarkReplies(b *testing.B) {
	book, err := catalog.Book(reasoninggym.Ours)
	if err != nil {
		b.Fatal(err)
	}
	routes, _ := served.Routes(book, sessions.Limits{Most: 2000, Idle: time.Hour})
	s, err := web.New(web.Config{Name: "test", Routes: routes})
	if err != nil {
		b.Fatal(err)
	}
	at, _ := webtest.Serve(b, s)
	g := open(b, "http://"+at, map[string]any{"reset": map[string]any{"dataset_name": "chain_sum", "scenario": "math_multi_turn"}})
	before := inUse()
	const many = 1000
	for n := range uint64(many) {
		if _, err := g.Open(b.Context(), n, problem(int(n))); err != nil {
			b.Fatal(err)
		}
	}
	memory := inUse() - before
	var replies atomic.Int64
	var plays sync.WaitGroup
	b.ResetTimer()
	for n := range uint64(many) {
		plays.Go(func() { replyUntil(b, g, n, &replies) })
	}
	plays.Wait()
	b.ReportMetric(float64(memory)/1e6, "MB/1000-sessions")
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "replies/s")
}

// replyUntil replies in a session, and in others after it, until there are b.N replies in all.
func replyUntil(b *testing.B, g external.Guest, n uint64, replies *atomic.Int64) {
	for replies.Add(1) <= int64(b.N) {
		a, err := g.Step(b.Context(), n, &external.Reply{Text: "I do not know."})
		if err == nil && a.End != quintain.Going {
			_, err = g.Open(b.Context(), n, problem(int(n)))
		}
		if err != nil {
			b.Error(err)
			return
		}
	}
	g.Forget(b.Context(), n)
}

// inUse returns the memory in use, of heap and stacks.
func inUse() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapInuse + m.StackInuse
}
