package fleet

// wanted is how many episodes may be under way, and how many workers could play them.
func (c *Coordinator) wanted() (episodes, workers int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.table == nil {
		return 0, 0
	}
	episodes = (len(c.held) + c.table.Room()) * c.config.GroupSize
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
