// Package workers lays out the workers of a run for the page that shows them.
package workers

import (
	"cmp"
	"slices"

	"github.com/quintain-rl/quintain/fleet/roster"
)

// most is how many workers the page lists.
const most = 500

// A Page is the content of the page.
type Page struct {
	roster.Roster
	All   int   // workers
	Slots int   // of all workers
	More  int   // workers that are left out
	Ends  []End // what became of leases
	Done  int   // leases that ended
}

// An End is what became of some leases.
type End struct {
	How     roster.Ending
	Meaning string
	Leases  int
}

// Of lays out a roster, which it changes. If there are too many workers, it lists those that
// lie and those that hold the most.
func Of(r *roster.Roster) *Page {
	p := &Page{All: len(r.Workers)}
	for i := range r.Workers {
		p.Slots += r.Workers[i].Slots
	}
	if p.More = len(r.Workers) - most; p.More > 0 {
		slices.SortStableFunc(r.Workers, func(a, b roster.Worker) int {
			return cmp.Or(cmp.Compare(b.Fault, a.Fault), cmp.Compare(b.Leases, a.Leases))
		})
		r.Workers = r.Workers[:most]
	}
	for _, how := range roster.Endings() {
		p.Ends = append(p.Ends, End{how, meanings[how], r.Ended[how]})
		p.Done += r.Ended[how]
	}
	p.Roster = *r
	return p
}

// meanings explain what becomes of leases.
var meanings = map[roster.Ending]string{
	roster.Played:   "the group came back, and was judged",
	roster.Returned: "the worker gave it back unplayed; another one gets the problem",
	roster.Expired:  "its worker gave no sign of life; another one gets the problem",
	roster.Fenced:   "a group that came when the problem was another worker's already; it does not count",
	roster.Lie:      "what came back cannot be; the worker gets nothing more",
}
