package quintain

import "context"

// A Policy continues conversations. Its methods may be called from many
// goroutines at once.
type Policy interface {
	// Sample draws r.N continuations, each independent of the others. It returns
	// exactly r.N samples and no error, or an error. When ctx ends it returns
	// what was sampled until then, each sample with Finish Aborted, along with
	// the cause of ctx; there may be fewer than r.N, or none.
	//
	// An error is a fault of the machinery (a server that is down, a reply that
	// makes no sense): the episode then ends as [InfraFailed], or as [Cancelled]
	// where ctx is done, and has no reward.
	Sample(ctx context.Context, r Request) ([]Sample, error)
}

// A Request asks a policy for continuations of one conversation.
type Request struct {
	// Key names the episode, or the group while its episodes are one request. A
	// policy may route by it, and seed its sampling with it.
	Key string

	// Messages is the conversation so far. The last one is not the policy's.
	Messages []Message

	// Context holds the exact tokens of the conversation up to and including the
	// policy's last reply, and is empty before the first. Only the messages from
	// Fresh on remain to be rendered: what was sampled is never encoded again.
	Context []Token
	Fresh   int // index into Messages of the first one that is not in Context

	N        int // samples wanted, 1 or more
	Sampling Sampling
}

// Sampling are the settings of how tokens are drawn.
type Sampling struct {
	Temperature float64 `json:"temperature" yaml:"temperature"` // 0: greedy
	TopP        float64 `json:"top_p" yaml:"top_p"`             // up to 1; 0 or 1: off
	TopK        int     `json:"top_k" yaml:"top_k"`             // 0: off
	MaxTokens   int     `json:"max_tokens" yaml:"max_tokens"`   // sampled tokens at most, in the policy's own vocabulary; 0: as many as its context holds
}

// A Finish says why a sample ended.
type Finish string

// The reasons for which samples end.
const (
	Stop    Finish = "stop"    // the policy ended its reply
	Length  Finish = "length"  // MaxTokens, or the policy's context, was used up
	Aborted Finish = "aborted" // the request's context ended
)

// A Sample is one continuation, with what training on it needs.
type Sample struct {
	Text      string     // what was sampled, without special tokens
	Reasoning string     // of that, what was thought before the answer, where the server tells it apart: Text is without it then
	ToolCalls []ToolCall // of that, the calls of tools, where the server reads them
	Read      []Token    // tokens of the fresh messages as the policy read them, with the opening of its reply; samples of one request may share it
	Wrote     []Token    // tokens that were sampled; length W
	LogProbs  []float32  // natural log of the probability of each of Wrote, as sampled; length W, or nil where the policy does not tell
	Versions  []int32    // version of the weights that sampled each of Wrote; length W, never falling
	Finish    Finish

	// Fork says that Read has the whole conversation and not the fresh messages
	// alone, as the policy's server has rewritten what came before: the tokens of
	// Request.Context are not continued.
	Fork bool

	// Vocabulary names what the tokens count in: a model's name, or UTF8.
	Vocabulary string
}

// UTF8 is the vocabulary whose tokens are the bytes of the text, 0 to 255, with one
// control character between messages. It is used where a server tells its text but
// not its tokens.
const UTF8 = "utf-8"

// A Token is an index into a policy's vocabulary.
type Token int32
