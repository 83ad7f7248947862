package nats

import (
	"context"
	"crypto/rand"
	"fmt"
	"strconv"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/quintain-rl/quintain/internal/strictjson"
	"github.com/quintain-rl/quintain/queue"
)

// The headers of messages; those with the prefix Quintain are ours.
const (
	headerWrite     = "Quintain-Write"                      // the ID of a write, in its first message
	headerMeta      = "Quintain-Group"                      // the index record of a group
	headerForgotten = "Quintain-Forgotten"                  // deletes a state
	headerLast      = "Nats-Expected-Last-Sequence"         // the number before a write, in its first message
	headerSubject   = "Nats-Expected-Last-Subject-Sequence" // 0: the subject must be new
	headerBatch     = "Nats-Batch-Id"
	headerPart      = "Nats-Batch-Sequence"
	headerCommit    = "Nats-Batch-Commit"
	headerRollup    = "Nats-Rollup"
)

const (
	windowBytes = 16 << 20        // limit of unanswered bytes of a batch
	tryTime     = 2 * time.Second // for an answer, before a write is resent
	askTime     = time.Second     // for an answer, before a question is repeated
	slowest     = 8 << 20         // assumed least speed of a connection, in bytes per second
)

// transfer is the longest time that n bytes take.
func transfer(n int) time.Duration { return time.Duration(n) * time.Second / slowest }

// A sending is an attempt at a write.
type sending struct {
	id    string    // of the write
	tail  uint64    // number of the message before it
	until time.Time // to wait for its answer, but at least for retryPause
}

// send sends msgs as a write, all or none. The error is [errRefused] if another message than
// the tail is the last one, or if a subject that must be new is not.
func (s *server) send(msgs []*message, as sending) error {
	address(msgs, as.id, as.tail)
	window := 0
	for i, m := range msgs {
		var err error
		window += len(m.Data)
		switch {
		case i == len(msgs)-1:
			return s.conclude(m, as, len(msgs), window)
		case window > windowBytes:
			_, err = s.request(m, as.until, window)
			window = 0
		default:
			err = s.nc.PublishMsg(m.Msg)
		}
		if err != nil { // the server writes nothing before the last message
			return fmt.Errorf("%s: %w: %w", s.where(), queue.ErrUnreachable, err)
		}
	}
	return nil
}

// address sets the headers of a write.
func address(msgs []*message, id string, tail uint64) {
	batch := rand.Text()
	for i, m := range msgs {
		if m.Header == nil {
			m.Header = make(nats.Header)
		}
		for _, name := range []string{headerWrite, headerLast, headerBatch, headerPart, headerCommit} {
			m.Header.Del(name)
		}
		if i == 0 {
			m.Header.Set(headerWrite, id)
			m.Header.Set(headerLast, strconv.FormatUint(tail, 10))
		}
		if len(msgs) > 1 {
			m.Header.Set(headerBatch, batch)
			m.Header.Set(headerPart, strconv.Itoa(i+1))
		}
	}
	if len(msgs) > 1 {
		msgs[len(msgs)-1].Header.Set(headerCommit, "1")
	}
}

// An answer is the server's reply to a message for a stream.
type answer struct {
	Seq   uint64              `json:"seq"`
	Error *jetstream.APIError `json:"error"`
}

// conclude sends m, the last of n messages of a write, and waits until all are written.
func (s *server) conclude(m *message, as sending, n, bytes int) error {
	reply, err := s.request(m, as.until, bytes)
	if err != nil {
		return s.sendError(err)
	}
	var a answer
	if err := strictjson.Unmarshal(reply, &a); err != nil {
		return fmt.Errorf("%s: %w: the server's answer: %w", s.where(), queue.ErrUncertain, err)
	}
	if a.Error != nil {
		return s.serverError(a.Error)
	}
	if last := as.tail + uint64(n); a.Seq != last {
		return fmt.Errorf("%s: %w: the server gave the number %d, want %d", s.where(), queue.ErrUncertain, a.Seq, last)
	}
	return nil
}

// request sends m and returns the answer. bytes are unanswered, with m.
func (s *server) request(m *message, until time.Time, bytes int) ([]byte, error) {
	patience := max(retryPause, min(tryTime, time.Until(until)))
	ctx, cancel := s.try(context.Background(), patience+transfer(bytes))
	defer cancel()
	began := time.Now()
	reply, err := s.nc.RequestMsgWithContext(ctx, m.Msg)
	if err != nil {
		return nil, s.explain(began, err)
	}
	return reply.Data, nil
}
