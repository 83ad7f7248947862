package nats

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/quintain-rl/quintain/internal/pause"
	"github.com/quintain-rl/quintain/queue"
)

const (
	maxBatch    = 1000                   // messages that the server takes in one batch
	mergedBytes = 4 << 20                // of writes that are sent together
	retryPause  = 100 * time.Millisecond // before a write is tried again
)

// A chain is a stream that one process writes. Each write names the message that it
// follows, and the server refuses it if that is not the last one. So a process after
// which another one wrote never writes again, and a write that was not answered can be
// sent again: it is done once at most.
//
// What comes while a write is under way is sent together in the next one. Many
// goroutines may use a chain.
type chain struct {
	s      *store
	stream jetstream.Stream
	unique bool                  // messages may say that their subject must be new
	turn   chan struct{}         // holds an element while somebody writes
	tried  map[string][]*message // writes that may or may not follow tail, by ID; for the one whose turn it is

	mu      sync.Mutex
	tail    uint64 // number of the last message; changed by the one whose turn it is
	waiting []*write
}

// A message is one to keep.
type message struct {
	*nats.Msg
	seq uint64 // its number, once it is kept; 0: not, or its subject is there already
}

// A write is messages that are kept in their order, all or none.
type write struct {
	msgs []*message
	err  error
	done chan struct{} // closed when err and the numbers are set
}

func newChain(s *store, stream jetstream.Stream, unique bool) *chain {
	return &chain{s: s, stream: stream, unique: unique, turn: make(chan struct{}, 1), tried: make(map[string][]*message)}
}

// last is the number of the last message, as far as this process knows.
func (c *chain) last() uint64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.tail
}

// follow has the next write follow the message of a number. No write is under way.
func (c *chain) follow(tail uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.tail = tail
	clear(c.tried)
}

// write keeps msgs and sets their numbers. Once they are sent, the end of ctx no longer
// matters: write waits for the outcome.
func (c *chain) write(ctx context.Context, msgs ...*message) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	w := &write{msgs: msgs, done: make(chan struct{})}
	c.mu.Lock()
	c.waiting = append(c.waiting, w)
	c.mu.Unlock()
	patience := time.NewTimer(c.s.o.Timeout)
	defer patience.Stop()
	for {
		var why error
		select {
		case <-w.done:
			return w.err
		case c.turn <- struct{}{}:
			c.serve(c.next())
			<-c.turn
			continue
		case <-ctx.Done():
			why = context.Cause(ctx)
		case <-patience.C:
			why = fmt.Errorf("%s: %w", c.s.where(), queue.ErrUnreachable)
		}
		if c.withdraw(w) {
			return why
		}
		<-w.done
	}
}

// withdraw takes w out of those that wait, and reports whether it was among them.
func (c *chain) withdraw(w *write) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	before := len(c.waiting)
	c.waiting = slices.DeleteFunc(c.waiting, func(one *write) bool { return one == w })
	return len(c.waiting) < before
}

// next takes the first of those that wait, and as many as may be sent with it.
func (c *chain) next() []*write {
	c.mu.Lock()
	defer c.mu.Unlock()
	n, msgs, bytes, states := 0, 0, 0, make(map[string]bool)
	for ; n < len(c.waiting); n++ {
		w := c.waiting[n]
		msgs += len(w.msgs)
		bytes += size(w.msgs)
		if n > 0 && (msgs > maxBatch || bytes > mergedBytes || states[w.msgs[0].Subject]) {
			break
		}
		if w.msgs[0].Header.Get(headerRollup) != "" { // a batch has one of a subject
			states[w.msgs[0].Subject] = true
		}
	}
	list := slices.Clone(c.waiting[:n])
	c.waiting = slices.Delete(c.waiting, 0, n)
	return list
}

// size is the number of bytes in msgs.
func size(msgs []*message) (n int) {
	for _, m := range msgs {
		n += len(m.Data)
	}
	return n
}

// serve writes list and tells those who wait for it.
func (c *chain) serve(list []*write) {
	var msgs []*message
	for _, w := range list {
		msgs = append(msgs, w.msgs...)
	}
	var err error
	if len(msgs) > 0 {
		err = c.commit(msgs)
	}
	for _, w := range list {
		w.err = err
		if errors.Is(err, errTaken) {
			w.err = c.commitNew(w.msgs)
		}
		close(w.done)
	}
}

