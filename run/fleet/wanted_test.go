package fleet

import (
	"testing"
)

// allow sets how many workers may come.
func (s *site) allow(workers int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.config.Settings.Workers = workers
}

// The wish for workers follows the gate and the slots of those that came; it is nothing when
// everything that the gate lets in waits for a trainer, and before the run is open.
func TestWantedWorkers(t *testing.T) {
	d := newDesk(t, 20)
	s := newSite(t, d, nil)
	wants := func(why string, workers int) {
		t.Helper()
		var r Roster
		if s.ask("GET", "/workers", nil, &r); r.WantedWorkers != workers {
			t.Errorf("%s: %d workers are wanted, want %d (slots: %d)", why, r.WantedWorkers, workers, r.Wanted)
		}
	}
	wants("no worker has come: one group for each", 20)
	s.join(1)
	wants("40 episodes, and 8 slots", 5)
	all := s.take(1, 3)
	wants("some are held", 5)
	s.allow(4)
	wants("no more than may come", 4)
	s.allow(100)
	for _, l := range all[:2] {
		s.finish(l, played(1))
	}
	if err := d.gate.Enter(t.Context(), 36); err != nil {
		t.Fatal(err)
	}
	wants("2 episodes are held, the others wait for a trainer, and there is room for 2", 1)
	if err := d.gate.Enter(t.Context(), 2); err != nil {
		t.Fatal(err)
	}
	s.finish(all[2], Finish{Instance: name(1), Returned: true})
	if err := d.gate.Enter(t.Context(), size); err != nil {
		t.Fatal(err)
	}
	wants("all waits for a trainer", 0)
	d.gate.Trained(24, 0)
	s.pass()
	wants("the trainer took 24 episodes, and the last worker is gone: 8 slots, as it had", 3)
	if s.stop(); s.Roster().WantedWorkers != 0 {
		t.Error("workers are wanted by a run that has ended")
	}
	if c := New(Config{Settings: Defaults(), GroupSize: size, Slots: 16}); c.slots != 16 || c.Roster().WantedWorkers != 0 {
		t.Errorf("before the run is open: %d slots, %+v", c.slots, c.Roster())
	}
}
