package hub

import (
	"slices"
	"time"

	"github.com/quintain-rl/quintain/internal/web"
	"github.com/quintain-rl/quintain/queue"
)

// A batch is a batch that is formed and not acknowledged. Its groups stay leased from
// the queue all the time, so they cannot come into another batch.
//
//	kept ◀── the hub starts again while its trainer has a lease ──▶ flying, if that trainer asks
//	due ──asked for──▶ flying ──reply written──▶ handed ──asked for the next, or acknowledged──▶ gone
//	 ▲                   │                          │ the lease runs out
//	 │                   │                       lapsed ──its trainer asks for the next──▶ gone
//	 │                   │                          │
//	 └── reply torn, trainer registers, given back, another trainer asks
type batch struct {
	number uint64   // 1 or above; never used again
	seqs   []uint64 // of its groups, in the order in which they are handed out
	size   int      // sequences of its groups
	tokens int      // of its groups
	plays  int      // episodes of its groups
	oldest []int32  // version of the oldest token of each group; -1: unknown
	out    bool     // it was handed out before, perhaps by an earlier server
	formed time.Time
	step   int   // when it was formed
	owner  owner // as it is kept; the run's trade guards it

	// What follows is guarded by batches.mu.
	state   batchState
	attempt int           // counts the replies
	by      *web.Exchange // the last reply; nil: not known
	claim   claim         // of the trainer that has it, or last had it
	until   time.Time     // when the lease ends, if it is handed or kept
}

type batchState int

const (
	due batchState = iota
	flying
	handed
	lapsed
	kept // it was handed out by an earlier server, perhaps, and the lease still runs
)

// String is the state as the statistics show it.
func (s batchState) String() string {
	return [...]string{"due", "flying", "handed", "lapsed", "kept"}[s]
}

// newBatch returns a batch of groups, without a number.
func newBatch(groups []queue.Delivery) *batch {
	b := &batch{seqs: make([]uint64, len(groups)), formed: time.Now()}
	for i := range groups {
		b.seqs[i] = groups[i].Seq
	}
	b.add(groups)
	return b
}

// add counts what the groups of d hold.
func (d *batch) add(groups []queue.Delivery) {
	for i := range groups {
		d.size += int(groups[i].Sequences)
		d.tokens += groups[i].Tokens
		d.plays += int(groups[i].Episodes)
		d.oldest = append(d.oldest, groups[i].Oldest)
	}
}

// A claim is a trainer's request for a batch.
type claim struct {
	trainer string
	lease   time.Duration
	next    bool // the trainer is done with the batches that it has
}

// A parcel is a batch on its way out, with its groups.
type parcel struct {
	*batch
	attempt int
	first   []queue.Delivery // the first groups, in their binary form
	step    int
}

// A ring holds the last numbers that were put into it.
type ring struct {
	last [64]uint64 // 0: none
	at   int
}

func (r *ring) put(n uint64) {
	r.last[r.at%len(r.last)] = n
	r.at++
}

func (r *ring) has(n uint64) bool { return n != 0 && slices.Contains(r.last[:], n) }

// list returns the numbers, oldest first.
func (r *ring) list() []uint64 {
	var all []uint64
	for i := range r.last {
		if n := r.last[(r.at+i)%len(r.last)]; n != 0 {
			all = append(all, n)
		}
	}
	return all
}
