package files

import "time"

// A store is sealed and its files are closed after idleTime without a read or write. A busy
// store is sealed every busyTime.
const (
	idleTime = 100 * time.Millisecond
	busyTime = time.Second
)

// touch notes a read or write.
func (c *catalog) touch() {
	select {
	case c.touched <- struct{}{}:
	default:
	}
}

// tend seals the store now and then, and closes unused files, until stop is closed.
func (c *catalog) tend(stop <-chan struct{}) {
	for {
		select {
		case <-c.touched:
		case <-stop:
			return
		}
		if !c.settle(stop) {
			return
		}
		c.folder.Tend(c.trySeal)
	}
}

// settle waits for the time to seal. It returns false if stop is closed first.
func (c *catalog) settle(stop <-chan struct{}) bool {
	busy := time.NewTimer(busyTime)
	defer busy.Stop()
	idle := time.NewTimer(idleTime)
	defer idle.Stop()
	for {
		select {
		case <-c.touched:
			idle.Reset(idleTime)
		case <-idle.C:
			return true
		case <-busy.C:
			return true
		case <-stop:
			return false
		}
	}
}
