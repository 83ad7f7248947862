package worker_test

import (
	"context"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quintain-rl/quintain/internal/pause"
)

// A coordinator with slots of its own plays beside its worker, and no problem is lost or counts twice.
func TestACoordinatorPlaysBesideItsWorkers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &faults{t: t, rand: rand.New(rand.NewPCG(1, 2))}
		f.off.Store(true)
		s := &site{delay: time.Second, own: 8}
		s.begin(f)
		s.start()
		playing, leave := context.WithCancelCause(t.Context())
		var worker sync.WaitGroup
		worker.Go(func() { s.play(playing, 0) })
		for both := false; !both; pause.For(t.Context(), time.Second) {
			s.noted.Lock()
			both = s.groups[true] >= 20 && s.groups[false] >= 20
			s.noted.Unlock()
		}
		leave(errStop)
		worker.Wait()
		s.end(false)
		s.audit()
	})
}
