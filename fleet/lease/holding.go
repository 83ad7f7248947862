package lease

import (
	"maps"
	"slices"

	"github.com/quintain-rl/quintain"
)

// A holding is the JSON form of the open leases that a worker holds of a stream.
type holding struct {
	Instance string           `json:"w"`
	Stream   quintain.Problem `json:"p"` // any problem of it, at index 0
	Numbers  []int64          `json:"l"` // of each lease its number, attempt and index; the first and last as the difference from those of the lease before
}

// A stream is what problems with different indices have in common.
type stream struct {
	task, scenario, params string
	version, level         int
	seed                   uint64
}

// holdings sorts leases.
func holdings(open map[uint64]*Lease) (all []holding) {
	type place struct {
		instance string
		stream
	}
	type last struct {
		at            int // in all
		number, index int64
	}
	places := map[place]*last{}
	for _, n := range slices.Sorted(maps.Keys(open)) {
		l := open[n]
		p := &l.Problem
		of := place{l.Instance, stream{p.Task, p.Scenario, string(p.Params), p.Version, p.Level, p.Seed}}
		to := places[of]
		if to == nil {
			to = &last{at: len(all)}
			places[of] = to
			s := l.Problem
			s.Index = 0
			all = append(all, holding{Instance: l.Instance, Stream: s})
		}
		number, index := int64(l.Number), int64(p.Index)
		h := &all[to.at]
		h.Numbers = append(h.Numbers, number-to.number, int64(l.Attempt), index-to.index)
		to.number, to.index = number, index
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
