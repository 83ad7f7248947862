package nats

import (
	"bytes"
	"sync"
	"time"
)

// mostFresh bounds the bodies that a store keeps in memory, in bytes.
const mostFresh = 32 << 20

// fresh has the newest bodies that this process wrote, for consumers that follow closely: the
// server answers for each with JSON in base64, which costs three processes more than the body's
// way there. It has none once the process may have been replaced: after a while without proof of
// its ownership. Many goroutines may use it.
type fresh struct {
	mu     sync.Mutex
	proof  time.Time // when the last one began
	bodies map[uint64][]byte
	bytes  int
	oldest uint64 // no body has a lower number
}

// prove notes that the process owned the streams after begin.
func (f *fresh) prove(begin time.Time) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if begin.After(f.proof) {
		f.proof = begin
	}
}

// keep keeps copies of written bodies, and forgets the oldest beyond mostFresh.
func (f *fresh) keep(msgs []*message) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.bodies == nil {
		f.bodies = map[uint64][]byte{}
	}
	for _, m := range msgs {
		if m.seq == 0 || len(m.Data) > mostFresh/8 {
			continue
		}
		if len(f.bodies) == 0 {
			f.oldest = m.seq
		}
		f.oldest = min(f.oldest, m.seq)
		f.bodies[m.seq] = bytes.Clone(m.Data)
		f.bytes += len(m.Data)
	}
	for ; f.bytes > mostFresh; f.oldest++ {
		f.forget(f.oldest)
	}
}

// forget forgets a body. f.mu is held.
func (f *fresh) forget(seq uint64) {
	f.bytes -= len(f.bodies[seq])
	delete(f.bodies, seq)
}

// drop forgets the bodies of seqs, and those of all numbers less than below.
func (f *fresh) drop(below uint64, seqs []uint64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for ; f.oldest < below && len(f.bodies) > 0; f.oldest++ {
		f.forget(f.oldest)
	}
	for _, seq := range seqs {
		f.forget(seq)
	}
}

// body returns a copy of a body; nil: it has none.
func (f *fresh) body(seq uint64) []byte {
	f.mu.Lock()
	defer f.mu.Unlock()
	if time.Since(f.proof) > grace-beat {
		return nil
	}
	return bytes.Clone(f.bodies[seq])
}
