// Package dialect translates between the interfaces by which agents call a model and the
// gateway's own requests and replies: OpenAI's chat completions, completions and Responses,
// and Anthropic's Messages. It has no state and does no input or output.
//
// Each [Dialect] reads the body of a request, writes a reply whole or as a stream of
// server-sent events, and has its own form of errors. What an agent asks for and the gateway
// cannot give is refused with the field's name; unknown fields that change nothing are passed
// over, because every SDK has some.
//
// The ids in a reply contain the id of its call ([Anchor]), so that a later request that sends
// them back names the call that it continues.
package dialect

import (
	"encoding/json"
	"time"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/traceparent"
)

// A Dialect is one interface between agents and models.
type Dialect interface {
	// Name is the dialect's name in settings and counters: "chat", "completions", "responses"
	// or "messages".
	Name() string

	// Decode reads the body of a request. The request keeps no part of it.
	Decode(body []byte, limits Limits) (*Request, *Error)

	// Encode writes a whole reply.
	Encode(q *Request, r *Reply) []byte

	// Stream writes a reply as events. Begin needs the call, the model and the time of head
	// only.
	Stream(q *Request, head Reply) Stream

	// ErrorBody writes an error, with the status by which the dialect's SDKs do the right
	// thing.
	ErrorBody(e *Error) (status int, body []byte)

	// Models lists the models, Model describes one.
	Models(models []Model) []byte
	Model(m Model) []byte
}

// A Stream writes one reply as server-sent events. Its methods return the bytes to send; the
// order is Begin, Live any number of times, Reply, End. KeepAlive may come between them, and
// Fail in the place of Live, Reply or End.
type Stream interface {
	Begin() []byte     // the first events
	KeepAlive() []byte // shows that the reply is under way

	// Live writes what the first choice begins with, as far as it is not written yet: nothing,
	// if all is. Each text goes on from that of the call before it, and content comes only
	// after all reasoning. Reply goes on from both.
	Live(reasoning, content string) []byte

	Reply(r *Reply) []byte // all other content, and tool calls
	End(r *Reply) []byte   // why the reply ended, its usage, and the terminal event
	Fail(e *Error) []byte  // the dialect's event of an error, with which the stream ends
}

// Chat returns OpenAI's chat completions, at /v1/chat/completions.
func Chat() Dialect { return chat{} }

// Completions returns OpenAI's completions of a text, at /v1/completions.
func Completions() Dialect { return completions{} }

// Responses returns OpenAI's Responses, at /v1/responses.
func Responses() Dialect { return responses{} }

// Messages returns Anthropic's Messages, at /v1/messages.
func Messages() Dialect { return messages{} }

// A Request is what an agent asks of the model, in whatever dialect.
type Request struct {
	Model string // as asked for

	// Messages is the conversation, with its system messages. Developers' messages are
	// system messages. A message's content has Parts only if one of them is no text. A
	// message without a role stands for a whole reply to which the client only refers, by its
	// anchor: what else is in it, is a part of that reply.
	Messages []quintain.Message

	// Instructed says that the first message holds the instructions for this reply alone: they
	// are no part of the conversation that a later request continues by Previous.
	Instructed bool

	// Anchors has for each message the id of ours that the client sent back with it, other
	// than those of its tool calls; empty: none.
	Anchors []string

	Prompt string // the text to continue, in completions; Messages is nil then

	Tools   json.RawMessage // as chat templates take them; nil: none
	Choice  string          // tool_choice: "" (not said), ToolsAuto, ToolsNone, ToolsRequired, or the name of a tool
	OneCall bool            // the client wants one tool call at most

	// Schema is the JSON schema that the reply's content is to keep to; nil: none. SchemaField
	// is the field that has it.
	Schema      json.RawMessage
	SchemaField string

	Vars      map[string]any // variables of the chat template; nil: none
	Stop      []string       // texts that end the reply
	N         int            // replies wanted, 1 or more
	MaxTokens int            // most tokens to sample; 0: not said
	Asked     Asked          // the sampling asked for

	Stream   bool
	Usage    bool // the stream is to end with the usage
	LogProbs bool // of the sampled tokens
	Thinking bool // the client wants to see the reasoning

	Previous string              // id of the reply before, whose conversation this one continues; empty: none
	Store    bool                // the client may refer to the reply later
	Span     traceparent.Context // the agent's own, which makes the call
	Branch   string              // the agent's own name of the branch; empty: none

	sent    map[string]json.RawMessage // fields as sent, for the reply to repeat
	offered map[string]bool            // the names of Tools
	free    map[string]bool            // of these, the ones that take a text
	spaced  map[string][2]string       // of these, the ones of a namespace: this, and their name in it
}

// The values of tool_choice that are no tool's name.
const (
	ToolsAuto     = "auto"
	ToolsNone     = "none"
	ToolsRequired = "required"
)

// Asked is the sampling that a client asked for; nil: not said.
type Asked struct {
	Temperature, TopP, MinP *float64
	TopK                    *int
	Seed                    *int64
}

// Over puts what was asked for in the place of s's own.
func (a Asked) Over(s *quintain.Sampling) {
	if a.Temperature != nil {
		s.Temperature = *a.Temperature
	}
	if a.TopP != nil {
		s.TopP = *a.TopP
	}
	if a.TopK != nil {
		s.TopK = *a.TopK
	}
}

// A Reply is what the client is shown of a call.
type Reply struct {
	Call    string    // id of the call: letters and digits of ASCII
	Model   string    // name of the model that replied
	Created time.Time // to the second
	Choices []Choice  // one or more; as many as Request.N
	Usage   Usage
}

// A Choice is one of the replies to a request.
type Choice struct {
	Content   string
	Reasoning string
	ToolCalls []quintain.ToolCall // with IDs of [CallID]
	Finish    quintain.Finish
	Stopped   string    // the stop text that ended it; empty: none
	LogProbs  []LogProb // of the tokens of the reply; nil: not asked for
}

// A LogProb is a sampled token with its log-probability.
type LogProb struct {
	Token string  // as text, with the replacement character for what is no UTF-8
	Bytes []byte  // the same as bytes; nil: it is a part of a character
	Value float64 // the natural logarithm
}

// Usage counts the tokens of a call.
type Usage struct {
	Prompt    int // all that was read
	Cached    int // of these, read from a cache
	Completed int // all that was sampled
	Reasoning int // of these, reasoning
}

// A Model describes a model in a list.
type Model struct {
	ID      string
	Created time.Time
	Context int // most tokens of a conversation; 0: unknown
}

// Limits bound what Decode reads.
type Limits struct {
	Choices   int // most replies of a request
	Messages  int // most messages
	Tools     int // most tools
	Elements  int // most messages, their parts and tool calls, tools and stop texts together
	ToolBytes int // bytes of a tool, and of the template's variables
	Stops     int // most stop texts
	Depth     int // JSON values within each other

	Guided   bool // the reply may have to keep to a schema
	TextOnly bool // the policy reads no images
}

// StandardLimits returns the limits of a session that sets none.
func StandardLimits() Limits {
	return Limits{Choices: 8, Messages: 10_000, Elements: 100_000, Tools: 512, ToolBytes: 64 << 10, Stops: 64, Depth: 64}
}
