package hub

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/quintain-rl/quintain/hub/registry"
	"github.com/quintain-rl/quintain/queue"
	"github.com/quintain-rl/quintain/queue/packing"
)

// The stored state of the batches is a head, and records of each open batch.
const (
	batchesKey     = "hub-batches"
	batchesVersion = 2 // in version 1 the head contained the batches
	batchPrefix    = "hub-batch-"
	batchVersion   = 1
)

// partGroups is the most groups in a record, which bounds its size.
const partGroups = 50_000

// batchesRecord is the head.
type batchesRecord struct {
	Version int      `json:"version"`
	Step    int      `json:"step"`
	Next    uint64   `json:"next"`  // number of the last formed batch
	Acked   []uint64 `json:"acked"` // numbers of the last acknowledged batches
}

// A batchRecord is a part of a batch.
type batchRecord struct {
	Version int             `json:"version"`
	Number  uint64          `json:"batch"`
	Part    int             `json:"part"`            // from 0
	Parts   int             `json:"parts"`           // of the batch
	Step    int             `json:"step"`            // when it was formed
	Demand  registry.Demand `json:"demand,omitzero"` // by which it was formed; none in older records
	Groups  []byte          `json:"groups"`          // sequence numbers: see [queue.PackSeqs]
	owner                   // in the first part
}

// An owner is the last trainer of a batch, as stored.
type owner struct {
	Trainer string    `json:"trainer,omitzero"` // empty: none
	Until   time.Time `json:"until,omitzero"`   // end of its lease; zero: none
}

// ownerOf is the owner of a batch handed out now. A trainer that acknowledges by asking for
// the next batch has no lease across a restart: it would acknowledge a batch that may not
// have reached it.
func ownerOf(c claim) owner {
	if c.next {
		return owner{Trainer: c.trainer}
	}
	return owner{c.trainer, time.Now().Add(c.lease).UTC()}
}

// parts is the number of records of a batch.
func (d *batch) parts() int { return (len(d.seqs) + partGroups - 1) / partGroups }

// partKey is the key of a record of a batch.
func partKey(number uint64, part int) string { return fmt.Sprint(batchPrefix, number, "-", part) }

// record is the stored form of a part of the batch.
func (d *batch) record(part int, o owner) (queue.State, error) {
	seqs := d.seqs[part*partGroups : min(len(d.seqs), (part+1)*partGroups)]
	r := batchRecord{Version: batchVersion, Number: d.number, Part: part, Parts: d.parts(), Step: d.step, Demand: d.demand, Groups: queue.PackSeqs(seqs)}
	if part == 0 {
		r.owner = o
	}
	return queue.NewRecord(partKey(d.number, part), r)
}

// forget appends the deletion of the batch's records to list.
func (d *batch) forget(list []queue.State) []queue.State {
	for part := range d.parts() {
		list = append(list, queue.State{Key: partKey(d.number, part)})
	}
	return list
}

