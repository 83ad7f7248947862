package queuetest

import (
	"errors"
	"slices"
	"time"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/queue"
	"github.com/quintain-rl/quintain/queue/groupform"
)

// handing are the promises of leasing, acknowledging and releasing.
var handing = []promise{
	{"Held", "a held group waits until it is freed, and no longer", held},
	{"Blind", "a lease may omit the groups, to be read in parts", func(r *rig) {
		r.put(1, 2, 3)
		list, err := r.q.Lease(r.ctx, queue.Want{Consumer: "a", Max: 3, Blind: true})
		r.must(err)
		if len(list) != 3 || list[0].Body != nil || list[0].Group != nil {
			r.Fatalf("%+v were leased, want three without bodies", list)
		}
		two := int(list[1].Bytes + list[2].Bytes)
		for _, test := range []struct{ most, want int }{{0, 1}, {two - 1, 1}, {two, 2}, {1 << 20, 3}} {
			got, err := r.q.ReadRaw(r.ctx, []uint64{list[1].Seq, list[2].Seq, list[0].Seq}, test.most)
			if err != nil || len(got) != test.want || len(got[0].Body) != int(list[1].Bytes) {
				r.Errorf("%d groups in %d bytes, error %v, want %d", len(got), test.most, err, test.want)
			}
		}
		if _, err := r.q.ReadRaw(r.ctx, []uint64{list[1].Seq, 99}, 1<<20); !errors.Is(err, queue.ErrUnknown) {
			r.Errorf("error %v, want that one is unknown", err)
		}
	}},
	{"Order", "groups are handed out in the order of their puts", func(r *rig) {
		r.put(3, 1, 2)
		r.want(r.lease("a", 1), 3)
		r.reopen()
		r.want(r.lease("a", 9), 3, 1, 2)
	}},
	{"LeaseExcludes", "no consumer gets the groups of another", func(r *rig) {
		r.put(1, 2, 3)
		r.want(r.lease("a", 2), 1, 2)
		r.want(r.lease("b", 9), 3)
		r.want(r.lease("a", 9))
	}},
	{"LeaseOne", "a lease without a number is of one group", func(r *rig) {
		r.put(1, 2)
		r.want(r.lease("a", 0), 1)
	}},
	{"LeasePicked", "a consumer picks groups in its own order", func(r *rig) {
		r.put(1, 2, 3, 4)
		list, err := r.q.Lease(r.ctx, queue.Want{Consumer: "a", Pick: only(4, 2, 2)})
		r.must(err)
		r.want(list, 4, 2)
		r.want(r.lease("b", 9), 1, 3)
	}},
	{"LeaseRaw", "the binary form is handed out as stored", func(r *rig) {
		r.put(1)
		list, err := r.q.Lease(r.ctx, queue.Want{Consumer: "a", Raw: true})
		r.must(err)
		g, err := groupform.NewCodec(0).Decode(list[0].Body)
		r.must(err)
		if d := Diff(Group(1), g); d != "" || list[0].Group != nil || int(list[0].Bytes) != len(list[0].Body) {
			r.Errorf("delivery %v, %s", list[0], d)
		}
	}},
	{"LeaseStranger", "only waiting groups can be picked", func(r *rig) {
		r.put(1, 2)
		stranger := func([]queue.Entry) []queue.Entry { return []queue.Entry{{Seq: 1}, {Seq: 99}} }
		if _, err := r.q.Lease(r.ctx, queue.Want{Pick: stranger}); !errors.Is(err, queue.ErrUnknown) {
			r.Errorf("error %v", err)
		}
		r.want(r.lease("a", 9), 1, 2)
	}},
	{"LeaseExpires", "an expired lease is handed out again, in its old place", func(r *rig) {
		r.put(1, 2, 3)
		_, err := r.q.Lease(r.ctx, queue.Want{Consumer: "a", Max: 2, For: 30 * time.Millisecond})
		r.must(err)
		changed := r.q.Changed()
		r.want(r.lease("b", 9), 3)
		r.wait()
		r.want(r.lease("b", 9), 1, 2)
		select {
		case <-changed:
		default:
			r.Error("no change was announced")
		}
		if s := r.q.Stats(); s.Expired != 2 {
			r.Errorf("%d leases have run out, want 2", s.Expired)
		}
	}},
	{"LeaseLasts", "a lease without a term lasts", func(r *rig) {
		r.put(1, 2)
		r.lease("a", 1)
		_, err := r.q.Lease(r.ctx, queue.Want{Consumer: "b", For: time.Millisecond})
		r.must(err)
		r.wait()
		r.want(r.lease("c", 9), 2)
		if _, ok := r.q.NextExpiry(); ok {
			r.Error("a lease runs out")
		}
	}},
	{"LeaseEndsWithProcess", "unacknowledged groups wait again after a restart", func(r *rig) {
		r.put(1, 2, 3)
		list := r.lease("a", 2)
		r.must(r.q.Ack(r.ctx, "a", list[1].Seq))
		r.reopen()
		r.want(r.lease("b", 9), 1, 3)
	}},
	{"AckDurable", "acknowledged groups never come again", func(r *rig) {
		r.put(1, 2, 3)
		r.must(r.q.Ack(r.ctx, "a", seqs(r.lease("a", 2))...))
		r.want(r.lease("a", 9), 3)
		r.reopen()
		r.want(r.lease("a", 9), 3)
	}},
	{"AckMany", "any number of groups is acknowledged at once", func(r *rig) {
		var numbers []int
		for i := range 100 {
			numbers = append(numbers, i)
		}
		r.put(numbers...)
		list := r.lease("a", 99)
		slices.Reverse(list)
		r.must(r.q.Ack(r.ctx, "a", seqs(list)...))
		r.must(r.q.Ack(r.ctx, "a"))
		r.reopen()
		r.want(r.lease("a", 100), 99)
	}},
	{"AckNotLeased", "a consumer without all of the groups acknowledges none of them", func(r *rig) {
		r.put(1, 2)
		list := r.lease("a", 2)
		for why, test := range map[string]struct {
			consumer string
			seqs     []uint64
		}{
			"never put":       {"a", []uint64{list[0].Seq, 99}},
			"another's":       {"b", seqs(list)},
			"never consumed":  {"", seqs(list)},
			"put and unknown": {"a", []uint64{0, list[0].Seq}},
		} {
			err := r.q.Ack(r.ctx, test.consumer, test.seqs...)
			if e := new(queue.NotLeasedError); !errors.As(err, &e) || !errors.Is(err, queue.ErrNotLeased) {
				r.Errorf("%s: error %v", why, err)
			}
		}
		r.reopen()
		r.want(r.lease("a", 9), 1, 2)
	}},
	{"AckExpired", "an expired lease cannot be acknowledged", func(r *rig) {
		r.put(1, 2)
		list, err := r.q.Lease(r.ctx, queue.Want{Consumer: "a", For: 20 * time.Millisecond})
		r.must(err)
		r.wait()
		err = r.q.Ack(r.ctx, "a", list[0].Seq)
		if e := new(queue.NotLeasedError); !errors.As(err, &e) || e.Seq != list[0].Seq {
			r.Errorf("error %v", err)
		}
		r.want(r.lease("b", 9), 1, 2)
		if err := r.q.Ack(r.ctx, "a", list[0].Seq); !errors.Is(err, queue.ErrNotLeased) {
			r.Errorf("another's lease: error %v", err)
		}
	}},
	{"AckTwice", "a group cannot be acknowledged twice", func(r *rig) {
		r.put(1)
		list := r.lease("a", 1)
		r.must(r.q.Ack(r.ctx, "a", seqs(list)...))
		if err := r.q.Ack(r.ctx, "a", seqs(list)...); !errors.Is(err, queue.ErrNotLeased) {
			r.Errorf("error %v", err)
		}
	}},
	{"ReleaseKeepsPlace", "a released group is handed out at once, in its old place", func(r *rig) {
		r.put(1, 2, 3, 4)
		list := r.lease("a", 3)
		changed := r.q.Changed()
		if n := r.q.Release("a", list[1].Seq, list[0].Seq, 99); n != 2 {
			r.Errorf("%d were released, want 2", n)
		}
		<-changed
		if n := r.q.Release("b", list[2].Seq); n != 0 {
			r.Errorf("%d of another consumer were released", n)
		}
		r.want(r.lease("b", 9), 1, 2, 4)
	}},
	{"ReleaseAll", "a consumer releases all its groups, and no others", func(r *rig) {
		r.put(1, 2, 3, 4, 5)
		r.lease("a", 1)
		r.lease("b", 1)
		r.lease("a", 2)
		if n := r.q.ReleaseAll("a"); n != 3 {
			r.Errorf("%d were released, want 3", n)
		}
		r.want(r.lease("c", 9), 1, 3, 4, 5)
	}},
	{"Drop", "a dropped group is gone, wherever it was, and its ID is known", func(r *rig) {
		r.put(1, 2, 3)
		list := r.lease("a", 1)
		n, err := r.q.Drop(r.ctx, list[0].Seq, list[0].Seq+1, 99)
		r.must(err)
		if s := r.q.Stats(); n != 2 || s.Dropped != 2 {
			r.Errorf("%d were dropped, and %d counted, want 2", n, s.Dropped)
		}
		if err := r.q.Ack(r.ctx, "a", list[0].Seq); !errors.Is(err, queue.ErrNotLeased) {
			r.Errorf("error %v", err)
		}
		r.again(1)
		r.reopen()
		r.again(2)
		r.want(r.lease("a", 9), 3)
	}},
}

