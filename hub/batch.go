package hub

import (
	"slices"
	"time"

	"github.com/quintain-rl/quintain/hub/registry"
	"github.com/quintain-rl/quintain/internal/web"
	"github.com/quintain-rl/quintain/queue"
)

// A batch is a formed, unacknowledged batch. Its groups stay leased from the queue, so they
// cannot come into another batch.
//
//	kept ◀── the hub starts again while its trainer has a lease ──▶ flying, if that trainer asks
//	due ──asked for──▶ flying ──reply written──▶ handed ──asked for the next, or acknowledged──▶ gone
//	 ▲                   │                          │ the lease runs out
//	 │                   │                       lapsed ──its trainer asks for the next──▶ gone
//	 │                   │                          │
//	 └── reply torn, trainer registers, given back, another trainer asks
type batch struct {
	number uint64          // 1 or above; never reused
	seqs   []uint64        // its groups, in the order of delivery
	size   int             // sequences of its groups
	tokens int             // of its groups
	plays  int             // episodes of its groups
	oldest []int32         // version of the oldest token of each group; -1: unknown
	demand registry.Demand // by which it was formed
	out    bool            // handed out before, perhaps by an earlier server
	formed time.Time
	step   int   // when it was formed
	owner  owner // as stored; the run's mutex guards it

	// batches.mu guards the rest.
	state   batchState
	attempt int           // counts the replies since the hub began
	changes int           // counts what ends a reply under way: another reply, a return, an acknowledgement
	by      *web.Exchange // the last reply; nil: unknown
	claim   claim         // of its current or last trainer
	until   time.Time     // end of the lease, if handed or kept
}

type batchState int

const (
	due batchState = iota
	flying
	handed
	lapsed
	kept // perhaps handed out by an earlier server, under a lease that still runs
)

// String is the state in the statistics.
func (s batchState) String() string {
	return [...]string{"due", "flying", "handed", "lapsed", "kept"}[s]
}

// newBatch returns a batch of groups, without a number.
func newBatch(groups []queue.Delivery, want registry.Demand) *batch {
	b := &batch{seqs: make([]uint64, len(groups)), formed: time.Now(), demand: want}
	for i := range groups {
		b.seqs[i] = groups[i].Seq
	}
	b.add(groups)
	return b
}

// add adds the sizes of groups to d.
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
	next    bool // the request acknowledges the trainer's batches
}

// A parcel is a batch about to be sent, with its first groups.
type parcel struct {
	*batch
	attempt int              // of the reply
	changes int              // of the batch when the reply began
	first   []queue.Delivery // in binary form
	step    int
	padding int // sequences to add in the reply
}

// A ring is the last numbers put into it.
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
