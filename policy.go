package quintain

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"
)

// A Policy continues conversations. Many goroutines may call its methods at once.
type Policy interface {
	// Sample draws r.N independent continuations. It returns exactly r.N samples, or an
	// error. When ctx ends, it returns the samples so far, each with Finish Aborted, and
	// the cause of ctx; there may be fewer than r.N, or none.
	//
	// An error is a fault of the machinery, such as a dead server or an invalid reply. The
	// episode then has no reward and ends as [InfraFailed], or as [Cancelled] if ctx is
	// done. It may be played again from the start, unless the error is [ErrFinal]. With
	// [ErrNoRoom] it ends otherwise.
	Sample(ctx context.Context, r Request) ([]Sample, error)
}

// ErrFinal, in the chain of a policy's error, forbids playing the episode again. Either it
// would fail again, or the failure depends on the sampled reply, which took too long, say:
// playing again would favour other replies.
var ErrFinal = errors.New("it must not be played again")

// ErrStop, in the chain of a policy's error, ends all play: the player returns that error,
// and the episode is [Cancelled].
var ErrStop = errors.New("nothing more is to be played")

// ErrCancelled, in the chain of a policy's error, says that the policy gave up because the
// run stops. The episode is [Cancelled], not failed, and its problem is played again.
var ErrCancelled = errors.New("the run stops")

// ErrTimeout, in the chain of a policy's error, says that a reply took too long. The
// episode ends as [TimedOut].
var ErrTimeout = errors.New("it took too long")

// ErrNoRoom, in the chain of a policy's error, says that the conversation leaves no room for
// a reply in the policy's context. An episode with replies ends as [Truncated], and keeps
// their rewards; one without ends as [PromptTooLong].
var ErrNoRoom = errors.New("the conversation leaves no room for a reply")

// ErrUnguided, in the chain of a policy's error, says that the policy cannot hold the reply to
// the request's Schema or ToolChoice: nothing was sampled, or what was breaks the schema.
var ErrUnguided = errors.New("the policy cannot hold its reply to a schema")

// A Request asks a policy for continuations of one conversation.
type Request struct {
	// Key names the episode, or the group if its episodes share one request. An episode's
	// key is its group's, followed by # or ~ and more. A policy may route by it, or seed
	// its sampling with it.
	Key string

	// Messages is the conversation so far. Its last message is not the policy's.
	Messages []Message

	// Tokens are the exact tokens of Messages with the opening of the reply, before the first
	// reply; nil: the policy renders Messages. A policy without the model's own vocabulary
	// reads Messages all the same.
	Tokens []Token

	// Context holds the exact tokens of the conversation up to and including the policy's
	// last reply; it is empty before the first reply. Only the messages from Fresh on
	// remain to be rendered: sampled tokens are never re-tokenized.
	Context []Token
	Fresh   int // index of the first message beyond Context
	Wrote   int // tokens of the policy's last reply, at the end of Context

	Alone bool // render the fresh messages as [Step] says; false before the first reply

	// Tools are the tools offered to the model: a JSON array as chat templates take it. Nil:
	// those of the policy's settings, if any. A policy that cannot offer tools refuses them.
	Tools json.RawMessage

	// Vars are further variables of the chat template, such as enable_thinking; they go
	// before those of the policy's settings. A policy without a template ignores them.
	Vars map[string]any

	N        int // samples wanted, 1 or more
	Sampling Sampling

	// Stop lists texts that end a reply. The sample keeps the tokens that spell one, as they
	// were sampled; its Text and Whole end before it. A policy that cannot do so refuses it.
	Stop []string

	// Schema is a JSON schema that the reply's text keeps to, which only sampling under a grammar
	// makes sure of: such a reply is for an examination, not for training. Nil: none. ToolChoice
	// is the tool that the reply calls, in the same way: its name, or "required" for any of
	// Tools; empty: the model is free. A policy that cannot do so refuses it with [ErrUnguided].
	Schema     json.RawMessage
	ToolChoice string

	// Text, if set, gets the beginnings of the one sample's Text and Whole while it is sampled,
	// each going on from the last: whole characters, and none that may belong to a stop text or
	// to the token that closes the reply. It is not called after Sample has returned. If the
	// policy must sample anew after a fault of its server, the sample may begin otherwise. A
	// policy may ignore it; with N above 1 it does.
	Text func(text, whole string)

	// Within limits the time a server takes to reply, without the wait for a free slot; 0:
	// no limit. A policy without servers ignores it.
	Within time.Duration

	// Exam marks a reply for an evaluation rather than for training. Only request counters
	// look at it.
	Exam bool
}

