package files

import "time"

// A store is sealed, and its files are closed, once nothing was written or read for
// idleTime. While something is, it is sealed every busyTime.
const (
	idleTime = 100 * time.Millisecond
	busyTime = time.Second
)

// touch notes that something was written or read.
func (c *catalog) touch() {
	select {
	case c.touched <- struct{}{}:
	default:
	}
}

// tend seals the store from time to time, and has files closed that nobody uses, until
// stop is closed.
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
		c.folder.tend(c.trySeal)
	}
}

// settle waits until it is time to seal. It returns false if stop is closed first.
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
