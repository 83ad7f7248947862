// Package player opens the policy that plays, as settings say: the tiny model in this
// process, a script that knows the solutions, or an inference server.
package player

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/settings"
	"github.com/quintain-rl/quintain/policy"
	"github.com/quintain-rl/quintain/policy/engines"
	"github.com/quintain-rl/quintain/policy/script"
	"github.com/quintain-rl/quintain/policy/server"
	"github.com/quintain-rl/quintain/run"
	"github.com/quintain-rl/quintain/run/rollout"
)

// The kinds of policy. Those of server.Kinds are kinds too.
const (
	Tiny   = "tiny"
	Script = "script"
	Server = string(server.Any)
)

// Settings say who plays.
type Settings struct {
	Kind        string
	Weights     string   // file with weights of the tiny policy, or a language model; empty: the embedded ones
	Scenario    string   // of the embedded weights
	Adapters    Adapters // new ones, of a language model
	FromScratch bool     // the tiny policy is a new model
	Sampling    quintain.Sampling
	Script      script.Solver
	Server      server.Settings
	Seats       Seats // of other policies
}

// Default returns the default settings of a kind.
func Default(kind string) Settings {
	return Settings{
		Kind: kind, Sampling: quintain.Sampling{Temperature: 1, TopP: 1, MaxTokens: 2048},
		Script: script.Solver{Accuracy: 0.6, Delay: 20 * time.Millisecond}, Server: server.Defaults(),
	}
}

// Declare implements [settings.Declarer].
func (s *Settings) Declare(d *settings.Section) {
	s.declare(d)
	d.Bool(&s.FromScratch, "from_scratch", "warm up a new model, in place of the embedded one, if the data folder has none yet")
	d.Value(&s.Seats, "seats", "other policies at the tables of games, the players server:NAME: an object with the settings of a policy for each name, such as "+
		`{"strong": {"url": "http://127.0.0.1:8002"}}`)
}

// declare declares the settings of any policy.
func (s *Settings) declare(d *settings.Section) {
	kinds := []string{Tiny, Script}
	for _, kind := range server.Kinds() {
		kinds = append(kinds, string(kind))
	}
	d.Text(&s.Kind, "kind", "tiny, the model in this program; script, which knows the solutions; or an inference server: of a kind to be found out (server), of a known kind, or any with completions (openai)").
		OneOf(kinds...).Flag("policy")
	d.Text(&s.Weights, "weights", "the model that plays and learns in this program: a weights file of ours, a GGUF file or a Hugging Face folder; empty: the embedded one").Flag("weights")
	d.Section((*policy.Sampling)(&s.Sampling), "sampling", "how replies are sampled")
	s.Script.Declare(d)
	s.Server.Declare(d)
}

// Check implements [settings.Checker].
func (s *Settings) Check() error {
	if s.Remote() {
		of := s.OfServer()
		return of.Check()
	}
	if s.Weights != "" && (s.Kind != Tiny || s.FromScratch) {
		return errors.New("weights: they are those of the tiny policy, and not of one from scratch")
	}
	if s.FromScratch && s.Kind != Tiny {
		return fmt.Errorf("from_scratch: the policy %s is not made here", s.Kind)
	}
	return nil
}

// Remote reports whether an inference server plays.
func (s *Settings) Remote() bool { return s.Kind != Tiny && s.Kind != Script }

// OfServer returns the settings of the inference server, with its kind.
func (s *Settings) OfServer() server.Settings {
	of := s.Server
	of.Kind = engines.Kind(s.Kind)
	return of
}

// An InvalidError says that settings or tasks do not suit the policy.
type InvalidError struct{ error }

// Unwrap returns the reason.
func (e InvalidError) Unwrap() error { return e.error }

// Invalid returns err as an [InvalidError].
func Invalid(err error) error { return InvalidError{err} }

// NewServer returns the policy of the inference server, not yet connected.
func (s *Settings) NewServer(use server.Use) (*server.Server, error) {
	of, err := server.New(s.OfServer(), use)
	if err != nil {
		return nil, InvalidError{fmt.Errorf("policy.%w", err)}
	}
	return of, nil
}

// Warnings warn of omissions that a user may not expect. Trains says that a trainer at
// the hub takes the groups.
func (s *Settings) Warnings(trains bool) []string {
	switch {
	case s.Remote() && !trains:
		return []string{"nothing is trained here: the batches are taken and forgotten. " +
			"For a trainer of your own, add --consumer hub; to keep the groups, use quintain export"}
	case s.Kind == string(engines.KindOpenAI) && trains && !s.Server.Chat.TokenIDs:
		return []string{"the trainer gets the bytes of the texts, not the tokens of the model: " +
			"if the server is vLLM, SGLang or llama.cpp, choose --policy server and name the model's tokenizer (--tokenizer)"}
	}
	return nil
}

// Solver returns the script, which solves the problems of streams. It is an [InvalidError] if a
// scenario of theirs neither solves problems nor advises.
func (s *Settings) Solver(streams []rollout.Stream, seed uint64, version func() int32) (quintain.Policy, error) {
	var scenarios []quintain.Scenario
	for _, one := range streams {
		_, solves := one.Scenario.(quintain.Solver)
		_, advises := one.Scenario.(quintain.Adviser)
		if !solves && !advises {
			return nil, InvalidError{fmt.Errorf("policy.kind: script cannot play scenario %s, which solves no problems", one.Scenario.Info().Name)}
		}
		scenarios = append(scenarios, one.Scenario)
	}
	book := script.NewBook(scenarios...)
	solver := s.Script
	solver.Answer, solver.Plan, solver.Advice, solver.Seed, solver.Version = book.Answer, book.Plan, book.Advice, seed, version
	return &solver, nil
}

// A Start says how Open opens a policy.
type Start struct {
	Data     string // data folder; its checkpoint has the weights of the tiny policy
	Streams  []rollout.Stream
	Seed     uint64
	Parallel int // episodes at once
	Log      *slog.Logger
	Say      func(text string) // gets messages for people; nil: nobody does

	Untrained bool // the language model without its adapters
}

// Open opens the policy for an evaluation or a question, connected and ready. It says
// which weights the tiny policy has.
func (s *Settings) Open(ctx context.Context, how Start) (quintain.Policy, error) {
	if s.Kind == Script {
		return s.Solver(how.Streams, how.Seed, func() int32 { return 0 })
	}
	if s.Remote() {
		of, err := s.NewServer(server.Use{Parallel: how.Parallel, Log: how.Log, Say: how.Say})
		if err != nil {
			return nil, err
		}
		return of, of.Connect(ctx)
	}
	last, err := s.LastWeights(how.Data)
	if err != nil {
		return nil, err
	}
	if how.Untrained {
		last = &Weights{last.Base.Model, last.Base, last.Base.Name + ", before the training"}
	}
	if how.Say != nil {
		how.Say("weights of " + last.Name)
	}
	return last.policy(0, how)
}

// Beside runs work, and the policy beside it if the policy has to run.
func Beside(ctx context.Context, p quintain.Policy, work func(context.Context) error) error {
	runner, runs := p.(interface{ Run(context.Context) error })
	if !runs {
		return work(ctx)
	}
	return run.Together(ctx, runner.Run, work)
}
