package queue

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"slices"
	"strconv"
)

// storeFormat is the version of what a queue keeps in its store; see
// docs/formats/stream.md.
const storeFormat = 1

// formatKey is the state record that holds storeFormat. No user's key has a dot.
const formatKey = "queue.format"

// maxState is the largest size of a state record, in bytes.
const maxState = 512 << 10

// The log is rewritten at the opening where it has more than tidyAbove records.
const (
	tidyAbove   = 256
	keysPerTidy = 4096 // keys in one of the new records
)

// A logRecord says what became of groups.
type logRecord struct {
	Last       uint64 // the highest sequence number that was given until then
	Forget     bool   // all keys before are forgotten
	Checkpoint bool   // of the sequence numbers up to Through only those of Live are in use
	Through    uint64
	Live       []uint64 // rising
	Gone       []uint64 // sequence numbers that are done, rising
	Keys       []Key    // of groups that are done
	Lost       uint64   // groups that were found missing until then; with Checkpoint
}

const (
	logVersion    = 1
	logForget     = 1
	logCheckpoint = 2
)

// encode is the record's binary form.
func (r logRecord) encode() []byte {
	flags := byte(0)
	if r.Forget {
		flags |= logForget
	}
	if r.Checkpoint {
		flags |= logCheckpoint
	}
	b := make([]byte, 0, 16+2*(len(r.Live)+len(r.Gone))+len(r.Keys)*len(Key{}))
	b = append(b, logVersion, flags)
	b = binary.AppendUvarint(b, r.Last)
	b = binary.AppendUvarint(b, r.Through)
	b = appendRising(b, r.Live)
	b = appendRising(b, r.Gone)
	b = binary.AppendUvarint(b, r.Lost)
	b = binary.AppendUvarint(b, uint64(len(r.Keys)))
	for _, k := range r.Keys {
		b = append(b, k[:]...)
	}
	return b
}

// appendRising appends the length of list, and of each element what it is above the
// one before.
func appendRising(b []byte, list []uint64) []byte {
	b = binary.AppendUvarint(b, uint64(len(list)))
	last := uint64(0)
	for _, v := range list {
		b = binary.AppendUvarint(b, v-last)
		last = v
	}
	return b
}

// decodeLog reads a record of the log.
func decodeLog(b []byte) (r logRecord, err error) {
	if len(b) < 2 {
		return r, fmt.Errorf("record of the log: has %d bytes", len(b))
	}
	if b[0] != logVersion {
		return r, fmt.Errorf("record of the log: has version %d, and this program reads version %d: %w", b[0], logVersion, ErrNewer)
	}
	r.Forget, r.Checkpoint = b[1]&logForget != 0, b[1]&logCheckpoint != 0
	in := reader{b: b[2:]}
	r.Last = in.uint("last")
	r.Through = in.uint("through")
	r.Live = in.rising("live")
	r.Gone = in.rising("gone")
	r.Lost = in.uint("lost")
	n := in.uint("keys")
	keys := in.bytes("keys", min(n, uint64(len(b)))*uint64(len(Key{})))
	for k := range slices.Chunk(keys, len(Key{})) {
		r.Keys = append(r.Keys, Key(k))
	}
	if in.err != nil {
		return r, fmt.Errorf("record of the log: %w", in.err)
	}
	return r, nil
}

func (r *reader) rising(field string) []uint64 {
	n := r.uint(field)
	if n > uint64(len(r.b)) {
		r.fail(field, "has %d elements, and %d bytes are left", n, len(r.b))
		return nil
	}
	list, last := make([]uint64, n), uint64(0)
	for i := range list {
		last += r.uint(field)
		list[i] = last
	}
	return list
}

// A history is what the log says.
type history struct {
	records int
	through uint64              // every number up to it that is not live is accounted for
	live    map[uint64]struct{} // numbers up to through that were in use then
	gone    map[uint64]struct{} // numbers that are done since
	known   map[Key]struct{}    // of groups that are done
	lost    uint64
	last    uint64 // highest number that was given, as far as the log knows
}

func (h *history) apply(r logRecord) {
	h.records++
	if r.Forget {
		clear(h.known)
	}
	h.last = max(h.last, r.Last)
	if r.Checkpoint {
		h.last = r.Last // it may have become lower, where the store has lost its end
		h.through, h.lost = r.Through, r.Lost
		clear(h.live)
		clear(h.gone)
		for _, seq := range r.Live {
			h.live[seq] = struct{}{}
		}
	}
	for _, seq := range r.Gone {
		h.gone[seq] = struct{}{}
	}
	for _, k := range r.Keys {
		h.known[k] = struct{}{}
	}
}

// done reports whether the group of seq is done, of which the log may know by its
// number or by its key.
func (h *history) done(seq uint64, key Key) bool {
	_, gone := h.gone[seq]
	_, known := h.known[key]
	_, live := h.live[seq]
	return gone || known || seq <= h.through && !live
}

