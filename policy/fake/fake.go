// Package fake is an inference server without a model: for tests, dry runs and benchmarks
// of everything around it. One port speaks like the servers of OpenAI, vLLM, SGLang and
// llama.cpp, or like one of them.
//
// Its tokens come from the byte vocabulary of package policy, or from a model's tokenizer
// and chat template. It samples from a real distribution over them, [Model], so that every
// reported log-probability can be recomputed. Equal requests in equal order get equal
// replies.
//
// It takes time like a server: to the first token, for each token, and in a queue. The
// update routes of vLLM and SGLang set the version of its weights, it can be paused, and it
// fails at given rates or by a script.
package fake

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/quintain-rl/quintain/task/rng"
	"github.com/quintain-rl/quintain/text/chattemplate"
	"github.com/quintain-rl/quintain/text/tokenizer"
)

// A Config configures a server.
type Config struct {
	Server Settings
	Key    string  // bearer token that it requires; "": none
	Script []Fault // of the first requests for samples, one each; "": none. The rates apply to later ones

	// Tokenizer and Template belong to a model, both or neither; nil: the byte vocabulary.
	// Now answers a template that asks for the time.
	Tokenizer *tokenizer.Tokenizer
	Template  *chattemplate.Chat
	Now       time.Time
}

// vocabulary returns the vocabulary of c.
func (c *Config) vocabulary() (vocabulary, error) {
	switch {
	case (c.Tokenizer == nil) != (c.Template == nil):
		return nil, errors.New("want a tokenizer and its chat template, or neither")
	case c.Tokenizer == nil:
		return newByteVocabulary(), nil
	}
	return newModelVocabulary(c.Tokenizer, c.Template, c.Now)
}

// A Server is an [http.Handler]. It starts no goroutines.
type Server struct {
	cfg        Settings
	key        string
	script     []Fault
	vocabulary vocabulary
	model      *Model
	rates      []rate
	engine     engine
	routes     map[string]http.HandlerFunc // by method and path
	shape      Shape

	mu     sync.Mutex
	asked  int // requests for samples
	schema json.RawMessage
	before map[uint64]int // earlier requests of a prompt, by its hash
}

// New returns a server. The error names the invalid setting.
func New(c Config) (*Server, error) {
	s, err := c.server()
	if err != nil {
		return nil, fmt.Errorf("fake: %w", err)
	}
	s.engine.start(s.model.Weights(int32(c.Server.Version)), c.Server.MaxRunning)
	s.routes = s.table()
	return s, nil
}

// server returns a server that does not run yet.
func (c *Config) server() (*Server, error) {
	if err := c.Server.Check(); err != nil {
		return nil, err
	}
	lengths, err := parseLengths(c.Server.Length)
	if err != nil {
		return nil, err
	}
	rates, err := parseRates(c.Server.Faults)
	if err != nil {
		return nil, err
	}
	v, err := c.vocabulary()
	if err != nil {
		return nil, err
	}
	model := &Model{seed: c.Server.Seed, lengths: lengths, tokens: v.alphabet()}
	if c.Server.Replies != "" {
		if model.replies, err = readReplies(c.Server.Replies, v); err != nil {
			return nil, err
		}
	}
	return &Server{
		cfg: c.Server, key: c.Key, script: c.Script, vocabulary: v, model: model, rates: rates, shape: Shape(c.Server.Shape), before: map[uint64]int{},
	}, nil
}

// Model returns the distribution of the samples.
func (s *Server) Model() *Model { return s.model }

// Stats counts a server's work.
type Stats struct {
	Asked   int // requests for samples
	Running int // running sequences
	Waiting int // queued sequences
	Sampled int // tokens
}

// Stats returns the counts.
func (s *Server) Stats() Stats {
	s.mu.Lock()
	defer s.mu.Unlock()
	running, waiting, _ := s.engine.load()
	return Stats{Asked: s.asked, Running: running, Waiting: waiting, Sampled: int(s.engine.sampled.Load())}
}

// Schema returns the JSON schema of the last request with one; nil: none had one. Replies do not
// keep to it, unless the given replies do.
func (s *Server) Schema() json.RawMessage {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.schema
}

// ServeHTTP implements [http.Handler].
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	handle, known := s.routes[r.Method+" "+r.URL.Path]
	switch {
	case s.key != "" && r.Header.Get("Authorization") != "Bearer "+s.key && r.URL.Path != "/health":
		refuse(w, http.StatusUnauthorized, "wrong API key")
	case !known:
		refuse(w, http.StatusNotFound, "no route "+r.URL.Path)
	default:
		handle(w, r)
	}
}

// Run serves on l and closes it. When ctx ends, it cuts the open requests and returns nil.
func (s *Server) Run(ctx context.Context, l net.Listener) error {
	makeRoom()
	web := &http.Server{
		Handler: s, ReadHeaderTimeout: time.Minute,
		BaseContext: func(net.Listener) context.Context { return ctx },
	}
	failed := make(chan error, 1)
	var serving sync.WaitGroup
	serving.Go(func() { failed <- web.Serve(l) })
	defer serving.Wait()
	select {
	case err := <-failed:
		return fmt.Errorf("fake: %w", err)
	case <-ctx.Done():
		return web.Close()
	}
}

// arrive counts a request for samples, and returns its fault and its stream of random
// numbers.
func (s *Server) arrive(j *job) (Fault, *rng.Rand) {
	key := hash(j.prompt)
	s.mu.Lock()
	if len(s.before) > 1<<20 {
		clear(s.before) // replies to equal requests may repeat from here on
	}
	n, turn := s.asked, s.before[key]
	s.asked++
	s.before[key]++
	if j.schema != nil {
		s.schema = j.schema
	}
	s.mu.Unlock()
	if n < len(s.script) {
		return s.script[n], s.sampling(key, turn)
	}
	chance := rng.Named("fake", "fault").Stream(s.cfg.Seed, n).Float()
	for _, r := range s.rates {
		if chance -= r.rate; chance < 0 {
			return r.fault, s.sampling(key, turn)
		}
	}
	return "", s.sampling(key, turn)
}

// sampling returns the stream of random numbers for the request that repeats a prompt for
// the turn-th time.
func (s *Server) sampling(key uint64, turn int) *rng.Rand {
	return rng.Named("fake", fmt.Sprintf("%016x", key)).Stream(s.cfg.Seed, turn)
}

// errHungUp ends a request after its client has gone.
var errHungUp = errors.New("the client is gone")
