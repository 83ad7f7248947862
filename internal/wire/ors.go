package wire

import "encoding/json"

// An ORSSplit is a part of an environment's tasks in the Open Reward Standard. Its type is train,
// validation or test.
type ORSSplit struct {
	Name string `json:"name"`
	Type string `json:"type"`
}

// ORSTools lists the tools of an environment.
type ORSTools struct {
	Tools    []ORSTool    `json:"tools"`
	Terminal *ORSTerminal `json:"terminal_tool"`        // takes a message without a call; nil: there is none
	Groups   bool         `json:"supports_score_group"` // it scores replies to one task together
	Blocks   []string     `json:"message_block_types"`
}

// An ORSTool is a function for models.
type ORSTool struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Input       json.RawMessage `json:"input_schema"` // JSON Schema; nil or null: there are no arguments
}

// An ORSTerminal is the tool that ends an episode. Models do not see it.
type ORSTerminal struct {
	Name string `json:"name"`
	Arg  string `json:"arg"` // that takes the text of the message; empty: none does
}

// An ORSMessage is a message of the conversation that opens an episode.
type ORSMessage struct {
	Blocks []ORSBlock `json:"blocks"`
	Detail any        `json:"detail"`
	Role   string     `json:"role"`
}

// The types of blocks.
const (
	ORSText  = "text"
	ORSImage = "image"
)

// An ORSBlock is a part of a message.
type ORSBlock struct {
	Text   string `json:"text"`
	Detail any    `json:"detail"`
	Type   string `json:"type"`
	Data   string `json:"data,omitempty"`     // of an image, in base64
	MIME   string `json:"mimeType,omitempty"` // of an image
}

// An ORSCalling calls a tool.
type ORSCalling struct {
	Name  string          `json:"name"`
	Input json.RawMessage `json:"input"`
	Task  string          `json:"task_id,omitempty"` // of a call whose reply was lost; empty: a new call
}

// An ORSOutput is the result of a tool.
type ORSOutput struct {
	Blocks   []ORSBlock     `json:"blocks"`
	Metadata map[string]any `json:"metadata"`
	Reward   *float64       `json:"reward"` // nil: the call earns nothing
	Finished bool           `json:"finished"`
}

// An ORSRefusal is the reply to a call without output.
type ORSRefusal struct {
	OK     bool   `json:"ok"`
	Error  string `json:"error"`
	Reason string `json:"reason"`
}

// The reasons of refusals.
const (
	ORSNotFound = "not_found"
	ORSInvalid  = "input_validation"
	ORSOver     = "episode_finished"
)