// missing counts the numbers up to last that are neither present nor done.
func (h *history) missing(last uint64, present map[uint64]struct{}) uint64 {
	n := uint64(0)
	for seq := range h.live {
		_, gone := h.gone[seq]
		if _, here := present[seq]; !here && !gone {
			n++
		}
	}
	if last > h.through {
		n += last - h.through
	}
	for seq := range present {
		if seq > h.through {
			n--
		}
	}
	for seq := range h.gone {
		if _, here := present[seq]; !here && seq > h.through && seq <= last {
			n--
		}
	}
	return n
}

// load reads the store into the empty queue.
func (q *Queue) load(ctx context.Context) error {
	if err := q.checkFormat(ctx); err != nil {
		return err
	}
	h := history{live: make(map[uint64]struct{}), gone: make(map[uint64]struct{}), known: make(map[Key]struct{})}
	err := q.store.Replay(ctx, func(record []byte) error {
		r, err := decodeLog(record)
		if err == nil {
			h.apply(r)
		}
		return err
	})
	if err != nil {
		return err
	}
	for k := range h.known {
		q.known[k] = true
	}
	q.done = len(h.known)
	present := make(map[uint64]struct{})
	last, err := q.store.List(ctx, func(l Listed) {
		present[l.Seq] = struct{}{}
		if h.done(l.Seq, l.Key) {
			q.garbage[l.Seq] = struct{}{}
			return
		}
		q.sort(l)
	})
	if err != nil {
		return err
	}
	lost := h.missing(max(last, h.last), present)
	q.stats.Lost = h.lost + lost
	q.last, q.noted = last, min(last, h.last)
	// A store that has lost its end gives numbers anew that the log tells of.
	damaged := lost > 0 || h.last > last
	if damaged {
		q.log.Error("groups are missing: files of the queue were damaged or changed by others", "groups", lost)
	}
	return q.tidy(ctx, &h, damaged)
}

// tidy makes the log short where it is long, writes down what there is where the
// store was damaged, and frees what is done.
func (q *Queue) tidy(ctx context.Context, h *history, damaged bool) error {
	var fresh []uint64
	for seq := range q.garbage {
		if _, gone := h.gone[seq]; !gone {
			fresh = append(fresh, seq)
		}
	}
	slices.Sort(fresh)
	err := error(nil)
	switch {
	case h.records > tidyAbove && h.records > 2*(q.done/keysPerTidy):
		err = q.store.Rewrite(ctx, q.checkpoint())
	case damaged:
		err = q.store.Append(ctx, q.present().encode())
	case len(fresh) > 0:
		err = q.store.Append(ctx, logRecord{Last: q.last, Gone: fresh}.encode())
	}
	if err == nil {
		q.free(ctx)
	}
	return err
}

// present is a checkpoint of what is in the queue.
func (q *Queue) present() logRecord {
	r := logRecord{Last: q.last, Checkpoint: true, Through: q.last, Lost: q.stats.Lost}
	for _, e := range q.waiting.all() {
		r.Live = append(r.Live, e.Seq)
	}
	for seq := range q.aside {
		r.Live = append(r.Live, seq)
	}
	slices.Sort(r.Live)
	return r
}

// checkpoint is the whole log, made anew.
func (q *Queue) checkpoint() [][]byte {
	list := [][]byte{q.present().encode()}
	keys := make([]Key, 0, q.done)
	for k, done := range q.known {
		if done {
			keys = append(keys, k)
		}
	}
	slices.SortFunc(keys, func(a, b Key) int { return cmp.Compare(string(a[:]), string(b[:])) })
	for chunk := range slices.Chunk(keys, keysPerTidy) {
		list = append(list, logRecord{Last: q.last, Keys: chunk}.encode())
	}
	return list
}

// sort takes a listed group into the index, or sets it aside.
func (q *Queue) sort(l Listed) {
	q.last = max(q.last, l.Seq)
	e, err := entryOf(l)
	if err != nil {
		q.aside[l.Seq] = e
		q.known[l.Key] = false // the store refuses another of the key
		q.stats.Corrupt++
		q.log.Error("a group cannot be read and is set aside", "seq", l.Seq, "err", err)
		return
	}
	q.enter(e)
}

// reread looks for groups that the store has kept though it could not say so.
func (q *Queue) reread(ctx context.Context) error {
	q.ops.Lock()
	defer q.ops.Unlock()
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed || !q.unsure {
		return nil
	}
	_, err := q.store.List(ctx, func(l Listed) {
		_, garbage := q.garbage[l.Seq]
		_, here := q.find(l.Seq)
		if !q.known[l.Key] && !garbage && !here {
			q.sort(l)
		}
	})
	if err != nil {
		return fmt.Errorf("reading the store again after a failure: %w", err)
	}
	q.unsure = false
	q.notify()
	return nil
}

// checkFormat refuses a store that a newer program has written, and marks a new one.
func (q *Queue) checkFormat(ctx context.Context) error {
	value, err := q.store.State(ctx, formatKey)
	if err != nil {
		return err
	}
	if value == nil {
		return q.store.SetState(ctx, formatKey, []byte(strconv.Itoa(storeFormat)))
	}
	v, err := strconv.Atoi(string(value))
	if err != nil {
		return fmt.Errorf("its format is %q, want a number", value)
	}
	if v > storeFormat {
		return fmt.Errorf("its format is %d, and this program knows %d: %w", v, storeFormat, ErrNewer)
	}
	return nil
}
