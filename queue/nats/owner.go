package nats

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/quintain-rl/quintain/internal/pause"
	"github.com/quintain-rl/quintain/internal/strictjson"
	"github.com/quintain-rl/quintain/queue"
)

const (
	beat     = time.Second            // between the owner's signs of life
	grace    = 3 * time.Second        // without a sign of life, the owner counts as dead
	lookTime = 250 * time.Millisecond // between looks at the owner
)

// ownerKey is the state that names the owner of the streams. No user's key has a dot.
const ownerKey = "queue.owner"

// An ownership is the record of an owner.
type ownership struct {
	Number   uint64    `json:"number"` // grows with each change of owner
	Owner    string    `json:"owner"`  // for people
	Since    time.Time `json:"since"`
	Released bool      `json:"released,omitempty"` // the owner closed its store
	Bodies   uint64    `json:"bodies,omitempty"`   // number of the last body
}

// String names the owner.
func (o ownership) String() string {
	return fmt.Sprintf("%s, since %s", o.Owner, o.Since.Format(time.RFC3339))
}

// me names this process.
func me() string {
	name, err := os.Hostname()
	if err != nil {
		name = "an unnamed host"
	}
	return fmt.Sprintf("process %d on %s", os.Getpid(), name)
}

// record is the record of this process.
func (s *store) record() ownership {
	o := s.own
	o.Bodies = s.top.Load()
	return o
}

// ownerMessage is the message of the record.
func (s *store) ownerMessage(o ownership) *message {
	data, err := json.Marshal(o)
	if err != nil {
		panic("nats: an owner: " + err.Error()) // cannot happen: text and numbers
	}
	return s.stateMessage(ownerKey, data)
}

// claim makes this process the owner of the streams. If their owner is alive, it returns
// [queue.ErrInUse]; a standby waits, even while the server does not answer.
func (s *store) claim(ctx context.Context) error {
	var w watch
	for ctx.Err() == nil {
		last, o, err := s.look(ctx)
		w.note(last, err)
		if err == nil && s.o.Waits != nil && o.Owner != "" && !o.Released {
			s.o.Waits(o.Owner, o.Since)
		}
		if err == nil && (o.Owner == "" || o.Released || w.still >= grace) {
			var won bool
			if won, err = s.take(last, o); won {
				return nil
			}
		}
		if err != nil && !(s.o.Standby && passing(err)) {
			return err
		}
		if w.moved && !s.o.Standby {
			return fmt.Errorf("%s: stream %s: %w: %s; stop that one, or wait for its end with store.nats_standby", s.where(), s.o.Name, queue.ErrInUse, o)
		}
		if !w.told {
			s.o.Log.Info("waiting to see whether the owner of the queue is alive", "stream", s.o.Name, "owner", o.Owner, "standby", s.o.Standby)
			w.told = true
		}
		pause.For(ctx, lookTime)
	}
	return context.Cause(ctx)
}

// A watch is the known activity of another owner.
type watch struct {
	last  uint64        // number of the last message of the log
	at    time.Time     // of the last look; zero: none yet
	still time.Duration // time without a sign of life
	moved bool          // it has given a sign of life
	told  bool          // the wait was logged
}

// note records a look at the log; err is its failure.
func (w *watch) note(last uint64, err error) {
	now := time.Now()
	switch {
	case err != nil || w.at.IsZero(): // the owner may have had no connection either
		w.still = 0
	case last != w.last:
		w.still, w.moved = 0, true
	default: // this process may have been paused
		w.still += min(now.Sub(w.at), beat)
	}
	if err == nil {
		w.last = last
	}
	w.at = now
}

// look returns the number of the last log message, and the owner of the streams.
func (s *store) look(ctx context.Context) (last uint64, o ownership, err error) {
	if last, err = s.log.end(ctx); err != nil {
		return 0, o, err
	}
	data, err := s.state(ctx, ownerKey)
	if err != nil {
		return 0, o, fmt.Errorf("the record of the owner: %w", err)
	}
	if data == nil {
		return last, o, nil
	}
	if err := strictjson.Unmarshal(data, &o); err != nil {
		return 0, o, fmt.Errorf("the record of the owner: %w; if another program wrote it, delete it with quintain hub queue repair", err)
	}
	return last, o, nil
}

// take takes the streams from their former owner, if the last log message is still number
// last.
func (s *store) take(last uint64, before ownership) (won bool, err error) {
	s.own = ownership{Number: before.Number + 1, Owner: me(), Since: time.Now().UTC().Truncate(time.Millisecond)}
	s.top.Store(before.Bodies)
	s.log.follow(last)
	record := []*message{s.ownerMessage(s.record())}
	err = s.log.insist(record, s.until(context.Background()))
	if errors.Is(err, queue.ErrNoSpace) && s.spend() {
		err = s.log.insist(record, s.until(context.Background()))
	}
	switch {
	case errors.Is(err, errForeign), errors.Is(err, errCut):
		return false, nil
	case err != nil:
		return false, err
	}
	s.claimed = s.log.last()
	if before.Owner != "" && !before.Released {
		s.o.Log.Warn("the queue was taken over from a process that gave no sign of life", "stream", s.o.Name, "from", before.Owner)
	}
	return true, nil
}

// prove proves that this process owns the streams, by writing to the log.
func (s *store) prove(ctx context.Context) error {
	begin := time.Now()
	err := s.log.write(ctx, s.ownerMessage(s.record()))
	if err == nil {
		s.fresh.prove(begin)
	}
	return err
}

// live gives signs of life until ctx ends or the streams have another owner.
func (s *store) live(ctx context.Context) {
	tick := time.NewTicker(beat)
	defer tick.Stop()
	for s.lost() == nil {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if err := s.prove(ctx); err != nil {
			s.o.Log.Debug("nats: no sign of life was given", "stream", s.o.Name, "err", err)
		}
	}
}

// release gives up the streams, if the server can be reached.
func (s *store) release() {
	if s.lost() != nil || !s.nc.IsConnected() {
		return
	}
	o := s.record()
	o.Released = true
	if err := s.log.write(context.Background(), s.ownerMessage(o)); err != nil {
		s.o.Log.Warn("the queue could not be released: its next owner will wait for some seconds", "stream", s.o.Name, "err", err)
	}
}

// lost returns the error of all operations if another process owns the streams.
func (s *store) lost() error {
	if err := s.gone.Load(); err != nil {
		return *err
	}
	return nil
}

// lose records that this process no longer owns the streams, and returns the error of all
// later operations.
func (s *store) lose(why error) error {
	err := fmt.Errorf("%s: stream %s: %w: %w", s.where(), s.o.Name, queue.ErrFenced, why)
	_, o, lookErr := s.look(context.Background())
	if lookErr == nil && o.Number != s.own.Number {
		err = fmt.Errorf("%s: stream %s: %w: %s", s.where(), s.o.Name, queue.ErrFenced, o)
	}
	if !s.gone.CompareAndSwap(nil, &err) {
		return s.lost()
	}
	s.o.Log.Error("this process no longer owns the queue, and stops serving it", "stream", s.o.Name, "owner", o.Owner, "since", o.Since, "err", why)
	if s.o.Lost != nil {
		s.o.Lost(err)
	}
	return err
}
