package watch

import (
	"cmp"
	"slices"

	"github.com/quintain-rl/quintain/run/fleet"
)

// mostWorkers is how many workers the page lists.
const mostWorkers = 500

// A workersPage is the content of the page.
type workersPage struct {
	fleet.Roster
	All   int         // workers
	Slots int         // of all workers
	More  int         // workers that are left out
	Ends  []workerEnd // what became of leases
	Done  int         // leases that ended
}

// A workerEnd is what became of some leases.
type workerEnd struct {
	How     fleet.Ending
	Meaning string
	Leases  int
}

// workersOf lays out a roster, which it changes. If there are too many workers, it lists those that
// lie and those that hold the most.
func workersOf(r *fleet.Roster) *workersPage {
	p := &workersPage{All: len(r.Workers)}
	for i := range r.Workers {
		p.Slots += r.Workers[i].Slots
	}
	if p.More = len(r.Workers) - mostWorkers; p.More > 0 {
		slices.SortStableFunc(r.Workers, func(a, b fleet.Worker) int {
			return cmp.Or(cmp.Compare(b.Fault, a.Fault), cmp.Compare(b.Leases, a.Leases))
		})
		r.Workers = r.Workers[:mostWorkers]
	}
	for _, how := range fleet.Endings() {
		p.Ends = append(p.Ends, workerEnd{how, endingMeanings[how], r.Ended[how]})
		p.Done += r.Ended[how]
	}
	p.Roster = *r
	return p
}

// endingMeanings explain what becomes of leases.
var endingMeanings = map[fleet.Ending]string{
	fleet.Played:   "the group came back, and was judged",
	fleet.Returned: "the worker gave it back unplayed; another one gets the problem",
	fleet.Expired:  "its worker gave no sign of life; another one gets the problem",
	fleet.Fenced:   "a group that came when the problem was another worker's already; it does not count",
	fleet.Lie:      "what came back cannot be; the worker gets nothing more",
}
