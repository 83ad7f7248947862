package nats

import (
	"context"

	"github.com/nats-io/nats.go/jetstream"
)

func (s *server) groupSubject(k string) string { return s.o.Name + ".group." + k }
func (s *server) doneSubject() string          { return s.o.Name + ".done" }
func (s *server) stateSubject(k string) string { return s.o.Name + ".state." + k }

// bodiesConfig and logConfig are the settings of the streams.
func (s *store) bodiesConfig() jetstream.StreamConfig {
	return jetstream.StreamConfig{
		Name: s.o.Name, Subjects: []string{s.groupSubject("*")}, Replicas: s.o.Replicas,
		AllowDirect:        s.o.Replicas == 1, // with replicas, one that lags could answer a direct read
		AllowAtomicPublish: true,
		Description:        "groups that wait or are leased; see docs/formats/stream.md of quintain",
	}
}

func (s *store) logConfig() jetstream.StreamConfig {
	return jetstream.StreamConfig{
		Name: s.o.Name + "-log", Subjects: []string{s.doneSubject(), s.stateSubject(">")}, Replicas: s.o.Replicas,
		AllowDirect: s.o.Replicas == 1, AllowRollup: true, AllowAtomicPublish: true,
		Description: "what is done, and states; see docs/formats/stream.md of quintain",
	}
}

// attach finds or makes the streams.
func (s *store) attach(ctx context.Context) error {
	s.limit = min(int(s.nc.MaxPayload()), maxMessage) - 16<<10 // room for headers
	var err error
	if s.js, err = jetstream.New(s.nc, jetstream.WithDefaultTimeout(s.o.Timeout)); err != nil {
		return err
	}
	bodies, err := s.stream(ctx, s.bodiesConfig())
	if err != nil {
		return err
	}
	log, err := s.stream(ctx, s.logConfig())
	if err != nil {
		return err
	}
	s.bodies, s.log = newChain(s, bodies, true), newChain(s, log, false)
	s.checkSync(ctx, bodies.CachedInfo())
	return nil
}
