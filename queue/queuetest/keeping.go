package queuetest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/queue"
)

// keeping are the promises about the store and concurrency.
var keeping = []promise{
	{"States", "small records are stored beside the groups", states},
	{"Read", "a group can be read without a lease", func(r *rig) {
		r.put(1, 2)
		first := r.lease("a", 1)[0].Seq
		for i := range 2 {
			d, err := r.q.Read(r.ctx, first+uint64(i))
			r.must(err)
			r.want([]queue.Delivery{d}, i+1)
		}
		if _, err := r.q.Read(r.ctx, 99); !errors.Is(err, queue.ErrUnknown) {
			r.Errorf("error %v", err)
		}
		r.want(r.lease("b", 9), 2)
	}},
	{"Ready", "an open queue is ready, and its probe leaves nothing behind", func(r *rig) {
		for i := 1; i <= 3; i++ {
			r.must(r.q.Ready(r.ctx))
			r.put(i)
			r.reopen()
		}
		r.must(r.q.Ready(r.ctx))
		if s := r.q.Stats(); s.Lost != 0 || s.Corrupt != 0 {
			r.Errorf("%d groups are lost and %d cannot be read", s.Lost, s.Corrupt)
		}
		r.want(r.lease("a", 9), 1, 2, 3)
		r.must(r.q.Close())
		if err := r.q.Ready(r.ctx); !errors.Is(err, queue.ErrClosed) {
			r.Errorf("closed: error %v", err)
		}
	}},
	{"Counts", "waiting and leased groups add up, also by environment", counts},
	{"Replaced", "a group that was set aside is replaced when its content is put again", replaced},
	{"Corrupt", "an unreadable group is set aside and reported, and blocks no other", corrupt},
	{"Cancelled", "a lease after the end of its context leases nothing", func(r *rig) {
		r.put(1)
		ctx, cancel := context.WithCancel(r.ctx)
		cancel()
		if _, err := r.q.Lease(ctx, queue.Want{}); !errors.Is(err, context.Canceled) {
			r.Errorf("error %v", err)
		}
		list := r.lease("a", 1)
		r.want(list, 1)
		if err := r.q.Ack(ctx, "a", list[0].Seq); !errors.Is(err, context.Canceled) {
			r.Errorf("error %v", err)
		}
		r.must(r.q.Ack(r.ctx, "a", list[0].Seq))
	}},
	{"Closed", "a closed queue says so", func(r *rig) {
		changed := r.q.Changed()
		r.must(r.q.Close())
		<-changed
		<-r.q.Changed()
		_, err := r.q.Put(r.ctx, Group(1))
		_, err2 := r.q.Lease(r.ctx, queue.Want{})
		_, err3 := r.q.State(r.ctx, "x")
		_, err4 := r.q.Drop(r.ctx, 1)
		for i, err := range []error{err, err2, err3, err4, r.q.Ack(r.ctx, "a", 1), r.q.Reset(r.ctx), r.q.Close()} {
			if !errors.Is(err, queue.ErrClosed) {
				r.Errorf("call %d: error %v", i, err)
			}
		}
	}},
	{"LongLog", "a long log is shortened when opened, with the same content", func(r *rig) {
		for i := range 300 {
			r.put(i)
			r.must(r.q.Ack(r.ctx, "a", seqs(r.lease("a", 1))...))
		}
		r.put(2000, 2001)
		r.must(r.q.Ack(r.ctx, "a", seqs(r.lease("a", 1))...))
		for range 2 {
			r.reopen()
			r.again(0)
			r.again(299)
			r.again(2000)
			if s := r.q.Stats(); s.Known != 301 || s.Lost != 0 {
				r.Errorf("%d IDs are known, and %d groups missing", s.Known, s.Lost)
			}
		}
		r.want(r.lease("a", 9), 2001)
	}},
	{"Concurrent", "many producers and consumers lose nothing and get nothing twice", concurrent},
}

func states(r *rig) {
	if v, err := r.q.State(r.ctx, "hub"); v != nil || err != nil {
		r.Errorf("state %q, error %v, want none", v, err)
	}
	for _, value := range [][]byte{[]byte("1"), []byte("two\x00\xff"), {}, bytes.Repeat([]byte("x"), 512<<10)} {
		r.must(r.q.SetState(r.ctx, "hub", value))
		r.must(r.q.SetState(r.ctx, "Other_key-9", []byte("o")))
		r.reopen()
		if v, err := r.q.State(r.ctx, "hub"); v == nil || !bytes.Equal(v, value) || err != nil {
			r.Errorf("state %.9q, error %v, want %.9q", v, err, value)
		}
	}
	wantStates(r, "hub", "hub")
	wantStates(r, "none")
	r.must(r.q.SetStates(r.ctx, []queue.State{{Key: "s-2", Value: []byte("2")}, {Key: "s-10", Value: []byte("10")}, {Key: "s-2"}, {Key: "s-1", Value: []byte("1")}}))
	r.must(r.q.SetStates(r.ctx, nil))
	r.reopen()
	wantStates(r, "s-", "s-1", "s-10")
	r.must(r.q.SetState(r.ctx, "hub", nil))
	r.must(r.q.SetState(r.ctx, "never", nil))
	r.reopen()
	if v, err := r.q.State(r.ctx, "hub"); v != nil || err != nil {
		r.Errorf("state %q, error %v, want none", v, err)
	}
	if v, err := r.q.State(r.ctx, "Other_key-9"); string(v) != "o" || err != nil {
		r.Errorf("state %q, error %v", v, err)
	}
	for _, key := range []string{"", "a.b", "*", "a b", "é"} {
		if r.q.SetState(r.ctx, key, []byte{1}) == nil {
			r.Errorf("the key %q was taken", key)
		}
	}
	if r.q.SetState(r.ctx, "large", make([]byte, 512<<10+1)) == nil {
		r.Error("more than half a megabyte was taken")
	}
}

