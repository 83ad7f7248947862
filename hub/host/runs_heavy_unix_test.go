//go:build heavy && unix

package host

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/quintain-rl/quintain/hub"
	"github.com/quintain-rl/quintain/internal/web"
	"github.com/quintain-rl/quintain/queue"
	"github.com/quintain-rl/quintain/queue/queuetest"
)

// There may be more runs than the process may open files. Idle runs have no open file.
func TestMoreRunsThanOpenFiles(t *testing.T) {
	const runs, spare = 300, 200
	server := web.Default()
	server.Port = 0
	c := Config{Data: t.TempDir(), Program: "test", Server: server, Hub: hub.Default(), Store: DefaultStore(), Log: slog.New(slog.DiscardHandler)}
	h, err := Open(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	before := descriptors(t)
	limitFiles(t, before+spare)
	var queues []*queue.Queue
	for i := range runs {
		q, err := h.openRun(t.Context(), fmt.Sprint(i))
		if err != nil {
			t.Fatalf("run %d: %v", i, err)
		}
		queues = append(queues, q)
	}
	var all sync.WaitGroup
	for k := range 4 {
		all.Go(func() {
			for i := k; i < runs; i += 4 {
				if _, err := queues[i].Put(context.Background(), queuetest.Group(i)); err != nil {
					t.Errorf("run %d: %v", i, err)
				}
			}
		})
	}
	all.Wait()
	for i, q := range queues {
		list, err := q.Lease(t.Context(), queue.Want{Consumer: "a"})
		if err != nil || len(list) != 1 || list[0].ID != queuetest.Group(i).ID {
			t.Fatalf("run %d: %d groups, error %v", i, len(list), err)
		}
	}
	for descriptors(t) > before { // or the test times out
		<-time.After(10 * time.Millisecond)
	}
	if err := h.Close(); err != nil {
		t.Error(err)
	}
}
