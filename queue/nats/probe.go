package nats

import (
	"context"
	"fmt"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// A Report is what one look at a server tells.
type Report struct {
	Version string        // of the server
	Took    time.Duration // of a question and its answer

	SyncsAlways bool // the server syncs each write to its disk
	Tells       bool // … or says that it does not
}

// Probe connects to the server or cluster at url, and asks it for JetStream. It changes nothing,
// and opens no streams. An error says why no queue can be there.
func Probe(ctx context.Context, url string, o Options) (r Report, err error) {
	s := &server{o: o.withDefaults(), url: url}
	if s.nc, err = s.dial(ctx); err != nil {
		return r, err
	}
	defer s.nc.Close()
	if s.js, err = jetstream.New(s.nc); err != nil {
		return r, err
	}
	began := time.Now()
	if err := s.askOnce(ctx, func(ctx context.Context) error {
		_, err := s.js.AccountInfo(ctx)
		return err
	}); err != nil {
		return r, fmt.Errorf("JetStream: %w", err)
	}
	r.Took, r.Version = time.Since(began), s.nc.ConnectedServerVersion()
	r.SyncsAlways, r.Tells = s.syncsAlways(ctx, s.nc.ConnectedServerName())
	return r, nil
}
