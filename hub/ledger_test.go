package hub

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quintain-rl/quintain/queue"
)

// statusOf computes what an environment of a run is told while groups wait: "4" is a
// group of four sequences from no environment, "a2" one of two from environment 0.
func statusOf(r *registration, id int, waiting string) envStatus {
	kinds := make(map[queue.Kind]int)
	for word := range strings.FieldsSeq(waiting) {
		k := queue.Kind{EnvID: -1}
		if word[0] >= 'a' {
			k.EnvID = int32(word[0] - 'a')
			word = word[1:]
		}
		fmt.Sscan(word, &k.Sequences)
		kinds[k]++
	}
	st, _ := newAccount(newRoster(*r, func(id int) bool { return r.Envs[id].Connected }), kinds).statusOf(id)
	return st
}

func TestStatusOf(t *testing.T) {
	half := 0.5
	two := registration{Registered: true, BatchSize: 8, Envs: []env{
		{MaxTokens: 10, Weight: 2, Connected: true, GroupSize: 4},
		{MaxTokens: 10, Weight: 1, Connected: true, GroupSize: 4, Minimum: &half},
	}}
	gone := registration{BatchSize: 8, Envs: []env{{MaxTokens: 10, Weight: 1, GroupSize: 4}, {MaxTokens: 10, Weight: 1, GroupSize: 4, Minimum: &half}}}
	none := registration{BatchSize: 8, Envs: []env{{MaxTokens: 10, Weight: 0, Connected: true, GroupSize: 4}, {MaxTokens: 10, Weight: -1, Connected: true, GroupSize: 4}}}
	for _, test := range []struct {
		why     string
		run     *registration
		id      int
		waiting string
		want    envStatus
	}{
		{"nothing waits", &two, 0, "", envStatus{0, 0, 1, 0.5, 2.0 / 3}},
		{"its own", &two, 0, "a4 a4 a4", envStatus{3, 3, 4, 0.5, 2.0 / 3}},
		{"others' beyond their minimum, in whole packs", &two, 0, "a4 b4 b2", envStatus{2, 1, 4, 0.5, 2.0 / 3}},
		{"others' without a minimum", &two, 1, "a4 b4", envStatus{2, 1, 4, 0.5, 1.0 / 3}},
		{"those of no environment", &two, 0, "4 4 c4", envStatus{3, 0, 4, 0.5, 2.0 / 3}},
		{"all of size one: others do not count", &two, 0, "a1 a1 a1 a1 b1 1", envStatus{1, 1, 1, 0.5, 2.0 / 3}},
		{"it counts in its largest", &two, 0, "a4 a8", envStatus{1, 1, 8, 0.5, 2.0 / 3}},
		{"all have gone", &gone, 0, "", envStatus{0, 0, 1, 1, 1}},
		{"no weight at all", &none, 0, "", envStatus{0, 0, 1, 1, 0.01}},
		{"less than none", &none, 1, "", envStatus{0, 0, 1, 1, 0.01}},
	} {
		if got := statusOf(test.run, test.id, test.waiting); got != test.want {
			t.Errorf("%s: %+v, want %+v", test.why, got, test.want)
		}
	}
}

// TestGoneEnvironment lets an environment with a minimum fall silent.
func TestGoneEnvironment(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t, nil, Config{Settings: Settings{EnvTimeout: time.Minute}})
		f.begin(4)
		f.env(4, "0.5")
		f.put(group(1, 4, -1), group(2, 4, -1))
		time.Sleep(50 * time.Second)
		f.do("GET", "/status-env", `{"env_id":0}`)
		time.Sleep(50 * time.Second)
		if got := f.batch(); got != "null" {
			t.Errorf("batch %s, want none: the environment spoke 50 s ago", got)
		}
		time.Sleep(20 * time.Second)
		if got := f.batch(); got != "1" {
			t.Errorf("batch %s, want 1: the environment has been silent for 70 s", got)
		}
		f.do("POST", "/scored_data", group(3, 2, 0))
		if got := f.batch(); got != "null" {
			t.Errorf("batch %s, want none: the environment is back", got)
		}
		time.Sleep(2 * time.Minute)
		f.restart()
		if got := f.batch(); got != "null" {
			t.Errorf("batch %s, want none: after a restart of the hub it has its time", got)
		}
		time.Sleep(2 * time.Minute)
		if got := f.batch(); got != "2" {
			t.Errorf("batch %s, want 2", got)
		}
	})
}

// BenchmarkStatusEnv asks for the status of an environment among a thousand, each with
// groups that wait: with nothing changed since the last time, and after a group came.
func BenchmarkStatusEnv(b *testing.B) {
	q, err := queue.Open(b.Context(), queue.NewMemory(), queue.Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer q.Close()
	s, err := New(Config{Queue: q})
	if err != nil {
		b.Fatal(err)
	}
	r := registration{Registered: true, BatchSize: 64}
	for range 1000 {
		r.Envs = append(r.Envs, env{MaxTokens: 64, Weight: 1, Connected: true, GroupSize: 4})
	}
	run := s.Default()
	if err := run.registry.save(b.Context(), r); err != nil {
		b.Fatal(err)
	}
	f := &fixture{server: s}
	for id := range 1000 {
		f.do("POST", "/scored_data", group(1, 4, id))
	}
	for _, changes := range []bool{false, true} {
		b.Run(map[bool]string{false: "quiet", true: "changing"}[changes], func(b *testing.B) {
			for i := 0; b.Loop(); i++ {
				if changes {
					run.ledger.mu.Lock()
					run.ledger.turn = 0 // as if a group had come
					run.ledger.mu.Unlock()
				}
				if st, ok := run.ledger.account(time.Now()).statusOf(i % 1000); !ok || st.own != 1 {
					b.Fatal(st)
				}
			}
		})
	}
}
