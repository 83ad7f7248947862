package nemogym

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"maps"
	"slices"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/jsonl"
	"github.com/quintain-rl/quintain/internal/strictjson"
	"github.com/quintain-rl/quintain/scenario/external"
)

// mostRow limits the bytes of a row, and mostDepth the depth of its values.
const (
	mostRow   = 16 << 20
	mostDepth = 100
)

// A row is a line of a data set, an object.
type row struct {
	text []byte
}

// A file has the rows of a split.
type file struct{ split, path string }

// args reads the arguments.
func (g *client) args(args map[string]any) (files []file, err error) {
	for _, name := range slices.Sorted(maps.Keys(args)) {
		text, _ := args[name].(string)
		switch {
		case name == "data" && text != "":
			files = []file{{"train", text}}
		case name == "data":
			files, err = filesOf(args[name])
		case name == "kind" && (text == Verify || text == Gymnasium):
			g.kind = text
		default:
			err = fmt.Errorf(`%s: is unknown or of the wrong type; there are "data", a file or files by split, and "kind", %q or %q`, name, Verify, Gymnasium)
		}
		if err != nil {
			return nil, err
		}
	}
	if len(files) == 0 {
		return nil, errors.New(`data: is missing: name the file of rows, --with environment.args='{"data": "rows.jsonl"}'`)
	}
	return files, nil
}

// filesOf reads an object of files by split.
func filesOf(data any) (files []file, err error) {
	object, _ := data.(map[string]any)
	for _, split := range slices.Sorted(maps.Keys(object)) {
		path, ok := object[split].(string)
		if !ok {
			return nil, fmt.Errorf("data.%s: want the name of a file", split)
		}
		files = append(files, file{split, path})
	}
	return files, nil
}

// readRows reads the rows of a file, and adds them to sum.
func readRows(path string, sum hash.Hash) (rows []row, err error) {
	from, err := jsonl.Open(path)
	if err != nil {
		return nil, err
	}
	defer from.Close()
	lines := bufio.NewScanner(from)
	lines.Buffer(nil, mostRow)
	for n := 1; lines.Scan(); n++ {
		text := bytes.TrimSpace(lines.Bytes())
		if len(text) == 0 {
			continue
		}
		one := row{text: bytes.Clone(text)}
		if _, err := one.opening(); err != nil {
			return nil, fmt.Errorf("%s, line %d: %w", path, n, err)
		}
		_, _ = sum.Write(append(text, '\n')) // a hash takes all
		rows = append(rows, one)
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("%s, line %d: %w", path, len(rows)+1, err)
	}
	if len(rows) == 0 {
		return nil, fmt.Errorf("%s has no rows", path)
	}
	return rows, nil
}

// An opening is what a row asks.
type opening struct {
	messages []quintain.Message
	tools    []external.Tool
}

// opening reads the parameters of the request to the model.
func (r *row) opening() (o opening, err error) {
	if fault := strictjson.Check(r.text, mostDepth); fault != nil {
		return o, fault
	}
	var of struct {
		Params *struct {
			Instructions string          `json:"instructions"`
			Input        json.RawMessage `json:"input"`
			Tools        []struct {
				Type string `json:"type"`
				external.Tool
			} `json:"tools"`
		} `json:"responses_create_params"`
	}
	if err := strictjson.Unmarshal(r.text, &of); err != nil {
		return o, fmt.Errorf("it is no row: %w", err)
	}
	if of.Params == nil {
		return o, errors.New("responses_create_params: is missing")
	}
	if of.Params.Instructions != "" {
		o.messages = append(o.messages, quintain.Message{Role: quintain.RoleSystem, Content: of.Params.Instructions})
	}
	for i, t := range of.Params.Tools {
		if t.Type != "function" || t.Name == "" {
			return o, fmt.Errorf("responses_create_params.tools.%d: is of type %.40q, want a function with a name", i, t.Type)
		}
		o.tools = append(o.tools, t.Tool)
	}
	var items []Item
	var text string
	switch {
	case len(of.Params.Input) == 0:
	case strictjson.Unmarshal(of.Params.Input, &text) == nil:
		items = []Item{{Role: quintain.RoleUser, Content: of.Params.Input}}
	default:
		if err := strictjson.Unmarshal(of.Params.Input, &items); err != nil {
			return o, fmt.Errorf("responses_create_params.input: %w", err)
		}
	}
	for i := range items {
		if err := o.add(&items[i]); err != nil {
			return o, fmt.Errorf("responses_create_params.input.%d: %w", i, err)
		}
	}
	return o, nil
}

// add adds an item of the input.
func (o *opening) add(item *Item) error {
	switch item.Type {
	case "", "message":
		text, err := item.text()
		if item.Role == "developer" {
			item.Role = quintain.RoleSystem
		}
		o.messages = append(o.messages, quintain.Message{Role: item.Role, Content: text})
		return err
	case "function_call":
		call := quintain.ToolCall{ID: item.CallID, Name: item.Name, Arguments: item.Arguments}
		if last := len(o.messages) - 1; last >= 0 && o.messages[last].Role == quintain.RoleAssistant {
			o.messages[last].ToolCalls = append(o.messages[last].ToolCalls, call)
			return nil
		}
		o.messages = append(o.messages, quintain.Message{Role: quintain.RoleAssistant, ToolCalls: []quintain.ToolCall{call}})
	case "function_call_output":
		var text string
		if err := strictjson.Unmarshal(item.Output, &text); err != nil {
			return fmt.Errorf("output: %w", err)
		}
		o.messages = append(o.messages, quintain.Message{Role: quintain.RoleTool, ToolCallID: item.CallID, Content: text})
	case "reasoning": // not shown again, as models are trained
	default:
		return fmt.Errorf("its type is %.40q, want a message or a call", item.Type)
	}
	return nil
}
