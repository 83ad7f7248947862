//go:build heavy && unix

package nats_test

import (
	"flag"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/quintain-rl/quintain/queue"
	"github.com/quintain-rl/quintain/queue/nats"
	"github.com/quintain-rl/quintain/queue/queuetest"
)

// rounds is the number of failures in TestRounds.
var rounds = flag.Int("rounds", 12, "rounds of TestRounds")

// A scene is a cluster of three with an owner of the queue and a standby.
type scene struct {
	t       *testing.T
	cluster *cluster
	ledger  *ledger
	keepers [2]*keeper

	first     int // number of the next keeper's first group
	takeovers int // from living owners
}

// TestRounds kills nodes and owners, pauses owners and cuts them off, under load. All groups
// are delivered, and acknowledged once.
func TestRounds(t *testing.T) {
	t.Parallel()
	s := &scene{t: t, cluster: newCluster(t), ledger: newLedger()}
	for i := range s.keepers {
		s.keepers[i] = &keeper{}
		for _, n := range s.cluster.nodes {
			s.keepers[i].proxies = append(s.keepers[i].proxies, newProxy(t, n.address()))
		}
	}
	t.Cleanup(s.stop)
	s.cluster.awaitMeta()
	for i := range s.keepers {
		s.start(i)
	}
	s.ledger.work(t, 40)
	s.cluster.awaitPeers("quintain", "quintain-log")
	pauses := make(map[string][]time.Duration)
	all := []struct {
		name string
		do   func() time.Duration
	}{
		{"node of the bodies killed", func() time.Duration { return s.killLeader("quintain") }},
		{"owner killed", s.killOwner},
		{"owner cut off for 1 s", func() time.Duration { return s.cutOff(time.Second) }},
		{"owner paused for 6 s", s.pauseOwner},
		{"node of the log killed", func() time.Duration { return s.killLeader("quintain-log") }},
		{"owner cut off for 6 s", func() time.Duration { return s.cutOff(6 * time.Second) }},
	}
	for r := range *rounds {
		one := all[r%len(all)]
		pauses[one.name] = append(pauses[one.name], one.do())
		s.ledger.work(t, 20)
		if t.Failed() {
			return
		}
	}
	s.stop()
	s.finish()
	t.Logf("%d times, an owner that was paused or cut off was replaced", s.takeovers)
	for _, one := range all {
		if list := pauses[one.name]; len(list) > 0 {
			slices.Sort(list)
			t.Logf("%s: %d times; nothing was put for %.1f s in the middle, %.1f s at most", one.name, len(list), list[len(list)/2].Seconds(), list[len(list)-1].Seconds())
		}
	}
}

// finish checks the rest of the queue.
func (s *scene) finish() {
	var q *queue.Queue
	store, err := nats.Open(s.t.Context(), s.cluster.url(), nats.Options{Replicas: 3, Standby: true})
	if err == nil {
		q, err = queue.Open(s.t.Context(), store, queue.Options{})
	}
	if err != nil {
		s.t.Fatal(err)
	}
	defer queuetest.Close(s.t, q)
	s.ledger.check(s.t, queuetest.IDs(q))
	if n := q.Stats(); n.Lost > 0 || n.Corrupt > 0 {
		s.t.Errorf("%d groups are missing, %d corrupt", n.Lost, n.Corrupt)
	}
}

func (s *scene) start(i int) {
	s.first += 1_000_000
	startKeeper(s.t, s.keepers[i], i, s.first, s.ledger)
}

// stop ends the keepers.
func (s *scene) stop() {
	for i, k := range s.keepers {
		if k.proc != nil {
			if s.t.Failed() { // prints the keeper's goroutines
				_ = k.proc.Process.Signal(syscall.SIGQUIT)
			} else {
				_ = k.proc.Process.Kill()
			}
			<-k.ended
			k.proc = nil
		}
		if s.t.Failed() {
			s.t.Logf("keeper %d: %s", i, k.said)
		}
	}
}

// owner is the number of the keeper that owns the queue.
func (s *scene) owner() int {
	s.ledger.mu.Lock()
	defer s.ledger.mu.Unlock()
	return s.ledger.owner
}

// killLeader kills and restarts the leader of a stream.
func (s *scene) killLeader(stream string) time.Duration {
	n := s.cluster.leader(stream)
	s.cluster.kill(n)
	pause := s.ledger.work(s.t, 40)
	s.cluster.start(n)
	s.cluster.awaitPeers("quintain", "quintain-log")
	return pause
}

// killOwner kills the owner and restarts it as a standby.
func (s *scene) killOwner() time.Duration {
	i := s.owner()
	_ = s.keepers[i].proc.Process.Kill()
	pause := s.ledger.work(s.t, 40)
	<-s.keepers[i].ended
	s.start(i)
	return pause
}

// pauseOwner stops the owner until the standby can take over.
func (s *scene) pauseOwner() time.Duration {
	i := s.owner()
	k := s.keepers[i]
	if err := k.proc.Process.Signal(syscall.SIGSTOP); err != nil {
		s.t.Error(err)
	}
	woken := make(chan struct{})
	time.AfterFunc(6*time.Second, func() {
		defer close(woken)
		_ = k.proc.Process.Signal(syscall.SIGCONT)
	})
	pause := s.ledger.work(s.t, 40)
	<-woken
	s.replaced(i)
	return pause
}

// cutOff breaks the owner's network for a while.
func (s *scene) cutOff(d time.Duration) time.Duration {
	i := s.owner()
	for _, p := range s.keepers[i].proxies {
		p.cutOff()
	}
	mended := make(chan struct{})
	time.AfterFunc(d, func() {
		defer close(mended)
		for _, p := range s.keepers[i].proxies {
			p.mend()
		}
	})
	pause := s.ledger.work(s.t, 40)
	<-mended
	s.replaced(i)
	return pause
}

// replaced waits for the end of keeper i if it lost the queue, and restarts it.
func (s *scene) replaced(i int) {
	k := s.keepers[i]
	if s.owner() == i {
		return
	}
	s.takeovers++
	select {
	case <-k.ended:
	case <-time.After(time.Minute):
		s.t.Fatalf("keeper %d does not notice that it was replaced", i)
	}
	if !strings.Contains(k.said, queue.ErrFenced.Error()) {
		s.t.Errorf("keeper %d ended and said: %s", i, k.said)
	}
	s.start(i)
}
