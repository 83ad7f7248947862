package nats

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/quintain-rl/quintain/queue"
	"github.com/quintain-rl/quintain/queue/groupform"
)

const (
	maxDeletes = 16       // concurrent requests to delete a message
	maxMessage = 31 << 20 // the server's records must stay below 32 MiB
)

// A store is a [queue.Store] of two streams. This process owns them until another takes
// them.
type store struct {
	*server
	bodies *chain
	log    *chain
	limit  int // of a body

	reserve reserve
	fresh   fresh

	own     ownership
	claimed uint64                // number of the log message that made it the owner
	top     atomic.Uint64         // number of the last body, as the owner's record tells it
	gone    atomic.Pointer[error] // not nil: no longer the owner
	stop    context.CancelFunc    // ends the signs of life
	living  sync.WaitGroup
	freeing sync.Mutex // held to delete bodies
}

// Put implements [queue.Bodies].
func (s *store) Put(ctx context.Context, records []queue.Record) ([]uint64, error) {
	if len(records) == 0 {
		return nil, s.probe(ctx)
	}
	msgs := make([]*message, len(records))
	for i, r := range records {
		if len(r.Body) > s.limit {
			return nil, &groupform.TooLargeError{Bytes: len(r.Body), Limit: s.limit}
		}
		h := nats.Header{headerMeta: {base64.RawStdEncoding.EncodeToString(r.Meta)}, headerSubject: {"0"}}
		msgs[i] = &message{Msg: &nats.Msg{Subject: s.groupSubject(r.Key.String()), Data: r.Body, Header: h}}
	}
	if err := s.bodies.write(ctx, msgs...); err != nil {
		return nil, err
	}
	s.top.Store(s.bodies.last())
	s.fresh.keep(msgs)
	seqs := make([]uint64, len(msgs))
	for i, m := range msgs {
		seqs[i] = m.seq
	}
	return seqs, nil
}

// probe reports why a put would fail: it reads from the stream of groups and writes to the
// log. A write to the stream of groups could not be undone without a gap in the numbers.
func (s *store) probe(ctx context.Context) error {
	if _, err := s.bodies.has(s.groupSubject("probe")); err != nil {
		return err
	}
	if err := s.prove(ctx); err != nil { // on a full server it spends the reserve
		return err
	}
	return s.cover(ctx, 0)
}

// Body implements [queue.Bodies].
func (s *store) Body(ctx context.Context, seq uint64) (body []byte, err error) {
	if err := s.lost(); err != nil {
		return nil, err
	}
	if body := s.fresh.body(seq); body != nil {
		return body, nil
	}
	err = s.ask(ctx, func(ctx context.Context) error {
		m, err := s.bodies.stream.GetMsg(ctx, seq)
		if err != nil {
			return err
		}
		body = m.Data
		return nil
	})
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		if err := s.prove(ctx); err != nil { // another owner may have deleted it
			return nil, err
		}
		return nil, fmt.Errorf("%s: sequence number %d: %w", s.where(), seq, queue.ErrUnknown)
	}
	return body, err
}

// Delete implements [queue.Bodies]. The groups to delete are done according to the log, which
// only the owner writes, so a late Delete of a former owner does no harm. It asks once: an
// acknowledgement does not wait until the stream of bodies has a leader, and the queue deletes
// the bodies later.
//
// One call deletes at a time: a server of version 2.15 that purges up to a number while it
// deletes single messages may also purge messages after that number.
func (s *store) Delete(ctx context.Context, below uint64, seqs []uint64) error {
	if err := s.lost(); err != nil {
		return err
	}
	s.fresh.drop(below, seqs)
	s.freeing.Lock()
	defer s.freeing.Unlock()
	defer s.reserve.wait(0)
	if below > 0 {
		upTo := jetstream.WithPurgeSequence(min(below, s.bodies.last()+1))
		if err := s.askOnce(ctx, func(ctx context.Context) error { return s.bodies.stream.Purge(ctx, upTo) }); err != nil {
			return err
		}
	}
	for some := range slices.Chunk(seqs, maxDeletes) {
		errs := make([]error, len(some))
		var all sync.WaitGroup
		for i, seq := range some {
			all.Go(func() { errs[i] = s.delete(ctx, seq) })
		}
		all.Wait()
		if err := cmp.Or(errs...); err != nil {
			return err
		}
	}
	return nil
}