// save stores step and open, then makes them current. Batches without a number get one. The
// run's mutex is held.
//
// It writes new records first, then the head, then deletions: after a crash at any point, a
// batch with a begun reply is there, with its step.
func (b *batches) save(ctx context.Context, step int, open []*batch) error {
	next := b.next
	var list []queue.State
	for _, d := range open {
		if d.number != 0 {
			continue
		}
		next++
		d.number, d.step = next, step
		for part := range d.parts() {
			record, err := d.record(part, d.owner)
			if err != nil {
				return err
			}
			list = append(list, record)
		}
	}
	b.mu.RLock()
	acked, past := b.acked.list(), b.past
	b.mu.RUnlock()
	head, err := queue.NewRecord(batchesKey, batchesRecord{batchesVersion, step, next, acked})
	if err != nil {
		return err
	}
	list = append(append(list, head), past...)
	stays := make(map[*batch]bool, len(open))
	for _, d := range open {
		stays[d] = true
	}
	for _, d := range b.open {
		if !stays[d] {
			list = d.forget(list)
		}
	}
	if err := b.queue.SetStates(ctx, list); err != nil {
		return err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.step, b.open, b.next, b.past = step, open, next, b.past[len(past):]
	b.went.Wake()
	return nil
}

// own stores o as the owner of batches. The run's mutex is held.
func (b *batches) own(ctx context.Context, o owner, list ...*batch) error {
	var records []queue.State
	var changed []*batch
	for _, d := range list {
		if d.owner == o {
			continue
		}
		record, err := d.record(0, o)
		if err != nil {
			return err
		}
		records, changed = append(records, record), append(changed, d)
	}
	if err := b.queue.SetStates(ctx, records); err != nil {
		return err
	}
	for _, d := range changed {
		d.owner = o
	}
	return nil
}

// disown ends a trainer's leases. The run's mutex is held.
func (b *batches) disown(ctx context.Context, trainer string) error {
	var list []*batch
	for _, d := range b.open {
		if d.owner.Trainer == trainer {
			list = append(list, d)
		}
	}
	return b.own(ctx, owner{Trainer: trainer}, list...)
}

// load continues where an earlier server ended. Its batches are due again, or kept for
// trainers with a lease.
func (b *batches) load(ctx context.Context) error {
	var head batchesRecord
	text, err := b.queue.State(ctx, batchesKey)
	if err != nil {
		return err
	}
	if err := (queue.State{Key: batchesKey, Value: text}).Record(batchesVersion, &head); err != nil {
		return err
	}
	b.step, b.next = head.Step, head.Next
	for _, number := range head.Acked {
		b.acked.put(number)
	}
	found, err := b.read(ctx)
	if err != nil {
		return err
	}
	for _, number := range slices.Sorted(maps.Keys(found)) {
		b.next = max(b.next, number)
		if err := b.reclaim(ctx, found[number]); err != nil {
			return err
		}
	}
	return nil
}

// read returns the completely stored batches, by their numbers.
func (b *batches) read(ctx context.Context) (map[uint64]*batch, error) {
	list, err := b.queue.States(ctx, batchPrefix)
	if err != nil {
		return nil, err
	}
	records := make([]batchRecord, len(list))
	for i, s := range list {
		if err := s.Record(batchVersion, &records[i]); err != nil {
			return nil, err
		}
	}
	slices.SortFunc(records, func(x, y batchRecord) int {
		return cmp.Or(cmp.Compare(x.Number, y.Number), cmp.Compare(x.Part, y.Part))
	})
	found := make(map[uint64]*batch)
	for len(records) > 0 {
		n := 1
		for n < len(records) && records[n].Number == records[0].Number {
			n++
		}
		d := &batch{number: records[0].Number, owner: records[0].owner, step: records[0].Step, demand: records[0].Demand, out: true}
		for _, r := range records[:n] {
			seqs, err := queue.UnpackSeqs(r.Groups, partGroups)
			if err != nil {
				return nil, fmt.Errorf("state %s: %w", partKey(r.Number, r.Part), err)
			}
			d.seqs = append(d.seqs, seqs...)
		}
		if b.step = max(b.step, d.step); n == records[0].Parts {
			found[d.number] = d
		} else { // a crash interrupted its storing or deleting
			for _, r := range records[:n] {
				b.past = append(b.past, queue.State{Key: partKey(r.Number, r.Part)})
			}
		}
		records = records[n:]
	}
	return found, nil
}

// reclaim leases the groups of an earlier server's batch, and opens the batch if all are
// there. If none is, it was acknowledged. If some are missing, the rest wait for another
// batch.
func (b *batches) reclaim(ctx context.Context, d *batch) error {
	var found []queue.Entry
	leased, err := b.queue.Lease(ctx, queue.Want{Consumer: consumer, Blind: true, Pick: func(waiting []queue.Entry) []queue.Entry {
		found = found[:0]
		for _, seq := range d.seqs {
			at, ok := slices.BinarySearchFunc(waiting, seq, func(e queue.Entry, seq uint64) int { return cmp.Compare(e.Seq, seq) })
			if ok {
				found = append(found, waiting[at])
			}
		}
		if len(found) < len(d.seqs) {
			return nil
		}
		return found
	}})
	if err != nil {
		return err
	}
	if len(leased) == len(d.seqs) && len(leased) > 0 {
		d.add(leased)
		if d.demand == (registry.Demand{}) { // an older hub formed exact batches only
			d.demand = registry.Demand{Unit: packing.Sequences, Least: d.size, Most: d.size}
		}
		d.restore(time.Now())
		b.open = append(b.open, d)
		return nil
	}
	b.past = d.forget(b.past)
	if len(found) == 0 {
		b.acked.put(d.number)
	}
	return nil
}

// restore gives an earlier server's batch back to the trainer that has a lease.
func (d *batch) restore(now time.Time) {
	d.claim = claim{trainer: d.owner.Trainer}
	if now.Before(d.owner.Until) {
		d.state = kept
		d.until = d.owner.Until
		if longest := now.Add(maxLease); d.until.After(longest) { // the clock was set back
			d.until = longest
		}
		d.claim.lease = d.until.Sub(now)
	}
}
