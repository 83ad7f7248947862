package main

// Violations counts broken invariants. All are 0 unless a rule is wrong.
type Violations struct {
	Lost   int `json:"lost"`    // draws that are neither finished, nor to be granted again, nor with a worker that plays them or whose lease will expire; most at once
	Held   int `json:"held"`    // draws that are several of these, such as finished and granted; most at once
	Twice  int `json:"twice"`   // draws of which several groups were accepted
	Gate   int `json:"gate"`    // leases granted beyond the gate's room, and audits that found another number of episodes under way than the gate
	TooOld int `json:"too_old"` // groups trained on that were older than MaxLag
}

// audit counts where each draw is, by another way than the owner's.
func (f *simulation) audit() {
	o := &f.owner
	f.counts = append(f.counts[:0], make([]uint8, len(o.draws))...)
	leased := f.countLeases()
	for _, r := range o.again {
		f.counts[r.draw]++
	}
	now := Violations{}
	for k, d := range o.draws {
		n := f.counts[k]
		if d.accepted > 0 {
			n++
		}
		switch {
		case n == 0:
			now.Lost++
		case n > 1:
			now.Held++
		}
		if d.accepted > 1 {
			now.Twice++
		}
	}
	under := (leased + len(f.trainer.queue)) * f.config.GroupSize
	if f.trainer.training {
		under += f.config.Batch
	}
	if under != o.pending {
		f.broken.Gate++
	}
	f.broken.Lost = max(f.broken.Lost, now.Lost)
	f.broken.Held = max(f.broken.Held, now.Held)
	f.broken.Twice = max(f.broken.Twice, now.Twice)
}

// countLeases counts the leases that are somewhere: a living worker holds it, or it will
// expire. It returns how many are open.
func (f *simulation) countLeases() (leased int) {
	o := &f.owner
	kept := o.instances[:0]
	for _, i := range o.instances {
		if i.over {
			continue
		}
		kept = append(kept, i)
		overdue := i.silent && f.due(i) < f.now
		for _, l := range i.leases {
			if o.draws[l.draw].attempt != l.attempt {
				continue
			}
			leased++
			if !overdue && (l.held || i.silent) {
				f.counts[l.draw]++
			}
		}
	}
	clear(o.instances[len(kept):])
	o.instances = kept
	return leased
}
