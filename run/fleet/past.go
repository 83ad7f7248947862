package fleet

import (
	"maps"
	"slices"
	"sync"
	"time"
)

// A past is what a coordinator remembers of leases and workers that are no more. It is a
// [prometheus.Collector]. Many goroutines may use it.
type past struct {
	mu      sync.Mutex
	granted int
	ended   map[Ending]int
	lost    []Worker // the newest first
	poison  []Poison // the newest first
}

// newest puts one before a list, of which it keeps so many.
func newest[T any](list []T, one T, most int) []T {
	list = slices.Insert(list, 0, one)
	return list[:min(len(list), most)]
}

// given counts leases that are granted.
func (p *past) given(n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.granted += n
}

// over counts leases that ended.
func (p *past) over(how Ending, n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ended[how] += n
}

func (p *past) lose(w Worker) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.lost = newest(p.lost, w, MostLost)
}

func (p *past) giveUp(h *held) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.poison = newest(p.poison, Poison{Problem: h.Problem.ID(), Workers: h.Attempt, At: time.Now()}, MostPoison)
}

// fill enters the past into a roster.
func (p *past) fill(r *Roster) {
	p.mu.Lock()
	defer p.mu.Unlock()
	r.Granted, r.Ended = p.granted, maps.Clone(p.ended)
	r.Lost, r.Poison = slices.Clone(p.lost), slices.Clone(p.poison)
}
