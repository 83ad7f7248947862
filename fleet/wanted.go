package fleet

// want fills in what the run could use. c.mu is held.
func (c *Coordinator) want(r *Roster) {
	if c.table == nil {
		return
	}
	r.Wanted = (len(c.held) + c.table.Room()) * c.config.GroupSize
	slots, workers := 0, 0
	for _, w := range c.workers {
		if w.Fault == "" && w.Slots > 0 {
			slots, workers = slots+w.Slots, workers+1
		}
	}
	if workers > 0 {
		c.slots = slots / workers
	}
	r.WantedWorkers = min((r.Wanted+c.slots-1)/c.slots, c.config.Settings.Workers)
}