// delete frees one body, if it still exists.
func (s *store) delete(ctx context.Context, seq uint64) error {
	err := s.askOnce(ctx, func(ctx context.Context) error {
		err := s.bodies.stream.DeleteMsg(ctx, seq)
		if err != nil && ctx.Err() == nil {
			if _, lookErr := s.bodies.stream.GetMsg(ctx, seq); lookErr != nil {
				err = lookErr
			}
		}
		return err
	})
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		return nil
	}
	return err
}

// purge deletes messages of a stream. The options must name them by numbers that this
// process knows.
func (s *store) purge(ctx context.Context, c *chain, which ...jetstream.StreamPurgeOpt) error {
	return s.ask(ctx, func(ctx context.Context) error { return c.stream.Purge(ctx, which...) })
}

// markName takes the place of the key in the subject of a mark, a message without a group.
const markName = "mark"

// List implements [queue.Bodies]. It first writes a mark: neither a former owner's write nor an
// unanswered one can follow it, and a copy of the stream that has it is up to date.
func (s *store) List(ctx context.Context, show func(queue.Listed)) (last uint64, err error) {
	if err := s.mark(ctx); err != nil {
		return 0, err
	}
	last = s.bodies.last()
	sc := scan{stream: s.bodies.stream, subjects: []string{s.groupSubject("*")}, headers: true, fetch: 4096, until: last}
	err = s.read(ctx, sc, func(m jetstream.Msg, seq uint64) error {
		l := queue.Listed{Seq: seq}
		l.Meta, _ = base64.RawStdEncoding.DecodeString(m.Headers().Get(headerMeta)) // the queue reports damaged records
		l.Size, _ = strconv.Atoi(m.Headers().Get(nats.MsgSize))
		name := m.Subject()[strings.LastIndexByte(m.Subject(), '.')+1:]
		if k, err := hex.DecodeString(name); err == nil && len(k) == len(l.Key) {
			l.Key = queue.Key(k)
		}
		l.Void = name == markName
		show(l)
		return nil
	})
	return last, err
}

// End is the number of the last body according to the record of the owner: more than [queue.Bodies]
// lists if somebody deleted the stream.
func (s *store) End() uint64 { return s.top.Load() }

// mark writes a mark at the end of the bodies. It looks up the end, then proves ownership. A
// later owner has to mark them later, so this process never writes after the mark of another.
func (s *store) mark(ctx context.Context) error {
	for ctx.Err() == nil {
		last, err := s.bodies.end(ctx)
		if errors.Is(err, jetstream.ErrStreamNotFound) {
			return s.lose(errDeleted)
		}
		if err != nil {
			return err
		}
		if err := s.prove(ctx); err != nil {
			return err
		}
		s.bodies.follow(last)
		err = s.bodies.insist([]*message{{Msg: nats.NewMsg(s.groupSubject(markName))}}, s.until(ctx))
		if errors.Is(err, queue.ErrNoSpace) { // a late write of a former owner would then fence this one
			s.o.Log.Warn("the NATS server takes no mark of the new owner, because it is full", "stream", s.o.Name, "err", err)
			return nil
		}
		if !errors.Is(err, errForeign) && !errors.Is(err, errTaken) { // the end has moved meanwhile
			return err
		}
	}
	return context.Cause(ctx)
}

// Clear implements [queue.Bodies].
func (s *store) Clear(ctx context.Context) error {
	if err := s.lost(); err != nil {
		return err
	}
	s.fresh.drop(s.bodies.last()+1, nil)
	return s.purge(ctx, s.bodies, jetstream.WithPurgeSequence(s.bodies.last()+1))
}

// Close releases the streams and ends the connection.
func (s *store) Close() error {
	s.stop()
	s.living.Wait()
	s.release()
	s.nc.Close()
	return nil
}
