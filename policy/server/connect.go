package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/pause"
	"github.com/quintain-rl/quintain/policy"
	"github.com/quintain-rl/quintain/policy/engines"
	"github.com/quintain-rl/quintain/policy/remote"
)

// patience limits each request of a probe. The first reply of a server may take a while.
const patience = time.Minute

// Connect finds out the server's kind and abilities, and reports them. It returns why the
// server cannot be used: yet, see [Temporary], or ever. A failing server of completions is
// no error, as it may still get requests, unless all refuse to sample a token.
func (s *Server) Connect(ctx context.Context) error {
	if s.settings.Kind == engines.KindOpenAI {
		return s.look(ctx)
	}
	kind := s.settings.Kind
	if kind == Any {
		kind = ""
	}
	err := s.settle(ctx, kind)
	if err != nil && s.use.Scores {
		err = fmt.Errorf("teacher: %w", err)
	}
	s.mu.Lock()
	s.fault, s.tries = err, s.tries+1
	s.mu.Unlock()
	return err
}

// settle finds the server and chooses its route.
func (s *Server) settle(ctx context.Context, kind engines.Kind) error {
	found, err := s.find(ctx, kind)
	if err != nil {
		return err
	}
	return s.choose(found)
}

// find probes the addresses until one answers.
func (s *Server) find(ctx context.Context, kind engines.Kind) (found *engines.Report, err error) {
	for _, url := range s.addresses {
		if found, err = s.probe(ctx, url, kind); !Temporary(err) {
			break
		}
	}
	return found, err
}

// probe probes an address and checks that the tokenizer is its model's.
func (s *Server) probe(ctx context.Context, url string, kind engines.Kind) (*engines.Report, error) {
	cfg := s.at(url)
	cfg.Timeout, cfg.Told = min(cfg.Timeout, patience), nil
	found, err := engines.Probe(ctx, cfg, s.chat.Model, kind)
	if err != nil {
		return nil, err
	}
	if _, fault := s.can(found); Temporary(fault) {
		return found, fault
	}
	if s.renderer != nil && Temporary(found.TokensFault) {
		return found, found.TokensFault
	}
	if s.renderer != nil && found.Can.TokensIn {
		if err := s.compare(ctx, cfg, found); err != nil {
			return found, err
		}
	}
	if s.use.Scores && found.Can.Score {
		return found, s.tryScore(ctx, cfg, found)
	}
	return found, nil
}

// tryScore makes the server score two tokens.
func (s *Server) tryScore(ctx context.Context, cfg remote.Config, found *engines.Report) error {
	client, err := engines.Generator(found.Server, cfg, found.Model)
	if err != nil {
		return err
	}
	defer client.CloseIdle()
	_, err = client.(policy.Scorer).Score(ctx, []quintain.Token{65, 65}, s.use.Top)
	if fault, ok := errors.AsType[*remote.Error](err); ok && fault.Kind == remote.Refused && s.use.Top > 0 {
		fault.Remedy = fmt.Sprintf("does it report the %d likeliest tokens? vLLM reports up to --max-logprobs, 20 by default", s.use.Top)
	}
	return err
}

// admit returns why the server at an address cannot join the pool, whose servers are of a
// kind; "": they speak completions.
func (s *Server) admit(ctx context.Context, url string, kind engines.Kind) error {
	if kind == "" {
		client, err := s.byChat(s.at(url))
		if err != nil {
			return err
		}
		defer client.CloseIdle()
		return client.(*engines.OpenAI).Check(ctx)
	}
	found, err := s.probe(ctx, url, kind)
	switch {
	case err != nil:
		return err
	case found.Fault != nil:
		return found.Fault
	case !found.Can.TokensIn:
		return fmt.Errorf("the server %s is not of the kind %s, unlike the others%s", found.URL, kind, reasons(found.Notes))
	}
	return nil
}

// at returns the config of the server at an address.
func (s *Server) at(url string) remote.Config {
	at := s.chat.Server
	at.URL = url
	return at
}

// Temporary reports whether an error of [Server.Connect] may pass: the server does not
// answer, or not yet.
func Temporary(err error) bool {
	fault, ok := errors.AsType[*remote.Error](err)
	return ok && (fault.Kind == remote.TooSlow ||
		slices.Contains([]remote.Kind{remote.Unreachable, remote.Busy, remote.Aborted, remote.ServerFailed}, fault.Kind) && !errors.Is(err, quintain.ErrFinal))
}

// look reports on the servers of completions. The error is the refusal of the last, if each
// lacks the model or refuses the key, and samples nothing: a proxy may have models that it
// does not list.
func (s *Server) look(ctx context.Context) error {
	var refused error
	refusals := 0
	for _, url := range s.addresses {
		err := s.glance(ctx, url)
		switch {
		case err == nil:
			s.say("the server %s has the model %s", url, s.chat.Model)
		case isRefusal(err) && isRefusal(s.sample(ctx, url)):
			refused, refusals = err, refusals+1
		default:
			s.say("the server %s cannot be used yet: %v", url, err)
		}
	}
	if refusals == len(s.addresses) {
		return refused
	}
	if refused != nil {
		s.say("the server cannot be used: %v", refused)
	}
	return nil
}

