package graphs

import "math"

// A flow is what flows from start to end: the most is what the cheapest cut costs.
type flow struct {
	room       [mostPlaces][mostPlaces]int // what may still flow from one place to another
	n          int
	start, end int
}

func newFlow(m minCutItem) *flow {
	f := &flow{n: m.NumPlaces, start: m.Start, end: m.End}
	for _, road := range m.Roads {
		f.room[road.From][road.To] += road.Cost
		f.room[road.To][road.From] += road.Cost
	}
	return f
}

// side returns the places on the side of the start of a cheapest cut: those where more could
// flow when no more reaches the end (J. Edmonds and R. Karp, 1972).
func (f *flow) side() (inside [mostPlaces]bool) {
	for {
		from := f.search()
		if from[f.end] < 0 {
			for place, before := range from {
				inside[place] = before >= 0
			}
			return inside
		}
		most := math.MaxInt
		for place := f.end; place != f.start; place = from[place] {
			most = min(most, f.room[from[place]][place])
		}
		for place := f.end; place != f.start; place = from[place] {
			f.room[from[place]][place] -= most
			f.room[place][from[place]] += most
		}
	}
}

// search returns, for each place that more can flow to, the place before it on a shortest way; -1
// for the others.
func (f *flow) search() (from [mostPlaces]int) {
	for i := range from {
		from[i] = -1
	}
	from[f.start] = f.start
	for queue := []int{f.start}; len(queue) > 0; queue = queue[1:] {
		for place := range f.n {
			if from[place] < 0 && f.room[queue[0]][place] > 0 {
				from[place] = queue[0]
				queue = append(queue, place)
			}
		}
	}
	return from
}
