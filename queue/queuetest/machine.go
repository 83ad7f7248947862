package queuetest

import (
	"errors"
	"flag"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/queue"
)

// Machine compares a queue with a simple model in random histories: as many as checks, unless
// rapid's flag says otherwise; 0: rapid's default. Time passes only if the place allows a
// bubble.
func Machine(t *testing.T, p Place, checks int) {
	if checks > 0 {
		few(t, checks)
	}
	p.run(t, func(t *testing.T) {
		// In a bubble rapid must not ask t for its deadline.
		rapid.Check(struct{ *testing.T }{t}, func(rt *rapid.T) {
			m := &machine{rig: newRig(rt, p.New(t)), groups: make(map[uint64]*modelGroup), known: make(map[string]bool), bubble: p.Bubble}
			defer m.end()
			rt.Repeat(map[string]func(*rapid.T){
				"put": m.doPut, "put all": m.doPutAll, "lease": m.doLease, "ack": m.doAck, "drop": m.doDrop,
				"release": m.doRelease, "release all": m.doReleaseAll, "wait": m.doWait, "reopen": m.doReopen,
				"reset": m.doReset, "": m.compare,
			})
		})
	})
}

// few has rapid make n checks, unless its flag says otherwise.
func few(t *testing.T, n int) {
	f := flag.Lookup("rapid.checks")
	if before := f.Value.String(); before == f.DefValue {
		if err := flag.Set(f.Name, fmt.Sprint(n)); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = flag.Set(f.Name, before) })
	}
}

// A modelGroup is a group in the model's queue.
type modelGroup struct {
	id     string // in the model; the queue makes its own if the group has none
	holder string // consumer; empty: it waits
	until  time.Time
}

// A machine is a queue and its model.
type machine struct {
	*rig
	bubble bool
	groups map[uint64]*modelGroup
	known  map[string]bool
	next   int // number of the next group without an ID
}

// group draws a group out of a few, or one without an ID.
func (m *machine) group(t *rapid.T) *quintain.Group {
	i := rapid.IntRange(0, 12).Draw(t, "group")
	if i == 0 {
		m.next++
		return nameless(1000 + m.next)
	}
	return Group(i)
}

// keep adds g to the model as the queue must, and returns whether it is fresh. Its sequence
// number becomes known later.
func (m *machine) keep(g *quintain.Group, pending *[]*modelGroup) bool {
	if g.ID != "" && m.known[g.ID] {
		return false
	}
	m.known[g.ID] = true
	*pending = append(*pending, &modelGroup{id: g.ID})
	return true
}

func (m *machine) doPut(t *rapid.T) { m.putGroups([]*quintain.Group{m.group(t)}) }

func (m *machine) doPutAll(t *rapid.T) {
	m.putGroups(rapid.SliceOfN(rapid.Custom(m.group), 0, 5).Draw(t, "groups"))
}

func (m *machine) putGroups(list []*quintain.Group) {
	fresh, err := m.q.PutAll(m.ctx, list)
	m.must(err)
	var pending []*modelGroup
	for i, g := range list {
		if want := m.keep(g, &pending); fresh[i] != want {
			m.Fatalf("group %d of the put, ID %q: fresh is %v, want %v", i, g.ID, fresh[i], want)
		}
	}
	// New ones have the highest sequence numbers, in the order of the put.
	var seqs []uint64
	m.q.View(func(waiting []queue.Entry) {
		for _, e := range waiting {
			if m.groups[e.Seq] == nil {
				seqs = append(seqs, e.Seq)
			}
		}
	})
	if len(seqs) != len(pending) {
		m.Fatalf("%d groups are new, want %d", len(seqs), len(pending))
	}
	for i, seq := range seqs {
		m.groups[seq] = pending[i]
	}
}

// expire ends the leases that have run out.
func (m *machine) expire() {
	for _, g := range m.groups {
		if g.holder != "" && !g.until.IsZero() && !time.Now().Before(g.until) {
			g.holder = ""
		}
	}
}

func (m *machine) consumer(t *rapid.T) string {
	return rapid.SampledFrom([]string{"a", "b"}).Draw(t, "consumer")
}

// some draws sequence numbers, most of them in the queue.
func (m *machine) some(t *rapid.T) []uint64 {
	all := append(slices.Sorted(maps.Keys(m.groups)), 12345)
	return rapid.SliceOfN(rapid.SampledFrom(all), 0, 4).Draw(t, "seqs")
}

