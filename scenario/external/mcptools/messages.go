package mcptools

import (
	"encoding/json"
	"slices"
	"strings"
)

// Versions are those of the protocol, oldest first. Later ones have no handshake; who speaks them falls
// back to it.
func Versions() []string { return []string{"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"} }

// The methods of the protocol.
const (
	Initialize = "initialize"
	Ping       = "ping"
	ListTools  = "tools/list"
	CallTool   = "tools/call"
)

// The error codes of JSON-RPC 2.0.
const (
	ParseError     = -32700
	InvalidRequest = -32600
	UnknownMethod  = -32601
	InvalidParams  = -32602
)

// A Request asks for something. One without an ID is a notification, which has no answer.
type Request struct {
	Version string          `json:"jsonrpc"` // 2.0
	ID      json.RawMessage `json:"id,omitempty"`
	Method  string          `json:"method"`
	Params  json.RawMessage `json:"params,omitempty"`
}

// A Response is the answer to a request: a result or an error.
type Response struct {
	Version string          `json:"jsonrpc"` // 2.0
	ID      json.RawMessage `json:"id"`
	Result  any             `json:"result,omitempty"`
	Error   *Fault          `json:"error,omitempty"`
}

// A Fault says why a request failed.
type Fault struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

// Error returns the message.
func (f *Fault) Error() string { return f.Message }

// A Hello is the result of [Initialize].
type Hello struct {
	Version      string       `json:"protocolVersion"`
	Capabilities Capabilities `json:"capabilities"`
	Server       About        `json:"serverInfo"`
	Instructions string       `json:"instructions"`
}

// Capabilities are what a server can do.
type Capabilities struct {
	Tools *Changes `json:"tools,omitempty"` // nil: it has none
}

// Changes says whether a list may become another.
type Changes struct {
	Told bool `json:"listChanged,omitempty"` // the server tells when it does
}

// About names a program.
type About struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

// A Page is the result of [ListTools].
type Page struct {
	Tools []Tool `json:"tools"`
	Next  string `json:"nextCursor,omitempty"` // of the next page; empty: there is none
}

// A Tool is what a model may call.
type Tool struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Input       json.RawMessage `json:"inputSchema"` // JSON Schema of the arguments, an object
}

// A Call is the parameters of [CallTool].
type Call struct {
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments,omitempty"`
}

// A Result is the result of [CallTool].
type Result struct {
	Content []Content `json:"content"`
	Data    any       `json:"structuredContent,omitempty"` // nil: none
	IsError bool      `json:"isError"`
}

// A Content is a part of a result.
type Content struct {
	Type     string    `json:"type"` // "text", "image", "audio", "resource" or "resource_link"
	Text     string    `json:"text"`
	Resource *Resource `json:"resource,omitempty"`
}

// A Resource is a file in a result.
type Resource struct {
	Text string `json:"text,omitempty"` // empty: it is no text
}

// text returns what a model reads of a result: its texts, or its data if there are none.
func (r *Result) text(data json.RawMessage) string {
	var parts []string
	texts := false
	for _, c := range r.Content {
		switch {
		case c.Type == "text":
			parts, texts = append(parts, c.Text), true
		case c.Resource != nil && c.Resource.Text != "":
			parts, texts = append(parts, c.Resource.Text), true
		default:
			parts = append(parts, "["+c.Type+"]")
		}
	}
	if !texts && len(data) > 0 && string(data) != "null" {
		parts = slices.Insert(parts, 0, string(data))
	}
	return strings.Join(parts, "\n")
}
