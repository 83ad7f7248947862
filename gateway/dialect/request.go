package dialect

import (
	"encoding/json"
	"slices"

	"github.com/quintain-rl/quintain/internal/strictjson"
)

// noAlternatives is why a request gets no tokens beside the sampled ones.
const noAlternatives = "only the sampled tokens have log-probabilities: want 0"

// A refusal is a field that a request must not set, for its values change what the sampled
// tokens and their log-probabilities stand for, or need a service that is not ours.
type refusal struct{ name, why string }

// refused are the fields that OpenAI's dialects refuse.
var refused = []refusal{
	{"logit_bias", "a bias changes what the log-probabilities stand for"},
	{"frequency_penalty", "a penalty changes what the log-probabilities stand for"},
	{"presence_penalty", "a penalty changes what the log-probabilities stand for"},
	{"top_logprobs", noAlternatives},
	{"guided_json", noGuide},
	{"guided_regex", noGuide},
	{"guided_choice", noGuide},
	{"guided_grammar", noGuide},
	{"structured_outputs", noGuide},
	{"audio", "audio is not served"},
	{"functions", "it has been replaced by tools: use these"},
	{"function_call", "it has been replaced by tool_choice: use this"},
	{"web_search_options", "the search runs at the provider: describe a function instead"},
	{"suffix", "the text after the reply is not served"},
	{"echo", "the prompt is not repeated"},
	{"background", "replies in the background are not served"},
	{"conversation", "conversations are not kept by name: send the whole, or previous_response_id"},
	{"mcp_servers", "servers of tools are the agent's own: describe functions instead"},
	{"container", "containers run at the provider"},
}

// refuseAll refuses the fields that f sets to more than nothing. Options of a search are a search,
// even if they are empty.
func (f *fields) refuseAll() {
	for _, r := range refused {
		if v := f.get(r.name); !v.neutral() || r.name == "web_search_options" && v.is('{') {
			v.refuse(CodeField, "%s", r.why)
		}
	}
	if n := f.get("repetition_penalty").number(0, maxFloat); n != nil && *n != 1 {
		v := f.get("repetition_penalty")
		v.refuse(CodeField, "a penalty changes what the log-probabilities stand for")
	}
	if v := f.get("truncation"); v.given() && v.string() != "disabled" {
		v.refuse(CodeField, "the conversation is not shortened for the agent: want disabled")
	}
	f.get("modalities").elements(func(_ int, one value) {
		if kind := one.string(); kind != "text" {
			one.refuse(CodeField, "%q is not served, only text is", kind)
		}
	})
}

// neutral reports whether a value says nothing: null, false, 0, or empty.
func (v value) neutral() bool {
	if !v.given() {
		return true
	}
	if v.is('0') || v.is('-') {
		n := v.number(-maxFloat, maxFloat)
		return n != nil && *n == 0
	}
	switch string(v.text) {
	case "false", `""`:
		return true
	}
	return v.is('{') && len(v.fields().members) == 0 || v.is('[') && string(v.compact()) == "[]"
}

// openAI reads the fields that OpenAI's dialects have in common.
func (q *Request) openAI(f *fields) {
	f.refuseAll()
	q.Model = f.get("model").string()
	q.N, q.Thinking = 1, true
	if n := f.get("n"); n.given() {
		if q.N = n.count(); q.N > f.body.limits.Choices {
			n.want("at most " + string(write(f.body.limits.Choices)))
		}
	}
	q.stops(f.get("stop"))
	q.sampling(f)
	q.Stream = f.get("stream").bool()
	options := f.get("stream_options").fields()
	q.Usage = options.get("include_usage").bool()
	q.OneCall = f.get("parallel_tool_calls").given() && !f.get("parallel_tool_calls").bool()
	meta := f.get("metadata").fields()
	q.Branch = meta.get("branch").string()
	q.vars(f)
}

// sampling reads what a client asks of the sampling.
func (q *Request) sampling(f *fields) {
	q.Asked.Temperature = f.get("temperature").number(0, maxFloat)
	q.Asked.TopP = f.get("top_p").number(0, 1)
	q.Asked.MinP = f.get("min_p").number(0, 1)
	q.Asked.Seed = f.get("seed").whole(minInt)
	if k := f.get("top_k").whole(-1); k != nil {
		n := int(min(max(*k, 0), maxInt32))
		q.Asked.TopK = &n
	}
}

// stops reads the texts that end a reply: one, or a list.
func (q *Request) stops(v value) {
	add := func(text string) {
		if text != "" {
			q.Stop = append(q.Stop, text)
		}
	}
	if v.is('"') {
		add(v.string())
		return
	}
	v.elements(func(i int, one value) {
		if add(one.string()); i >= v.body.limits.Stops {
			v.refuse(CodeValue, "want at most %d texts", v.body.limits.Stops)
		}
	})
}

// limitTokens reads the most tokens of a reply, by any of names.
func (q *Request) limitTokens(f *fields, names ...string) {
	for _, name := range names {
		if n := f.get(name).count(); n > 0 && (q.MaxTokens == 0 || n < q.MaxTokens) {
			q.MaxTokens = n
		}
	}
}

// ownVars are the variables of a template that hold the conversation itself.
var ownVars = []string{"messages", "tools", "documents", "add_generation_prompt", "continue_final_message"}

// vars reads the variables of the chat template, by the names that servers give them.
func (q *Request) vars(f *fields) {
	kwargs := f.get("chat_template_kwargs").fields()
	if most := f.body.limits.ToolBytes; len(kwargs.text) > most {
		kwargs.refuse(CodeValue, "want at most %d bytes", most)
		return
	}
	for _, m := range kwargs.members {
		name := string(m.name)
		v := value{m.value, place{&kwargs.at, name, 0}, f.body}
		if slices.Contains(ownVars, name) {
			v.refuse(CodeField, "the gateway sets this variable")
			return
		}
		var to any
		if strictjson.Unmarshal(v.text, &to) != nil {
			v.want("a value within the usual numbers")
		}
		q.set(name, to)
	}
	if v := f.get("enable_thinking"); v.given() {
		q.set("enable_thinking", v.bool())
	}
	q.effort(f.get("reasoning_effort"))
}

// effort reads how much the model is to think.
func (q *Request) effort(v value) {
	if v.given() {
		q.set("reasoning_effort", v.string())
	}
}

// set sets a variable of the template.
func (q *Request) set(name string, to any) {
	if q.Vars == nil {
		q.Vars = map[string]any{}
	}
	q.Vars[name] = to
}

// keep keeps fields as sent, for the reply to repeat.
func (q *Request) keep(f *fields, names ...string) {
	q.sent = map[string]json.RawMessage{}
	for _, name := range names {
		if v := f.get(name); v.given() {
			q.sent[name] = v.compact()
		}
	}
}
