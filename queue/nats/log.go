package nats

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/quintain-rl/quintain/queue"
)

// Append implements [queue.Log].
func (s *store) Append(ctx context.Context, record []byte) error {
	top := s.top.Load()
	o := s.own
	if o.Bodies = s.bodies.last(); o.Bodies >= top {
		return s.log.write(ctx, s.doneMessage(record))
	}
	err := s.log.write(ctx, s.ownerMessage(o), s.doneMessage(record)) // the log says that bodies are lost: both or neither
	if err == nil {
		s.top.Store(o.Bodies)
	}
	return err
}

func (s *store) doneMessage(record []byte) *message {
	return &message{Msg: &nats.Msg{Subject: s.doneSubject(), Data: record}}
}

// Replay implements [queue.Log].
func (s *store) Replay(ctx context.Context, show func([]byte) error) error {
	sc := scan{stream: s.log.stream, subjects: []string{s.doneSubject(), s.stateSubject(ownerKey)}, fetch: 128, until: s.claimed}
	return s.read(ctx, sc, func(m jetstream.Msg, seq uint64) error {
		if m.Subject() != s.doneSubject() {
			return nil
		}
		if stray(m.Headers()) {
			s.o.Log.Error("the log has a message of another program: it does not count; delete it with quintain hub queue repair", "stream", s.log.stream.CachedInfo().Config.Name, "number", seq)
			return nil
		}
		return show(m.Data())
	})
}

// Rewrite implements [queue.Log].
func (s *store) Rewrite(ctx context.Context, records [][]byte) error {
	if err := s.prove(ctx); err != nil { // the server would not refuse a former owner's purge
		return err
	}
	total := 0
	for _, r := range records {
		total += len(r)
	}
	if total > reserveUnit/2 { // a shorter one may shorten a log on a full server
		if err := s.cover(ctx, total); err != nil {
			return err
		}
	}
	first := s.log.last()
	for i, some := range slices.Collect(slices.Chunk(records, maxBatch)) {
		msgs := make([]*message, len(some))
		for n, r := range some {
			msgs[n] = s.doneMessage(r)
		}
		if err := s.log.write(ctx, msgs...); err != nil {
			return err
		}
		if i == 0 {
			first = msgs[0].seq
		}
	}
	s.top.Store(s.bodies.last())
	return s.purge(ctx, s.log, jetstream.WithPurgeSubject(s.doneSubject()), jetstream.WithPurgeSequence(first))
}

// State implements [queue.States].
func (s *store) State(ctx context.Context, key string) ([]byte, error) {
	if err := s.lost(); err != nil {
		return nil, err
	}
	return s.state(ctx, key)
}

// stateMessage is the message of a state.
func (s *store) stateMessage(key string, value []byte) *message {
	return &message{Msg: &nats.Msg{Subject: s.stateSubject(key), Data: value, Header: nats.Header{headerRollup: {"sub"}}}}
}

// state returns the value of a state, or nil.
func (s *store) state(ctx context.Context, key string) (value []byte, err error) {
	err = s.ask(ctx, func(ctx context.Context) error {
		m, err := s.log.stream.GetLastMsgForSubject(ctx, s.stateSubject(key))
		if err != nil {
			return err
		}
		if m.Header.Get(headerForgotten) == "" {
			value = append([]byte{}, m.Data...)
		}
		return nil
	})
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		return nil, nil
	}
	return value, err
}

// States implements [queue.States].
func (s *store) States(ctx context.Context, prefix string) ([]queue.State, error) {
	if err := s.lost(); err != nil {
		return nil, err
	}
	all := s.stateSubject("")
	found := make(map[string][]byte)
	sc := scan{stream: s.log.stream, subjects: []string{all + "*", all + ownerKey}, fetch: 512, until: s.claimed}
	err := s.read(ctx, sc, func(m jetstream.Msg, _ uint64) error {
		key := strings.TrimPrefix(m.Subject(), all)
		switch {
		case m.Headers().Get(headerForgotten) != "":
			delete(found, key)
		case key != ownerKey && strings.HasPrefix(key, prefix): // no other key with a dot comes
			found[key] = append([]byte{}, m.Data()...)
		}
		return nil
	})
	list := make([]queue.State, 0, len(found))
	for _, key := range slices.Sorted(maps.Keys(found)) {
		list = append(list, queue.State{Key: key, Value: found[key]})
	}
	return list, err
}

// SetStates implements [queue.States]. It deletes a state by a message that says so, because
// the server would not refuse a former owner's purge. Then it deletes that message by its
// unique number.
func (s *store) SetStates(ctx context.Context, list []queue.State) error {
	for len(list) > 0 {
		var msgs []*message
		seen := make(map[string]bool)
		for len(msgs) < min(len(list), maxBatch) && !seen[list[len(msgs)].Key] { // a batch has each subject once
			one := list[len(msgs)]
			m := s.stateMessage(one.Key, one.Value)
			if one.Value == nil {
				m.Header.Set(headerForgotten, "1")
			}
			seen[one.Key] = true
			msgs = append(msgs, m)
		}
		if err := s.log.write(ctx, msgs...); err != nil {
			return err
		}
		list = list[len(msgs):]
		s.sweep(ctx, msgs)
	}
	return nil
}

// sweep deletes the messages that delete a state. It gives up if the server does not answer:
// leftovers do no harm.
func (s *store) sweep(ctx context.Context, msgs []*message) {
	for _, m := range msgs {
		if m.Header.Get(headerForgotten) == "" {
			continue
		}
		if err := s.askOnce(ctx, func(ctx context.Context) error { return s.log.stream.DeleteMsg(ctx, m.seq) }); err != nil {
			s.o.Log.Debug("nats: a deleted state leaves a message", "subject", m.Subject, "err", err)
			return
		}
	}
}