func (m *machine) doLease(t *rapid.T) {
	w := queue.Want{Consumer: m.consumer(t), Max: rapid.IntRange(1, 4).Draw(t, "max")}
	if m.bubble {
		w.For = time.Duration(rapid.IntRange(0, 3).Draw(t, "seconds")) * time.Second
	}
	if rapid.Bool().Draw(t, "newest") {
		w.Pick = func(waiting []queue.Entry) []queue.Entry { return waiting[max(0, len(waiting)-w.Max):] }
	}
	m.expire()
	list, err := m.q.Lease(m.ctx, w)
	m.must(err)
	want := m.waiting()
	if w.Pick != nil {
		want = want[max(0, len(want)-w.Max):]
	}
	want = want[:min(w.Max, len(want))]
	if !slices.Equal(seqs(list), want) {
		m.Fatalf("%v were leased, want %v", seqs(list), want)
	}
	for _, d := range list {
		g := m.groups[d.Seq]
		if g.holder = w.Consumer; d.Group.ID != g.id {
			m.Fatalf("group %q came, want %q", d.Group.ID, g.id)
		}
		if g.until = (time.Time{}); w.For > 0 {
			g.until = time.Now().Add(w.For)
		}
	}
}

func (m *machine) waiting() []uint64 {
	var list []uint64
	for seq, g := range m.groups {
		if g.holder == "" {
			list = append(list, seq)
		}
	}
	slices.Sort(list)
	return list
}

func (m *machine) doAck(t *rapid.T) {
	who, list := m.consumer(t), m.some(t)
	m.expire()
	ok := !slices.ContainsFunc(list, func(seq uint64) bool { return m.groups[seq] == nil || m.groups[seq].holder != who })
	err := m.q.Ack(m.ctx, who, list...)
	if ok != (err == nil) || err != nil && !errors.Is(err, queue.ErrNotLeased) {
		m.Fatalf("error %v, want one: %v", err, !ok)
	}
	if ok {
		m.forget(list)
	}
}

func (m *machine) forget(list []uint64) {
	for _, seq := range list {
		delete(m.groups, seq)
	}
}

func (m *machine) doDrop(t *rapid.T) {
	list := m.some(t)
	before := len(m.groups)
	m.forget(list)
	n, err := m.q.Drop(m.ctx, list...)
	m.must(err)
	if want := before - len(m.groups); n != want {
		m.Fatalf("%d were dropped, want %d", n, want)
	}
}

func (m *machine) doRelease(t *rapid.T) {
	who, list := m.consumer(t), m.some(t)
	m.expire()
	want := 0
	for _, seq := range list {
		if g := m.groups[seq]; g != nil && g.holder == who {
			g.holder = ""
			want++
		}
	}
	if n := m.q.Release(who, list...); n != want {
		m.Fatalf("%d were released, want %d", n, want)
	}
}

func (m *machine) doReleaseAll(t *rapid.T) {
	who, want := m.consumer(t), 0
	m.expire()
	for _, g := range m.groups {
		if g.holder == who {
			g.holder = ""
			want++
		}
	}
	if n := m.q.ReleaseAll(who); n != want {
		m.Fatalf("%d were released, want %d", n, want)
	}
}

func (m *machine) doWait(t *rapid.T) {
	if !m.bubble {
		t.Skip("the clock is the world's")
	}
	<-time.After(time.Duration(rapid.IntRange(1, 2000).Draw(t, "milliseconds")) * time.Millisecond)
}

func (m *machine) doReopen(*rapid.T) {
	m.reopen()
	for _, g := range m.groups {
		g.holder = ""
	}
}

func (m *machine) doReset(t *rapid.T) {
	if rapid.IntRange(0, 4).Draw(t, "really") > 0 {
		t.Skip("rare")
	}
	m.must(m.q.Reset(m.ctx))
	clear(m.groups)
	clear(m.known)
}

// compare checks that the queue has the content of the model.
func (m *machine) compare(*rapid.T) {
	m.expire()
	var got []uint64
	m.q.View(func(waiting []queue.Entry) {
		for _, e := range waiting {
			got = append(got, e.Seq)
		}
	})
	if want := m.waiting(); !slices.Equal(got, want) {
		m.Fatalf("%v wait, want %v", got, want)
	}
	next := time.Time{}
	for _, g := range m.groups {
		if g.holder != "" && !g.until.IsZero() && (next.IsZero() || g.until.Before(next)) {
			next = g.until
		}
	}
	// The queue may check earlier than it must, but not later.
	if at, ok := m.q.NextExpiry(); !next.IsZero() && (!ok || at.After(next)) {
		m.Fatalf("the next lease runs out at %v, want %v", at, next)
	}
	s := m.q.Stats()
	if n := len(m.groups) - len(got); s.Leased.Groups != n || s.Lost != 0 {
		m.Fatalf("%d are leased, want %d; %d are missing", s.Leased.Groups, n, s.Lost)
	}
}
