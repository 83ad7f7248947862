package nats

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/quintain-rl/quintain/queue"
)

// reserveKey is the state with the filler of a reserve.
const reserveKey = "queue.reserve"

const (
	reserveUnit  = 1 << 20          // a reserve is a multiple of it
	reservePause = 10 * time.Second // between attempts to refill one
)

// A reserve is filler in the log. On a full server the store deletes it, so that the log takes
// what consumers do while they empty the queue; until it is filled again, the store takes no
// groups.
//
// A server takes a write of any size until it has exceeded its limit. So the reserve is larger,
// by a unit, than any write of bodies.
type reserve struct {
	mu     sync.Mutex
	bytes  int       // of filler; below 0: unknown
	purged uint64    // filler up to this message is deleted
	after  time.Time // of the next attempt to refill
}

// add counts filler, unless it was deleted.
func (r *reserve) add(msgs []*message) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if msgs[0].seq > r.purged {
		r.bytes += size(msgs)
	}
}

// missing is the number of bytes that a reserve of want bytes lacks; due reports whether to
// try to add them now.
func (r *reserve) missing(want int) (n int, due bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return want - r.bytes, !time.Now().Before(r.after)
}

// wait has the next attempt to refill the reserve wait for d.
func (r *reserve) wait(d time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.after = time.Now().Add(d)
}

// cover has the reserve cover a write of n bytes. It returns [queue.ErrNoSpace] if the server
// has no room for it.
func (s *store) cover(ctx context.Context, n int) error {
	want := (2 + n/reserveUnit) * reserveUnit
	full := fmt.Errorf("%s: %w: the server keeps the rest for the log of the queue", s.where(), queue.ErrNoSpace)
	missing, due := s.reserve.missing(want)
	if missing <= 0 {
		return nil
	}
	if !due {
		return full
	}
	for missing > 0 {
		msgs := s.filler(&missing)
		if err := s.log.writeFiller(ctx, msgs); err != nil {
			if errors.Is(err, queue.ErrNoSpace) {
				s.reserve.wait(reservePause)
			}
			return err
		}
		s.reserve.add(msgs)
	}
	if err := s.prove(ctx); err != nil { // the last write may have exceeded the limit; then this one spends the reserve
		return err
	}
	if missing, _ := s.reserve.missing(want); missing > 0 {
		return full
	}
	return nil
}

// filler returns messages of up to left bytes together, as many as a write takes, and lowers
// left.
func (s *store) filler(left *int) (msgs []*message) {
	for *left > 0 && len(msgs) < maxBatch {
		n := min(*left, s.limit)
		*left -= n
		msgs = append(msgs, &message{Msg: &nats.Msg{Subject: s.stateSubject(reserveKey), Data: make([]byte, n)}})
	}
	return msgs
}

// spend deletes the filler on the full server. It reports whether there was any. The caller
// must write soon, so that it is known whether that was enough.
func (s *store) spend() bool {
	r := &s.reserve
	if none, _ := r.missing(0); none == 0 {
		return false
	}
	upTo := s.log.last()
	which := []jetstream.StreamPurgeOpt{jetstream.WithPurgeSubject(s.stateSubject(reserveKey)), jetstream.WithPurgeSequence(upTo + 1)}
	if err := s.purge(context.Background(), s.log, which...); err != nil {
		s.o.Log.Error("the NATS server is full, and its reserve could not be freed", "stream", s.o.Name, "err", err)
		return false
	}
	s.o.Log.Warn("the NATS server is full: the queue takes no groups until consumers have made room", "stream", s.o.Name)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.bytes, r.purged, r.after = 0, upTo, time.Now().Add(reservePause)
	return true
}

// measure counts the filler that the last owner left.
func (s *store) measure(ctx context.Context) error {
	bytes, subject := 0, s.stateSubject(reserveKey)
	sc := scan{stream: s.log.stream, subjects: []string{subject, s.stateSubject(ownerKey)}, headers: true, fetch: 512, until: s.claimed}
	err := s.read(ctx, sc, func(m jetstream.Msg, _ uint64) error {
		if m.Subject() == subject {
			n, _ := strconv.Atoi(m.Headers().Get(nats.MsgSize))
			bytes += n
		}
		return nil
	})
	s.reserve.mu.Lock()
	defer s.reserve.mu.Unlock()
	s.reserve.bytes = bytes
	return err
}
