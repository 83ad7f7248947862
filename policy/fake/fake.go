// Package fake is an inference server without a model: for tests, for dry runs, and to
// measure what is around it. One port speaks as OpenAI's, vLLM's, SGLang's and
// llama.cpp's servers do, or as one of them.
//
// Its tokens are those of the byte vocabulary of package policy, or those of a model's
// tokenizer and chat template. It samples from a real distribution over them, [Model], so
// that every log-probability that it reports can be computed again. Equal requests in equal
// order get equal replies.
//
// It takes time as a server does: to the first token, for each token, and in a queue. It
// has versions of its weights, which the update routes of vLLM and SGLang set, can be
// paused, and has faults, at rates or by a script.
package fake

import (
	"context"
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

// A Config makes a server.
type Config struct {
	Server Settings
	Key    string  // bearer token that every request must bring; "": none
	Script []Fault // of the first requests for samples, one each; "" is none. The rates apply to later ones

	// Tokenizer and Template are those of a model, both or neither; nil: the byte vocabulary.
	// Now is what the template is told that asks for the time.
	Tokenizer *tokenizer.Tokenizer
	Template  *chattemplate.Chat
	Now       time.Time
}

// vocabulary returns the one that c names.
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
	asked  int            // requests for samples
	before map[uint64]int // how often a prompt came, by its hash
}

// New returns a server. The error names the setting that is invalid.
func New(c Config) (*Server, error) {
	s, err := c.server()
	if err != nil {
		return nil, fmt.Errorf("fake: %w", err)
	}
	s.engine.start(s.model.Weights(int32(c.Server.Version)), c.Server.MaxRunning)
	s.routes = s.table()
	return s, nil
}

// server is a server that does not run yet.
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

// Model returns the distribution that the server samples from.
func (s *Server) Model() *Model { return s.model }

// Stats are what a server did and does.
type Stats struct {
	Asked   int // requests for samples
	Running int // sequences that run
	Waiting int // sequences in the queue
	Sampled int // tokens
}

// Stats returns the counts.
func (s *Server) Stats() Stats {
	s.mu.Lock()
	defer s.mu.Unlock()
	running, waiting, _ := s.engine.load()
	return Stats{Asked: s.asked, Running: running, Waiting: waiting, Sampled: int(s.engine.sampled.Load())}
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

// Run serves on l, which it closes, until ctx ends, and cuts the requests under way
// then. That ctx ends is not an error.
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

// arrive counts a request for samples of prompt, and returns its fault and the stream of
// its random numbers.
func (s *Server) arrive(j *job) (Fault, *rng.Rand) {
	key := hash(j.prompt)
	s.mu.Lock()
	if len(s.before) > 1<<20 {
		clear(s.before) // later replies to equal requests may then be equal
	}
	n, turn := s.asked, s.before[key]
	s.asked++
	s.before[key]++
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

// sampling is the stream of random numbers of a request whose prompt came turn times
// before.
func (s *Server) sampling(key uint64, turn int) *rng.Rand {
	return rng.Named("fake", fmt.Sprintf("%016x", key)).Stream(s.cfg.Seed, turn)
}

// errHungUp is the end of a request whose client is gone.
var errHungUp = errors.New("the client is gone")
