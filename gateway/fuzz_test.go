package gateway

import (
	"testing"
	"time"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/gateway/journal"
	"github.com/quintain-rl/quintain/gateway/tree"
	"github.com/quintain-rl/quintain/run/rollout"
)

// A record of the journal, whatever is in it, is taken or refused, and what was taken can be
// shown, judged and given to the host.
func FuzzRestore(f *testing.F) {
	whole := &tree.Node{ID: "a", Whole: "hi", Turn: quintain.Turn{
		Observed: []quintain.Message{user("?")}, Reply: "hi", Read: tokensOf("?"), Wrote: tokensOf("hi"), LogProbs: []float32{-1, -2}, Versions: []int32{3, 4},
		Finish: quintain.Stop, Call: &quintain.Call{ID: "a", Parent: -1, Class: tree.Root},
	}}
	call, err := tree.Encode(whole, tree.Record{Vocabulary: "bytes"})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(byte(kindCall), call)
	f.Add(byte(kindCall), call[:len(call)-1])
	f.Add(byte(kindGroup), []byte(`{"name": "g", "of": 1, "limits": {"calls": 3}}`))
	f.Add(byte(kindSession), []byte(`{"id": "s", "group": "g"}`))
	f.Add(byte(kindSession), []byte(`{"id": "t", "group": "g", "number": -1}`))
	f.Add(byte(kindLost), []byte("a.1"))
	f.Add(byte(kindDelivered), []byte("a.2"))
	f.Add(byte(kindFailed), []byte(`{"parent": "a", "why": "it broke"}`))
	f.Add(byte(kindReward), []byte(`{"reward": 1, "call": "a", "mode": "add"}`))
	f.Add(byte(kindEnd), []byte(`{"failed": "agent", "at": "2026-01-01T00:00:00Z"}`))
	f.Add(byte(kindSealed), []byte(`{"outcome": "scored"}`))
	f.Add(byte(kindSealed), []byte(`{}`))
	f.Add(byte(kindOrder), []byte(`{"key": "k", "made": {"group": "g"}}`))
	f.Add(byte(kindClosed), []byte(`g`))
	f.Add(byte('?'), []byte(`{}`))
	f.Fuzz(func(t *testing.T, kind byte, data []byte) {
		g, err := New(Config{Settings: Defaults(), Secret: []byte("secret")})
		if err != nil {
			t.Fatal(err)
		}
		host := &desk{results: make(chan rollout.Result, 9)}
		g.host = host
		for _, r := range []journal.Record{
			{Session: groupKey("g"), Kind: kindGroup, Data: []byte(`{"name": "g", "of": 1, "mode": "train"}`)},
			{Session: "s", Kind: kindSession, Data: []byte(`{"id": "s", "group": "g"}`)},
			{Session: "s", Kind: kindCall, Data: call},
			{Session: "s", Kind: kind, Data: data},
			{Session: "s", Kind: kind, Data: data},
		} {
			if err := (&restorer{Gateway: g}).restore(r); err != nil {
				return
			}
		}
		now := time.Now()
		for _, s := range g.sessions {
			s.mu.Lock()
			_ = s.view()
			s.mu.Unlock()
			if err := g.End(t.Context(), s.id, End{}); err != nil {
				t.Error(err)
			}
		}
		for _, of := range g.all() {
			if g.lookAt(t.Context(), of, now.Add(time.Hour)) {
				if err := g.finish(t.Context(), of); err != nil {
					t.Error(err)
				}
			}
		}
		for len(host.results) > 0 {
			r := <-host.results
			for _, one := range r.Trajectories {
				if one.Outcome == "" {
					t.Error("a session without an outcome was given to the host")
				}
			}
			if j, err := (rollout.Rules{Estimator: rollout.None, TurnDiscount: 1, KeepEqual: true}).Judge(r); err == nil && j.Group != nil && j.Group.Check() != nil {
				t.Error(j.Group.Check())
			}
		}
	})
}
