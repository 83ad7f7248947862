// Package server is the policy of an inference server of any kind. It finds out what the
// server at an address can do, reports what it lacks before the first episode, and samples
// replies in the best way the server has: by exact tokens with the model's tokenizer, else
// by completions. It waits for a server that does not run yet.
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

	"github.com/prometheus/client_golang/prometheus"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/web"
	"github.com/quintain-rl/quintain/policy"
	"github.com/quintain-rl/quintain/policy/engines"
	"github.com/quintain-rl/quintain/policy/exact"
	"github.com/quintain-rl/quintain/policy/pool"
	"github.com/quintain-rl/quintain/policy/remote"
)

// A Use says how the replies of a server are used.
type Use struct {
	Trainer  bool // a trainer takes them: it needs the model's own tokens and sets the versions of its weights
	LogProbs bool // log-probabilities of tokens are required
	Scores   bool // score given tokens, as a teacher; needs the tokenizer, and samples nothing
	Top      int  // likeliest tokens of a score; see [policy.Scorer]

	Version  func(url string) int32 // of the weights told for the server at an address, if it does not report it or there is no trainer, and for all others at ""; nil: 0
	Oldest   func() int32           // of which there is use: servers with older weights get nothing while others are up; nil: any
	Newest   func() int32           // that the weights can have; see [remote.Config]
	Stop     <-chan struct{}        // closed: end all waiting and retrying; nil: never
	Parallel int                    // concurrent requests; 0: 1024
	Waits    bool                   // replies wait while no server answers; else they fail once the retries are spent

	Say   func(text string)                              // reports to people; nil: nobody
	Told  func(ctx context.Context, version int32) error // gets the versions that all servers report; nil: nobody
	Moved func()                                         // is called when Lowest has changed; nil: nobody
	Log   *slog.Logger                                   // logs the server's faults; nil: none
}

// A Server is the policy of an inference server, or a teacher. Many goroutines may call
// Sample, Score, Waiting and Collect at once. Call Connect, then Run.
type Server struct {
	settings Settings
	use      Use
	chat     engines.OpenAIConfig // its Server configures all clients
	renderer exact.Renderer       // nil: no tokenizer

	addresses []string // at the start, 1 or more

	watch *remote.Watch

	ready  chan struct{} // closed once player or failed is set
	player player
	pool   pooled  // of player
	tokens *tokens // the same if it takes tokens, else nil
	failed error   // why it can never be used

	mu    sync.Mutex
	fault error // why it cannot be used yet
	tries int

	versions mismatch
	lags     *remote.ServerLags
}

// A player is a policy with connections.
type player interface {
	quintain.Policy
	CloseIdle()
}

// A pooled is a pool with any clients.
type pooled interface {
	prometheus.Collector
	Run(ctx context.Context) error
	Status() pool.Status
	Exchanges() [][]pool.Exchange
	Ask(ctx context.Context)
	Versions() []pool.Weights
}

// New reads the files in the settings, and contacts nobody. The error names the invalid
// setting.
func New(s Settings, u Use) (*Server, error) {
	if err := s.Check(); err != nil {
		return nil, err
	}
	chat, err := s.Chat.Config()
	if err != nil {
		return nil, err
	}
	if u.Scores && s.Files.Tokenizer == "" {
		return nil, errors.New("tokenizer: is missing; a teacher scores the tokens of the model: want its folder, its tokenizer.json or its GGUF file (--tokenizer)")
	}
	if u.Log == nil {
		u.Log = slog.New(slog.DiscardHandler)
	}
	n := &Server{settings: s, use: u, chat: chat, watch: remote.NewWatch(u.Log), ready: make(chan struct{}), lags: remote.NewServerLags("quintain_policy_server_")}
	to := &n.chat.Server
	if !u.Trainer {
		to.VersionPath = remote.Unasked
	}
	to.Newest = u.Newest
	to.MaxInFlight, to.Stop, to.Told = s.inFlight(u.Scores, u.Parallel), u.Stop, n.watch.Told
	web.WarnOfFiles(u.Log, "parallel", cmp.Or(s.Pool.MaxInFlight, u.Parallel), to.MaxInFlight)
	if n.addresses, err = s.Pool.Addresses(); err != nil {
		return nil, err
	}
	to.URL = n.addresses[0]
	if s.Files.Tokenizer != "" {
		if n.renderer, err = s.Files.Renderer(s.Chat.Model, time.Now()); err != nil {
			return nil, fmt.Errorf("tokenizer: %w", err)
		}
	}
	if s.Chat.Form == engines.Text {
		if n.chat.Prompt, n.chat.Calls, err = s.Files.Prompt(time.Now()); err != nil {
			return nil, fmt.Errorf("chat_template: %w", err)
		}
	}
	if s.Kind == engines.KindOpenAI {
		n.chat.NoLogProbs = !u.LogProbs
		return n, n.playByChat()
	}
	if _, err := remote.New(*to); err != nil {
		return nil, err
	}
	return n, nil
}

// ReadsImages reports whether the server gets the parts of messages as they are.
func (s *Server) ReadsImages() bool { return s.renderer == nil && s.chat.Prompt == nil }

