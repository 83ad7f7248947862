// Package toolcall reads the text of a model, with its special tokens, as reasoning,
// content and tool calls. Models write calls in different forms; a [Format] reads one of
// them. What a model writes is data: text in no form is content, and a broken call is
// passed on as it was written, with the reply marked as malformed.
//
// The cost grows linearly with the text, whatever it says.
package toolcall

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/nearest"
)

const (
	maxCalls = 128 // in one reply; the text of more stays content
	maxDepth = 64  // of nested values in arguments
)

// A Format reads replies in one form of tool calls. Any number of goroutines may use it
// at the same time.
type Format struct {
	name  string
	think [2]string       // open and close a model's thinking; empty: read finds it
	signs []string        // any of them in a chat template shows that its model writes this form
	marks []string        // of them, each begins a call
	bare  string          // the beginning of a reply that may be a call without a mark; empty: none is
	read  func(r *reader) // reads the text after the thinking
}

// formats lists every format.
var formats = []Format{hermes, qwen3Coder, llama3JSON, mistral, deepseek, glm, kimi, gptOSS, pythonic, plain, none}

var thinkTags = [2]string{"<think>", "</think>"}

// none reads thinking and nothing else.
var none = Format{name: "none", think: thinkTags, read: func(*reader) {}}

// Formats returns the names of all formats.
func Formats() []string {
	names := make([]string, len(formats))
	for i, f := range formats {
		names[i] = f.name
	}
	return names
}

// Named returns a format. The error of an unknown name suggests the nearest one.
func Named(name string) (*Format, error) {
	i := slices.IndexFunc(formats, func(f Format) bool { return f.name == name })
	if i < 0 {
		return nil, fmt.Errorf("unknown tool format %q%s", name, nearest.Suggest(name, Formats()))
	}
	f := formats[i]
	return &f, nil
}

// Detect returns the format that a chat template writes calls in, judged by its text, and
// the format none if it knows no tools. llama.cpp decides in the same way.
func Detect(template string) *Format {
	found := none
	for _, f := range []Format{gptOSS, kimi, deepseek, mistral, glm, qwen3Coder, hermes, pythonic, llama3JSON} { // signs that several share come last
		if slices.ContainsFunc(f.signs, func(sign string) bool { return strings.Contains(template, sign) }) {
			found = f
			break
		}
	}
	return &found
}

// For returns the format of replies to a request with these tools. Without any, calls stay
// content: the agent describes tools in its messages, and reads calls from the text. Only
// where thinking and content are themselves parts of the form is the rest still read.
func (f *Format) For(tools json.RawMessage) *Format {
	switch {
	case tools != nil:
		return f
	case f.think[0] == "":
		return &Format{name: f.name, marks: f.marks, read: func(r *reader) { r.harmony(false) }}
	}
	return &Format{name: f.name, think: f.think, read: none.read}
}

// String returns the name.
func (f *Format) String() string { return f.name }

// A Context says what the prompt decides about a reply.
type Context struct {
	Tools    json.RawMessage // the tools as chat templates take them: a JSON array; empty: none
	Thinking bool            // the prompt ended inside an open thinking tag
	Cut      bool            // a limit cut the reply: a broken call at its end stays text
}

// A Reply is a text, taken apart. Newlines that part content from thinking or calls
// belong to none of them.
type Reply struct {
	Reasoning string
	Thought   string              // Reasoning as it was written, with its tags; empty: the form has no tags
	Content   string              // what is neither thinking nor a call; several pieces are joined by newlines
	Calls     []quintain.ToolCall // IDs are empty unless the model wrote one
	Malformed bool                // a call is broken: its Arguments are not a JSON object, or its text is in Content
	Why       string              // the first fault; empty unless Malformed
}

// Parse takes a reply apart. text is without the token that closed it.
func (f *Format) Parse(text string, in Context) Reply {
	return f.parse(text, in).out
}

func (f *Format) parse(text string, in Context) *reader {
	r := &reader{cursor: cursor{text: text}, in: in, marks: f.marks}
	if f.think[0] != "" {
		r.thinking(f.think[0], f.think[1], in.Thinking)
	}
	r.from, r.out.Thought = r.at, text[:r.at]
	f.read(r)
	r.content(len(text))
	r.out.Content = strings.Join(r.pieces, "\n")
	return r
}

// Said returns what the reply says beside its calls, as a chat template takes it: with the thinking
// before the text, as it was written, or apart, if the form has no tags for it.
func (r Reply) Said() (text, reasoning string) {
	if strings.TrimSpace(r.Thought) == "" {
		return r.Content, r.Reasoning
	}
	if r.Content == "" {
		return r.Thought, ""
	}
	return strings.TrimRight(r.Thought, newlines) + "\n\n" + r.Content, ""
}
