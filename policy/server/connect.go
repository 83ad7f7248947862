package server

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/policy/openai"
	"github.com/quintain-rl/quintain/policy/probe"
	"github.com/quintain-rl/quintain/policy/remote"
)

// patience limits each exchange that finds out what the server is. The first reply of a
// server may take a while.
const patience = time.Minute

// Connect finds out what is at the server's address, and says it. It returns why the server
// cannot be used: for now, see [Temporary], or at all. A server of chat completions that
// fails is no error: it may be asked all the same.
func (s *Server) Connect(ctx context.Context) error {
	if s.settings.Kind == probe.OpenAI {
		s.look(ctx)
		return nil
	}
	kind := s.settings.Kind
	if kind == Any {
		kind = ""
	}
	cfg := s.chat.Server
	cfg.Timeout, cfg.Told = min(cfg.Timeout, patience), nil
	found, err := probe.Run(ctx, cfg, s.settings.Chat.Model, kind)
	if err == nil && Temporary(found.Fault) {
		err = found.Fault
	}
	if err == nil {
		err = s.choose(found)
	}
	s.mu.Lock()
	s.fault, s.tries = err, s.tries+1
	s.mu.Unlock()
	return err
}

// Temporary reports whether an error of [Server.Connect] may pass: the server does not
// answer, or not yet.
func Temporary(err error) bool {
	fault, is := errors.AsType[*remote.Error](err)
	return is && (fault.Kind == remote.TooSlow ||
		slices.Contains([]remote.Kind{remote.Unreachable, remote.Busy, remote.ServerFailed}, fault.Kind) && !errors.Is(err, quintain.ErrFinal))
}

// look says what is found at the address of a server of chat completions.
func (s *Server) look(ctx context.Context) {
	ctx, cancel := context.WithTimeoutCause(ctx, 5*time.Second, errors.New("no answer within 5 s"))
	defer cancel()
	url := s.chat.Server.URL
	if err := s.player.(*openai.Client).Check(ctx); err != nil {
		s.say("the server %s cannot be used yet: %v", url, err)
		return
	}
	s.say("the server %s has the model %s", url, s.chat.Model)
}

// choose decides how the server is asked, by what it can. The error says what it lacks.
func (s *Server) choose(found *probe.Report) error {
	name := fmt.Sprintf("the server %s (%s)", found.URL, strings.TrimSpace(string(found.Server)+" "+found.Version))
	byTokens := found.Can.TokensIn && found.Can.TokensOut
	switch {
	case found.Fault != nil:
		return fmt.Errorf("%s samples nothing: %w", name, found.Fault)
	case s.renderer != nil && !byTokens:
		return fmt.Errorf("%s takes no tokens%s; serve the model with vLLM, SGLang or llama.cpp, or leave out the tokenizer to play by chat completions",
			name, reasons(found.Notes))
	case s.renderer == nil && byTokens && s.use.Tokens:
		return fmt.Errorf("%s takes tokens, and a trainer needs them: name the model's folder or its tokenizer.json (--tokenizer); "+
			"--policy openai plays without", name)
	}
	if s.use.LogProbs && !found.Can.LogProbs {
		s.say("warning: %s reports no log-probabilities, so the groups have none", name)
	}
	if s.renderer != nil {
		s.say("%s has the model %s, and is asked by tokens", name, found.Model)
		return s.playByTokens(found.Server, found.Model)
	}
	s.say("%s has the model %s, and is asked by chat completions", name, found.Model)
	s.chat.Server.URL, s.chat.Model = found.URL+"/v1", found.Model
	s.chat.TokenIDs = s.chat.TokenIDs || s.use.Tokens && found.Can.TokensOut
	s.chat.NoLogProbs = !s.use.LogProbs || !found.Can.LogProbs
	if s.use.Tokens && !s.chat.TokenIDs {
		s.say("warning: %s reports no tokens, so the trainer gets the bytes of the texts: "+
			"serve the model with vLLM, SGLang or llama.cpp, and name its tokenizer (--tokenizer)", name)
	}
	return s.playByChat()
}

// reasons are notes as a part of a sentence.
func reasons(notes []string) string {
	if len(notes) == 0 {
		return ""
	}
	return " (" + strings.Join(notes, "; ") + ")"
}

// longestPause is the pause between tries to reach a server; the first ones are shorter.
const longestPause = 10 * time.Second

// Run waits for the server, if [Server.Connect] has not reached it, until it can be used or
// ctx ends. The error says why it never can.
func (s *Server) Run(ctx context.Context) error {
	for tries := 1; ; tries++ {
		select {
		case <-s.ready:
			<-ctx.Done()
			return nil
		default:
		}
		pause := time.NewTimer(min(longestPause, time.Duration(tries)*time.Second))
		select {
		case <-ctx.Done():
			pause.Stop()
			return nil
		case <-pause.C:
		}
		if err := s.Connect(ctx); err != nil && !Temporary(err) && ctx.Err() == nil {
			s.failed = err
			close(s.ready)
			return err
		}
	}
}
