package pool

import (
	"math"
	"time"
)

// The constants of the law. A factor applies to what is under way.
const (
	growBelow  = 0.6  // use of every cache below which the limit may grow
	growBy     = 1.25 // factor on the limit
	binds      = 0.9  // part of the limit that is under way when it is what holds requests back
	trimAbove  = 0.8  // use of a cache above which the limit falls, and no more begins
	abortAbove = 0.9  // use of a cache above which the youngest are aborted, too
	target     = 0.7  // use of the fullest cache that a trim aims at
	cooldown   = 6    // polls between two cuts
	queueAbove = 0.5  // requests that wait in a server, in proportion to those that run
	queuePolls = 6    // polls in a row after which such a queue counts
	queueCut   = 0.9
	preemptCut = 0.8
	againCut   = 0.5              // the servers were still overloaded when a cut had taken effect
	freshness  = 15 * time.Second // of what servers say; growth needs it
)

// A Load is what a server says of itself.
type Load struct {
	At        time.Time // when it said so
	Use       float64   // of its KV cache, 0 to 1
	Running   int       // samples
	Waiting   int       // samples in its own queue
	Preempted int       // samples that it had to put back since the load before
}

// fresh reports whether l is new enough at a time to act on.
func (l Load) fresh(now time.Time) bool { return now.Sub(l.At) <= freshness }

// queued reports whether too many wait.
func (l Load) queued() bool { return float64(l.Waiting) > queueAbove*float64(l.Running) }

// A Law says how many samples may be under way at once, by what the servers say: it grows
// by a factor while their caches have room, and is cut by factors when they have not
// (AIMD with a multiplicative increase, as prime-rl has it). It is a pure state machine,
// for one goroutine.
type Law struct {
	each    float64 // limit of each server
	servers int     // 1 or more
	most    int     // limit of all servers

	ended  int  // samples since the limit changed
	cool   int  // polls until the next cut
	queues int  // polls in a row with a queue
	cut    bool // it was cut, and no poll has found the servers at ease since
}

// NewLaw returns a law that begins with a limit of each for each server, 1 or more, and
// never allows more than most for all, 1 or more.
func NewLaw(each, most int) *Law { return &Law{each: float64(each), servers: 1, most: most} }

// Limit is how many samples may be under way at once, 1 or more.
func (l *Law) Limit() int { return max(1, min(l.most, int(math.Round(l.each*float64(l.servers))))) }

// Servers tells how many servers there are; 0 changes nothing. The limit of each stays.
func (l *Law) Servers(n int) {
	if n > 0 {
		l.servers = n
	}
}

// Ended tells that n samples have ended.
func (l *Law) Ended(n int) { l.ended += n }

// Poll adapts the limit to what the servers say while underWay samples are. It reports
// whether the youngest beyond the limit have to be aborted.
func (l *Law) Poll(now time.Time, underWay int, loads []Load) (abort bool) {
	worst, current := worstOf(now, loads)
	l.cool = max(0, l.cool-1)
	l.queues++
	if !worst.queued() {
		l.queues = 0
	}
	factor := l.factor(worst)
	draining := underWay > l.Limit()
	switch abort = worst.Use > abortAbove; {
	case factor == 1:
		l.cut = l.cut && draining
		if current && worst.Use < growBelow && l.queues == 0 {
			l.grow(underWay)
		}
		return false
	case l.cool > 0 || draining && !abort: // what the servers say is of the past
		return false
	case l.cut && !draining:
		factor = min(factor, againCut)
	}
	l.each = min(l.each, max(1, float64(underWay)*factor)/float64(l.servers))
	l.cut, l.cool, l.ended, l.queues = true, cooldown, 0, 0
	return abort
}

// factor is that on what is under way by which a load is to be cut; 1: it is not.
func (l *Law) factor(worst Load) float64 {
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

// grow raises the limit, if it holds requests back and as many as it have ended since it
// changed.
func (l *Law) grow(underWay int) {
	limit := l.Limit()
	if limit < l.most && float64(underWay) >= binds*float64(limit) && l.ended >= limit {
		l.each = math.Ceil(growBy*float64(limit)) / float64(l.servers)
		l.ended = 0
	}
}

// worstOf is the worst of each that the fresh loads say, and whether all are fresh.
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
