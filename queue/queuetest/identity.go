package queuetest

import (
	"context"
	"errors"
	"math"
	"strings"
	"time"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/queue"
)

// identity are the promises of putting.
var identity = []promise{
	{"PutOnce", "a group is stored once by its ID, be it waiting or leased", func(r *rig) {
		r.put(1, 2)
		r.again(1)
		r.lease("a", 1)
		r.again(1)
		r.reopen()
		r.again(1)
		r.want(r.lease("a", 9), 1, 2)
	}},
	{"PutOnceAfterAck", "an ID is known after its group is done", func(r *rig) {
		r.put(1, 2)
		list := r.lease("a", 1)
		r.must(r.q.Ack(r.ctx, "a", seqs(list)...))
		r.again(1)
		r.reopen()
		r.again(1)
		r.want(r.lease("a", 9), 2)
	}},
	{"Forget", "an old ID is forgotten for good, and its group is new then", forget},
	{"Conflict", "an ID with other content is refused while its group is in the queue", func(r *rig) {
		r.put(1, 2)
		other := Group(3)
		other.ID = Group(1).ID
		check := func(why string, groups ...*quintain.Group) {
			r.Helper()
			var conflict *queue.ConflictError
			if _, err := r.q.PutAll(r.ctx, groups); !errors.As(err, &conflict) || conflict.ID != other.ID {
				r.Errorf("%s: error %v, want a conflict", why, err)
			}
		}
		check("it waits", Group(4), other)
		r.reopen()
		check("after reopening", other)
		list := r.lease("a", 1)
		check("it is leased", other)
		r.again(1)
		r.must(r.q.Ack(r.ctx, "a", seqs(list)...))
		if fresh, err := r.q.Put(r.ctx, other); fresh || err != nil {
			r.Errorf("it is done: fresh %v, error %v, want neither", fresh, err)
		}
		other.ID = Group(4).ID
		check("both in one put", Group(4), other)
		r.want(r.lease("a", 9), 2)
	}},
	{"PutWithoutID", "a group without an ID is always fresh, and comes out without one", func(r *rig) {
		for range 2 {
			fresh, err := r.q.Put(r.ctx, nameless(1))
			r.must(err)
			if !fresh {
				r.Error("it is not fresh")
			}
		}
		r.reopen()
		list := r.lease("a", 9)
		if len(list) != 2 || list[0].ID == list[1].ID {
			r.Fatalf("%d groups came, want two with IDs of their own", len(list))
		}
		if d := Diff(nameless(1), list[0].Group); d != "" {
			r.Error(d)
		}
		r.must(r.q.Ack(r.ctx, "a", list[0].Seq))
		r.reopen()
		if n := len(r.lease("a", 9)); n != 1 {
			r.Errorf("%d groups came, want the one that was not acknowledged", n)
		}
	}},
	{"PutAll", "groups put together are stored together, except known or repeated ones", func(r *rig) {
		r.put(1, 2)
		r.must(r.q.Ack(r.ctx, "a", seqs(r.lease("a", 1))...))
		list := []*quintain.Group{Group(1), Group(3), Group(2), Group(4), Group(3), nameless(5)}
		fresh, err := r.q.PutAll(r.ctx, list)
		r.must(err)
		for i, want := range []bool{false, true, false, true, false, true} {
			if fresh[i] != want {
				r.Errorf("fresh[%d] is %v", i, fresh[i])
			}
		}
		r.reopen()
		all := r.lease("a", 9)
		r.want(all[:3], 2, 3, 4)
		if len(all) != 4 {
			r.Errorf("%d groups wait, want 4", len(all))
		}
	}},
	{"PutManyAtOnce", "at most a thousand groups are put at once", func(r *rig) {
		list := make([]*quintain.Group, queue.MaxPutAll+1)
		for i := range list {
			list[i] = Group(i)
		}
		if _, err := r.q.PutAll(r.ctx, list); err == nil {
			r.Error("more were taken")
		}
		_, err := r.q.PutAll(r.ctx, list[:queue.MaxPutAll])
		r.must(err)
		r.reopen()
		if n := r.q.Stats().Waiting.Groups; n != queue.MaxPutAll {
			r.Errorf("%d groups wait, want %d", n, queue.MaxPutAll)
		}
	}},
	{"PutNothing", "a put of no groups is no error", func(r *rig) {
		fresh, err := r.q.PutAll(r.ctx, nil)
		r.must(err)
		if len(fresh) != 0 {
			r.Error("something is fresh")
		}
	}},
	{"PutInvalid", "an invalid group is refused, with its whole put", func(r *rig) {
		bad := Group(2)
		bad.Scores[1] = math.Inf(1)
		long, garbled := Group(3), Group(4)
		long.ID, garbled.ID = strings.Repeat("x", 2000), "\xff"
		for field, g := range map[string]*quintain.Group{"scores[1]": bad, "id": long} {
			_, err := r.q.PutAll(r.ctx, []*quintain.Group{Group(1), g})
			if f := new(quintain.FieldError); !errors.As(err, &f) || f.Field != field {
				r.Errorf("error %v, want one of %s", err, field)
			}
		}
		if _, err := r.q.Put(r.ctx, garbled); err == nil {
			r.Error("an ID that is no text was taken")
		}
		r.want(r.lease("a", 9))
	}},
	{"PutAnyName", "an ID may hold any text", func(r *rig) {
		g := Group(1)
		g.ID = "a.b *>\r\nNats-Rollup: all\u2028\x00é\"\\"
		_, err := r.q.Put(r.ctx, g)
		r.must(err)
		r.reopen()
		fresh, err := r.q.Put(r.ctx, g)
		r.must(err)
		if list := r.lease("a", 9); fresh || len(list) != 1 || list[0].ID != g.ID || list[0].Group.ID != g.ID {
			r.Errorf("fresh %v, groups %v", fresh, list)
		}
	}},
	{"PutCancelled", "a put after the end of its context stores nothing", func(r *rig) {
		ctx, cancel := context.WithCancelCause(r.ctx)
		why := errors.New("the user left")
		cancel(why)
		if _, err := r.q.Put(ctx, Group(1)); !errors.Is(err, why) {
			r.Errorf("error %v, want %v", err, why)
		}
		r.put(1)
	}},
	{"Reset", "a reset forgets groups and IDs, and keeps states", func(r *rig) {
		r.must(r.q.SetState(r.ctx, "run", []byte("1")))
		r.put(1, 2, 3)
		list := r.lease("a", 2)
		r.must(r.q.Ack(r.ctx, "a", list[0].Seq))
		r.must(r.q.Reset(r.ctx))
		if err := r.q.Ack(r.ctx, "a", list[1].Seq); !errors.Is(err, queue.ErrNotLeased) {
			r.Errorf("error %v, want one of a group that is not leased", err)
		}
		r.want(r.lease("a", 9))
		r.put(1)
		r.reopen()
		r.put(2)
		r.want(r.lease("a", 9), 1, 2)
		if v, err := r.q.State(r.ctx, "run"); err != nil || string(v) != "1" {
			r.Errorf("state %q, error %v", v, err)
		}
	}},
}

// forget has a queue forget IDs, then opens it with a longer memory.
func forget(r *rig) {
	r.put(1, 2, 3, 4)
	r.must(r.q.Ack(r.ctx, "a", seqs(r.lease("a", 2))...))
	r.options.Remember = time.Hour
	r.reopen()
	r.again(1)
	r.options.Remember = time.Millisecond
	r.reopen()
	held := r.lease("a", 1)
	for r.q.Stats().Known > 0 {
		<-time.After(time.Millisecond)
		_, err := r.q.State(r.ctx, "x") // any operation forgets due IDs
		r.must(err)
	}
	r.again(3) // it is leased
	r.again(4)
	r.put(2)
	r.must(r.q.Ack(r.ctx, "a", held[0].Seq))
	r.options.Remember = 0
	for range 2 {
		r.reopen()
		r.want(r.lease("a", 9), 4, 2)
		r.again(3)
		r.again(2)
		if s := r.q.Stats(); s.Known != 1 || s.Lost != 0 {
			r.Errorf("%d IDs are known, and %d groups missing", s.Known, s.Lost)
		}
	}
	r.put(1)
}