// Model returns the name of the model that the server has; empty while it cannot be used yet.
func (s *Server) Model() string {
	if !s.isReady() {
		return ""
	}
	return s.chat.Model
}

// playByChat samples replies by completions.
func (s *Server) playByChat() error {
	p, err := pool.NewPolicy(s.poolOf(""), s.byChat)
	if err != nil {
		return err
	}
	s.player, s.pool = p, p
	close(s.ready)
	return nil
}

// byChat returns the client of completions at an address.
func (s *Server) byChat(at remote.Config) (pool.Chat, error) {
	chat := s.chat
	chat.Server = at
	if s.settings.Kind != engines.KindOpenAI {
		chat.Server.URL = remote.Root(at.URL) + "/v1"
	}
	return engines.NewOpenAI(chat)
}

// poolOf returns the config of a pool of servers of a kind; "": any with completions. If
// there may be several, each must be of that kind.
func (s *Server) poolOf(kind engines.Kind) pool.Config {
	of := s.settings.Pool
	cfg := pool.Config{URLs: of.URLs, File: of.File, Control: of.Control, Server: s.chat.Server, Version: s.use.Version, Oldest: s.use.Oldest, FailFast: !s.use.Waits, Log: s.use.Log}
	if len(s.addresses) > 1 || of.File != "" {
		cfg.Admit = func(ctx context.Context, url string) error { return s.admit(ctx, url, kind) }
	}
	return cfg
}

// playByTokens samples replies by tokens.
func (s *Server) playByTokens(kind engines.Kind, model string) error {
	s.chat.Model = model
	generator, err := pool.NewGenerator(s.poolOf(kind), func(at remote.Config) (pool.Tokens, error) {
		return engines.Generator(kind, at, model)
	})
	if err != nil {
		return err
	}
	if c, ok := s.renderer.(*exact.Chat); ok {
		c.Model = cmp.Or(c.Model, model)
	}
	s.tokens = &tokens{exact.New(generator, s.renderer), generator}
	s.tokens.Policy.Settings = s.settings.Drift
	s.player, s.pool = s.tokens, generator
	close(s.ready)
	return nil
}

// tokens is a server that takes tokens.
type tokens struct {
	*exact.Policy
	pool.Tokens
}

// errStopped ends the wait for a server.
var errStopped = remote.Stopped(errors.New("the run was stopped while it waited for the server"))

// Renderer returns the renderer of the tokenizer in the settings; nil: they name none.
func (s *Server) Renderer() exact.Renderer { return s.renderer }

// Sample implements [quintain.Policy]. It waits until the server is usable.
func (s *Server) Sample(ctx context.Context, r quintain.Request) ([]quintain.Sample, error) {
	if err := s.Await(ctx); err != nil {
		return nil, err
	}
	samples, err := s.player.Sample(ctx, r)
	s.watch.Ended(err)
	return samples, err
}

// Score implements [policy.Scorer], if the use includes scores. It waits until the server
// is usable.
func (s *Server) Score(ctx context.Context, tokens []quintain.Token, top int) ([]policy.Score, error) {
	if err := s.Await(ctx); err != nil {
		return nil, err
	}
	scores, err := s.tokens.Policy.Score(ctx, tokens, top)
	s.watch.Ended(err)
	return scores, err
}

// Await waits until the server is usable. The error says why it never will be.
func (s *Server) Await(ctx context.Context) error {
	select {
	case <-s.ready:
		return s.failed
	case <-s.use.Stop:
		return errStopped
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// CloseIdle closes the idle connections.
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

// Waiting says what it waits for; empty: only for replies.
func (s *Server) Waiting() string {
	s.mu.Lock()
	fault, tries, mismatch := s.fault, s.tries, s.versions.String()
	s.mu.Unlock()
	if fault != nil {
		return fmt.Sprintf("waiting for the server (try %d): %s", tries, cause(fault))
	}
	if text := s.outage(); text != "" {
		return text
	}
	if fault := s.watch.Waiting(); fault != nil {
		return fmt.Sprintf("waiting for the server (retry %d of %d): %s", fault.Attempts, s.settings.Chat.Retries, cause(fault))
	}
	return mismatch
}

// outage names the servers that are down; empty: none.
func (s *Server) outage() string {
	if !s.isReady() || s.pool == nil {
		return ""
	}
	up, why := 0, "first contact"
	all := s.pool.Status().Servers
	for _, of := range all {
		if of.State == pool.Up {
			up++
		} else if of.Fault != nil {
			why = cause(of.Fault)
		}
	}
	switch {
	case up == len(all):
		return ""
	case len(all) == 1:
		return "waiting for the server: " + why
	case up == 0:
		return "waiting for the servers: " + why
	}
	return fmt.Sprintf("%d of %d servers are up: %s", up, len(all), why)
}

// cause returns a fault in a few words, without the address.
func cause(fault error) string {
	text := fault.Error()
	if f, ok := errors.AsType[*remote.Error](fault); ok {
		text = strings.TrimPrefix(text, f.URL+": ")
	}
	return text
}

// say reports to people.
func (s *Server) say(format string, args ...any) {
	if s.use.Say != nil {
		s.use.Say(fmt.Sprintf(format, args...))
	}
}
