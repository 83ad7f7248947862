package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/policy/openai"
	"github.com/quintain-rl/quintain/policy/remote"
	"github.com/quintain-rl/quintain/screen"
)

// A server is the policy of a server, and what is known of the server's faults. Many
// goroutines may use it.
type server struct {
	*openai.Client
	watch   *remote.Watch
	url     string
	model   string
	retries int // of an exchange, at most
}

// newServer returns the server of a config.
func newServer(config openai.Config, log *slog.Logger) (*server, error) {
	s := &server{watch: remote.NewWatch(log), url: config.Server.URL, model: config.Model, retries: max(0, config.Server.Retries)}
	config.Server.Told = s.watch.Told
	var err error
	s.Client, err = openai.New(config)
	return s, err
}

// Sample implements [quintain.Policy].
func (s *server) Sample(ctx context.Context, r quintain.Request) ([]quintain.Sample, error) {
	samples, err := s.Client.Sample(ctx, r)
	s.watch.Ended(err)
	return samples, err
}

// Waiting says what the policy waits for; empty: for nothing but its replies.
func (s *server) Waiting() string {
	fault := s.watch.Waiting()
	if fault == nil {
		return ""
	}
	cause := screen.Clip(strings.TrimPrefix(fault.Error(), fault.URL+": "), 100)
	return fmt.Sprintf("waiting for the server: %s (retry %d of %d)", cause, fault.Attempts, s.retries)
}

// look says what is found at the server's address, within a few seconds.
func (s *server) look(ctx context.Context) string {
	ctx, cancel := context.WithTimeoutCause(ctx, 5*time.Second, errors.New("no answer within 5 s"))
	defer cancel()
	err := s.Check(ctx)
	if err == nil {
		return fmt.Sprintf("the server %s has the model %s", s.url, s.model)
	}
	return fmt.Sprintf("the server %s cannot be used yet: %v", s.url, err)
}

// warnings say what a run of these settings will not do that its user may expect.
func (c *config) warnings() (all []string) {
	if c.Policy.Kind != kindOpenAI {
		return nil
	}
	if c.Run.Consumer == consumerBuiltin {
		all = append(all, "nothing is trained here: the batches are taken and forgotten. "+
			"For a trainer of your own, add --consumer hub; to keep what is played, export the trace (quintain trace export)")
	}
	if c.Run.Consumer == consumerHub && !c.Policy.OpenAI.TokenIDs {
		all = append(all, "the tokens that the trainer gets are the bytes of the texts, not those of the model: add --token-ids if the server is vLLM or SGLang")
	}
	return all
}
