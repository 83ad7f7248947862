package routes

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"

	"github.com/quintain-rl/quintain/gateway"
	"github.com/quintain-rl/quintain/internal/web"
	"github.com/quintain-rl/quintain/serve/mcp"
)

// path is that of the Model Context Protocol, alone and below the address of a session. By it,
// agents draw the problem of their session, and submit the answer to it.
const path = "/mcp"

// mcpRoutes are those of the protocol: below the address of a session, and where its key names it.
func mcpRoutes(d gateway.Door) (all []web.Route) {
	for _, base := range []string{"/sessions/{session}", ""} {
		all = append(all, web.Route{Method: "POST", Path: base + path, Serve: func(c *web.Call) error { return serve(d, c) }})
	}
	return all
}

// mostBody bounds a message, in bytes.
const mostBody = 4 << 20

// serve answers a message of the agent of a session.
func serve(d gateway.Door, c *web.Call) error {
	of, err := d.Agent(c)
	if err != nil {
		return err
	}
	c.MaxBody, c.Waits = mostBody, true
	s := server(d, of)
	answer, err := web.ReadBody(c, func(body []byte) ([]byte, error) { return s.Answer(c.Context(), body), nil })
	if err != nil {
		return err
	}
	if answer == nil {
		c.W.WriteHeader(http.StatusAccepted)
		return nil
	}
	return c.JSON(http.StatusOK, answer)
}

// server has the tools of a session.
func server(d gateway.Door, of gateway.Look) *mcp.Server {
	return &mcp.Server{
		Instructions: "draw_problem gives your problem. Solve it, and submit the answer with submit_answer, once.",
		Tools: []mcp.Tool{
			{
				Name: "draw_problem", Description: "Your problem: the same at each call.",
				Input: json.RawMessage(`{"type":"object","properties":{},"required":[],"additionalProperties":false}`),
				Call: func(_ context.Context, arguments json.RawMessage) (any, error) {
					drawn := problem{of.Problem, of.Prompt, of.Metadata}
					return drawn, mcp.Read(arguments, &struct{}{})
				},
			},
			{
				Name: "submit_answer", Description: "Grade your answer: 1 is right. The first one counts, and there is no second.",
				Input: json.RawMessage(`{"type":"object","properties":{"answer":{"type":"string","description":"the final answer alone"}},"required":["answer"],"additionalProperties":false}`),
				Call: func(ctx context.Context, arguments json.RawMessage) (any, error) {
					return submit(ctx, d, of.ID, arguments)
				},
			},
		},
	}
}

// A problem is what an agent gets of it.
type problem struct {
	Problem  string          `json:"problem"` // its ID
	Question string          `json:"question"`
	Metadata json.RawMessage `json:"metadata,omitempty"`
}

// A grade gives no reason: it could tell the solution.
type grade struct {
	Score     float64 `json:"score"`
	Malformed bool    `json:"malformed"`
}

func submit(ctx context.Context, d gateway.Door, session string, arguments json.RawMessage) (any, error) {
	var in struct {
		Answer *string `json:"answer"`
	}
	if err := mcp.Read(arguments, &in); err != nil {
		return nil, err
	}
	if in.Answer == nil || *in.Answer == "" {
		return nil, errors.New("answer: is missing")
	}
	r, err := d.Submit(ctx, session, *in.Answer)
	return grade{r.Reward, r.Malformed}, err
}
