package quintain

import (
	"context"
	"errors"
	"time"
)

// A Policy continues conversations. Many goroutines may call its methods at once.
type Policy interface {
	// Sample draws r.N continuations, each independent of the others. It returns
	// exactly r.N samples and no error, or an error. When ctx ends, it returns
	// what was sampled until then, each sample with Finish Aborted, along with
	// the cause of ctx; there may be fewer than r.N, or none.
	//
	// An error is a fault of the machinery, such as a server that is down or sends
	// an invalid reply. The episode then has no reward and ends as [InfraFailed],
	// or as [Cancelled] if ctx is done. It may be played again from the start, unless the
	// error is [ErrFinal].
	Sample(ctx context.Context, r Request) ([]Sample, error)
}

// ErrFinal is in the chain of a policy's error if the episode must not be played again:
// because that would fail again, or because what failed has to do with what was sampled,
// such as a reply that took too long. Playing it again would then favour others.
var ErrFinal = errors.New("it must not be played again")

// ErrStop is in the chain of a policy's error if nothing more is to be played: who plays
// ends with that error, and the episode is [Cancelled].
var ErrStop = errors.New("nothing more is to be played")

// ErrCancelled is in the chain of a policy's error if it gave up because the run stops. The
// episode is [Cancelled] then, not failed, and its problem is played again.
var ErrCancelled = errors.New("the run stops")

// ErrTimeout is in the chain of a policy's error if a reply took longer than it may. The
// episode then ends as [TimedOut].
var ErrTimeout = errors.New("it took too long")

// A Request asks a policy for continuations of one conversation.
type Request struct {
	// Key names the episode, or the group if its episodes share one request. An
	// episode's key is that of its group, followed by # or ~ and more. A policy may
	// route by it, and seed its sampling with it.
	Key string

	// Messages is the conversation so far. The last message is not the policy's.
	Messages []Message

	// Context holds the exact tokens of the conversation up to and including the
	// policy's last reply. It is empty before the first reply. Only the messages
	// from Fresh on remain to be rendered: what was sampled is never encoded again.
	Context []Token
	Fresh   int // index into Messages of the first one that is not in Context
	Wrote   int // how many tokens at the end of Context are the policy's last reply

	N        int // samples wanted, 1 or more
	Sampling Sampling

	// Within is how long a server may take for the reply, without the time that the
	// request waits for room in it; 0: no limit. A policy without servers ignores it.
	Within time.Duration

	// Exam says that the reply is for an examination, and not for training. It matters to
	// what counts requests alone.
	Exam bool
}

// Sampling is how tokens are drawn.
type Sampling struct {
	Temperature float64 `json:"temperature" yaml:"temperature"` // 0 or more; 0: greedy
	TopP        float64 `json:"top_p" yaml:"top_p"`             // 0 to 1; 0 or 1: off
	TopK        int     `json:"top_k" yaml:"top_k"`             // 0 or more; 0: off
	MaxTokens   int     `json:"max_tokens" yaml:"max_tokens"`   // most tokens to sample, in the policy's own vocabulary; 0: as many as its context holds

	// MaxTotal is the most tokens of the conversation with the reply; 0: no limit. A policy
	// that does not know the tokens of what it reads before it samples ignores it.
	MaxTotal int `json:"max_total,omitempty" yaml:"max_total,omitempty"`
}

// A Finish says why a sample ended.
type Finish string

// The reasons why samples end.
const (
	Stop    Finish = "stop"    // the policy ended its reply
	Length  Finish = "length"  // MaxTokens, or the policy's context, was used up
	Aborted Finish = "aborted" // the request's context ended
)

// A Sample is one continuation, with what training on it needs.
type Sample struct {
	Text      string     // what was sampled, without special tokens and without Reasoning
	Reasoning string     // what was thought before the answer, if the server separates the two
	ToolCalls []ToolCall // the tool calls in what was sampled, if the server reads them
	Read      []Token    // tokens of the fresh messages as the policy read them, with the opening of its reply; samples of one request may share the slice
	Wrote     []Token    // tokens that were sampled; length W
	LogProbs  []float32  // natural logarithm of the probability of each of Wrote, as sampled; length W, or nil if unknown
	Versions  []int32    // version of the weights that sampled each of Wrote; length W, never falling; -1: unknown
	Finish    Finish
	Took      time.Duration // that a server took for it, without waiting for room; 0: unknown

	// Fork says that Read holds the whole conversation, not only the fresh messages:
	// the policy's server rewrote what came before, so the sample does not continue
	// the tokens of Request.Context.
	Fork bool

	// Realigned says that the chat template would have the end of the reply before
	// differently: it was cut, say, or white space was trimmed. The tokens stay as they are.
	Realigned bool

	// Vocabulary names the vocabulary of the tokens: a model's name, or UTF8.
	Vocabulary string
}

// UTF8 is the vocabulary whose tokens are the bytes of the text, 0 to 255, with one
// control character between messages. It is used if a server returns text without
// tokens.
const UTF8 = "utf-8"

// A Token is an index into a policy's vocabulary.
type Token int32