// glance returns why the server of completions at an address cannot be used.
func (s *Server) glance(ctx context.Context, url string) error {
	ctx, cancel := context.WithTimeoutCause(ctx, 5*time.Second, errors.New("no answer within 5 s"))
	defer cancel()
	return s.admit(ctx, url, "")
}

// sample asks the server of completions at an address for a token.
func (s *Server) sample(ctx context.Context, url string) error {
	at := s.at(url)
	at.Timeout = min(at.Timeout, patience)
	client, err := s.byChat(at)
	if err != nil {
		return err
	}
	defer client.CloseIdle()
	_, err = client.Sample(ctx, quintain.Request{
		N: 1, Messages: []quintain.Message{{Role: quintain.RoleUser, Content: "Hello!"}}, Sampling: quintain.Sampling{MaxTokens: 1},
	})
	return err
}

// isRefusal reports whether a server ran and refused: the model, the key or the route.
func isRefusal(err error) bool {
	fault, ok := errors.AsType[*remote.Error](err)
	return ok && (fault.Kind == remote.UnknownModel || fault.Kind == remote.Refused)
}

// can returns the server's abilities on its route, and why it has none.
func (s *Server) can(found *engines.Report) (can policy.Abilities, fault error) {
	switch {
	case s.chat.Prompt == nil:
		return found.Can, found.Fault
	case found.Text != nil:
		return *found.Text, nil
	}
	return policy.Abilities{LogProbs: found.Can.LogProbs}, found.TextFault
}

// choose chooses the route by the server's abilities. The error names the missing one.
func (s *Server) choose(found *engines.Report) error {
	name := fmt.Sprintf("the server %s (%s)", found.URL, strings.TrimSpace(string(found.Server)+" "+found.Version))
	can, fault := s.can(found)
	byTokens := can.TokensIn && can.TokensOut
	switch {
	case fault != nil && found.Text != nil:
		return fmt.Errorf("%s has only text completions (policy.completions text): %w", name, fault)
	case fault != nil:
		return fmt.Errorf("%s samples nothing: %w", name, fault)
	case s.use.Scores && !(can.Score && byTokens):
		return fmt.Errorf("%s does not score given tokens%s; serve the teacher with vLLM or SGLang", name, reasons(found.Notes))
	case s.renderer != nil && !byTokens:
		return fmt.Errorf("%s takes no tokens%s; serve the model with vLLM, SGLang or llama.cpp, or leave out the tokenizer to play by completions",
			name, reasons(found.Notes))
	case s.renderer == nil && byTokens && s.use.Trainer:
		file := "FILE"
		if found.File != "" {
			file = found.File + ", which it serves"
		}
		return fmt.Errorf("%s takes tokens, and a trainer needs them: name the model's folder, its tokenizer.json or its GGUF file (--tokenizer %s); "+
			"--policy openai plays without", name, file)
	}
	if s.use.LogProbs && !can.LogProbs {
		s.say("warning: %s reports no log-probabilities, so the groups have none", name)
	}
	if s.renderer != nil {
		s.say("%s has the model %s, and samples by tokens", name, found.Model)
		if s.use.Trainer && !found.Can.Versions {
			s.say("%s does not report the version of its weights: the trainer must report it to the hub (POST /v1/runs/{run}/version), or it stays unknown", name)
		}
		if label, known := remote.ParseVersion(json.RawMessage(found.WeightVersion)); known && s.use.Newest != nil && label > s.use.Newest() {
			s.say("%s has weights of version %d, which is of another run: it counts as unknown until the server or the trainer says another", name, label)
		}
		return s.playByTokens(found.Server, found.Model)
	}
	s.say("%s has the model %s, and samples by %s completions", name, found.Model, s.settings.Chat.Form)
	s.chat.Model = found.Model
	s.chat.TokenIDs = s.chat.TokenIDs || s.use.Trainer && can.TokensOut
	s.chat.NoLogProbs = !s.use.LogProbs || !can.LogProbs
	if s.use.Trainer && !s.chat.TokenIDs {
		s.say("warning: %s reports no tokens, so the trainer gets the bytes of the texts: "+
			"serve the model with vLLM, SGLang or llama.cpp, and name its tokenizer (--tokenizer)", name)
	}
	s.chat.OneByOne = found.Server.Traits().OneByOne
	return s.playByChat()
}

// reasons joins notes into a part of a sentence.
func reasons(notes []string) string {
	if len(notes) == 0 {
		return ""
	}
	return " (" + strings.Join(notes, "; ") + ")"
}

// pauses are those between tries to reach a server.
var pauses = pause.Backoff{First: time.Second, Most: 10 * time.Second}

// Run waits for the server if [Server.Connect] has not reached it, then follows the version
// of its weights until ctx ends. The error says why the server can never be used.
func (s *Server) Run(ctx context.Context) error {
	for failed := 1; !s.isReady(); failed++ {
		if !pause.For(ctx, pauses.After(failed)) {
			return nil
		}
		if err := s.Connect(ctx); err != nil && !Temporary(err) && ctx.Err() == nil {
			s.failed = err
			close(s.ready)
			return err
		}
	}
	if s.pool == nil {
		<-ctx.Done()
		return nil
	}
	var running sync.WaitGroup
	defer running.Wait()
	running.Go(func() { _ = s.pool.Run(ctx) }) // it returns nil
	return s.follow(ctx)
}
