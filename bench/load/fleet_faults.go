package main

// fallSilent ends the beats of w.
func (f *simulation) fallSilent(w *worker) {
	if !w.silent {
		w.silent, w.silence = true, f.now
		w.heard = max(w.heard, f.now-f.chance.network.below(f.config.Beat))
	}
	f.at(f.due(w.fleetInstance), event{kind: expires, instance: w.fleetInstance})
}

// due is when the leases of a silent instance expire. After an outage the lease time begins
// anew.
func (f *simulation) due(i *fleetInstance) tick {
	return max(i.heard, f.owner.up) + ticks(f.config.LeaseTime)
}

// expire ends the leases of an instance, if it is due.
func (f *simulation) expire(i *fleetInstance) {
	if !i.silent || i.over || f.rule == nothingExpires {
		return
	}
	if due := f.due(i); due > f.now {
		f.at(due, event{kind: expires, instance: i})
		return
	}
	f.keep(i)
	f.sums.expired += f.owner.expire(i)
	f.offer()
}

// die ends w.
func (f *simulation) die(w *worker) {
	f.fallSilent(w)
	w.dead = true
	w.alive, w.frozen = false, false
	f.abandon(w)
	f.alive--
	f.trainer.serving[w.version]--
	f.setRoom()
	f.at(f.now+ticks(f.config.ReplaceAfter)/2+f.chance.faults.exp(f.config.ReplaceAfter)/2, event{kind: replaced, worker: w})
	f.offer()
}

// replace has another stand in for w.
func (f *simulation) replace(w *worker) {
	w.alive, w.version = true, f.trainer.version
	f.alive++
	f.trainer.serving[w.version]++
	f.register(w)
	f.plan(event{kind: dies, worker: w}, f.config.DeathEvery)
	f.ask(w)
}

// freeze stops w for a while, or cuts it off: its server goes on.
func (f *simulation) freeze(w *worker) {
	length := f.chance.faults.exp(f.config.FreezeTime)
	if w.alive && !w.frozen {
		f.fallSilent(w)
		w.frozen = true
		f.at(f.now+length, event{kind: thaws, instance: w.fleetInstance})
	}
	f.at(f.now+length+f.chance.faults.exp(f.config.FreezeEvery), event{kind: freezes, worker: w})
}

// thaw ends the freeze of an instance, if it lives. It sees first which episodes have ended.
func (f *simulation) thaw(i *fleetInstance) {
	w := i.worker
	if i.dead {
		return
	}
	w.frozen, w.silent, w.heard = false, false, f.now
	woken := w.woken
	w.woken = nil
	for _, l := range woken {
		f.endEpisode(w, l)
	}
	f.contact(w)
}

// outageBegins ends the owner's answers. Workers play on.
func (f *simulation) outageBegins() {
	o := &f.owner
	o.down, o.up = true, f.now+ticks(f.config.OutageTime)
	for _, i := range o.polls {
		i.polling = false
	}
	o.polls = nil
	for _, r := range o.recent {
		if w := r.lease.holder.worker; r.at >= f.now-roundTrip && !r.lease.holder.dead && !r.lease.holder.over {
			w.unsent = append(w.unsent, r.lease)
		}
	}
	o.recent = nil
	f.at(o.up, event{kind: outageEnds})
}

// outageEnds has another owner go on with the same record. Workers come back, a few at a
// time.
func (f *simulation) outageEnds() {
	f.owner.down = false
	for _, w := range f.workers {
		f.at(f.now+f.chance.network.below(jitter), event{kind: retries, worker: w})
	}
	f.plan(event{kind: outageBegins}, f.config.OutageEvery)
}
