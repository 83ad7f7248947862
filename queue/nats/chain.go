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
	maxBatch    = 1000                   // the server's limit of messages in a batch
	mergedBytes = 4 << 20                // limit of writes sent together
	retryPause  = 100 * time.Millisecond // before a retry
)

// A chain is a stream with one writing process. Each write names the message before it, and the
// server refuses it unless that is the last one. So once another process has written, this one
// cannot, and an unanswered write can be sent again: it happens once at most.
//
// Writes that arrive during another are sent together. Many goroutines may use a chain.
type chain struct {
	s      *store
	stream jetstream.Stream
	unique bool                  // messages may demand a new subject
	turn   chan struct{}         // a semaphore for the writer
	tried  map[string][]*message // uncertain writes after tail, by ID; for the writer

	mu      sync.Mutex
	tail    uint64 // number of the last message; the writer changes it
	waiting []*write
}

// A message is one to write.
type message struct {
	*nats.Msg
	seq uint64 // its number once written; 0: not written, or its subject exists
}

// A write is messages to write in order, all or none.
type write struct {
	msgs  []*message
	until time.Time // its caller waits no longer
	alone bool      // filler: it shares no write, and does not spend the reserve
	err   error
	done  chan struct{} // closed when err and the numbers are set
}

func newChain(s *store, stream jetstream.Stream, unique bool) *chain {
	return &chain{s: s, stream: stream, unique: unique, turn: make(chan struct{}, 1), tried: make(map[string][]*message)}
}

// last is the number of the last known message.
func (c *chain) last() uint64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.tail
}

// follow has the next write follow message tail. No write is running.
func (c *chain) follow(tail uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.tail = tail
	clear(c.tried)
}

// write writes msgs and sets their numbers, within the time of the options and the deadline of
// ctx. Once they are sent, it waits for the outcome even if ctx ends.
func (c *chain) write(ctx context.Context, msgs ...*message) error {
	return c.queue(ctx, &write{msgs: msgs})
}

// writeFiller is write for filler.
func (c *chain) writeFiller(ctx context.Context, msgs []*message) error {
	return c.queue(ctx, &write{msgs: msgs, alone: true})
}

// queue has w written in its turn.
func (c *chain) queue(ctx context.Context, w *write) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	w.until, w.done = c.s.until(ctx), make(chan struct{})
	c.mu.Lock()
	c.waiting = append(c.waiting, w)
	c.mu.Unlock()
	patience := time.NewTimer(time.Until(w.until))
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

// withdraw takes w off the waiting writes, and reports whether it was one.
func (c *chain) withdraw(w *write) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	before := len(c.waiting)
	c.waiting = slices.DeleteFunc(c.waiting, func(one *write) bool { return one == w })
	return len(c.waiting) < before
}