// wantStates checks the states with a prefix.
func wantStates(r *rig, prefix string, keys ...string) {
	r.Helper()
	all, err := r.q.States(r.ctx, prefix)
	r.must(err)
	if len(all) != len(keys) {
		r.Fatalf("%d states begin with %s, want %v", len(all), prefix, keys)
	}
	for i, key := range keys {
		if v, err := r.q.State(r.ctx, key); all[i].Key != key || !bytes.Equal(v, all[i].Value) || err != nil {
			r.Errorf("state %s, error %v, want %s", all[i].Key, err, key)
		}
	}
}

func counts(r *rig) {
	r.put(0, 1, 2, 3)
	other := nameless(4)
	other.EnvID = nil
	other.Episodes = []int32{0, 0}
	_, err := r.q.Put(r.ctx, other)
	r.must(err)
	r.again(1)
	r.lease("a", 1)
	check := func(leased int) {
		r.Helper()
		s := r.q.Stats()
		s.Waiting.Bytes = 0
		if want := (queue.Count{Groups: 5 - leased, Sequences: 2 * (5 - leased), Episodes: 2*(5-leased) - 1, Tokens: 10 * (5 - leased)}); s.Waiting != want {
			r.Errorf("%+v wait, want %+v", s.Waiting, want)
		}
		if s.Leased.Groups != leased || s.OldestPut.IsZero() {
			r.Errorf("%d are leased, the oldest put %v", s.Leased.Groups, s.OldestPut)
		}
		envs := r.q.Envs()
		for id, want := range map[int32]int{0: 2 - leased, 1: 1, 2: 1, -1: 1} {
			if envs[id].Groups != want {
				r.Errorf("%d wait from environment %d, want %d", envs[id].Groups, id, want)
			}
		}
	}
	check(1)
	if s := r.q.Stats(); s.Put != 5 || s.Duplicates != 1 {
		r.Errorf("%d were put, and %d again", s.Put, s.Duplicates)
	}
	r.reopen()
	check(0)
	r.q.View(func(waiting []queue.Entry) {
		if e := waiting[1]; e.ID != "g1" || e.Oldest != 7 || !e.HasTask || e.EnvID != 1 || e.Bytes == 0 || time.Since(e.Put()) > time.Hour {
			r.Errorf("entry %+v", e)
		}
	})
	for _, e := range r.lease("a", 9) {
		r.must(r.q.Ack(r.ctx, "a", e.Seq))
	}
	if s := r.q.Stats(); s.Waiting != (queue.Count{}) || s.Leased != (queue.Count{}) || len(r.q.Envs()) != 0 || s.Acked != 5 {
		r.Errorf("after all: %+v", s)
	}
}

// A damaged store returns a changed body for one group.
type damaged struct {
	queue.Store
	seq uint64
}

// Body returns the body of seq.
func (d damaged) Body(ctx context.Context, seq uint64) ([]byte, error) {
	b, err := d.Store.Body(ctx, seq)
	if seq == d.seq && len(b) > 0 {
		b[len(b)/2] ^= 1
	}
	return b, err
}

func corrupt(r *rig) {
	r.put(1, 2, 3)
	var second uint64
	r.q.View(func(waiting []queue.Entry) { second = waiting[1].Seq })
	r.must(r.q.Close())
	r.start(func(s queue.Store) queue.Store { return damaged{s, second} })
	_, err := r.q.Lease(r.ctx, queue.Want{Consumer: "a", Max: 9})
	if e := new(queue.CorruptError); !errors.As(err, &e) || e.ID != "g2" || e.Seq != second {
		r.Errorf("error %v, want one of g2", err)
	}
	r.want(r.lease("a", 9), 1, 3)
	if s := r.q.Stats(); s.Corrupt != 1 || s.Aside.Groups != 1 || s.Waiting.Groups != 0 {
		r.Errorf("stats %+v", s)
	}
	n, err := r.q.Drop(r.ctx, second)
	r.must(err)
	if s := r.q.Stats(); n != 1 || s.Aside.Groups != 0 {
		r.Errorf("%d dropped, stats %+v", n, s)
	}
	r.reopen()
	r.want(r.lease("a", 9), 1, 3)
}

