package prove

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/stats"
	"github.com/quintain-rl/quintain/internal/strictjson"
	"github.com/quintain-rl/quintain/prove/replies"
)

// declChecks are those of what an environment says of itself.
func declChecks() []Check {
	return []Check{
		{ID: "decl.splits", OpenEnv: []string{"runtime.task_declaration_accuracy"}, Question: "Do splits have the sizes that they declare?",
			Remedy: "declare the number of rows that there are", Quick: true, Least: 4, Wanted: 8, run: checkSplits},
		{ID: "decl.tools", OpenEnv: []string{"runtime.tool_declaration_accuracy"}, Question: "Can every tool be called as it is declared?",
			Remedy: "offer what there is, with a local JSON Schema, a short name and a description", Quick: true, Least: 2, Wanted: 8, run: checkTools},
		{ID: "robust.call", Question: "Are calls that make no sense answered?",
			Remedy: "answer a wrong call by a message of the role tool, and raise no error", Least: 16, Wanted: 100, run: checkCalls},
		{ID: "text.prompt", Question: "Can a chat template take the opening?",
			Remedy: "take control tokens out of the texts, and write one system message at most", Quick: true, Least: 16, Wanted: 100, run: checkPrompt},
	}
}

func checkSplits(ctx context.Context, b *bench, r *Result) {
	finite, is := b.subject.Scenario.(quintain.Finite)
	sized := 0
	for _, level := range b.subject.Levels {
		size := 0
		if is {
			size = finite.Size(level)
		}
		if size == 0 {
			continue
		}
		sized++
		p, err := b.subject.Scenario.Problem(quintain.Draw{Seed: b.job.Seed, Level: level, Index: size - 1})
		if err != nil {
			r.fail("the last row cannot be made", &Witness{Problem: fmt.Sprintf("level %d, index %d", level, size-1), Replies: []string{}, Expected: "a problem", Observed: err.Error()})
			return
		}
		e := b.begin(ctx, b.subject.Scenario, p)
		b.close(e)
		if e.fault != "" {
			r.fail("the last row cannot be opened", e.witness("an opening", "%.500s", e.fault))
			return
		}
	}
	if sized == 0 {
		r.lacks("no split has a size")
	}
}

func checkTools(ctx context.Context, b *bench, r *Result) {
	p := b.problem(0)
	e := b.begin(ctx, b.subject.Scenario, *p)
	b.close(e)
	if len(e.tools) == 0 {
		r.lacks("it offers no tools")
		return
	}
	for _, t := range e.tools {
		if fault := toolFault(t); fault != "" {
			r.fail("a tool is declared wrongly", e.witness("a local schema and a legal name", "the tool %.60q: %s", t.Name, fault))
			return
		}
		if t.Doc == "" {
			r.warn(fmt.Sprintf("the tool %s has no description", t.Name), nil)
		}
		called := b.begin(ctx, b.subject.Scenario, *p)
		called.step(ctx, quintain.Reply{ToolCalls: []quintain.ToolCall{{ID: "call00001", Name: t.Name, Arguments: arguments(t.Params)}}, Finish: quintain.Stop})
		said := strings.ToLower(talk(called.last().Observe) + called.fault)
		b.close(called)
		for _, unknown := range []string{"unknown tool", "no such tool", "no tool", "tool not found", "unknown function"} {
			if strings.Contains(said, unknown) {
				r.fail("a tool that is offered is unknown", called.witness("a result", "%.300s", said))
				return
			}
		}
	}
}

// toolFault tells what is wrong with a tool's declaration.
func toolFault(t quintain.Tool) string {
	legal := func(c rune) bool { return isLetter(c) || c >= '0' && c <= '9' || strings.ContainsRune("_-.", c) }
	switch {
	case t.Name == "" || len(t.Name) > 64 || strings.ContainsFunc(t.Name, func(c rune) bool { return !legal(c) }):
		return "its name is not 1 to 64 letters, digits, _ and -"
	case strings.Contains(string(t.Params), `"$ref":"http`) || strings.Contains(string(t.Params), `"$ref": "http`):
		return "its schema refers to another server"
	}
	if _, err := quintain.ToolsJSON([]quintain.Tool{t}); err != nil {
		return err.Error()
	}
	return ""
}

// arguments makes arguments from a schema: of each property a value of its type.
func arguments(schema json.RawMessage) string {
	var of struct {
		Properties map[string]struct {
			Type any   `json:"type"`
			Enum []any `json:"enum"`
		} `json:"properties"`
	}
	if strictjson.Unmarshal(schema, &of) != nil {
		return "{}"
	}
	values := map[string]any{}
	for name, p := range of.Properties {
		byType := map[string]any{"integer": 1, "number": 1, "boolean": true, "array": []any{}, "object": map[string]any{}}
		values[name] = byType[fmt.Sprint(p.Type)]
		switch {
		case len(p.Enum) > 0:
			values[name] = p.Enum[0]
		case values[name] == nil:
			values[name] = "a"
		}
	}
	text, err := json.Marshal(values)
	if err != nil {
		return "{}"
	}
	return string(text)
}

func checkCalls(ctx context.Context, b *bench, r *Result) {
	p := b.problem(0)
	e := b.begin(ctx, b.subject.Scenario, *p)
	b.close(e)
	all := replies.Calls(e.tools)
	for i := 0; i < len(all); i += max(1, len(all)/b.n) {
		if len(all[i].Text) > 100_000 {
			continue
		}
		e := b.play(ctx, *p, script([]quintain.Reply{all[i], reply("")}))
		if e.fault != "" && !e.lost && !e.endless {
			r.fail("a call that makes no sense is an error", e.witness("an answer to each call", "%.500s", e.fault))
			return
		}
	}
}

// controls are tokens by which chat templates part messages.
var controls = []string{"<|im_start|>", "<|im_end|>", "<|endoftext|>", "<|eot_id|>", "<|start_header_id|>", "</s>", "[INST]", "[/INST]", "<start_of_turn>", "<end_of_turn>", "<|assistant|>", "<|user|>"}

func checkPrompt(ctx context.Context, b *bench, r *Result) {
	const long = 32_768 // characters: about 8,192 tokens
	longest := 0
	for _, p := range b.problems(b.n) {
		e := b.begin(ctx, b.subject.Scenario, p)
		b.close(e)
		text, systems := talk(e.opening), 0
		longest = max(longest, len(text))
		for _, m := range e.opening {
			if m.Role == quintain.RoleSystem {
				systems++
			}
		}
		for _, token := range controls {
			if strings.Contains(text, token) {
				r.fail("the opening has a control token of chat templates", e.witness("plain text", "it contains %s", token))
				return
			}
		}
		if systems > 1 {
			r.fail("the opening has several system messages, which many chat templates refuse", e.witness("one at most", "%d", systems))
			return
		}
	}
	r.measure("characters", float64(longest))
	if longest > long {
		r.warn(fmt.Sprintf("an opening has %s", stats.Count(longest, "character")), nil)
	}
}
