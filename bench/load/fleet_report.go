package main

import "slices"

// sums is what is measured after the first sixth of the time.
type sums struct {
	from          tick
	busy, alive   tick // slots in use, and those of living workers
	idle          tick // of the trainer
	lost, fenced  tick // episodes' time
	length        tick // of accepted groups
	trainedLength tick
	groups        int // accepted
	trained       int // groups
	stale         int // groups
	steps         int
	lag           int // of trained groups, together
	expired       int
	refused       int
	repeated      int
	requests      int
	waits         []tick
}

// A Report is what a fleet did after the first sixth of its time.
type Report struct {
	Workers     int     `json:"workers"`
	Seed        uint64  `json:"seed"`
	SlotsInUse  float64 `json:"slots_in_use"` // share of the slots of living workers
	TrainerBusy float64 `json:"trainer_busy"` // share of the time
	Episodes    float64 `json:"episodes_per_s"`
	Ideal       float64 `json:"ideal_per_s"` // of a fleet without faults
	Lost        float64 `json:"lost_work"`   // share of the time in slots that was spent on attempts that their worker did not end
	Fenced      float64 `json:"fenced_work"` // share of it that was spent on attempts whose lease had expired
	Wait        float64 `json:"wait_s"`      // median time from a worker's last beat until its draw was granted again; 0: no worker died
	WaitMost    float64 `json:"wait_most_s"`
	Requests    float64 `json:"requests_per_s"` // for leases and finishes; beats come on top

	Steps         int     `json:"steps"`
	Groups        int     `json:"groups"`         // accepted
	Stale         int     `json:"stale"`          // groups dropped
	Expired       int     `json:"expired"`        // leases
	Refused       int     `json:"refused"`        // groups whose lease had expired
	Repeated      int     `json:"repeated"`       // groups sent again, because the answer was lost
	Lag           float64 `json:"lag"`            // mean age of a trained group, in steps
	Length        float64 `json:"length"`         // mean length of accepted episodes, relative to those of the distribution
	TrainedLength float64 `json:"trained_length"` // the same of episodes trained on

	Draws      int        `json:"draws"` // since the beginning
	Violations Violations `json:"violations"`
}

// report sums up.
func (f *simulation) report() Report {
	s := &f.sums
	slices.Sort(s.waits)
	seconds := float64(f.end-s.from) / 1000
	size, mean := float64(f.config.GroupSize), f.config.mean()
	r := Report{
		Workers: f.config.Workers, Seed: f.config.Seed,
		SlotsInUse:  over(s.busy, s.alive),
		TrainerBusy: 1 - float64(s.idle)/1000/seconds,
		Episodes:    float64(s.groups) * size / seconds,
		Ideal:       f.config.ideal() * 1000,
		Lost:        over(s.lost, s.busy),
		Fenced:      over(s.fenced, s.busy),
		Requests:    float64(s.requests) / seconds,
		Steps:       s.steps, Groups: s.groups, Stale: s.stale, Expired: s.expired, Refused: s.refused, Repeated: s.repeated,
		Lag:           float64(s.lag) / float64(max(1, s.trained)),
		Length:        float64(s.length) / (float64(max(1, s.groups)) * size * mean),
		TrainedLength: float64(s.trainedLength) / (float64(max(1, s.trained)) * size * mean),
		Draws:         len(f.owner.draws), Violations: f.broken,
	}
	if n := len(s.waits); n > 0 {
		r.Wait, r.WaitMost = float64(s.waits[n/2])/1000, float64(s.waits[n-1])/1000
	}
	return r
}

// over divides times; nothing of nothing is 0.
func over(part, whole tick) float64 { return float64(part) / float64(max(1, whole)) }
