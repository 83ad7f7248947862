package main

import (
	"fmt"
	"time"
)

// A Config describes a fleet. Times are cut to whole milliseconds; a mean time of 0 means
// never. An episode's length is lognormal.
type Config struct {
	Workers   int           // at least 1
	Slots     int           // episodes that a worker plays at once, at least GroupSize
	GroupSize int           // episodes of a draw, at least 1
	Prefetch  int           // leases that a worker holds beyond those that it plays
	MaxLag    int           // steps of the trainer, after which a group is dropped as stale
	Batch     int           // episodes of a step, a multiple of GroupSize; 0: as many as there are slots
	Median    time.Duration // of the length of an episode
	Sigma     float64       // of the logarithm of the length
	Load      float64       // duration of a step, relative to the time in which a fleet without faults plays a batch
	Sync      time.Duration // mean time until a server has new weights

	LeaseTime time.Duration // after the last beat of a worker, its leases expire
	Beat      time.Duration // between two beats of a worker
	Journal   time.Duration // between two times that a worker tells what it has played of a lease, with which others go on; 0: it never does

	DeathEvery   time.Duration // mean time until a worker dies
	ReplaceAfter time.Duration // mean time until another stands in for it, and at least half of it
	FreezeEvery  time.Duration // mean time between freezes of a worker, or times in which it is cut off
	FreezeTime   time.Duration // their mean length
	OutageEvery  time.Duration // mean time between outages of the owner
	OutageTime   time.Duration // their length

	Time time.Duration // to simulate; the first sixth is not measured
	Seed uint64
}

// DefaultFleet returns 1,000 workers with the faults of preemptible machines, for two hours.
func DefaultFleet() Config {
	return Config{
		Workers: 1000, Slots: 32, GroupSize: 8, Prefetch: 1, MaxLag: 8,
		Median: 40 * time.Second, Sigma: 0.7, Load: 0.95, Sync: 5 * time.Second,
		LeaseTime: 15 * time.Second, Beat: 5 * time.Second,
		DeathEvery: 2 * time.Hour, ReplaceAfter: 2 * time.Minute,
		FreezeEvery: 12 * time.Hour, FreezeTime: 90 * time.Second,
		OutageEvery: 30 * time.Minute, OutageTime: 8 * time.Second,
		Time: 2 * time.Hour, Seed: 1,
	}
}

// These limits keep sums of times within 63 bits.
const (
	mostOf  = 1_000_000
	maxTime = 10_000 * time.Hour
)

// Check reports the first invalid field, by the name of its flag.
func (c Config) Check() error {
	for _, n := range []struct {
		name         string
		value, least int
	}{
		{"workers", c.Workers, 1}, {"group-size", c.GroupSize, 1}, {"slots", c.Slots, c.GroupSize},
		{"prefetch", c.Prefetch, 0}, {"max-lag", c.MaxLag, 0}, {"batch", c.Batch, 0},
	} {
		if n.value < n.least || n.value > mostOf {
			return fmt.Errorf("%s: is %d, want %d to %d", n.name, n.value, n.least, mostOf)
		}
	}
	if c.Batch%c.GroupSize != 0 {
		return fmt.Errorf("batch: is %d, want a multiple of group-size, %d", c.Batch, c.GroupSize)
	}
	if !(c.Sigma >= 0 && c.Sigma <= 3) {
		return fmt.Errorf("sigma: is %v, want 0 to 3", c.Sigma)
	}
	if !(c.Load >= 0.01 && c.Load <= 100) {
		return fmt.Errorf("load: is %v, want 0.01 to 100", c.Load)
	}
	return c.checkTimes()
}

// checkTimes reports the first invalid time.
func (c Config) checkTimes() error {
	for _, d := range []struct {
		name         string
		value, least time.Duration
	}{
		{"time", c.Time, time.Second}, {"median", c.Median, time.Millisecond}, {"sync", c.Sync, 0},
		{"beat", c.Beat, time.Millisecond}, {"lease-time", c.LeaseTime, c.Beat}, {"journal", c.Journal, 0},
		{"deaths", c.DeathEvery, 0}, {"replace-after", c.ReplaceAfter, 0},
		{"freezes", c.FreezeEvery, 0}, {"freeze-time", c.FreezeTime, 0},
		{"outages", c.OutageEvery, 0}, {"outage-time", c.OutageTime, 0},
	} {
		if d.value < d.least || d.value > maxTime {
			return fmt.Errorf("%s: is %v, want %v to %v", d.name, d.value, d.least, maxTime)
		}
	}
	return nil
}

// ticks cuts a duration to milliseconds.
func ticks(d time.Duration) tick { return tick(d.Milliseconds()) }
