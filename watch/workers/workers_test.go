package workers

import (
	"fmt"
	"testing"

	"github.com/quintain-rl/quintain/fleet/roster"
)

// Of very many workers the page lists those that lie, and then those that hold the most.
func TestAPageOfVeryManyWorkers(t *testing.T) {
	r := roster.Roster{Ended: map[roster.Ending]int{roster.Played: 2, roster.Fenced: 1}}
	for i := range 3 * most {
		r.Workers = append(r.Workers, roster.Worker{Name: fmt.Sprint(i), Slots: 2, Leases: i})
	}
	r.Workers[7].Fault = "a lie"
	p := Of(&r)
	if p.All != 3*most || p.Slots != 6*most || p.More != 2*most || p.Done != 3 {
		t.Errorf("%d workers with %d slots, %d left out, %d leases ended", p.All, p.Slots, p.More, p.Done)
	}
	if w := p.Workers; len(w) != most || w[0].Name != "7" || w[1].Leases != 3*most-1 {
		t.Errorf("the first of %d are %+v", len(w), w[:2])
	}
}

func TestEveryEndingHasAMeaning(t *testing.T) {
	for _, end := range Of(&roster.Roster{}).Ends {
		if end.Meaning == "" {
			t.Errorf("%s has none", end.How)
		}
	}
}