// next takes the first waiting write, and as many as fit with it.
func (c *chain) next() []*write {
	c.mu.Lock()
	defer c.mu.Unlock()
	n, msgs, bytes, states := 0, 0, 0, make(map[string]bool)
	for ; n < len(c.waiting); n++ {
		w := c.waiting[n]
		msgs += len(w.msgs)
		bytes += size(w.msgs)
		if n > 0 && (w.alone || c.waiting[0].alone || msgs > maxBatch || bytes > mergedBytes || states[w.msgs[0].Subject]) {
			break
		}
		if w.msgs[0].Header.Get(headerRollup) != "" { // a batch has each subject once
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

// serve writes list and reports the outcome.
func (c *chain) serve(list []*write) {
	if len(list) == 0 {
		return
	}
	var msgs []*message
	until := list[0].until
	for _, w := range list {
		msgs = append(msgs, w.msgs...)
		if w.until.Before(until) {
			until = w.until
		}
	}
	err := c.commitIfRoom(msgs, until, !list[0].alone)
	for _, w := range list {
		w.err = err
		if errors.Is(err, errTaken) {
			w.err = c.commitNew(w.msgs, until)
		}
		close(w.done)
	}
}

// commitIfRoom is commit within the limit of the server: the reserve covers bodies, and what
// the log needs may spend it, as the rest of torn bodies does.
func (c *chain) commitIfRoom(msgs []*message, until time.Time, spend bool) error {
	if c.unique {
		ctx, end := context.WithDeadlineCause(context.Background(), until, fmt.Errorf("%s: %w", c.s.where(), queue.ErrUnreachable))
		defer end()
		if err := c.s.cover(ctx, size(msgs)); err != nil {
			return err
		}
	}
	err := c.commit(msgs, until)
	rest := slices.DeleteFunc(slices.Clone(msgs), func(m *message) bool { return m.seq > 0 })
	torn := len(rest) < len(msgs)
	if errors.Is(err, queue.ErrNoSpace) && spend && (torn || !c.unique) {
		if spent := c.s.spend(); spent || torn { // a heartbeat may have spent it
			err = c.commit(rest, until)
		}
	}
	if torn && err != nil {
		return fmt.Errorf("%w: %w", queue.ErrUncertain, err)
	}
	return err
}

// commitNew commits msgs, except those with subjects in the stream.
func (c *chain) commitNew(msgs []*message, until time.Time) error {
	for ; ; pause.For(context.Background(), retryPause) {
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
		err := c.commit(fresh, until)
		if !errors.Is(err, errTaken) {
			return err
		}
		if time.Now().After(until) { // an earlier attempt still runs in the server
			return fmt.Errorf("%s: %w: %w", c.s.where(), queue.ErrUncertain, err)
		}
	}
}

// has reports whether the stream has a subject.
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

// commit writes msgs, all or none. The error is [errTaken] if the subject of one may exist,
// and [queue.ErrFenced] if another process has written.
func (c *chain) commit(msgs []*message, until time.Time) error {
	if err := c.s.lost(); err != nil {
		return err
	}
	err := c.insist(msgs, until)
	if errors.Is(err, errForeign) || errors.Is(err, errCut) {
		return c.s.lose(err)
	}
	return err
}

// insist sends msgs, at least once, until their outcome is known or the time is up.
func (c *chain) insist(msgs []*message, until time.Time) error {
	id := rand.Text()
	deadline := until.Add(transfer(size(msgs)))
	for unsure := false; ; {
		c.tried[id] = msgs
		err := c.s.send(msgs, sending{id, c.tail, until})
		unsure = unsure || errors.Is(err, queue.ErrUncertain)
		switch {
		case err == nil:
			c.advance(msgs)
			return nil
		case errors.Is(err, queue.ErrNoSpace) && len(msgs) > 1:
			err = c.torn(msgs, id, err)
		case errors.Is(err, errRefused):
			err = c.settle(id)
		}
		if err == nil {
			return nil
		}
		if !passing(err) || time.Now().After(deadline) {
			return c.giveUp(err, unsure)
		}
		pause.For(context.Background(), retryPause)
	}
}

// torn reports what a full server took of msgs, which it refused with err: see present.
func (c *chain) torn(msgs []*message, id string, err error) error {
	last, lookErr := c.end(context.Background())
	if lookErr == nil && last > c.tail {
		var first string
		if first, lookErr = c.writeAt(c.tail + 1); lookErr == nil && first == id {
			return c.present(msgs, last)
		}
	}
	if lookErr != nil {
		return fmt.Errorf("%w: %w", queue.ErrUncertain, lookErr)
	}
	return err
}

// present moves the tail past a write whose first message is there; last is the end of the
// stream. Of an atomic batch, a single server takes as many messages as its limit allows, and
// does not answer. Then only these have a number, and the error is [queue.ErrNoSpace].
func (c *chain) present(msgs []*message, last uint64) error {
	if n := last - c.tail; n < uint64(len(msgs)) {
		pause.For(context.Background(), askTime)
		now, err := c.end(context.Background())
		if err != nil {
			return err
		}
		if now != last { // it is under way
			return errRefused
		}
		c.advance(msgs[:n])
		return fmt.Errorf("%s: %w: it took %d of %d messages", c.s.where(), queue.ErrNoSpace, n, len(msgs))
	}
	c.advance(msgs)
	return nil
}

// end asks for the number of the last message.
func (c *chain) end(ctx context.Context) (last uint64, err error) {
	err = c.s.ask(ctx, func(ctx context.Context) error {
		info, err := c.stream.Info(ctx)
		if err != nil {
			return err
		}
		last = info.State.LastSeq
		return nil
	})
	return last, err
}

// passing reports whether err may pass, so that a retry makes sense.
func passing(err error) bool {
	if errors.Is(err, errDenied) {
		return false
	}
	return errors.Is(err, queue.ErrUncertain) || errors.Is(err, queue.ErrUnreachable) || errors.Is(err, errRefused)
}

// giveUp returns the error of a write after its last attempt failed with err. If unsure, an
// earlier attempt may have succeeded.
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

// advance moves the tail past msgs.
func (c *chain) advance(msgs []*message) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, m := range msgs {
		c.tail++
		m.seq = c.tail
	}
	clear(c.tried)
}

// settle finds out why a write was refused. It returns nil if an earlier attempt succeeded,
// [queue.ErrNoSpace] if it succeeded in part, and [errRefused] to retry.
func (c *chain) settle(id string) error {
	last, err := c.end(context.Background())
	if err != nil {
		return err
	}
	switch {
	case last < c.tail:
		return fmt.Errorf("%w: its last message was number %d, and is %d", errCut, c.tail, last)
	case last == c.tail && c.unique:
		return errTaken
	case last == c.tail: // an attempt is still on its way through the cluster
		return errRefused
	}
	follower, err := c.writeAt(c.tail + 1)
	if err != nil {
		return err
	}
	msgs, mine := c.tried[follower]
	if !mine {
		return errForeign
	}
	err = c.present(msgs, last)
	if follower != id && (err == nil || errors.Is(err, queue.ErrNoSpace)) { // an uncertain write did happen
		return errRefused
	}
	return err
}

// writeAt returns the ID of the write that begins with message seq, or "".
func (c *chain) writeAt(seq uint64) (id string, err error) {
	err = c.s.ask(context.Background(), func(ctx context.Context) error {
		m, err := c.stream.GetMsg(ctx, seq)
		if err != nil {
			return err
		}
		id = m.Header.Get(headerWrite)
		return nil
	})
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		return "", nil
	}
	return id, err
}
