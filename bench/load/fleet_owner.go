package main

import "slices"

// A rule is how an owner answers. Tests break it to see that the audit notices.
type rule uint8

const (
	fenced          rule = iota // the real one: only the draw's current attempt finishes it, once
	firstFinishWins             // of whichever attempt
	repeatsCount                // a repeated finish counts again
	nothingExpires
	gateStaysOpen
	staleIsTrained
)

// A state says what is to happen to a draw.
type state uint8

const (
	fleetWaiting state = iota // to be granted again
	open                      // granted
	finished                  // its group was accepted
)

// A draw is what the owner keeps of one.
type draw struct {
	attempt  uint32 // the last that was granted, from 1
	state    state
	accepted uint8 // groups that were accepted, for the audit
}

// A simLease is an attempt at a draw.
type simLease struct {
	draw    int
	attempt uint32
	holder  *fleetInstance
	granted tick

	begun    tick   // when its episodes began
	before   []tick // that other workers played of its episodes, in the order of ends
	held     bool   // by the worker, until its finish is sent
	accepted bool   // the owner has the group
	ends     []tick // of its episodes, in order; none: it waits for slots
	ended    int    // of its episodes
	version  int    // of the weights at its beginning
}

// A fleetInstance is a worker as the owner knows it, from registration to expiry.
type fleetInstance struct {
	worker  *worker
	leases  []*simLease
	heard   tick // its last beat before it fell silent
	silence tick // when it fell silent
	silent  bool // it is dead or frozen
	dead    bool
	over    bool // its leases have expired
	polling bool // it has an open request for leases
	want    int  // of that request
}

// A regrant is a draw that lost its holder.
type regrant struct {
	draw  int
	since tick // its holder's death; -1: the holder lives
}

// An owner of a run grants leases of its draws.
type owner struct {
	rule      rule
	size      int // episodes of a group
	draws     []draw
	again     []regrant // oldest first
	pending   int       // episodes that are leased, wait to be trained on, or are trained on
	room      int       // for pending
	polls     []*fleetInstance
	instances []*fleetInstance // that may hold leases
	recent    []recent         // accepted groups
	begun     map[int]*begun   // draws that lost workers told of
	down      bool
	up        tick // end of the last outage, or of this one
}

// A recent is a group that was accepted a moment ago.
type recent struct {
	lease *simLease
	at    tick
}

// grants reports whether another lease may be granted.
func (o *owner) grants() bool {
	return !o.down && (o.pending+o.size <= o.room || o.rule == gateStaysOpen)
}

// next chooses the draw of the next lease: one to be granted again, or a new one.
func (o *owner) next() regrant {
	if len(o.again) > 0 {
		r := o.again[0]
		o.again = o.again[1:]
		return r
	}
	o.draws = append(o.draws, draw{})
	return regrant{len(o.draws) - 1, -1}
}

// grant leases a draw to i.
func (o *owner) grant(i *fleetInstance, k int, now tick) *simLease {
	d := &o.draws[k]
	d.attempt++
	d.state = open
	o.pending += o.size
	l := &simLease{draw: k, attempt: d.attempt, holder: i, granted: now}
	i.leases = append(i.leases, l)
	return l
}

// valid reports whether l is the current attempt at its draw.
func (o *owner) valid(l *simLease) bool {
	d := &o.draws[l.draw]
	return d.state == open && d.attempt == l.attempt
}

// An answer is what the owner says to a finish.
type answer uint8

const (
	refused answer = iota // by the fence
	accepted
	repeated // as the first answer, which was accepted
)

// finish closes l with a group.
func (o *owner) finish(l *simLease, now tick) answer {
	d := &o.draws[l.draw]
	valid := o.valid(l)
	switch o.rule {
	case firstFinishWins:
		valid = d.state != finished
	case repeatsCount:
		valid = d.attempt == l.attempt
	}
	if !valid && d.state == finished && d.attempt == l.attempt {
		return repeated
	}
	if !valid {
		return refused
	}
	d.state = finished
	delete(o.begun, l.draw)
	d.accepted++
	l.accepted = true
	l.holder.forget(l)
	o.recent = append(slices.DeleteFunc(o.recent, func(r recent) bool { return r.at < now-roundTrip }), recent{l, now})
	return accepted
}

// forget removes a lease.
func (i *fleetInstance) forget(l *simLease) {
	i.leases = slices.DeleteFunc(i.leases, func(other *simLease) bool { return other == l })
}

// expire ends all leases of an instance.
func (o *owner) expire(i *fleetInstance) (draws int) {
	for _, l := range i.leases {
		if !o.valid(l) {
			continue
		}
		since := tick(-1)
		if i.dead {
			since = max(i.heard, l.granted)
		}
		o.draws[l.draw].state = fleetWaiting
		o.pending -= o.size
		o.again = append(o.again, regrant{l.draw, since})
		draws++
	}
	i.leases, i.over, i.polling = nil, true, false
	return draws
}
