// Package server is the policy of an inference server, whichever it is: it finds out what
// is at an address, says before anything is played what is missing there, and has replies
// sampled in the best way that the server knows. With the model's tokenizer that is by
// exact tokens, else by chat completions. A server that does not run yet is waited for.
package server

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/policy/exact"
	"github.com/quintain-rl/quintain/policy/openai"
	"github.com/quintain-rl/quintain/policy/probe"
	"github.com/quintain-rl/quintain/policy/remote"
)

// A Use says what the replies of a server are for.
type Use struct {
	Trainer  bool // one takes them, which needs the model's own tokens and makes the versions of its weights
	LogProbs bool // the log-probabilities of tokens are needed

	Version  func() int32    // of the server's weights, if it does not say that itself or there is no trainer; nil: 0
	Stop     <-chan struct{} // closed: nothing is waited for or tried again any more; nil: never
	Parallel int             // exchanges at once; 0: 1024

	Say  func(text string)                              // told what people should know; nil: nobody is
	Told func(ctx context.Context, version int32) error // told the versions that the server says; nil: nobody is
	Log  *slog.Logger                                   // of the server's faults; nil: none
}

// A Server is the policy of an inference server. Many goroutines may call Sample, Waiting
// and Collect at once; Connect and Run are called one after the other.
type Server struct {
	settings Settings
	use      Use
	chat     openai.Config  // its Server is that of all clients
	renderer exact.Renderer // nil: there is no tokenizer
	watch    *remote.Watch

	ready  chan struct{} // closed once player or failed is set
	player player
	tokens *tokens // the same, if it is asked by tokens, else nil
	failed error   // it can never be used

	mu    sync.Mutex
	fault error // why it cannot be used yet
	tries int
}

// A player is a policy with connections.
type player interface {
	quintain.Policy
	CloseIdle()
}

// New reads the files that the settings name, and contacts nobody. The error names the
// setting that is invalid.
func New(s Settings, u Use) (*Server, error) {
	if err := s.Check(); err != nil {
		return nil, err
	}
	chat, err := s.Chat.Config()
	if err != nil {
		return nil, err
	}
	if u.Log == nil {
		u.Log = slog.New(slog.DiscardHandler)
	}
	n := &Server{settings: s, use: u, chat: chat, watch: remote.NewWatch(u.Log), ready: make(chan struct{})}
	to := &n.chat.Server
	if !u.Trainer {
		to.VersionPath = remote.Unasked
	}
	to.MaxInFlight, to.Version, to.Stop, to.Told = u.Parallel, u.Version, u.Stop, n.watch.Told
	if s.Files.Tokenizer != "" {
		if n.renderer, err = s.Files.Renderer(s.Chat.Model, time.Now()); err != nil {
			return nil, fmt.Errorf("tokenizer: %w", err)
		}
	}
	if s.Kind == probe.OpenAI {
		n.chat.NoLogProbs = !u.LogProbs
		return n, n.playByChat()
	}
	if _, err := remote.New(*to); err != nil {
		return nil, err
	}
	return n, nil
}

// playByChat has replies sampled by chat completions.
func (s *Server) playByChat() error {
	client, err := openai.New(s.chat)
	if err != nil {
		return err
	}
	s.player = client
	close(s.ready)
	return nil
}

// playByTokens has replies sampled by tokens.
func (s *Server) playByTokens(kind probe.Kind, model string) error {
	generator, err := probe.Generator(kind, s.chat.Server, model)
	if err != nil {
		return err
	}
	if c, is := s.renderer.(*exact.Chat); is {
		c.Model = cmp.Or(c.Model, model)
	}
	s.tokens = &tokens{exact.New(generator, s.renderer), generator}
	s.tokens.Policy.Settings = s.settings.Drift
	s.player = s.tokens
	close(s.ready)
	return nil
}

// tokens is a server that is asked by tokens.
type tokens struct {
	*exact.Policy
	probe.Tokens
}

// errStopped says that nobody waits any more.
var errStopped = errors.New("the run was stopped while it waited for the server")

// Sample implements [quintain.Policy]. It waits until the server can be used.
func (s *Server) Sample(ctx context.Context, r quintain.Request) ([]quintain.Sample, error) {
	select {
	case <-s.ready:
	case <-s.use.Stop:
		return nil, errStopped
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	if s.failed != nil {
		return nil, s.failed
	}
	samples, err := s.player.Sample(ctx, r)
	s.watch.Ended(err)
	return samples, err
}

// CloseIdle closes the connections that no request is using.
func (s *Server) CloseIdle() {
	if s.isReady() && s.player != nil {
		s.player.CloseIdle()
	}
}

// isReady reports whether player or failed is set.
func (s *Server) isReady() bool {
	select {
	case <-s.ready:
		return true
	default:
		return false
	}
}

// Waiting says what is waited for; empty: for nothing but replies.
func (s *Server) Waiting() string {
	s.mu.Lock()
	fault, tries := s.fault, s.tries
	s.mu.Unlock()
	if fault != nil {
		return fmt.Sprintf("waiting for the server (try %d): %s", tries, cause(fault))
	}
	if fault := s.watch.Waiting(); fault != nil {
		return fmt.Sprintf("waiting for the server (retry %d of %d): %s", fault.Attempts, s.settings.Chat.Retries, cause(fault))
	}
	return ""
}

// cause is a fault in a few words, without the address.
func cause(fault error) string {
	text := fault.Error()
	if f, is := errors.AsType[*remote.Error](fault); is {
		text = strings.TrimPrefix(text, f.URL+": ")
	}
	return text
}

// say tells people something.
func (s *Server) say(format string, args ...any) {
	if s.use.Say != nil {
		s.use.Say(fmt.Sprintf(format, args...))
	}
}
