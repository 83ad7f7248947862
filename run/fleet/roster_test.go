package fleet

import (
	"maps"
	"testing"
)

// The roster tells what became of each lease, of workers that are lost too.
func TestTheRosterTellsWhatBecameOfLeases(t *testing.T) {
	s := newSite(t, newDesk(t, 6), nil)
	s.config.Settings.Attempts = 1
	s.join(1)
	s.join(2)
	s.join(3)
	mine, lost := s.take(1, 3), s.take(2, 1)
	s.finish(mine[0], played(1))
	s.finish(mine[1], Finish{Instance: name(1), Returned: true})
	s.finish(mine[1], played(1)) // fenced
	s.pass(1, 3)
	s.finish(s.take(3, 1)[0], Finish{Instance: name(3)}) // a lie
	r := s.Roster()
	want := map[Ending]int{Played: 1, Returned: 1, Fenced: 1, Expired: 1, Lie: 1}
	if !maps.Equal(r.Ended, want) || r.Granted != 5 || r.Held != 1 {
		t.Errorf("%d granted, ended %v, held %d; want 5, %v and 1", r.Granted, r.Ended, r.Held, want)
	}
	if w := r.Workers; len(w) != 2 || w[0].Leases != 1 || w[0].Groups != 1 || w[0].Returned != 1 || w[0].Fenced != 1 || w[1].Fault == "" {
		t.Errorf("the workers are %+v", r.Workers)
	}
	if len(r.Lost) != 1 || r.Lost[0].Instance != name(2) || r.Lost[0].Expired != 1 {
		t.Errorf("the lost are %+v", r.Lost)
	}
	if p := r.Poison; len(p) != 1 || p[0].Problem != lost[0].Problem.ID() || p[0].Workers != 1 {
		t.Errorf("given up are %+v", r.Poison)
	}
	if o := r.Oldest; len(o) != 1 || o[0].Number != mine[2].Number || o[0].Worker != "w1" || o[0].Problem != mine[2].Problem.ID() {
		t.Errorf("the oldest leases are %+v", r.Oldest)
	}
}

// A roster lists the oldest leases alone, and the newest of the past.
func TestTheListsOfARosterEnd(t *testing.T) {
	s := newSite(t, newDesk(t, 2*MostOldest), nil)
	for i := range MostLost + 2 {
		s.join(i)
	}
	first := s.take(0, 2*MostOldest)[0]
	if r := s.Roster(); len(r.Oldest) != MostOldest || r.Oldest[0].Number != first.Number || r.Held != 2*MostOldest {
		t.Errorf("%d of %d leases, the first %+v", len(r.Oldest), r.Held, r.Oldest[0])
	}
	s.pass()
	if r := s.Roster(); len(r.Lost) != MostLost || r.Ended[Expired] != 2*MostOldest {
		t.Errorf("%d lost, ended %v", len(r.Lost), r.Ended)
	}
}
