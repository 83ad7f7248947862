package main

import (
	"math"
	"math/rand/v2"
	"time"
)

// A kind says what an event is.
type kind uint8

const (
	episodeEnds kind = iota
	dies
	replaced
	freezes
	thaws
	retries
	expires
	stepEnds
	weightsArrive
	outageBegins
	outageEnds
	warms
	audited
)

// An event is something that is due at a time. Only the fields of its kind are set.
type event struct {
	at       tick
	number   uint64 // events of one time happen in this order
	kind     kind
	version  int
	worker   *worker
	instance *fleetInstance
	lease    *simLease
}

// before reports whether e happens before o.
func (e *event) before(o *event) bool {
	return e.at < o.at || e.at == o.at && e.number < o.number
}

// events is a heap; the first is next. The zero value is empty.
type events struct {
	heap   []event
	number uint64 // of the last event
}

// push adds an event.
func (q *events) push(e event) {
	q.number++
	e.number = q.number
	q.heap = append(q.heap, e)
	i := len(q.heap) - 1
	for i > 0 {
		parent := (i - 1) / 2
		if q.heap[parent].before(&e) {
			break
		}
		q.heap[i] = q.heap[parent]
		i = parent
	}
	q.heap[i] = e
}

// pop removes the next event.
func (q *events) pop() event {
	first, end := q.heap[0], len(q.heap)-1
	last := q.heap[end]
	q.heap[end] = event{}
	q.heap = q.heap[:end]
	if end == 0 {
		return first
	}
	i := 0
	for {
		child := 2*i + 1
		if child+1 < end && q.heap[child+1].before(&q.heap[child]) {
			child++
		}
		if child >= end || last.before(&q.heap[child]) {
			break
		}
		q.heap[i] = q.heap[child]
		i = child
	}
	q.heap[i] = last
	return first
}

// at has an event happen at a time.
func (f *simulation) at(when tick, e event) {
	e.at = when
	f.events.push(e)
}

// plan has a fault happen some time, every on average; never, if every is 0.
func (f *simulation) plan(e event, every time.Duration) {
	if every > 0 {
		f.at(f.now+f.chance.faults.exp(every), e)
	}
}

// A chance holds streams of random numbers, apart from each other so that one setting does
// not change all else.
type chance struct{ lengths, faults, network stream }

// A stream makes random times.
type stream struct{ *rand.Rand }

func newChance(seed uint64) *chance {
	of := func(n uint64) stream { return stream{rand.New(rand.NewPCG(seed, n))} }
	return &chance{lengths: of(1), faults: of(2), network: of(3)}
}

// exp draws an exponential time.
func (s stream) exp(mean time.Duration) tick { return tick(s.ExpFloat64() * float64(ticks(mean))) }

// below draws a time of 0 to d, uniformly.
func (s stream) below(d time.Duration) tick { return tick(s.Float64() * float64(ticks(d))) }

// length draws the length of an episode.
func (s stream) length(c *Config) tick {
	ms := float64(ticks(c.Median)) * math.Exp(c.Sigma*s.NormFloat64())
	return max(1, tick(min(ms, float64(ticks(maxTime)))))
}
