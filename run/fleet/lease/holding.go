package lease

import (
	"bytes"

	"github.com/quintain-rl/quintain"
)

// A holding is the JSON form of the open leases that a worker holds of a stream.
type holding struct {
	Instance string           `json:"w"`
	Stream   quintain.Problem `json:"p"` // any problem of it, at index 0
	Numbers  []int64          `json:"l"` // of each lease its number, attempt and index; the first and last as the difference from those of the lease before
}

// A place is what leases of a holding have in common.
type place struct {
	instance, task, scenario, params string
	version, level                   int
	seed                             uint64
}

// shares reports whether two leases are of one holding.
func (l *Lease) shares(o *Lease) bool {
	p, q := &l.Problem, &o.Problem
	return l.Instance == o.Instance && p.Seed == q.Seed && p.Level == q.Level && p.Version == q.Version &&
		p.Task == q.Task && p.Scenario == q.Scenario && bytes.Equal(p.Params, q.Params)
}

// A row is the holding that is made of leases, and the last of them.
type row struct {
	holding
	last *Lease
}

// holdings sorts leases, given by number.
func holdings(open []*Lease) []holding {
	places := map[place]*row{}
	var rows []*row
	var to *row
	for _, l := range open {
		if to == nil || !to.last.shares(l) { // mostly a worker gets several at once
			p := &l.Problem
			at := place{l.Instance, p.Task, p.Scenario, string(p.Params), p.Version, p.Level, p.Seed}
			if to = places[at]; to == nil {
				stream := *p
				stream.Index = 0
				to = &row{holding{Instance: l.Instance, Stream: stream}, &Lease{}}
				places[at] = to
				rows = append(rows, to)
			}
		}
		to.Numbers = append(to.Numbers, int64(l.Number-to.last.Number), int64(l.Attempt), int64(l.Problem.Index-to.last.Problem.Index))
		to.last = l
	}
	all := make([]holding, len(rows))
	for i, r := range rows {
		all[i] = r.holding
	}
	return all
}

// leases are those of a holding, by number.
func (h *holding) leases() (all []Lease) {
	l := Lease{Instance: h.Instance, Problem: h.Stream}
	for i := 0; i+2 < len(h.Numbers); i += 3 {
		l.Number += uint64(h.Numbers[i])
		l.Attempt = int(h.Numbers[i+1])
		l.Problem.Index += int(h.Numbers[i+2])
		all = append(all, l)
	}
	return all
}