// held puts groups, some of them held, and frees these.
func held(r *rig) {
	groups := []*quintain.Group{Group(1), nameless(2), Group(3)}
	groups[1].EnvID = groups[0].EnvID
	numbers, fresh, err := r.q.PutHeld(r.ctx, groups, []bool{true, true, false})
	r.must(err)
	if !slices.Equal(fresh, []bool{true, true, true}) {
		r.Errorf("fresh %v", fresh)
	}
	env := *groups[0].EnvID
	check := func(why string, want ...uint64) {
		r.Helper()
		var got []uint64
		for _, e := range r.q.Held(env) {
			got = append(got, e.Seq)
		}
		kinds, _ := r.q.Kinds(0)
		n := 0
		for k, count := range kinds {
			if k.Held {
				n += count
			}
		}
		if !slices.Equal(got, want) || n != len(want) {
			r.Errorf("%s: %v are held, and %d counted; want %v", why, got, n, want)
		}
	}
	check("put", numbers[:2]...)
	r.reopen()
	check("reopened", numbers[:2]...)
	r.want(r.lease("a", 9), 3)
	r.must(r.q.Free(r.ctx, numbers[0], numbers[2], 99))
	check("freed", numbers[1])
	for range 2 { // the second time, the log is a checkpoint
		r.reopen()
		check("freed and reopened", numbers[1])
		for range 300 {
			one := nameless(9)
			one.EnvID = nil
			_, err := r.q.Put(r.ctx, one)
			r.must(err)
			list, err := r.q.Lease(r.ctx, queue.Want{Consumer: "a", Pick: func(w []queue.Entry) []queue.Entry { return w[len(w)-1:] }})
			r.must(err)
			r.must(r.q.Ack(r.ctx, "a", seqs(list)...))
		}
	}
	r.reopen()
	check("at last", numbers[1])
	r.want(r.lease("a", 9), 1, 3)
}