// commitNew commits msgs without those whose subjects the stream has.
func (c *chain) commitNew(msgs []*message) error {
	for deadline := time.Now().Add(c.s.o.Timeout); ; pause.For(context.Background(), retryPause) {
		var fresh []*message
		for _, m := range msgs {
			there, err := c.has(m.Subject)
			if err != nil {
				return err
			}
			if m.seq == 0 && !there {
				fresh = append(fresh, m)
			}
		}
		if len(fresh) == 0 {
			return nil
		}
		err := c.commit(fresh)
		if !errors.Is(err, errTaken) {
			return err
		}
		if time.Now().After(deadline) { // an attempt is under way in the server, and does not come to its end
			return fmt.Errorf("%s: %w: %w", c.s.where(), queue.ErrUncertain, err)
		}
	}
}

// has reports whether the stream has a message of a subject.
func (c *chain) has(subject string) (bool, error) {
	err := c.s.ask(context.Background(), func(ctx context.Context) error {
		_, err := c.stream.GetLastMsgForSubject(ctx, subject)
		return err
	})
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		return false, nil
	}
	return err == nil, err
}

// commit keeps msgs, all or none. The error is [errTaken] if the subject of one may be
// there already, and [queue.ErrFenced] if another process has written.
func (c *chain) commit(msgs []*message) error {
	if err := c.s.lost(); err != nil {
		return err
	}
	err := c.insist(msgs)
	if errors.Is(err, errForeign) || errors.Is(err, errCut) {
		return c.s.lose(err)
	}
	return err
}

// insist sends msgs until it is known what became of them, or the time is up.
func (c *chain) insist(msgs []*message) error {
	id := rand.Text()
	deadline := time.Now().Add(c.s.o.Timeout + transfer(size(msgs)))
	for unsure := false; ; {
		c.tried[id] = msgs
		err := c.s.send(msgs, id, c.tail)
		unsure = unsure || errors.Is(err, queue.ErrUncertain)
		if errors.Is(err, errRefused) {
			err = c.settle(id)
		}
		if err == nil {
			c.advance(msgs)
			return nil
		}
		if !passing(err) || time.Now().After(deadline) {
			return c.giveUp(err, unsure)
		}
		pause.For(context.Background(), retryPause)
	}
}

// passing reports whether a write that failed with err may be tried again.
func passing(err error) bool {
	return errors.Is(err, queue.ErrUncertain) || errors.Is(err, queue.ErrUnreachable) || errors.Is(err, errRefused)
}

// giveUp returns the error of a write whose last attempt failed with err. An earlier
// attempt may have done it if unsure is true.
func (c *chain) giveUp(err error, unsure bool) error {
	if errors.Is(err, errRefused) {
		err = fmt.Errorf("%s: %w: %w", c.s.where(), queue.ErrUnreachable, err)
	}
	settled := errors.Is(err, errForeign) || errors.Is(err, errTaken)
	if unsure && !settled && !errors.Is(err, queue.ErrUncertain) {
		return fmt.Errorf("%w: %w", queue.ErrUncertain, err)
	}
	return err
}

// advance notes that msgs follow the tail.
func (c *chain) advance(msgs []*message) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, m := range msgs {
		c.tail++
		m.seq = c.tail
	}
	clear(c.tried)
}

// settle finds out why a write was refused. It returns nil if an earlier attempt has
// done it, and [errRefused] if it should be tried again.
func (c *chain) settle(id string) error {
	var info *jetstream.StreamInfo
	err := c.s.ask(context.Background(), func(ctx context.Context) (err error) {
		info, err = c.stream.Info(ctx)
		return err
	})
	switch {
	case err != nil:
		return err
	case info.State.LastSeq < c.tail:
		return fmt.Errorf("%w: its last message had the number %d, and has %d", errCut, c.tail, info.State.LastSeq)
	case info.State.LastSeq == c.tail && c.unique:
		return errTaken
	case info.State.LastSeq == c.tail: // an attempt is on its way through the cluster
		return errRefused
	}
	follower, err := c.writeAt(c.tail + 1)
	if err != nil {
		return err
	}
	if follower == id {
		return nil
	}
	msgs, mine := c.tried[follower]
	if !mine {
		return errForeign
	}
	c.advance(msgs) // its caller was told that the outcome is not known
	return errRefused
}

// writeAt returns the ID of the write that begins with the message of a number; "":
// there is none.
func (c *chain) writeAt(seq uint64) (id string, err error) {
	err = c.s.ask(context.Background(), func(ctx context.Context) error {
		m, err := c.stream.GetMsg(ctx, seq)
		if err == nil {
			id = m.Header.Get(headerWrite)
		}
		return err
	})
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		return "", nil
	}
	return id, err
}
