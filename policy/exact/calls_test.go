package exact_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/policy"
	"github.com/quintain-rl/quintain/policy/exact"
	"github.com/quintain-rl/quintain/policy/policytest"
	"github.com/quintain-rl/quintain/text/toolcall"
)

// Templates that write tool calls as those of models do.
const (
	opens = `{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}`

	// hermesChat is as that of Qwen 2.5.
	hermesChat = `{% if tools %}{{ '<|im_start|>system\n<tools>' + tools | tojson + '</tools><tool_call><|im_end|>\n' }}{% endif %}` +
		`{% for m in messages %}{% if m.tool_calls %}{{ '<|im_start|>assistant' }}{% if m.content %}{{ '\n' + m.content }}{% endif %}` +
		`{% for c in m.tool_calls %}{{ '\n<tool_call>\n{"name": "' + c.function.name + '", "arguments": ' + c.function.arguments | tojson + '}\n</tool_call>' }}{% endfor %}{{ '<|im_end|>\n' }}` +
		`{% elif m.role == 'tool' %}{{ '<|im_start|>user\n<tool_response>\n' + m.content + '\n</tool_response><|im_end|>\n' }}` +
		`{% else %}{{ '<|im_start|>' + m.role + '\n' + m.content + '<|im_end|>\n' }}{% endif %}{% endfor %}` + opens

	// thinksChat is as that of Qwen 3: it takes thoughts out of the content, and writes an empty thought where there is none to be.
	thinksChat = `{% if tools %}{{ tools | tojson + '<tool_call>' }}{% endif %}{% for m in messages %}{% if m.role == 'assistant' %}` +
		`{% set said = m.content or '' %}{% set thought = '' %}{% if '</think>' in said %}` +
		`{% set thought = said.split('</think>')[0].rstrip('\n').split('<think>')[-1].lstrip('\n') %}{% set said = said.split('</think>')[-1].lstrip('\n') %}{% endif %}` +
		`{{ '<|im_start|>assistant\n' }}{% if loop.last or thought %}{{ '<think>\n' + thought.strip('\n') + '\n</think>\n\n' }}{% endif %}{{ said }}` +
		`{% for c in m.tool_calls or [] %}{% if said or not loop.first %}{{ '\n' }}{% endif %}{{ '<tool_call>\n{"name": "' + c.function.name + '", "arguments": ' + c.function.arguments | tojson + '}\n</tool_call>' }}{% endfor %}{{ '<|im_end|>\n' }}` +
		`{% else %}{{ '<|im_start|>' + m.role + '\n' + m.content + '<|im_end|>\n' }}{% endif %}{% endfor %}` +
		`{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% if enable_thinking is defined and enable_thinking is false %}{{ '<think>\n\n</think>\n\n' }}{% endif %}{% endif %}`

	// llamaChat is as that of Llama 3.1: it refuses two calls in one message.
	llamaChat = `{% if tools %}{{ tools | tojson + 'Respond in the format {"name": function name, "parameters": dictionary}' }}{% endif %}` +
		`{% for m in messages %}{% if m.tool_calls %}{% if m.tool_calls | length != 1 %}{{ raise_exception('single tool-calls at once') }}{% endif %}` +
		`{% set f = m.tool_calls[0].function %}{{ '<|im_start|>assistant\n{"name": "' + f.name + '", "parameters": ' + f.arguments | tojson + '}<|im_end|>\n' }}` +
		`{% else %}{{ '<|im_start|>' + m.role + '\n' + m.content + '<|im_end|>\n' }}{% endif %}{% endfor %}` + opens

	// mistralChat is as that of Mistral: it wants IDs of nine letters, and a call before a result.
	mistralChat = `{% for m in messages %}{% if m.role == 'user' %}{% if tools %}{{ '[AVAILABLE_TOOLS]' + tools | tojson + '[/AVAILABLE_TOOLS]' }}{% endif %}{{ '[INST] ' + m.content + '[/INST]' }}` +
		`{% elif m.tool_calls %}{{ '[TOOL_CALLS] [' }}{% for c in m.tool_calls %}{% if c.id | length != 9 %}{{ raise_exception('Tool call IDs should be alphanumeric strings with length 9!') }}{% endif %}` +
		`{{ c.function | tojson }}{% if not loop.last %}{{ ', ' }}{% endif %}{% endfor %}{{ ']</s>' }}` +
		`{% elif m.role == 'tool' %}{% if m.tool_call_id | length != 9 %}{{ raise_exception('IDs') }}{% endif %}{{ '[TOOL_RESULTS]' + m.content + '[/TOOL_RESULTS]' }}{% else %}{{ ' ' + m.content + '</s>' }}{% endif %}{% endfor %}`

	// dropsThoughts is as that of DeepSeek R1: earlier thoughts are gone.
	dropsThoughts = `{% for m in messages %}{% if m.tool_calls %}{{ '<|im_start|>assistant\n' + m.content.split('</think>')[-1] }}` +
		`{% for c in m.tool_calls %}{{ '\n<tool_call>\n{"name": "' + c.function.name + '", "arguments": ' + c.function.arguments | tojson + '}\n</tool_call>' }}{% endfor %}{{ '<|im_end|>\n' }}` +
		`{% else %}{{ '<|im_start|>' + m.role + '\n' + m.content + '<|im_end|>\n' }}{% endif %}{% endfor %}{% if tools %}{% endif %}` + opens
)