func replaced(r *rig) {
	r.put(1, 2, 3)
	var second uint64
	r.q.View(func(waiting []queue.Entry) { second = waiting[1].Seq })
	r.must(r.q.Close())
	r.start(func(s queue.Store) queue.Store { return damaged{s, second} })
	if _, err := r.q.Read(r.ctx, second); !errors.As(err, new(*queue.CorruptError)) {
		r.Errorf("error %v, want one of g2", err)
	}
	other := Group(2)
	other.Scores[0]++
	if _, err := r.q.Put(r.ctx, other); !errors.As(err, new(*queue.ConflictError)) {
		r.Errorf("other content under its ID: error %v", err)
	}
	fresh, err := r.q.PutAll(r.ctx, []*quintain.Group{Group(4), Group(2), Group(1), Group(2)})
	if r.must(err); !slices.Equal(fresh, []bool{true, true, false, false}) {
		r.Errorf("fresh %v, want the first two", fresh)
	}
	r.again(2)
	if s := r.q.Stats(); s.Aside.Groups != 0 || s.Leased.Groups != 0 || s.Waiting.Groups != 4 || s.Put != 2 {
		r.Errorf("stats %+v", s)
	}
	r.reopen()
	if s := r.q.Stats(); s.Waiting.Groups != 4 || s.Lost != 0 || s.Corrupt != 0 {
		r.Errorf("after reopening: %+v", s)
	}
	list := r.lease("a", 9)
	r.want(list, 1, 3, 4, 2)
	r.must(r.q.Ack(r.ctx, "a", seqs(list)...))
	r.again(2)
}

// concurrent has producers put each group twice, and consumers lease them, let some leases
// expire, release some and acknowledge the rest.
func concurrent(r *rig) {
	const producers, consumers, each = 4, 3, 60
	var (
		producing, consuming sync.WaitGroup
		mu                   sync.Mutex
		acked                = make(map[string]int)
		done                 = make(chan struct{})
	)
	for p := range producers {
		producing.Go(func() { r.produce(p, each) })
	}
	for c := range consumers {
		consuming.Go(func() {
			for n := 0; ; n++ {
				list := r.next(fmt.Sprint(c), n, done)
				if list == nil {
					return
				}
				if n%5 == 4 {
					r.q.Release(fmt.Sprint(c), seqs(list)...)
					continue
				}
				if err := r.q.Ack(r.ctx, fmt.Sprint(c), seqs(list)...); err != nil {
					if !errors.Is(err, queue.ErrNotLeased) {
						r.Error(err)
					}
					continue
				}
				mu.Lock()
				for _, d := range list {
					acked[d.ID]++
				}
				mu.Unlock()
			}
		})
	}
	producing.Wait()
	close(done)
	consuming.Wait()
	r.reopen()
	if s := r.q.Stats(); s.Waiting.Groups > 0 {
		r.Errorf("%d groups wait after all", s.Waiting.Groups)
	}
	if want := producers/2*each + producers*each/10; len(acked) != want {
		r.Errorf("%d groups were acknowledged, want %d", len(acked), want)
	}
	for id, n := range acked {
		if n != 1 {
			r.Errorf("group %s was acknowledged %d times", id, n)
		}
	}
}

// produce puts n groups that producer p^1 also has, and some of its own.
func (r *rig) produce(p, n int) {
	for i := range n {
		g := Group(p/2*n + i)
		if _, err := r.q.Put(r.ctx, g); err != nil {
			r.Error(err)
		}
		if i%10 == 9 {
			if _, err := r.q.PutAll(r.ctx, []*quintain.Group{g, Group(10000 + p*n + i)}); err != nil {
				r.Error(err)
			}
		}
	}
}

// next waits for groups, and returns nil after the last: done is closed, and none waits or is
// leased.
func (r *rig) next(consumer string, n int, done <-chan struct{}) []queue.Delivery {
	w := queue.Want{Consumer: consumer, Max: 1 + n%4, For: time.Minute}
	if n%7 == 6 {
		w.For = time.Microsecond
	}
	for {
		changed := r.q.Changed()
		list, err := r.q.Lease(r.ctx, w)
		if err != nil {
			r.Error(err)
			return nil
		}
		if len(list) > 0 {
			return list
		}
		expiry := time.Hour
		if at, ok := r.q.NextExpiry(); ok {
			expiry = max(time.Until(at), 0)
		}
		over := done
		select {
		case <-done:
			if s := r.q.Stats(); s.Waiting.Groups+s.Leased.Groups == 0 {
				return nil
			}
			over, expiry = nil, min(expiry, time.Millisecond)
		default:
		}
		select {
		case <-changed:
		case <-over:
		case <-time.After(expiry):
		}
	}
}
