package main

import (
	"context"
	"math"
)

// A tick is a point or a span of virtual time, in milliseconds.
type tick int64

// audits is how often a simulation counts its draws.
const audits = 20

// A simulation is one that is running.
type simulation struct {
	config  Config
	rule    rule
	chance  *chance
	events  events
	now     tick
	end     tick
	owner   owner
	trainer trainer
	workers []*worker
	busy    int // episodes being played
	alive   int // workers
	sums    sums
	counts  []uint8 // of the audit
	broken  Violations
}

// Run simulates c for its time. The error is an invalid c, or the cause of ctx.
func Run(ctx context.Context, c Config) (Report, error) { return runWith(ctx, c, fenced) }

// runWith is Run by a rule.
func runWith(ctx context.Context, c Config, r rule) (Report, error) {
	if err := c.Check(); err != nil {
		return Report{}, err
	}
	f := newFleet(c, r)
	for n := 0; ; n++ {
		if n%4096 == 0 && ctx.Err() != nil {
			return Report{}, context.Cause(ctx)
		}
		e := f.events.pop()
		if e.at > f.end {
			break
		}
		f.advance(e.at)
		f.apply(e)
	}
	f.advance(f.end)
	f.audit()
	return f.report(), nil
}

// newFleet returns a simulation whose workers ask for their first leases.
func newFleet(c Config, r rule) *simulation {
	c.Batch = c.batch()
	f := &simulation{config: c, rule: r, chance: newChance(c.Seed), end: ticks(c.Time), alive: c.Workers}
	f.owner = owner{rule: r, size: c.GroupSize, begun: map[int]*begun{}}
	f.trainer.serving = []int{c.Workers}
	f.setRoom()
	for range c.Workers {
		w := &worker{alive: true, free: c.Slots}
		f.workers = append(f.workers, w)
		f.register(w)
		f.plan(event{kind: dies, worker: w}, c.DeathEvery)
		f.plan(event{kind: freezes, worker: w}, c.FreezeEvery)
	}
	f.plan(event{kind: outageBegins}, c.OutageEvery)
	f.at(f.end/6, event{kind: warms})
	for i := range tick(audits) {
		f.at(f.end*(i+1)/audits, event{kind: audited})
	}
	f.at(f.end+1, event{kind: audited}) // the loop ends here
	for _, w := range f.workers {
		f.ask(w)
	}
	return f
}

// batch is the episodes of a step: as set, or as many whole groups as there are slots.
func (c Config) batch() int {
	if c.Batch > 0 {
		return c.Batch
	}
	return max(1, c.Workers*c.Slots/c.GroupSize) * c.GroupSize
}

// mean is the mean length of an episode.
func (c Config) mean() float64 { return float64(ticks(c.Median)) * math.Exp(c.Sigma*c.Sigma/2) }

// ideal is how many episodes a fleet without faults plays in a millisecond, roughly:
// (GroupSize-1)/2 slots of each worker are free, because a group begins as a whole.
func (c Config) ideal() float64 {
	return float64(c.Workers) * (float64(c.Slots) - float64(c.GroupSize-1)/2) / c.mean()
}

// apply does what is due.
func (f *simulation) apply(e event) {
	switch e.kind {
	case episodeEnds:
		f.episodeEnds(e.lease)
	case dies:
		f.die(e.worker)
	case replaced:
		f.replace(e.worker)
	case freezes:
		f.freeze(e.worker)
	case thaws:
		f.thaw(e.instance)
	case retries:
		f.contact(e.worker)
	case expires:
		f.expire(e.instance)
	case stepEnds:
		f.stepEnds()
	case weightsArrive:
		f.weightsArrive(e.worker, e.version)
	case outageBegins:
		f.outageBegins()
	case outageEnds:
		f.outageEnds()
	case warms:
		f.sums = sums{from: f.now}
	case audited:
		f.audit()
	}
}

// advance lets time pass.
func (f *simulation) advance(to tick) {
	d := to - f.now
	f.sums.busy += d * tick(f.busy)
	f.sums.alive += d * tick(f.alive*f.config.Slots)
	if !f.trainer.training {
		f.sums.idle += d
	}
	f.now = to
}
