package nats

import (
	"context"
	"crypto/rand"
	"fmt"
	"strconv"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/quintain-rl/quintain/internal/jsonform"
	"github.com/quintain-rl/quintain/queue"
)

// The headers of messages. Those that begin with Quintain are ours.
const (
	headerWrite     = "Quintain-Write"                      // of the first message of a write: its ID
	headerMeta      = "Quintain-Group"                      // of a group: its index record
	headerForgotten = "Quintain-Forgotten"                  // of a state: there is none any more
	headerLast      = "Nats-Expected-Last-Sequence"         // of the first message of a write: the number of the one before
	headerSubject   = "Nats-Expected-Last-Subject-Sequence" // 0: the subject must be new
	headerBatch     = "Nats-Batch-Id"
	headerPart      = "Nats-Batch-Sequence"
	headerCommit    = "Nats-Batch-Commit"
	headerRollup    = "Nats-Rollup"
)

const (
	windowBytes = 16 << 20        // of a batch, sent and not yet answered for
	tryTime     = 2 * time.Second // for an answer, before a write is sent again
	askTime     = time.Second     // for an answer, before a question is asked again
	slowest     = 8 << 20         // bytes that a connection carries in a second, at least
)

// transfer is how long n bytes take at most.
func transfer(n int) time.Duration { return time.Duration(n) * time.Second / slowest }

// send sends msgs as the write of an ID, all or none, to follow the message of the
// number tail. The error is [errRefused] if that is not the last one, or if the subject
// of a message is not new and should be.
func (s *server) send(msgs []*message, id string, tail uint64) error {
	address(msgs, id, tail)
	window := 0
	for i, m := range msgs {
		var err error
		window += len(m.Data)
		switch {
		case i == len(msgs)-1:
			return s.conclude(m, tail+uint64(len(msgs)), window)
		case window > windowBytes:
			_, err = s.request(m, window)
			window = 0
		default:
			err = s.nc.PublishMsg(m.Msg)
		}
		if err != nil { // nothing is kept before the last message
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

// An answer is what the server replies to a message for a stream.
type answer struct {
	Seq   uint64              `json:"seq"`
	Error *jetstream.APIError `json:"error"`
}

// conclude sends the last message of a write and waits until all of it is kept, up to
// the number last.
func (s *server) conclude(m *message, last uint64, bytes int) error {
	reply, err := s.request(m, bytes)
	if err != nil {
		return s.sendError(err)
	}
	var a answer
	if err := jsonform.Unmarshal(reply, &a); err != nil {
		return fmt.Errorf("%s: %w: the server's answer: %w", s.where(), queue.ErrUncertain, err)
	}
	if a.Error != nil {
		return s.serverError(a.Error)
	}
	if a.Seq != last {
		return fmt.Errorf("%s: %w: the server gave the number %d, want %d", s.where(), queue.ErrUncertain, a.Seq, last)
	}
	return nil
}

// request sends m and returns the answer. With m, so many bytes are not answered for.
func (s *server) request(m *message, bytes int) ([]byte, error) {
	ctx, cancel := s.try(context.Background(), min(tryTime, s.o.Timeout)+transfer(bytes))
	defer cancel()
	reply, err := s.nc.RequestMsgWithContext(ctx, m.Msg)
	if err != nil {
		return nil, err
	}
	return reply.Data, nil
}
