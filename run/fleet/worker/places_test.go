package worker

import (
	"testing"
	"testing/synctest"
)

// Leases get their places in turn: a large one is not kept waiting by small ones. One that ends its
// wait leaves no place taken.
func TestPlacesAreTakenInTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, gone := newPlaces(4), make(chan struct{})
		for range 2 {
			if !p.take(1, nil, nil) {
				t.Error("two of four places are not to be had")
			}
		}
		large, small := make(chan bool), make(chan bool)
		go func() { large <- p.take(4, nil, gone) }()
		synctest.Wait()
		go func() { small <- p.take(1, nil, nil) }()
		synctest.Wait()
		if len(p.used) != 4 {
			t.Errorf("%d places are used while a large one waits for four", len(p.used))
		}
		close(gone)
		if <-large || !<-small || len(p.used) != 3 {
			t.Errorf("then %d places are used, want 3", len(p.used))
		}
		p.free(1)
		p.free(1)
		p.free(1)
		if !p.take(9, nil, nil) || len(p.used) != 4 {
			t.Errorf("nine of four places: %d are used", len(p.used))
		}
		if p.free(9); len(p.used) != 0 {
			t.Errorf("%d places are used at the end", len(p.used))
		}
	})
}