// A voice is a generator that says the next of its texts, encoded, whatever it is asked.
type voice struct {
	chat  *exact.Chat
	texts []string
	asked []policy.Prompt
}

func (v *voice) Can() policy.Abilities { return policy.Abilities{TokensIn: true, TokensOut: true} }

func (v *voice) Generate(_ context.Context, p policy.Prompt) ([]policy.Output, error) {
	v.asked = append(v.asked, p)
	if len(v.texts) == 0 {
		return nil, errors.New("nothing is left to say")
	}
	ids, err := v.chat.Tokenizer.Encode(v.texts[0], false)
	v.texts = v.texts[1:]
	o := policy.Output{Finish: quintain.Stop}
	for _, id := range ids {
		o.Tokens, o.Versions = append(o.Tokens, quintain.Token(id)), append(o.Versions, 0)
	}
	return []policy.Output{o}, err
}

const adds = `[{"type":"function","function":{"name":"add","description":"Add.","parameters":{"type":"object","properties":{"a":{"type":"integer"}}}}}]`

// Two turns with a result of the tool between them: the second prompt is the first, with the reply
// as it was sampled, and then the result as the template writes it.
func TestCallsAreReadAndTheirTokensStay(t *testing.T) {
	t.Parallel()
	const result = "\n<|im_start|>user\n<tool_response>\n5\n</tool_response><|im_end|>\n<|im_start|>assistant\n"
	const told = "\n<|im_start|>tool\n5<|im_end|>\n<|im_start|>assistant\n"
	for _, test := range []struct {
		why, template, form string
		vars                map[string]any
		reply               string
		calls               []string // "name arguments"
		text                string
		realigned, fork     bool
		read                string // of the second turn, unless it is a fork
	}{
		{"as the template writes it", hermesChat, "", nil, "I add.\n<tool_call>\n{\"name\": \"add\", \"arguments\": {\"a\": 1}}\n</tool_call><|im_end|>", []string{`add {"a": 1}`}, "I add.", false, false, result},
		{"with other spaces", hermesChat, "", nil, "<tool_call>{\"arguments\":{\"a\":1},\"name\":\"add\"}</tool_call>\n<|im_end|>", []string{`add {"a":1}`}, "", true, false, result},
		{"two calls in one reply", hermesChat, "", nil, "<tool_call>{\"name\":\"add\"}</tool_call><tool_call>{\"name\":\"add\",\"arguments\":{}}</tool_call><|im_end|>", []string{`add {}`, `add {}`}, "", true, false, result},
		{"thoughts that the template knows nothing of", hermesChat, "", nil, "<think>Hm <tool_call>{}</think>\n<tool_call>{\"name\":\"add\"}</tool_call><|im_end|>", []string{`add {}`}, "<think>Hm <tool_call>{}</think>", true, false, result},
		{"the end of the reply in a string", hermesChat, "", nil, "<tool_call>{\"name\":\"add\",\"arguments\":{\"a\":\"<|im_end|>\"}}</tool_call><|im_end|>", []string{`add {"a":"<|im_end|>"}`}, "", true, false, result},
		{"thoughts, written otherwise", thinksChat, "", nil, "<think>Hm.</think><tool_call>{\"name\": \"add\", \"arguments\": {\"a\":1}}</tool_call><|im_end|>", []string{`add {"a":1}`}, "<think>Hm.</think>", true, false, told},
		{"no thoughts, which the prompt said", thinksChat, "", map[string]any{"enable_thinking": false}, "<tool_call>\n{\"name\": \"add\", \"arguments\": {\"a\": 1}}\n</tool_call><|im_end|>", []string{`add {"a": 1}`}, "", true, false, told + "<think>\n\n</think>\n\n"},
		{"thoughts that are dropped", dropsThoughts, "hermes", nil, "<think>Hm.</think>\n<tool_call>{\"name\":\"add\"}</tool_call><|im_end|>", []string{`add {}`}, "<think>Hm.</think>", false, true, ""},
		{"a bare object", llamaChat, "", nil, `{"name":"add","parameters":{"a":1}}<|im_end|>`, []string{`add {"a":1}`}, "", true, false, told},
		{"two of them, which the template refuses", llamaChat, "", nil, `{"name": "add", "parameters": {"a": 1}}; {"name": "add", "parameters": {"a": 2}}<|im_end|>`, []string{`add {"a": 1}`, `add {"a": 2}`}, "", true, false, told},
		{"IDs of nine letters", mistralChat, "mistral", nil, `[TOOL_CALLS][{"name":"add","arguments":{"a":1}}]</s>`, []string{`add {"a":1}`}, "", true, false, "[TOOL_RESULTS]5[/TOOL_RESULTS]"},
		{"no template for tools", plain3, "plain", nil, "I add. <call>{\"name\":\"add\",\"arguments\":{\"a\":1}}</call><|im_end|>", []string{`add {"a":1}`}, "I add. ", true, false, "\n<|im_start|>user\n<result>\n5\n</result><|im_end|>\n<|im_start|>assistant\n"},
	} {
		c := chat(t, test.template)
		if test.form != "" {
			form, err := toolcall.Named(test.form)
			if err != nil {
				t.Fatal(err)
			}
			c.Calls = form
		}
		v := &voice{chat: c, texts: []string{test.reply, "in<|im_end|>"}}
		p := exact.New(v, c)
		r := quintain.Request{N: 1, Tools: json.RawMessage(adds), Vars: test.vars, Messages: []quintain.Message{user("Hm?")}}
		one := sample(t, p, r)
		var got []string
		for _, call := range one.ToolCalls {
			got = append(got, call.Name+" "+call.Arguments)
		}
		if !slices.Equal(got, test.calls) || one.Text != test.text || one.CallFault != "" {
			t.Errorf("%s: calls %q and the text %q, want %q and %q (%s)", test.why, got, one.Text, test.calls, test.text, one.CallFault)
			continue
		}
		r.Messages = append(r.Messages, quintain.Message{Role: quintain.RoleAssistant, Content: one.Text, Reasoning: one.Reasoning, ToolCalls: one.ToolCalls})
		r.Context, r.Wrote, r.Fresh = slices.Concat(one.Read, one.Wrote), len(one.Wrote), 2
		r.Messages = append(r.Messages, quintain.Message{Role: quintain.RoleTool, ToolCallID: one.ToolCalls[0].ID, Name: "add", Content: "5"})
		two := sample(t, p, r)
		if two.Fork != test.fork || two.Realigned != test.realigned || !test.fork && decode(c, two.Read) != test.read {
			t.Errorf("%s: it read %q, fork %v, realigned %v, want %q, %v, %v", test.why, decode(c, two.Read), two.Fork, two.Realigned, test.read, test.fork, test.realigned)
		}
		if !test.fork && !slices.Equal(v.asked[1].Tokens, slices.Concat(r.Context, two.Read)) {
			t.Errorf("%s: the second prompt does not go on from the tokens of the first turn", test.why)
		}
	}
}

