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
	"github.com/quintain-rl/quintain/scenario/external/mcptools"
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

// Answer carries out a message and returns the answer; nil: none is wanted.
func (s *Server) Answer(ctx context.Context, message []byte) []byte {
	var r mcptools.Request
	if err := strictjson.Unmarshal(message, &r); err != nil {
		if !json.Valid(message) {
			return write(mcptools.Response{Error: &mcptools.Fault{Code: mcptools.ParseError, Message: "the message is not JSON: " + err.Error()}})
		}
		return write(mcptools.Response{Error: &mcptools.Fault{Code: mcptools.InvalidRequest, Message: "the message is not a request: " + err.Error()}})
	}
	switch id := bytes.TrimSpace(r.ID); {
	case r.Version != "2.0" || r.Method == "":
		return write(mcptools.Response{Error: &mcptools.Fault{Code: mcptools.InvalidRequest, Message: `want {"jsonrpc":"2.0","id":…,"method":…}`}})
	case id == nil:
		return nil
	case id[0] != '"' && id[0] != '-' && (id[0] < '0' || id[0] > '9'):
		return write(mcptools.Response{Error: &mcptools.Fault{Code: mcptools.InvalidRequest, Message: "id: want a string or a number"}})
	}
	result, wrong := s.carryOut(ctx, r)
	return write(mcptools.Response{ID: r.ID, Result: result, Error: wrong})
}

// write writes a response.
func write(r mcptools.Response) []byte {
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
func (s *Server) carryOut(ctx context.Context, r mcptools.Request) (result any, wrong *mcptools.Fault) {
	switch r.Method {
	case mcptools.Initialize:
		return s.initialize(r.Params)
	case mcptools.Ping:
		return struct{}{}, nil
	case mcptools.ListTools:
		return mcptools.Page{Tools: s.list()}, nil
	case mcptools.CallTool:
		var call mcptools.Call
		if err := strictjson.Unmarshal(r.Params, &call); err != nil {
			return nil, &mcptools.Fault{Code: mcptools.InvalidParams, Message: "params: " + err.Error()}
		}
		result, known := s.Call(ctx, call.Name, call.Arguments)
		if !known {
			return nil, &mcptools.Fault{Code: mcptools.InvalidParams, Message: fmt.Sprintf("name: there is no tool %q", call.Name)}
		}
		return result, nil
	}
	return nil, &mcptools.Fault{Code: mcptools.UnknownMethod, Message: "there is no method " + r.Method}
}

// initialize agrees on a version of the protocol.
func (s *Server) initialize(params json.RawMessage) (any, *mcptools.Fault) {
	var asked struct {
		Version string `json:"protocolVersion"`
	}
	if err := strictjson.Unmarshal(params, &asked); err != nil {
		return nil, &mcptools.Fault{Code: mcptools.InvalidParams, Message: "params: " + err.Error()}
	}
	versions := mcptools.Versions()
	if !slices.Contains(versions, asked.Version) {
		asked.Version = versions[len(versions)-1]
	}
	return mcptools.Hello{
		Version: asked.Version, Capabilities: mcptools.Capabilities{Tools: &mcptools.Changes{}},
		Server: mcptools.About{Name: "quintain", Version: "1"}, Instructions: s.Instructions,
	}, nil
}

// list describes the tools.
func (s *Server) list() []mcptools.Tool {
	list := make([]mcptools.Tool, len(s.Tools))
	for i, t := range s.Tools {
		list[i] = mcptools.Tool{Name: t.Name, Description: t.Description, Input: t.Input}
	}
	return list
}

// Call calls the named tool, and reports whether there is one. The text of the result is
// the JSON of the tool's result, or its error.
func (s *Server) Call(ctx context.Context, name string, arguments json.RawMessage) (r mcptools.Result, known bool) {
	at := slices.IndexFunc(s.Tools, func(t Tool) bool { return t.Name == name })
	if at < 0 {
		return r, false
	}
	if len(arguments) == 0 || string(arguments) == "null" {
		arguments = json.RawMessage("{}")
	}
	data, err := s.Tools[at].Call(ctx, arguments)
	if err != nil {
		return mcptools.Result{Content: said(err.Error()), IsError: true}, true
	}
	return mcptools.Result{Content: said(string(legible(data))), Data: data}, true
}

// said returns a text as content.
func said(text string) []mcptools.Content { return []mcptools.Content{{Type: "text", Text: text}} }

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
