package nats

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/quintain-rl/quintain/queue"
)

// A Stray is a message of another program in the log of a queue.
type Stray struct {
	Seq     uint64 // in the stream
	Subject string
	At      time.Time
	Data    []byte
}

// stray reports whether no owner of a queue wrote a message with these headers.
func stray(h nats.Header) bool { return h.Get(headerWrite) == "" && h.Get(headerBatch) == "" }

// Repair deletes the strays of the log, calling show with each before. A state that one has
// replaced gets its former value back, if the server still has it. Nothing that a queue wrote is
// deleted, so Repair is harmless beside an owner. The error is [queue.ErrUnknown] if there is no
// such queue.
func Repair(ctx context.Context, url string, o Options, show func(Stray) error) error {
	s := &server{o: o.withDefaults(), url: url}
	if err := queue.CheckName(s.o.Name); err != nil {
		return fmt.Errorf("name of the streams %w", err)
	}
	var err error
	if s.nc, err = s.reach(ctx); err != nil {
		return err
	}
	defer s.nc.Close()
	if s.js, err = jetstream.New(s.nc, jetstream.WithDefaultTimeout(s.o.Timeout)); err != nil {
		return err
	}
	var log jetstream.Stream
	err = s.ask(ctx, func(ctx context.Context) (err error) {
		log, err = s.js.Stream(ctx, s.o.Name+"-log")
		return err
	})
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		return fmt.Errorf("%s: stream %s-log: %w", s.where(), s.o.Name, queue.ErrUnknown)
	}
	if err != nil {
		return err
	}
	var found []Stray
	sc := scan{stream: log, subjects: []string{">"}, fetch: 128}
	err = s.read(ctx, sc, func(m jetstream.Msg, seq uint64) error {
		if stray(m.Headers()) {
			one := Stray{Seq: seq, Subject: m.Subject(), Data: m.Data()}
			if meta, err := m.Metadata(); err == nil {
				one.At = meta.Timestamp
			}
			found = append(found, one)
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, one := range found {
		if err := show(one); err != nil {
			return err
		}
		err := s.askOnce(ctx, func(ctx context.Context) error { return log.DeleteMsg(ctx, one.Seq) })
		if err != nil {
			return fmt.Errorf("deleting message %d: %w", one.Seq, err)
		}
	}
	return nil
}
