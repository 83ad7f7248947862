package quintain

import (
	"encoding/json"
	"fmt"

	"github.com/quintain-rl/quintain/internal/strictjson"
)

// A Tool is something that the model may call in an episode.
type Tool struct {
	Name   string          // as the model calls it
	Doc    string          // for the model
	Params json.RawMessage // JSON Schema of the arguments, which are an object; nil: there are none
}

// Tooled is an [Env] that offers tools. It gets the calls of a reply in [Reply], and answers each by
// a message of the role tool with the ID of the call, and all that cannot be read by another message.
type Tooled interface {
	Env

	// Tools returns the tools, the same after each Open of a problem; none: there are none. It is
	// called once, after Open. A [Step] may change them.
	Tools() []Tool
}

// toolJSON is the form of a tool in chat templates and in OpenAI's chat completions.
type toolJSON struct {
	Type     string       `json:"type"`
	Function describeJSON `json:"function"`
}

type describeJSON struct {
	Name       string          `json:"name"`
	Doc        string          `json:"description"`
	Parameters json.RawMessage `json:"parameters"`
}

// noParams is the schema of a tool without arguments.
const noParams = `{"type":"object","properties":{}}`

// ToolsJSON returns tools as [Request.Tools] takes them; nil: there are none. The error names the
// tool whose Params are no JSON object.
func ToolsJSON(tools []Tool) (json.RawMessage, error) {
	if len(tools) == 0 {
		return nil, nil
	}
	list := make([]toolJSON, len(tools))
	for i, t := range tools {
		list[i] = toolJSON{functionType, describeJSON{t.Name, t.Doc, t.Params}}
		if t.Params == nil {
			list[i].Function.Parameters = json.RawMessage(noParams)
			continue
		}
		var object map[string]json.RawMessage
		if err := strictjson.Unmarshal(t.Params, &object); err != nil || object == nil {
			return nil, fmt.Errorf("tool %q: its parameters are no JSON object", t.Name)
		}
	}
	return strictjson.Legible(list)
}

// A Planner is a [Solver] that solves its problems with tools.
type Planner interface {
	Solver

	// Plan returns the calls that lead to the solution, in their order, without IDs. After them, Solve gives the
	// answer.
	Plan(p Problem) ([]ToolCall, error)
}
