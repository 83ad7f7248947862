package files

import "time"

// A store is sealed, and its files are closed, once nothing was written or read for
// idleTime. While something is, it is sealed every busyTime.
const (
	idleTime = 100 * time.Millisecond
	busyTime = time.Second
)

// touch notes that something was written or read.
func (s *site) touch() {
	select {
	case s.touched <- struct{}{}:
	default:
	}
}

// tend seals the store from time to time, and has files closed that nobody uses, until
// stop is closed.
func (s *site) tend(stop <-chan struct{}) {
	for {
		select {
		case <-s.touched:
		case <-stop:
			return
		}
		if !s.settle(stop) {
			return
		}
		s.folder.tend(s.trySeal)
	}
}

// settle waits until it is time to seal. It returns false if stop is closed first.
func (s *site) settle(stop <-chan struct{}) bool {
	busy := time.NewTimer(busyTime)
	defer busy.Stop()
	idle := time.NewTimer(idleTime)
	defer idle.Stop()
	for {
		select {
		case <-s.touched:
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