// Sampling says how to draw tokens.
type Sampling struct {
	Temperature float64 `json:"temperature" yaml:"temperature"` // 0 or more; 0: greedy
	TopP        float64 `json:"top_p" yaml:"top_p"`             // 0 to 1; 0 or 1: off
	TopK        int     `json:"top_k" yaml:"top_k"`             // 0 or more; 0: off
	MaxTokens   int     `json:"max_tokens" yaml:"max_tokens"`   // most tokens to sample, in the policy's own vocabulary; 0: up to the end of its context

	// MaxTotal limits the tokens of the conversation with the reply; 0: no limit. A policy
	// that cannot count the prompt's tokens before it samples ignores it.
	MaxTotal int `json:"max_total,omitempty" yaml:"max_total,omitempty"`
}

// A Finish says why a sample ended.
type Finish string

// The reasons for the end of a sample.
const (
	Stop    Finish = "stop"    // the policy ended its reply
	Length  Finish = "length"  // MaxTokens or the policy's context is used up
	Aborted Finish = "aborted" // the request's context ended
)

// A Sample is one continuation, with the data to train on it.
type Sample struct {
	Text      string     // the sampled text, without special tokens and Reasoning
	Whole     string     // the same with special tokens, but the one that closes the reply, and with Reasoning; empty: unknown
	Reasoning string     // thoughts before the answer, if the server separates them
	ToolCalls []ToolCall // tool calls in the reply, if the request has tools; Text is then without them
	CallFault string     // why the tool calls of the reply cannot be read: they are then a part of Text; empty: they can
	Read      []Token    // tokens of the fresh messages as the policy read them, with the opening of its reply; samples of one request may share the slice
	Wrote     []Token    // sampled tokens; length W
	LogProbs  []float32  // natural logarithm of the probability of each token in Wrote, as sampled; length W; nil: unknown
	Versions  []int32    // version of the weights that sampled each token in Wrote; length W, never falling; -1: unknown
	Finish    Finish
	Took      time.Duration // server time for it, without the wait for a slot; 0: unknown

	// Fork says that the policy's server rewrote the conversation: Read holds all of it,
	// not only the fresh messages, and the sample does not continue the tokens of
	// Request.Context.
	Fork bool

	// Realigned says that the chat template renders the end of the last reply differently,
	// because it was cut or its white space trimmed, say. The tokens stay as sampled.
	Realigned bool

	// Vocabulary names the tokens' vocabulary: a model's name, or UTF8.
	Vocabulary string
}

// Check reports the first promise of [Policy] that makes the sample useless for training.
func (s *Sample) Check() error {
	switch {
	case s.Finish == Aborted:
		return errors.New("the policy aborted its reply")
	case s.LogProbs != nil && len(s.LogProbs) != len(s.Wrote):
		return fmt.Errorf("the policy returned %d log-probabilities for %d tokens", len(s.LogProbs), len(s.Wrote))
	case len(s.Versions) != len(s.Wrote):
		return fmt.Errorf("the policy returned %d versions for %d tokens", len(s.Versions), len(s.Wrote))
	case !slices.IsSorted(s.Versions):
		return errors.New("the policy returned versions that fall within a reply")
	}
	for i, p := range s.LogProbs {
		if !(p <= 0 && p >= -math.MaxFloat32) {
			return fmt.Errorf("the policy returned a log-probability of %v for token %d", p, i)
		}
	}
	for _, tokens := range [][]Token{s.Read, s.Wrote} {
		if i := slices.IndexFunc(tokens, func(t Token) bool { return t < 0 }); i >= 0 {
			return fmt.Errorf("the policy returned %d as token %d", tokens[i], i)
		}
	}
	return nil
}

// UTF8 is the vocabulary for servers that return text without tokens: the bytes of the
// text, 0 to 255, with one control character between messages.
const UTF8 = "utf-8"

// A Token is an index into a policy's vocabulary.
type Token int32
