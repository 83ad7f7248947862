package watch

import (
	"fmt"
	"testing"

	"github.com/quintain-rl/quintain/run/fleet"
)

// Of very many workers the page lists those that lie, and then those that hold the most.
func TestAPageOfVeryManyWorkers(t *testing.T) {
	r := fleet.Roster{Ended: map[fleet.Ending]int{fleet.Played: 2, fleet.Fenced: 1}}
	for i := range 3 * mostWorkers {
		r.Workers = append(r.Workers, fleet.Worker{Name: fmt.Sprint(i), Slots: 2, Leases: i})
	}
	r.Workers[7].Fault = "a lie"
	p := workersOf(&r)
	if p.All != 3*mostWorkers || p.Slots != 6*mostWorkers || p.More != 2*mostWorkers || p.Done != 3 {
		t.Errorf("%d workers with %d slots, %d left out, %d leases ended", p.All, p.Slots, p.More, p.Done)
	}
	if w := p.Workers; len(w) != mostWorkers || w[0].Name != "7" || w[1].Leases != 3*mostWorkers-1 {
		t.Errorf("the first of %d are %+v", len(w), w[:2])
	}
}

func TestEveryEndingHasAMeaning(t *testing.T) {
	for _, end := range workersOf(&fleet.Roster{}).Ends {
		if end.Meaning == "" {
			t.Errorf("%s has none", end.How)
		}
	}
}
