package pool

import (
	"math"
	"time"
)

// The constants of the limiter. A factor applies to the samples in flight.
const (
	growBelow  = 0.6  // the limit may grow while no cache is fuller
	growBy     = 1.25 // factor on the limit
	binds      = 0.9  // part of the limit in flight when it holds requests back
	trimAbove  = 0.8  // a fuller cache lowers the limit, and no sample starts
	abortAbove = 0.9  // a fuller cache also aborts the youngest
	target     = 0.7  // use of the fullest cache after a trim
	cooldown   = 6    // polls between two cuts
	queueAbove = 0.5  // waiting requests of a server, relative to running ones
	queuePolls = 6    // consecutive polls until such a queue counts
	queueCut   = 0.9
	preemptCut = 0.8
	againCut   = 0.5              // the servers are still overloaded after a cut took effect
	freshness  = 15 * time.Second // of loads; growth needs fresh ones
)

// A Load is a server's report on itself.
type Load struct {
	At        time.Time // time of the report
	Use       float64   // of its KV cache, 0 to 1
	Running   int       // samples
	Waiting   int       // samples in the server's own queue
	Preempted int       // samples preempted since the last report
}

// fresh reports whether l is recent enough to act on.
func (l Load) fresh(now time.Time) bool { return now.Sub(l.At) <= freshness }

// queued reports whether too many samples wait.
func (l Load) queued() bool { return float64(l.Waiting) > queueAbove*float64(l.Running) }

// A Limiter limits the samples in flight by the servers' loads: the limit grows by a factor
// while their caches have room, and factors cut it otherwise (AIMD with a multiplicative
// increase, as in prime-rl). It is a pure state machine, for one goroutine.
type Limiter struct {
	each    float64 // limit of each server
	servers int     // 1 or more
	most    int     // limit of all servers

	ended  int  // samples since the limit changed
	cool   int  // polls until the next cut
	queues int  // polls in a row with a queue
	cut    bool // cut, and since then never found at ease
}

// NewLimiter returns a limiter that starts with each samples per server, 1 or more, and
// never allows more than most in all, 1 or more.
func NewLimiter(each, most int) *Limiter {
	return &Limiter{each: float64(each), servers: 1, most: most}
}

// Limit returns the most samples in flight, 1 or more.
func (l *Limiter) Limit() int { return max(1, min(l.most, int(math.Round(l.each*float64(l.servers))))) }

// Servers sets the number of servers and keeps the limit of each; 0 changes nothing.
func (l *Limiter) Servers(n int) {
	if n > 0 {
		l.servers = n
	}
}

// Ended counts n ended samples.
func (l *Limiter) Ended(n int) { l.ended += n }

// Poll adapts the limit to the loads, with inFlight samples in flight. It reports whether
// the youngest beyond the limit must be aborted.
func (l *Limiter) Poll(now time.Time, inFlight int, loads []Load) (abort bool) {
	worst, current := worstOf(now, loads)
	l.cool = max(0, l.cool-1)
	l.queues++
	if !worst.queued() {
		l.queues = 0
	}
	factor := l.factor(worst)
	draining := inFlight > l.Limit()
	switch abort = worst.Use > abortAbove; {
	case factor == 1:
		l.cut = l.cut && draining
		if current && worst.Use < growBelow && l.queues == 0 {
			l.grow(inFlight)
		}
		return false
	case l.cool > 0 || draining && !abort: // the loads are out of date
		return false
	case l.cut && !draining:
		factor = min(factor, againCut)
	}
	l.each = min(l.each, max(1, float64(inFlight)*factor)/float64(l.servers))
	l.cut, l.cool, l.ended, l.queues = true, cooldown, 0, 0
	return abort
}

// factor returns the cut that a load demands, a factor on the samples in flight; 1: none.
func (l *Limiter) factor(worst Load) float64 {
	factor := 1.0
	if worst.Use > trimAbove {
		factor = target / worst.Use
	}
	if worst.Preempted > 0 {
		factor = min(factor, preemptCut)
	}
	if l.queues >= queuePolls {
		factor = min(factor, queueCut)
	}
	return factor
}

// grow raises the limit if it holds requests back and as many samples have ended since the
// last change.
func (l *Limiter) grow(inFlight int) {
	limit := l.Limit()
	if limit < l.most && float64(inFlight) >= binds*float64(limit) && l.ended >= limit {
		l.each = math.Ceil(growBy*float64(limit)) / float64(l.servers)
		l.ended = 0
	}
}

// worstOf combines the worst values of the fresh loads, and reports whether all loads are
// fresh.
func worstOf(now time.Time, loads []Load) (worst Load, current bool) {
	current = len(loads) > 0
	for _, load := range loads {
		if !load.fresh(now) {
			current = false
			continue
		}
		worst.Use = max(worst.Use, load.Use)
		worst.Preempted = max(worst.Preempted, load.Preempted)
		if load.Waiting*max(1, worst.Running) >= worst.Waiting*max(1, load.Running) {
			worst.Waiting, worst.Running = load.Waiting, load.Running
		}
	}
	return worst, current
}
