// Package mcp implements the part of the Model Context Protocol that tools need: JSON-RPC
// 2.0, and its transport over HTTP. It keeps no sessions, so a client may go on with
// another server.
//
// A [Server] is a list of tools. [New] makes the one that lets a model draw problems and
// submit answers.
package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"

	"github.com/quintain-rl/quintain/internal/strictjson"
	"github.com/quintain-rl/quintain/internal/web"
)

// A Tool is a function for models. Many goroutines may call it at once.
type Tool struct {
	Name        string
	Description string
	Input       json.RawMessage // JSON schema of the arguments, an object

	// Call runs the tool. The result is written as a JSON object. An error is about the
	// arguments, and goes to the model.
	Call func(ctx context.Context, arguments json.RawMessage) (any, error)
}

// A Server answers the messages of clients. Many goroutines may use it at once.
type Server struct {
	Instructions string // advice to the model on the tools together
	Tools        []Tool
}

// versions of the protocol, oldest first. Later ones have no handshake; their clients fall
// back to it.
var versions = []string{"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"}

// The error codes of JSON-RPC 2.0.
const (
	parseError     = -32700
	invalidRequest = -32600
	unknownMethod  = -32601
	invalidParams  = -32602
)

// A request is a message of a client. One without an ID is a notification.
type request struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Method  string          `json:"method"`
	Params  json.RawMessage `json:"params"`
}

// A response is the answer to a request: a result or an error.
type response struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Result  any             `json:"result,omitempty"`
	Error   *fault          `json:"error,omitempty"`
}

// A fault says why a request failed.
type fault struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

// Answer carries out a message and returns the answer; nil: none is wanted.
func (s *Server) Answer(ctx context.Context, message []byte) []byte {
	var r request
	if err := strictjson.Unmarshal(message, &r); err != nil {
		if !json.Valid(message) {
			return write(response{Error: &fault{parseError, "the message is not JSON: " + err.Error()}})
		}
		return write(response{Error: &fault{invalidRequest, "the message is not a request: " + err.Error()}})
	}
	switch id := bytes.TrimSpace(r.ID); {
	case r.Version != "2.0" || r.Method == "":
		return write(response{Error: &fault{invalidRequest, `want {"jsonrpc":"2.0","id":…,"method":…}`}})
	case id == nil:
		return nil
	case id[0] != '"' && id[0] != '-' && (id[0] < '0' || id[0] > '9'):
		return write(response{Error: &fault{invalidRequest, "id: want a string or a number"}})
	}
	result, wrong := s.carryOut(ctx, r)
	return write(response{ID: r.ID, Result: result, Error: wrong})
}

// write writes a response.
func write(r response) []byte {
	r.Version = "2.0"
	if r.ID == nil {
		r.ID = json.RawMessage("null")
	}
	return legible(r)
}

// legible writes v as JSON for models, without HTML escapes.
func legible(v any) []byte {
	text, err := strictjson.Legible(v)
	if err != nil {
		panic("mcp: " + err.Error()) // only plain values are written
	}
	return text
}

// carryOut carries out a request.
func (s *Server) carryOut(ctx context.Context, r request) (result any, wrong *fault) {
	switch r.Method {
	case "initialize":
		return s.initialize(r.Params)
	case "ping":
		return struct{}{}, nil
	case "tools/list":
		return map[string]any{"tools": s.list()}, nil
	case "tools/call":
		var call struct {
			Name      string          `json:"name"`
			Arguments json.RawMessage `json:"arguments"`
		}
		if err := strictjson.Unmarshal(r.Params, &call); err != nil {
			return nil, &fault{invalidParams, "params: " + err.Error()}
		}
		result, known := s.Call(ctx, call.Name, call.Arguments)
		if !known {
			return nil, &fault{invalidParams, fmt.Sprintf("name: there is no tool %q", call.Name)}
		}
		return result, nil
	}
	return nil, &fault{unknownMethod, "there is no method " + r.Method}
}

// initialize agrees on a version of the protocol.
func (s *Server) initialize(params json.RawMessage) (any, *fault) {
	var asked struct {
		Version string `json:"protocolVersion"`
	}
	if err := strictjson.Unmarshal(params, &asked); err != nil {
		return nil, &fault{invalidParams, "params: " + err.Error()}
	}
	if !slices.Contains(versions, asked.Version) {
		asked.Version = versions[len(versions)-1]
	}
	return map[string]any{
		"protocolVersion": asked.Version,
		"capabilities":    map[string]any{"tools": struct{}{}},
		"serverInfo":      map[string]string{"name": "quintain", "version": "1"},
		"instructions":    s.Instructions,
	}, nil
}

// list describes the tools.
func (s *Server) list() []map[string]any {
	list := make([]map[string]any, len(s.Tools))
	for i, t := range s.Tools {
		list[i] = map[string]any{"name": t.Name, "description": t.Description, "inputSchema": t.Input}
	}
	return list
}

// A Result is the result of a tool call.
type Result struct {
	Content []Text `json:"content"`
	Data    any    `json:"structuredContent,omitempty"` // the tool's result; nil: it failed
	IsError bool   `json:"isError"`
}

// A Text is content of a result.
type Text struct {
	Type string `json:"type"` // "text"
	Text string `json:"text"`
}

// Call calls the named tool, and reports whether there is one. The text of the result is
// the JSON of the tool's result, or its error.
func (s *Server) Call(ctx context.Context, name string, arguments json.RawMessage) (r Result, known bool) {
	at := slices.IndexFunc(s.Tools, func(t Tool) bool { return t.Name == name })
	if at < 0 {
		return r, false
	}
	if len(arguments) == 0 || string(arguments) == "null" {
		arguments = json.RawMessage("{}")
	}
	data, err := s.Tools[at].Call(ctx, arguments)
	if err != nil {
		return Result{Content: []Text{{"text", err.Error()}}, IsError: true}, true
	}
	return Result{Content: []Text{{"text", string(legible(data))}}, Data: data}, true
}

// maxBody limits the bytes of a message.
const maxBody = 4 << 20

// Routes returns the route of the protocol: a message is the body of a request, its answer
// the body of the reply.
func (s *Server) Routes() []web.Route {
	return []web.Route{{Method: "POST", Path: "/mcp", For: web.AnyKey, Serve: s.serve}}
}

// serve answers a message.
func (s *Server) serve(c *web.Call) error {
	c.MaxBody = maxBody
	answer, err := web.ReadBody(c, func(body []byte) (answer []byte, err error) {
		err = c.Compute(func() error {
			answer = s.Answer(c.Context(), body)
			return nil
		})
		return answer, err
	})
	if err != nil {
		return err
	}
	if answer == nil {
		c.W.WriteHeader(http.StatusAccepted)
		return nil
	}
	return c.JSON(http.StatusOK, answer)
}
