// Package openenv implements OpenEnv's protocol: sessions over WebSockets, and a
// description of the environment over HTTP. Each session is an environment of its own,
// which plays any task and scenario; without a scenario, it is OpenEnv's environment
// reasoning_gym_env, in the same bytes.
package openenv

import (
	"net/http"

	"github.com/quintain-rl/quintain/internal/web"
	"github.com/quintain-rl/quintain/serve/names"
	"github.com/quintain-rl/quintain/serve/sessions"
)

// A server plays sessions. Many goroutines may use it at once.
type server struct {
	book     *names.Book
	limits   sessions.Limits
	sessions *sessions.Table[*socket]
}

// Routes returns the routes of the protocol, and the sessions: one without messages is idle. The
// routes are those of the sessions, and of the description of the environment. Its JSON-RPC over
// HTTP is in package mcp. Its resets, steps and states over HTTP, which keep no state from one to
// the next, are left out.
func Routes(book *names.Book, limits sessions.Limits) ([]web.Route, sessions.AnyTable) {
	s := &server{book: book, limits: limits, sessions: sessions.New[*socket](limits)}
	fixed := func(text string) func(*web.Call) error {
		return func(c *web.Call) error { return c.JSON(http.StatusOK, []byte(text)) }
	}
	return []web.Route{
		{Method: "GET", Path: "/ws", For: web.AnyKey, Serve: s.socket},
		{Method: "GET", Path: "/health", Serve: fixed(`{"status":"healthy"}`)},
		{Method: "GET", Path: "/metadata", For: web.AnyKey, Serve: fixed(metadata)},
		{Method: "GET", Path: "/schema", For: web.AnyKey, Serve: fixed(schemas)},
	}, s.sessions
}

// metadata describes the environment.
const metadata = `{"name":"quintain","description":"Reasoning problems of any task, made and graded on demand","readme_content":null,"version":"1.0.0","author":null,"documentation_url":null}`

// OpenAPI lists the routes as OpenEnv's validator expects them at /openapi.json, for a
// server without such a document of its own.
const OpenAPI = `{"openapi":"3.1.0","info":{"title":"quintain","version":"1.0.0"},"paths":{` +
	`"/health":{"get":{"responses":{"200":{"description":"It runs"}}}},` +
	`"/metadata":{"get":{"responses":{"200":{"description":"What the environment is"}}}},` +
	`"/schema":{"get":{"responses":{"200":{"description":"JSON schemas of actions, observations and states"}}}},` +
	`"/mcp":{"post":{"responses":{"200":{"description":"An answer of JSON-RPC 2.0"},"202":{"description":"A message that wants none"}}}}}}`

// schemas are the JSON schemas of actions, observations and states.
const schemas = `{"action":{"type":"object","title":"ReasoningGymAction","additionalProperties":false,"required":["answer"],"properties":{` +
	`"metadata":{"type":"object","additionalProperties":true},"answer":{"type":"string","description":"The answer to the current question"}}},` +
	`"observation":{"type":"object","title":"ReasoningGymObservation","additionalProperties":false,"properties":{` +
	`"done":{"type":"boolean","default":false},"reward":{"anyOf":[{"type":"number"},{"type":"null"}],"default":null},` +
	`"metadata":{"type":"object","additionalProperties":true},` +
	`"question":{"anyOf":[{"type":"string"},{"type":"null"}],"default":null},"score":{"anyOf":[{"type":"number"},{"type":"null"}],"default":null},` +
	`"correct_answer":{"anyOf":[{"type":"string"},{"type":"null"}],"default":null},` +
	`"dataset_metadata":{"anyOf":[{"type":"object","additionalProperties":true},{"type":"null"}],"default":null}}},` +
	`"state":{"type":"object","title":"State","additionalProperties":true,"properties":{` +
	`"episode_id":{"anyOf":[{"type":"string"},{"type":"null"}],"default":null},"step_count":{"type":"integer","minimum":0,"default":0}}}}`

// maxMessage limits the bytes of a message.
const maxMessage = 1 << 20
