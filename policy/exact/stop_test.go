package exact_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/policy"
	"github.com/quintain-rl/quintain/policy/exact"
)

// A typist is a generator that writes a text, token by token. It knows nothing of stops.
type typist struct {
	tokens []quintain.Token
	prompt int  // tokens of the first prompt
	keeps  bool // says that it can stop
	asked  []policy.Prompt
}

func (w *typist) Can() policy.Abilities { return policy.Abilities{Stop: w.keeps} }

func (w *typist) Generate(_ context.Context, p policy.Prompt) ([]policy.Output, error) {
	w.asked = append(w.asked, p)
	if len(w.asked) == 1 {
		w.prompt = len(p.Tokens)
	}
	rest, finish := w.tokens[len(p.Tokens)-w.prompt:], quintain.Stop
	if most := p.Sampling.MaxTokens; most > 0 && most < len(rest) {
		rest, finish = rest[:most], quintain.Length
	}
	n := len(rest)
	one := policy.Output{Tokens: rest, LogProbs: slices.Repeat([]float32{-1}, n), Versions: slices.Repeat([]int32{1}, n), Finish: finish}
	return slices.Repeat([]policy.Output{one}, p.N), nil
}

// The tokens of a stop text stay, and the texts end before it.
func TestStops(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		why, reply  string
		stops       []string
		chunk       int
		keeps       bool
		tokens      string // of the sample, as text
		text, whole string
		finish      quintain.Finish
	}{
		{"none is asked for", "an in<|im_end|>", nil, 0, true, "an in<|im_end|>", "an in", "an in", quintain.Stop},
		{"none is written", "an in<|im_end|>", []string{"ni"}, 0, true, "an in<|im_end|>", "an in", "an in", quintain.Stop},
		{"the server wrote on", "an: in: an<|im_end|>", []string{": in"}, 0, true, "an: in", "an", "an", quintain.Stop},
		{"the first to end", "abcde", []string{"de", "bcd", "cd"}, 0, true, "abcd", "a", "a", quintain.Stop},
		{"half of a token", "x in an", []string{"i"}, 0, true, "x in", "x ", "x ", quintain.Stop},
		{"it starts within a token", "an in!", []string{"n!"}, 0, true, "an in!", "an i", "an i", quintain.Stop},
		{"after special tokens", "<|im_start|>an<|im_start|> in<|im_end|>", []string{" in"}, 0, true, "<|im_start|>an<|im_start|> in", "an", "<|im_start|>an<|im_start|>", quintain.Stop},
		{"a special token within it", "an i<|im_start|>x", []string{"ix"}, 0, true, "an i<|im_start|>x", "an ", "an ", quintain.Stop},
		{"over the edge of a chunk", "an: in", []string{"n: "}, 2, false, "an: ", "a", "a", quintain.Stop},
		{"at the very start", "an", []string{"a"}, 0, true, "an", "", "", quintain.Stop},
		{"a server that cannot stop writes in chunks", strings.Repeat("x", 70) + "an<|im_end|>", []string{"a"}, 0, false, strings.Repeat("x", 70) + "an", strings.Repeat("x", 70), strings.Repeat("x", 70), quintain.Stop},
	} {
		c := chat(t, chatML)
		w := &typist{tokens: encode(t, c, test.reply), keeps: test.keeps}
		p := exact.New(w, c)
		p.Settings.NewTokensPerChunk = test.chunk
		r := request(0)
		r.Stop = test.stops
		samples, err := p.Sample(t.Context(), r)
		if err != nil {
			t.Errorf("%s: %v", test.why, err)
			continue
		}
		one := samples[0]
		if got := decode(c, one.Wrote); got != test.tokens || one.Text != test.text || one.Whole != test.whole || one.Finish != test.finish {
			t.Errorf("%s: tokens %q, text %q, whole %q, finish %s", test.why, got, one.Text, one.Whole, one.Finish)
		}
		if len(one.LogProbs) != len(one.Wrote) || len(one.Versions) != len(one.Wrote) || !slices.Equal(w.asked[0].Stop, test.stops) {
			t.Errorf("%s: %d tokens, %d log-probabilities, %d versions, stops %q", test.why, len(one.Wrote), len(one.LogProbs), len(one.Versions), w.asked[0].Stop)
		}
		if chunks := test.chunk > 0 || !test.keeps; chunks != (len(w.asked) > 1) {
			t.Errorf("%s: %d requests", test.why, len(w.asked))
		}
	}
}

// After a stop the agent quotes the reply without it: the tokens stay, and the template
// closes the reply.
func TestTheTurnAfterAStopIsRealigned(t *testing.T) {
	t.Parallel()
	const again = "<|im_end|>\n<|im_start|>user\nAnd?<|im_end|>\n<|im_start|>assistant\n"
	for _, test := range []struct {
		why, template string
		reply         string
		quoted        quintain.Message
		stops         []string
		drift         exact.Drift
	}{
		{"quoted up to the stop", chatML, "in: an", quintain.Message{Content: "in"}, []string{": an"}, exact.Realigned},
		{"the next request has other stops", chatML, "in: an", quintain.Message{Content: "in"}, nil, exact.Realigned},
		{"nothing before the stop", chatML, ": an", quintain.Message{}, nil, exact.Realigned},
		{"trimmed by the template", strips, "in \n: an", quintain.Message{Content: "in \n"}, []string{": an"}, exact.Realigned},
		{"with a tool call", `{% for m in messages %}{{ '<|im_start|>' + m.role + '\n' + m.content }}{% for c in m.tool_calls or [] %}{{ c.function.arguments | tojson }}{% endfor %}{{ '<|im_end|>\n' }}{% endfor %}{{ '<|im_start|>assistant\n' }}`,
			`in{"a": 1}: an`, quintain.Message{Content: "in", ToolCalls: []quintain.ToolCall{{ID: "1", Name: "f", Arguments: `{"a":1}`}}}, []string{": an"}, exact.Realigned},
		{"another text", chatML, "in: an", quintain.Message{Content: "an"}, []string{": an"}, exact.Forked},
		{"a text that goes on otherwise", chatML, "in: an", quintain.Message{Content: "in the"}, []string{": an"}, exact.Forked},
		{"a reply that ended itself", chatML, "in: an<|im_end|>", quintain.Message{Content: "in"}, []string{": an"}, exact.Forked},
	} {
		c := chat(t, test.template)
		a := newTalk(t, c)
		a.request.Stop = test.stops
		a.ask(user("Hm?"))
		a.reply(encode(t, c, test.reply))
		soFar := slices.Clone(a.request.Context)
		test.quoted.Role = quintain.RoleAssistant
		a.request.Messages[1] = test.quoted
		read := a.ask(user("And?"))
		if read.Drift != test.drift {
			t.Errorf("%s: %+v", test.why, read)
		} else if read.Drift == exact.Realigned && (!slices.Equal(a.prompt[:len(soFar)], soFar) || decode(c, read.Tokens) != again) {
			t.Errorf("%s: after the tokens so far it has %q", test.why, decode(c, read.Tokens))
		}
	}
}
