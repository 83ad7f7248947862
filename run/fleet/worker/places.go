package worker

// places are those for the episodes of a worker. A lease takes as many as it has episodes, and the
// others wait for their turn meanwhile, so that many small ones do not keep a large one waiting. One
// that has more episodes than there are places takes all.
type places struct {
	turn chan struct{}
	used chan struct{} // has an element for each place that is taken
}

func newPlaces(n int) *places { return &places{make(chan struct{}, 1), make(chan struct{}, n)} }

// take waits for places. It reports whether they came before one of two channels was closed.
func (p *places) take(n int, stop, gone <-chan struct{}) bool {
	select {
	case p.turn <- struct{}{}:
		defer func() { <-p.turn }()
	case <-stop:
		return false
	case <-gone:
		return false
	}
	for taken := range min(n, cap(p.used)) {
		select {
		case p.used <- struct{}{}:
			continue
		case <-stop:
		case <-gone:
		}
		p.free(taken)
		return false
	}
	return true
}

// free gives places back.
func (p *places) free(n int) {
	for range min(n, cap(p.used)) {
		<-p.used
	}
}
