// Package wire holds the messages of protocols of other systems that this program speaks on both
// sides: as a server, in the packages below serve, and as a client, in those below scenario/external.
package wire

import (
	"encoding/json"
	"fmt"
	"strings"
)

// The types of OpenEnv's messages.
const (
	OpenEnvReset       = "reset"
	OpenEnvStep        = "step"
	OpenEnvState       = "state"
	OpenEnvClose       = "close"
	OpenEnvMCP         = "mcp"
	OpenEnvObservation = "observation"
	OpenEnvError       = "error"
)

// An OpenEnvMessage is a message of either side. Data depends on the type; nil: there is none.
type OpenEnvMessage struct {
	Type string          `json:"type"`
	Data json.RawMessage `json:"data,omitempty"`
}

// The codes of OpenEnv's errors.
const (
	OpenEnvInvalidJSON = "INVALID_JSON"
	OpenEnvUnknownType = "UNKNOWN_TYPE"
	OpenEnvValidation  = "VALIDATION_ERROR"
	OpenEnvExecution   = "EXECUTION_ERROR"
	OpenEnvCapacity    = "CAPACITY_REACHED"
)

// An OpenEnvRefusal says why a message failed. It is the data of a message of type error.
type OpenEnvRefusal struct {
	Message  string           `json:"message"`
	Code     string           `json:"code"`
	Errors   []OpenEnvInvalid `json:"errors,omitempty"`
	Active   *int             `json:"active_sessions,omitempty"`
	Sessions int              `json:"max_sessions,omitempty"` // most at once, with code CAPACITY_REACHED; 0: not told
}

// Error is the message, with the fields that are invalid.
func (r *OpenEnvRefusal) Error() string {
	parts := []string{r.Message}
	for _, e := range r.Errors {
		var at []string
		for _, step := range e.At {
			at = append(at, fmt.Sprint(step))
		}
		parts = append(parts, strings.Join(at, ".")+": "+e.Why)
	}
	return strings.Join(parts, "; ")
}

// An OpenEnvInvalid is an invalid field of a message.
type OpenEnvInvalid struct {
	At  []any  `json:"loc"` // names and indices that lead to it
	Why string `json:"msg"`
}

// The types of actions that are for tools.
const (
	OpenEnvListTools = "list_tools"
	OpenEnvCallTool  = "call_tool"
)

// An OpenEnvAction is an action that is for tools: Name and Arguments are those of a call.
type OpenEnvAction struct {
	Type      string          `json:"type"`
	Name      string          `json:"tool_name,omitempty"`
	Arguments json.RawMessage `json:"arguments,omitempty"`
	Metadata  json.RawMessage `json:"metadata,omitempty"`
}

// An OpenEnvTool is a tool in an observation.
type OpenEnvTool struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Input       json.RawMessage `json:"input_schema"` // JSON Schema of the arguments
}

// An OpenEnvToolError says why a tool was not called.
type OpenEnvToolError struct {
	Kind    string `json:"error_type"`
	Message string `json:"message"`
}
