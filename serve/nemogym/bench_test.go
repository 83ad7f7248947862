package nemogym

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/tasks/catalog"
)

// BenchmarkVerify verifies rows over kept connections: rows of all tasks, with replies that
// think for a number of bytes.
func BenchmarkVerify(b *testing.B) {
	for _, thinking := range []int{0, 2 << 10, 20 << 10} {
		b.Run(fmt.Sprintf("thinking=%d", thinking), func(b *testing.B) {
			rows := rowsOf(b, thinking)
			addr := listen(b)
			const connections = 32
			var took [connections][]time.Duration
			var all sync.WaitGroup
			b.ResetTimer()
			for i := range connections {
				all.Go(func() { took[i] = load(b, addr, rows, b.N/connections+1) })
			}
			all.Wait()
			b.StopTimer()
			times := slices.Sorted(slices.Values(slices.Concat(took[:]...)))
			b.ReportMetric(float64(len(times))/b.Elapsed().Seconds(), "rows/s")
			b.ReportMetric(float64(times[len(times)/2].Microseconds())/1000, "p50-ms")
			b.ReportMetric(float64(times[len(times)*99/100].Microseconds())/1000, "p99-ms")
			b.SetBytes(int64(len(rows[0])))
		})
	}
}

// listen serves until the benchmark ends.
func listen(b *testing.B) string {
	l, err := new(net.ListenConfig).Listen(b.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	s := newServer(b)
	var serving sync.WaitGroup
	serving.Go(func() {
		if err := s.Run(b.Context(), l); err != nil {
			b.Error(err)
		}
	})
	b.Cleanup(serving.Wait)
	return l.Addr().String()
}

// rowsOf returns requests to verify rows of several tasks, with a right reply each.
func rowsOf(b *testing.B, thinking int) (requests []string) {
	book := newBook(b)
	for _, t := range catalog.Tasks() {
		p, err := t.Problem(quintain.Draw{Seed: 1, Level: 1})
		if err != nil {
			b.Fatal(err)
		}
		solution, err := t.Solve(p)
		if err != nil {
			b.Fatal(err)
		}
		problem, err := book.Append(nil, p)
		if err != nil {
			b.Fatal(err)
		}
		body := fmt.Sprintf(`{"_ng_task_index":1,"_ng_rollout_index":2,"problem":%s,"response":%s}`, problem,
			said("<think>"+strings.Repeat("so it is ", thinking/9)+"</think><answer>"+solution+"</answer>"))
		requests = append(requests, fmt.Sprintf("POST /verify HTTP/1.1\r\nHost: localhost\r\nAccept-Encoding: gzip, deflate\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", len(body), body))
	}
	return requests
}

// load sends n requests over one connection, and returns the time of each.
func load(b *testing.B, addr string, requests []string, n int) (took []time.Duration) {
	c, err := net.Dial("tcp", addr)
	if err != nil {
		b.Error(err)
		return nil
	}
	defer c.Close()
	in := bufio.NewReaderSize(c, 64<<10)
	for i := range n {
		start := time.Now()
		if _, err := io.WriteString(c, requests[i%len(requests)]); err != nil {
			b.Error(err)
			return took
		}
		reply, err := http.ReadResponse(in, nil)
		if err != nil {
			b.Error(err)
			return took
		}
		body, err := io.ReadAll(reply.Body)
		reply.Body.Close()
		if err != nil || reply.StatusCode != http.StatusOK || !strings.Contains(string(body), `"reward":1,`) {
			b.Errorf("%d %s, error %v", reply.StatusCode, body, err)
			return took
		}
		took = append(took, time.Since(start))
	}
	return took
}
