package hub

import (
	"context"
	"errors"
	"net/http"
	"strconv"

	"github.com/quintain-rl/quintain/internal/web"
	"github.com/quintain-rl/quintain/queue"
)

// The headers of a batch.
const (
	headerBatch     = "Quintain-Batch"       // its number
	headerStep      = "Quintain-Step"        // the trainer's first step plus the batches handed out so far
	headerAttempt   = "Quintain-Attempt"     // how often it was handed out since the hub started
	headerGroups    = "Quintain-Groups"      // groups in the reply
	headerSequences = "Quintain-Sequences"   // sequences in the reply
	headerLease     = "Quintain-Lease"       // of the trainer, in seconds
	headerLast      = "Quintain-Last-Number" // the number after which to continue
)

func batchHeaders() []string {
	return []string{headerBatch, headerStep, headerAttempt, headerGroups, headerSequences, headerLease, headerLast}
}

// setBatchHeaders describes a batch in the reply's header.
func setBatchHeaders(c *web.Call, p parcel) {
	h := c.W.Header()
	h.Set(headerBatch, strconv.FormatUint(p.number, 10))
	h.Set(headerStep, strconv.Itoa(p.step))
	h.Set(headerAttempt, strconv.Itoa(p.attempt))
	h.Set(headerGroups, strconv.Itoa(len(p.seqs)))
	h.Set(headerSequences, strconv.Itoa(p.size))
	h.Set(headerLease, strconv.FormatFloat(p.claim.lease.Seconds(), 'f', -1, 64))
}

// deliver writes a reply with a batch by write, which must call [web.Call.LastByte] if the
// client knows the reply's length. If the reply breaks off, the batch is due again.
func (r *Run) deliver(c *web.Call, p parcel, write func(*web.Call, *replyGroups) error) error {
	groups := &replyGroups{Now: p.first, Rest: p.seqs[len(p.first):], Read: r.batches.fetch, Padding: p.padding}
	landed := false
	defer func() {
		if !landed { // write panicked
			r.batches.land(p, nil, errBrokeOff)
		}
	}()
	// With the last byte, a client may ask for the next batch before this goroutine continues.
	c.Arrive = func() { r.batches.land(p, c.Exchange, nil) }
	err := write(c, groups)
	landed = true
	r.batches.land(p, c.Exchange, err)
	if err == nil {
		return nil
	}
	corrupt := isCorrupt(err)
	if !corrupt && !c.W.Begun() { // there is no memory for it
		return err
	}
	if corrupt {
		err = errors.Join(err, r.spoil(context.WithoutCancel(c.Context()), p, err))
	}
	r.log.Info("a batch did not reach the trainer and will be handed out again", "batch", p.number, "groups", len(p.seqs), "err", err)
	panic(http.ErrAbortHandler) // the reply must not look whole
}

// errBrokeOff says that a reply was not written to its end.
var errBrokeOff = errors.New("the reply broke off")

// spoil dissolves a batch with groups that the queue has set aside, because the disk cannot
// read them, or sets aside now, because they cannot be decoded.
func (r *Run) spoil(ctx context.Context, p parcel, why error) error {
	for _, seq := range p.seqs {
		if errors.Is(why, queue.ErrUnreadable) {
			break
		}
		if _, err := r.queue.Read(ctx, seq); err != nil && !isCorrupt(err) {
			return err
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.batches.dissolve(ctx, p.batch)
}
