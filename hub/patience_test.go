package hub

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quintain-rl/quintain/queue"
)

// A hungStore answers no writes of states: they fail when their time is up, as on a server that
// is away.
type hungStore struct {
	*queue.Memory
	away bool
}

func (h *hungStore) SetStates(ctx context.Context, list []queue.State) error {
	if !h.away {
		return h.Memory.SetStates(ctx, list)
	}
	late := time.NewTimer(10 * time.Second)
	defer late.Stop()
	select {
	case <-late.C:
	case <-ctx.Done():
	}
	return queue.ErrUnreachable
}

// However many requests wait for a store that does not answer, each waits for 10 seconds at
// most.
func TestPatience(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &hungStore{Memory: queue.NewMemory()}
		f := newFixture(t, store, Config{})
		f.begin(1)
		for i := range 8 { // more than requests: none finds that others have all
			f.put(group(i+1, 1, -1))
		}
		store.away = true
		began := time.Now()
		var all sync.WaitGroup
		for i, request := range []string{"GET /batch", "GET /batch", "POST /v1/runs/default/batches", "GET /batch", "POST /register-env", "POST /v1/runs/default/batches"} {
			all.Go(func() {
				after := time.Duration(i) * 1700 * time.Millisecond
				time.Sleep(after)
				var method, path string
				_, _ = fmt.Sscan(request, &method, &path)
				body := ""
				if path == "/register-env" {
					body = `{"max_token_length":8,"desired_name":"e","weight":1,"group_size":2}`
				}
				w := f.do(method, path, body)
				if took := time.Since(began) - after; w.Code != http.StatusServiceUnavailable || took > patience {
					t.Errorf("%s after %s: status %d after %s, want %d after %s at most", request, after, w.Code, took, http.StatusServiceUnavailable, patience)
				}
			})
		}
		all.Wait()
		store.away = false
		if got := f.batch(); got != "1" {
			t.Errorf("then batch %s, want 1", got)
		}
	})
}
