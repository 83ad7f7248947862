package registry

import (
	"context"
	"errors"
	"fmt"
	"math"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quintain-rl/quintain/interop/atropos"
	"github.com/quintain-rl/quintain/queue"
)

// open returns the registry in m, and a function that closes it.
func open(t testing.TB, m *queue.Memory, o Options) (*Registry, func()) {
	t.Helper()
	q, err := queue.Open(t.Context(), m, queue.Options{})
	if err != nil {
		t.Fatal(err)
	}
	g, err := Open(t.Context(), q, o)
	if err != nil {
		t.Fatal(err)
	}
	return g, func() {
		if err := q.Close(); err != nil {
			t.Error(err)
		}
	}
}

// add registers an environment.
func add(t testing.TB, g *Registry, name string) *Env {
	t.Helper()
	e, err := g.Add(t.Context(), atropos.EnvRegistration{DesiredName: name, GroupSize: 4, Weight: 1, MaxTokenLength: 1})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// TestManyEnvironments registers a hundred thousand, and reopens the registry.
func TestManyEnvironments(t *testing.T) {
	const many = 100_000
	m, o := queue.NewMemory(), Options{Timeout: time.Minute, MaxEnvs: 2 * many}
	g, stop := open(t, m, o)
	for i := range many {
		if e := add(t, g, "e"); e.ID != int32(i) || e.RealName() != fmt.Sprintf("e_%d", i) {
			t.Fatalf("environment %d is %+v", i, e)
		}
	}
	if known, err := g.Disconnect(t.Context(), 7); !known || err != nil {
		t.Error(known, err)
	}
	stop()
	g, stop = open(t, m, o)
	defer stop()
	who := g.Roster(time.Now())
	if who.Known() != many || who.Connected() != many-1 || who.Has(7) || !who.Has(many-1) {
		t.Errorf("%d are known and %d connected, want %d and one less", who.Known(), who.Connected(), many)
	}
	if e := add(t, g, "e"); e.ID != many || e.Nth != many {
		t.Errorf("the next is %+v", e)
	}
}

// TestForgetting lets environments come and go for days: their records stay few, and none
// gets the ID of another.
func TestForgetting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m, o := queue.NewMemory(), Options{Timeout: 2 * time.Minute, MaxEnvs: 1 << 17}
		g, stop := open(t, m, o)
		old := add(t, g, "old")
		for i := range 20_000 {
			e := add(t, g, fmt.Sprint("e", i%7))
			if e.ID != int32(i)+1 || e.Nth != i/7 {
				t.Fatalf("environment %d is %+v", i+1, e)
			}
			if i%2 == 0 { // the others fall silent
				if _, err := g.Disconnect(t.Context(), e.ID); err != nil {
					t.Fatal(err)
				}
			}
			time.Sleep(10 * time.Second)
			g.Hear(old.ID)
			if i%5000 == 4999 {
				stop()
				g, stop = open(t, m, o)
			}
		}
		defer stop()
		if n := g.Roster(time.Now()).Known(); n > 2*keepEnvs {
			t.Errorf("%d are known, want at most %d", n, 2*keepEnvs)
		}
		list, err := g.queue.States(t.Context(), envPrefix)
		if err != nil || len(list) != len(g.envs) {
			t.Errorf("%d are kept, and %d known: %v", len(list), len(g.envs), err)
		}
		if g.Env(old.ID) == nil {
			t.Error("one that speaks is forgotten")
		}
		if known, err := g.Disconnect(t.Context(), 1); known || err != nil {
			t.Errorf("a client of one that is forgotten is known: %v, %v", known, err)
		}
	})
}

func TestFull(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g, stop := open(t, queue.NewMemory(), Options{Timeout: time.Minute, MaxEnvs: 3})
		defer stop()
		for range 3 {
			add(t, g, "e")
		}
		if _, err := g.Add(t.Context(), atropos.EnvRegistration{}); !errors.Is(err, ErrFull) {
			t.Errorf("error %v, want that it is full", err)
		}
		if _, err := g.Disconnect(t.Context(), 1); err != nil {
			t.Fatal(err)
		}
		if e := add(t, g, "e"); e.ID != 3 || g.Env(1) != nil {
			t.Errorf("the fourth is %+v", e)
		}
		time.Sleep(2 * time.Hour)
		if e := add(t, g, "e"); e.ID != 4 {
			t.Errorf("the fifth is %+v", e)
		}
	})
}

// TestIDsBeginAnew registers an environment after the highest ID was given.
func TestIDsBeginAnew(t *testing.T) {
	g, stop := open(t, queue.NewMemory(), Options{Timeout: time.Minute, MaxEnvs: 9})
	defer stop()
	add(t, g, "e")
	g.enter(&Env{ID: math.MaxInt32, Connected: true})
	for _, want := range []int32{1, 2} {
		if e := add(t, g, "e"); e.ID != want {
			t.Errorf("the next is %d, want %d, which is free", e.ID, want)
		}
	}
}

func TestReset(t *testing.T) {
	m, o := queue.NewMemory(), Options{Timeout: time.Minute, MaxEnvs: 9}
	g, stop := open(t, m, o)
	add(t, g, "e")
	err := g.Update(t.Context(), func(now *Registration) { now.SetTrainer(atropos.Registration{BatchSize: 8}) })
	if now := g.Current(); err != nil || now.Size() != 8 {
		t.Errorf("%+v, %v, want batches of 8", now, err)
	}
	if err := g.Reset(t.Context()); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if now := g.Current(); now.Size() != -1 || g.Env(0) != nil {
			t.Errorf("%+v is left", now)
		}
		stop()
		g, stop = open(t, m, o)
	}
	defer stop()
	if e := add(t, g, "e"); e.ID != 0 || e.Nth != 0 {
		t.Errorf("the first is %+v", e)
	}
}

// TestOpenRefuses opens invalid records.
func TestOpenRefuses(t *testing.T) {
	for _, test := range []struct{ why, key, text string }{
		{"no JSON", Key, "{"},
		{"an earlier version", Key, `{"version":1}`},
		{"something else", Key, `{"version":2,"batch_size":"x"}`},
		{"another version of an environment", envPrefix + "0", `{"version":9}`},
	} {
		m := queue.NewMemory()
		q, err := queue.Open(t.Context(), m, queue.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if err := q.SetState(context.Background(), test.key, []byte(test.text)); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(t.Context(), q, Options{}); err == nil {
			t.Errorf("%s: no error", test.why)
		}
	}
}
