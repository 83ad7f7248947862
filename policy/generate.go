package policy

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/quintain-rl/quintain"
)

// A Generator continues sequences of tokens, as an inference server does that takes and
// gives token IDs. Many goroutines may call its methods at once.
type Generator interface {
	// Generate draws p.N continuations of p.Tokens, each independent of the others. It
	// returns exactly p.N outputs and no error, or an error. An output with Finish
	// [quintain.Aborted] was interrupted by the server; it may be continued by a prompt
	// that ends with its tokens. When ctx ends, Generate returns what was sampled until
	// then, as far as the server tells it, each output that had not ended with Finish
	// Aborted, along with the cause of ctx; there may be fewer than p.N, or none.
	Generate(ctx context.Context, p Prompt) ([]Output, error)

	// Can says what the server can do.
	Can() Abilities
}

// A Prompt asks for continuations of a sequence of tokens.
type Prompt struct {
	Key      string           // names the episode, or the group if its episodes share one request
	Tokens   []quintain.Token // 1 or more, in the vocabulary of the server's model; read only
	N        int              // continuations wanted, 1 or more
	AtLeast  int32            // version of the weights: the prompt ends with tokens sampled by these; 0: unknown
	Sampling quintain.Sampling
	Within   time.Duration // as in [quintain.Request]
	Exam     bool          // as in [quintain.Request]
}

// An Output is one continuation.
type Output struct {
	Tokens   []quintain.Token // sampled, with the token that ends the reply
	LogProbs []float32        // natural logarithm of the probability of each of Tokens; nil: unknown
	Versions []int32          // version of the weights that sampled each of Tokens, or an older one; never falling
	Finish   quintain.Finish
	Took     time.Duration // as in [quintain.Sample]
}

// Abilities are what an inference server can do.
type Abilities struct {
	TokensIn  bool `json:"tokens_in"`  // it takes a prompt of token IDs
	TokensOut bool `json:"tokens_out"` // it reports the token IDs of a reply
	LogProbs  bool `json:"logprobs"`   // it reports the log-probability of each sampled token
	Several   bool `json:"several"`    // one request can have several samples
	Interrupt bool `json:"interrupt"`  // what was sampled before an interruption is not lost
	Versions  bool `json:"versions"`   // it says which version its weights have
	Score     bool `json:"score"`      // it reports the log-probabilities of given tokens; see [Scorer]
}

// A Scorer tells how likely its model finds given tokens, as a teacher does for
// distillation. Many goroutines may call it at once.
type Scorer interface {
	// Score returns a score for each of tokens, and with each the top likeliest tokens
	// at its place, 0 or more of them.
	Score(ctx context.Context, tokens []quintain.Token, top int) ([]Score, error)
}

// A Score is the probability of a token after those before it.
type Score struct {
	LogProb float32  // 0 for the first token of a sequence, which follows none
	Top     []Likely // the likeliest tokens, the likeliest first; none for the first token
}

// Likely is a token that could have stood at a place.
type Likely struct {
	Token   quintain.Token
	LogProb float32
}

// CheckPrompt reports the first invalid field of p.
func CheckPrompt(p Prompt) error {
	if len(p.Tokens) == 0 {
		return errors.New("prompt without tokens")
	}
	if at := slices.IndexFunc(p.Tokens, func(t quintain.Token) bool { return t < 0 }); at >= 0 {
		return fmt.Errorf("token %d of the prompt is %d", at, p.Tokens[at])
	}
	return checkSampling(p.N, p.Sampling)
}

// CheckOutput reports the first promise that o, an answer to p, breaks.
func CheckOutput(p Prompt, o Output) error {
	if at := slices.IndexFunc(o.Tokens, func(t quintain.Token) bool { return t < 0 }); at >= 0 {
		return fmt.Errorf("token ID %d is %d", at, o.Tokens[at])
	}
	switch most := p.Sampling.MaxTokens; {
	case most > 0 && len(o.Tokens) > most:
		return fmt.Errorf("%d tokens, asked for at most %d", len(o.Tokens), most)
	case len(o.Tokens) == 0 && o.Finish != quintain.Aborted:
		return errors.New("no tokens")
	case o.LogProbs != nil && len(o.LogProbs) != len(o.Tokens):
		return fmt.Errorf("%d log-probabilities for %d tokens", len(o.LogProbs), len(o.Tokens))
	}
	return nil
}

// ParseFinish reads the finish_reason of a server that samples tokens: "stop", "length"
// or "abort".
func ParseFinish(reason string) (quintain.Finish, error) {
	switch reason {
	case "stop":
		return quintain.Stop, nil
	case "length":
		return quintain.Length, nil
	case "abort":
		return quintain.Aborted, nil
	}
	return "", fmt.Errorf("finish_reason is %.40q, want stop, length or abort", reason)
}
