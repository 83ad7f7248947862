package main

import (
	"cmp"
	"slices"
)

// A begun is what the owner knows of the episodes of a draw that lost its worker.
type begun struct {
	episodes []progress
	version  int // of the weights at the beginning of the first of their tokens
}

// A progress is that of an episode.
type progress struct{ length, played tick }

// goOn begins the episodes of l, where other workers left them.
func (f *simulation) goOn(l *simLease) {
	of := f.owner.begun[l.draw]
	if of == nil {
		of = &begun{episodes: make([]progress, f.config.GroupSize), version: l.version}
		for k := range of.episodes {
			of.episodes[k].length = f.chance.lengths.length(&f.config)
		}
	}
	l.version = of.version
	rest := func(p progress) tick { return p.length - p.played }
	order := slices.SortedFunc(slices.Values(of.episodes), func(a, b progress) int { return cmp.Compare(rest(a), rest(b)) })
	for _, p := range order {
		l.ends, l.before = append(l.ends, f.now+rest(p)), append(l.before, p.played)
	}
}

// telling is when the holder of l, which is silent, last told what it had played; before l began:
// never.
func (f *simulation) telling(l *simLease) tick {
	every := ticks(f.config.Journal)
	if every == 0 || len(l.ends) == 0 || l.holder.silence < l.begun+every {
		return -1
	}
	return l.begun + (l.holder.silence-l.begun)/every*every
}

// told is the time of the episodes of l that its holder told of before it fell silent, together.
func (f *simulation) told(l *simLease) tick {
	if at := f.telling(l); at >= 0 {
		return l.work(at)
	}
	return 0
}

// keep keeps what a silent instance told of its leases.
func (f *simulation) keep(i *fleetInstance) {
	for _, l := range i.leases {
		at := f.telling(l)
		if at < 0 || !f.owner.valid(l) {
			continue
		}
		of := &begun{version: l.version}
		for k, end := range l.ends {
			of.episodes = append(of.episodes, progress{l.before[k] + end - l.begun, l.before[k] + min(end, at) - l.begun})
		}
		f.owner.begun[l.draw] = of
	}
}