// plain3 knows nothing of tools.
const plain3 = `{% for m in messages %}{{ '<|im_start|>' + m.role + '\n' + m.content + '<|im_end|>\n' }}{% endfor %}` + opens

// sample draws one sample.
func sample(t *testing.T, p *exact.Policy, r quintain.Request) quintain.Sample {
	t.Helper()
	all, err := p.Sample(t.Context(), r)
	if err != nil || len(all) != 1 {
		t.Fatalf("%d samples, error %v", len(all), err)
	}
	return all[0]
}

// A call that cannot be read is text of the reply, which says why. Its tokens, and those of all
// other texts, stay.
func TestCallsThatCannotBeRead(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ why, tools, reply, text, fault string }{
		{"arguments that are no object", adds, `<tool_call>{"name": "add", "arguments": [1]}</tool_call>`, `<tool_call>{"name": "add", "arguments": [1]}</tool_call>`, "not a JSON object"},
		{"no name", adds, `<tool_call>{"nme": "add"}</tool_call>`, `<tool_call>{"nme": "add"}</tool_call>`, "call 1"},
		{"a call beside a broken one", adds, `<tool_call>{"name": "add"}</tool_call><tool_call>{`, `<tool_call>{"name": "add"}</tool_call><tool_call>{`, "call 2"},
		{"deep values", adds, `<tool_call>{"name": "add", "arguments": {"a": ` + strings.Repeat("[", 5000) + `}}</tool_call>`, "", "nested deeper"},
		{"a million characters", adds, `<tool_call>` + strings.Repeat("x", 1_000_000), "", "want a JSON object"},
		{"a call inside the thoughts", adds, `<think><tool_call>{"name": "add"}</tool_call></think>in`, `<think><tool_call>{"name": "add"}</tool_call></think>in`, ""},
		{"no tools", "", `<tool_call>{"name": "add"}</tool_call>`, `<tool_call>{"name": "add"}</tool_call>`, ""},
	} {
		c := chat(t, hermesChat)
		p := exact.New(&voice{chat: c, texts: []string{test.reply + "<|im_end|>", "in<|im_end|>"}}, c)
		r := quintain.Request{N: 1, Tools: json.RawMessage(test.tools), Messages: []quintain.Message{user("Hm?")}}
		one := sample(t, p, r)
		if one.ToolCalls != nil || test.text != "" && one.Text != test.text || !strings.Contains(one.CallFault, test.fault) || (one.CallFault == "") != (test.fault == "") {
			t.Errorf("%s: %.80q with the fault %q and %d calls", test.why, one.Text, one.CallFault, len(one.ToolCalls))
		}
		r.Messages = append(r.Messages, quintain.Message{Role: quintain.RoleAssistant, Content: one.Text}, user("Again?"))
		r.Context, r.Wrote, r.Fresh = slices.Concat(one.Read, one.Wrote), len(one.Wrote), 2
		if two := sample(t, p, r); two.Fork || two.Realigned {
			t.Errorf("%s: it read %.200q", test.why, decode(c, two.Read))
		}
	}
}

func TestTheFormatOfCallsIsThatOfTheTemplateOrOfTheSettings(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ template, setting, want string }{
		{hermesChat, "", "hermes"}, {mistralChat, "", "mistral"}, {llamaChat, "", "llama3_json"}, {plain3, "", "plain"},
		{hermesChat, "glm", "glm"}, {plain3, "none", "none"}, {plain3, "hermez", `did you mean "hermes"?`},
	} {
		got := ""
		folder := policytest.ByteModel(t, test.template, 0)
		if r, err := (&exact.Files{Tokenizer: folder, ToolFormat: test.setting}).Renderer("m", time.Time{}); err != nil {
			got = err.Error()
		} else {
			got = r.Form().String()
		}
		if !strings.Contains(got, test.want) {
			t.Errorf("setting %q: %s, want %s", test.setting, got, test.want)
		}
	}
}
