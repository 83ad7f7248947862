package main

import (
	"slices"
	"time"
)

const (
	roundTrip = tick(50)        // an answer of the owner is lost if the owner fails within this time
	jitter    = 2 * time.Second // over which workers come back after an outage
)

// A worker plays the leases that it holds. After its death another stands in for it, on the
// same server.
type worker struct {
	*fleetInstance
	alive, frozen bool
	free          int         // slots
	ready         []*simLease // held, not begun
	playing       []*simLease
	unsent        []*simLease // finished while the owner is down, or without its answer
	woken         []*simLease // an episode of them ended while the worker was frozen
	version       int         // of its server's weights
}

// register gives w a new instance.
func (f *simulation) register(w *worker) {
	w.fleetInstance = &fleetInstance{worker: w, heard: f.now}
	f.owner.instances = append(f.owner.instances, w.fleetInstance)
}

// ask has w begin what it holds, and ask for more.
func (f *simulation) ask(w *worker) {
	if w.over && !f.owner.down {
		f.abandon(w)
		f.register(w)
	}
	for {
		for len(w.ready) > 0 && w.free >= f.config.GroupSize {
			f.begin(w, w.ready[0])
			w.ready = w.ready[1:]
		}
		w.want = w.free/f.config.GroupSize + f.config.Prefetch - len(w.ready)
		if w.want <= 0 || f.owner.down {
			return
		}
		if f.answer(w.fleetInstance) == 0 {
			break
		}
	}
	if !w.polling {
		w.polling = true
		f.owner.polls = append(f.owner.polls, w.fleetInstance)
	}
}

// answer answers a request for leases, unless none may be granted.
func (f *simulation) answer(i *fleetInstance) (leases int) {
	w := i.worker
	for leases < i.want && f.owner.grants() {
		r := f.owner.next()
		if r.since >= 0 {
			f.sums.waits = append(f.sums.waits, f.now-r.since)
		}
		l := f.owner.grant(i, r.draw, f.now)
		if f.owner.pending > f.owner.room {
			f.broken.Gate++
		}
		if !i.dead {
			l.held = true
			w.ready = append(w.ready, l)
		}
		leases++
	}
	if leases > 0 {
		f.sums.requests++
	}
	return leases
}

// offer answers open requests while it may.
func (f *simulation) offer() {
	for len(f.owner.polls) > 0 && f.owner.grants() {
		i := f.owner.polls[0]
		f.owner.polls = f.owner.polls[1:]
		if !i.polling {
			continue // it expired
		}
		i.polling = false
		f.answer(i)
		if !i.silent {
			f.ask(i.worker)
		}
	}
}

// begin begins to play l.
func (f *simulation) begin(w *worker, l *simLease) {
	l.begun, l.version = f.now, w.version
	f.goOn(l)
	w.playing = append(w.playing, l)
	w.free -= f.config.GroupSize
	f.busy += f.config.GroupSize
	f.at(l.ends[0], event{kind: episodeEnds, lease: l})
}

// episodeEnds ends the next episode of l, unless its worker has let go of it.
func (f *simulation) episodeEnds(l *simLease) {
	w := l.holder.worker
	switch {
	case !l.held:
	case w.frozen:
		w.woken = append(w.woken, l)
	default:
		f.endEpisode(w, l)
		f.ask(w)
	}
}

// endEpisode ends the next episode of l, and l with its last.
func (f *simulation) endEpisode(w *worker, l *simLease) {
	l.ended++
	w.free++
	f.busy--
	if l.ended < len(l.ends) {
		f.at(max(f.now, l.ends[l.ended]), event{kind: episodeEnds, lease: l})
		return
	}
	w.playing = slices.DeleteFunc(w.playing, func(other *simLease) bool { return other == l })
	if f.owner.down {
		w.unsent = append(w.unsent, l)
		return
	}
	f.send(l)
}

// send sends a group to the owner.
func (f *simulation) send(l *simLease) {
	f.sums.requests++
	l.held = false
	switch f.owner.finish(l, f.now) {
	case refused:
		f.sums.refused++
		f.sums.fenced += l.work(f.now) - f.told(l)
	case accepted:
		f.put(l)
	case repeated:
		f.sums.repeated++
	}
}

// contact has w send what is unsent, and ask, unless it cannot.
func (f *simulation) contact(w *worker) {
	if !w.alive || w.frozen || f.owner.down {
		return
	}
	unsent := w.unsent
	w.unsent = nil
	for _, l := range unsent {
		f.send(l)
	}
	f.ask(w)
}

// abandon has w let go of all that it holds.
func (f *simulation) abandon(w *worker) {
	for _, l := range slices.Concat(w.playing, w.ready, w.unsent) {
		l.held = false
		f.busy -= len(l.ends) - l.ended
		switch {
		case l.accepted:
		case f.owner.valid(l):
			f.sums.lost += l.work(f.now) - f.told(l)
		default:
			f.sums.fenced += l.work(f.now) - f.told(l)
		}
	}
	w.playing, w.ready, w.unsent, w.woken = nil, nil, nil, nil
	w.free = f.config.Slots
}

// work is the time of the episodes of l until now, together.
func (l *simLease) work(now tick) (sum tick) {
	for _, end := range l.ends {
		sum += min(end, now) - l.begun
	}
	return sum
}
