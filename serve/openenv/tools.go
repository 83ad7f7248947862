package openenv

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/wire"
	"github.com/quintain-rl/quintain/scenario/external/mcptools"
	"github.com/quintain-rl/quintain/serve/mcp"
)

// tools returns the tools of OpenEnv's later environment and of the episode, for one session.
func (s *session) tools() *mcp.Server {
	none := json.RawMessage(`{"type":"object","properties":{}}`)
	all := &mcp.Server{
		Instructions: "Read the question with get_question, and answer it with submit_answer, once.",
		Tools: []mcp.Tool{
			{Name: "get_question", Description: "The question that is open, and its task.", Input: none, Call: s.question},
			{
				Name: "submit_answer", Description: "Judges the answer to the question, once.", Call: s.answer,
				Input: json.RawMessage(`{"type":"object","properties":{"answer":{"type":"string"}},"required":["answer"]}`),
			},
			{Name: "get_task_info", Description: "What is asked, and with which settings.", Input: none, Call: s.info},
		},
	}
	for _, t := range s.offered {
		all.Tools = append(all.Tools, mcp.Tool{Name: t.Name, Description: t.Doc, Input: t.Params, Call: func(ctx context.Context, arguments json.RawMessage) (any, error) {
			if s.done {
				return nil, errOver
			}
			return s.reply(ctx, quintain.Reply{ToolCalls: []quintain.ToolCall{{ID: "call", Name: t.Name, Arguments: string(arguments)}}, Finish: quintain.Stop})
		}})
	}
	return all
}

// rpc carries out a message of the Model Context Protocol.
func (s *session) rpc(ctx context.Context, data json.RawMessage) (reply, error) {
	if !given(data) {
		return reply{}, refuse("Field required", "data")
	}
	answer := s.tools().Answer(ctx, data)
	if answer == nil {
		answer = []byte("null") // the sender of a message waits for a reply
	}
	return reply{wire.OpenEnvMCP, json.RawMessage(answer)}, nil
}

// A called is the result of a tool call, as an observation.
type called struct {
	Tool   string                 `json:"tool_name"`
	Result *result                `json:"result"`
	Error  *wire.OpenEnvToolError `json:"error"`
}

// A result has the form of the library with which OpenEnv calls tools.
type result struct {
	Content    []mcptools.Content `json:"content"`
	Structured any                `json:"structured_content"`
	Meta       any                `json:"meta"`
	Data       any                `json:"data"`
	IsError    bool               `json:"is_error"`
}

// tool plays a tool action.
func (s *session) tool(ctx context.Context, kind string, data json.RawMessage) (reply, error) {
	var action wire.OpenEnvAction
	if err := strict(data, &action); err != nil {
		return reply{}, err
	}
	tools := s.tools()
	if kind == wire.OpenEnvListTools {
		var list []wire.OpenEnvTool
		for _, t := range tools.Tools {
			list = append(list, wire.OpenEnvTool{Name: t.Name, Description: t.Description, Input: t.Input})
		}
		return s.observe(map[string]any{"tools": list}), nil
	}
	r, known := tools.Call(ctx, action.Name, action.Arguments)
	seen := called{Tool: action.Name}
	switch {
	case !known:
		seen.Error = &wire.OpenEnvToolError{Kind: "tool_not_found", Message: fmt.Sprintf("there is no tool %q", action.Name)}
	case r.IsError:
		seen.Error = &wire.OpenEnvToolError{Kind: "execution_error", Message: r.Content[0].Text}
	default:
		seen.Result = &result{Content: r.Content, Structured: r.Data, Data: r.Data}
	}
	return s.observe(seen), nil
}

// question is the tool get_question.
func (s *session) question(context.Context, json.RawMessage) (any, error) {
	if s.draw == nil {
		return nil, errOver
	}
	return map[string]any{"question": s.problem.Prompt, "task": s.problem.Task}, nil
}

// answer is the tool submit_answer.
func (s *session) answer(ctx context.Context, arguments json.RawMessage) (any, error) {
	var asked struct {
		Answer *string `json:"answer"`
	}
	if err := mcp.Read(arguments, &asked); err != nil {
		return nil, err
	}
	if asked.Answer == nil {
		return nil, errors.New("answer: is missing")
	}
	observation, err := s.submit(ctx, *asked.Answer)
	if err != nil {
		return nil, err
	}
	if judged, ok := observation.(single); ok {
		return map[string]any{"score": judged.Score, "correct_answer": judged.Correct}, nil
	}
	return observation, nil
}

// info is the tool get_task_info.
func (s *session) info(context.Context, json.RawMessage) (any, error) {
	task := usualTask
	if s.asked.Task != nil {
		task = *s.asked.Task
	}
	config := s.asked.Config
	if config == nil {
		config = json.RawMessage("{}")
	}
	return map[string]any{
		"task_name": task, "task_config": config, "dataset_size": s.asked.Size, "is_composite": s.asked.Specs != nil,
	}, nil
}
