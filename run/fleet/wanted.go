package fleet

// wanted is how many episodes may be under way, and how many workers could play them.
func (c *Coordinator) wanted() (episodes, workers int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.isOpen() {
		return 0, 0
	}
	for _, a := range c.exams.waiting {
		episodes += a.size
	}
	for _, h := range c.held {
		if c.table != nil || h.asked != nil {
			episodes += h.size
		}
	}
	if c.table != nil {
		episodes += c.table.Room() * c.config.GroupSize
	}
	slots, n := 0, 0
	for _, w := range c.workers {
		if w.Fault == "" && w.Slots > 0 {
			slots, n = slots+w.Slots, n+1
		}
	}
	if n > 0 {
		c.slots = slots / n
	}
	return episodes, min((episodes+c.slots-1)/c.slots, c.config.Settings.Workers)
}
