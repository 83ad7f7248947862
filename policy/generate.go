package policy

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/stats"
)

// A Generator continues sequences of tokens, like an inference server with token IDs in and
// out. Many goroutines may call its methods at once.
type Generator interface {
	// Generate draws p.N independent continuations of p.Tokens. It returns exactly p.N
	// outputs, or an error. The server interrupted an output with Finish
	// [quintain.Aborted]; a prompt that ends with its tokens may continue it. When ctx
	// ends, Generate returns the tokens so far, if the server reports them, with Finish
	// Aborted for each unfinished output, and the cause of ctx; there may be fewer than p.N
	// outputs, or none.
	Generate(ctx context.Context, p Prompt) ([]Output, error)

	// Can returns the abilities of the server.
	Can() Abilities
}

// A Prompt asks for continuations of a sequence of tokens.
type Prompt struct {
	Key      string           // names the episode, or the group if its episodes share one request
	Tokens   []quintain.Token // 1 or more, in the vocabulary of the server's model; read only
	N        int              // continuations wanted, 1 or more
	AtLeast  int32            // version of the weights that sampled the prompt's last tokens; 0: unknown
	Sampling quintain.Sampling
	Size     int             // of the vocabulary: every token is below it; 0: unknown
	Stop     []string        // texts that end a reply, as in [quintain.Request]
	Schema   json.RawMessage // as in [quintain.Request]; such an output cannot be continued
	Within   time.Duration   // as in [quintain.Request]
	Exam     bool            // as in [quintain.Request]

	// Sampled, if set, gets the tokens of the first continuation so far, read only, as they
	// arrive; not after Generate has returned. If the server then goes away, they are the
	// output, as if it had interrupted it; a retry within Generate begins them anew. A server
	// that is not streamed ignores it.
	Sampled func(tokens []quintain.Token)
}

// An Output is one continuation.
type Output struct {
	Tokens   []quintain.Token // sampled, with the token that closes the reply
	LogProbs []float32        // natural logarithm of the probability of each token; nil: unknown
	Versions []int32          // version of the weights that sampled each token, or an older one; never falling
	Finish   quintain.Finish
	Took     time.Duration // as in [quintain.Sample]
}

// Abilities lists the abilities of an inference server.
type Abilities struct {
	TokensIn  bool `json:"tokens_in"`  // takes token IDs as a prompt
	TokensOut bool `json:"tokens_out"` // reports the token IDs of a reply
	LogProbs  bool `json:"logprobs"`   // reports the log-probability of each sampled token
	Several   bool `json:"several"`    // returns several samples per request
	Interrupt bool `json:"interrupt"`  // keeps the tokens sampled before an interruption
	Versions  bool `json:"versions"`   // reports the version of its weights
	Score     bool `json:"score"`      // reports the log-probabilities of given tokens; see [Scorer]
	Stop      bool `json:"stop"`       // ends a reply at a stop text and keeps its tokens, with their log-probabilities
	Schema    bool `json:"schema"`     // keeps a reply to a JSON schema
}

// A Scorer reports its model's probabilities of given tokens, as a teacher does for
// distillation. Many goroutines may call it at once.
type Scorer interface {
	// Score returns a score for each token, with the top likeliest tokens at its place, 0
	// or more.
	Score(ctx context.Context, tokens []quintain.Token, top int) ([]Score, error)
}

// A Score is the probability of a token, given those before it.
type Score struct {
	LogProb float32  // 0 for a sequence's first token
	Top     []Likely // the likeliest tokens, likeliest first; none for the first token
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
	for at, t := range o.Tokens {
		switch {
		case t < 0:
			return fmt.Errorf("token ID %d is %d", at, t)
		case p.Size > 0 && int(t) >= p.Size:
			return fmt.Errorf("token ID %d is %d, outside the vocabulary of %d tokens: is the tokenizer that of the served model?", at, t, p.Size)
		}
	}
	switch most := p.Sampling.MaxTokens; {
	case most > 0 && len(o.Tokens) > most:
		return fmt.Errorf("%s, asked for at most %d", stats.Count(len(o.Tokens), "token"), most)
	case len(o.Tokens) == 0 && o.Finish != quintain.Aborted:
		return errors.New("no tokens")
	case o.LogProbs != nil && len(o.LogProbs) != len(o.Tokens):
		return fmt.Errorf("%s for %s", stats.Count(len(o.LogProbs), "log-probability"), stats.Count(len(o.Tokens), "token"))
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
