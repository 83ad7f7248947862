package gateway

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/policy"
	"github.com/quintain-rl/quintain/policy/exact"
	"github.com/quintain-rl/quintain/run/rollout"
	"github.com/quintain-rl/quintain/text/chattemplate"
	"github.com/quintain-rl/quintain/text/tokenizer"
)

// A dice is an engine that writes random bytes, and notes what it read and wrote. Each reply
// has a stamp, a text that no other has.
type dice struct {
	end quintain.Token // closes a reply

	mu      sync.Mutex
	rnd     *rand.Rand
	version int32
	rest    map[string]written // of interrupted replies, by all tokens before
	notes   map[string][]note  // by problem
}

// Written is what is left to write of a reply.
type written struct {
	tokens []quintain.Token
	finish quintain.Finish
}

// A note is a request to the engine, with its replies.
type note struct {
	Prompt  []quintain.Token `json:"prompt"`
	Outputs []output         `json:"outputs"`
}

type output struct {
	Tokens   []quintain.Token `json:"tokens"`
	LogProbs []float32        `json:"logprobs"`
	Versions []int32          `json:"versions"`
	Finish   quintain.Finish  `json:"finish"`
}

func newDice(seed uint64, end quintain.Token) *dice {
	return &dice{end: end, rnd: rand.New(rand.NewPCG(seed, 1)), rest: map[string]written{}, notes: map[string][]note{}}
}

func (d *dice) Can() policy.Abilities {
	return policy.Abilities{TokensIn: true, TokensOut: true, LogProbs: true, Several: true, Interrupt: true, Versions: true}
}

// Generate implements [policy.Generator]. It interrupts a reply now and then, and new weights
// come while it writes.
func (d *dice) Generate(_ context.Context, p policy.Prompt) ([]policy.Output, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	key := fmt.Sprint(p.Tokens)
	n := note{Prompt: p.Tokens}
	var all []policy.Output
	for range p.N {
		w, left := d.rest[key]
		delete(d.rest, key)
		if !left {
			w = d.compose(p.Sampling.MaxTokens)
		}
		o := policy.Output{Tokens: w.tokens, Finish: w.finish}
		if cut := len(w.tokens) - 3; cut > 12 && d.rnd.IntN(6) == 0 {
			o.Tokens, o.Finish = w.tokens[:cut], quintain.Aborted
			d.rest[fmt.Sprint(append(append([]quintain.Token{}, p.Tokens...), o.Tokens...))] = written{w.tokens[cut:], w.finish}
		}
		for k := d.rnd.IntN(9); p.Sampled != nil && k <= len(o.Tokens); k += 1 + d.rnd.IntN(9) {
			p.Sampled(o.Tokens[:k])
		}
		for range o.Tokens {
			if d.rnd.IntN(200) == 0 {
				d.version++
			}
			o.LogProbs = append(o.LogProbs, -d.rnd.Float32()*8)
			o.Versions = append(o.Versions, d.version)
		}
		all = append(all, o)
		n.Outputs = append(n.Outputs, output{o.Tokens, o.LogProbs, o.Versions, o.Finish})
	}
	of, _, _ := strings.Cut(p.Key, "#")
	d.notes[of] = append(d.notes[of], n)
	return all, nil
}

// compose writes a reply: bytes, thoughts, tool calls, broken ones.
func (d *dice) compose(most int) written {
	stamp := d.word(10)
	text := stamp + d.bytes(d.rnd.IntN(12))
	switch d.rnd.IntN(8) {
	case 0, 1:
		text = "<think>" + d.word(6) + "</think>" + text
	case 2:
		text = d.call(stamp)
	case 3:
		text = "Well.\n" + d.call(stamp) + "\n" + d.call(d.word(5))
	case 4:
		text = "<think>" + d.word(4) + "</think>\n\n" + d.call(stamp)
	case 5:
		text = stamp + "<tool_call>\n{\"name\": \"add\", " + d.word(4)
	}
	if most > 0 { // the stamp stays in what the agent sees
		text = stamp + text
	}
	var w written
	for i := range len(text) {
		w.tokens = append(w.tokens, quintain.Token(text[i]))
	}
	w.tokens, w.finish = append(w.tokens, d.end), quintain.Stop
	if most > 0 && most < len(w.tokens) {
		w.tokens, w.finish = w.tokens[:most], quintain.Length
	}
	return w
}

func (d *dice) call(stamp string) string {
	return fmt.Sprintf("<tool_call>\n{\"name\": \"add\", \"arguments\": {\"a\": %d.0, \"of\": [1e1, null, %q]}}\n</tool_call>", d.rnd.IntN(100), stamp)
}

func (d *dice) word(n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = "abcdefghijklmnopqrstuvwxyz0123456789"[d.rnd.IntN(36)]
	}
	return string(b)
}

// bytes are any but those that close a message.
func (d *dice) bytes(n int) string {
	b := make([]byte, n)
	for i := range b {
		if b[i] = byte(d.rnd.IntN(256)); b[i] == byte(policy.End) {
			b[i] = 0xff
		}
	}
	return string(b)
}

// take returns the notes of a problem, and forgets them.
func (d *dice) take(problem string) []note {
	d.mu.Lock()
	defer d.mu.Unlock()
	all := d.notes[problem]
	delete(d.notes, problem)
	return all
}

// A lobby is a host whose groups are fetched by their problems.
type lobby struct {
	desk
	mu  sync.Mutex
	got map[string]chan rollout.Result
}

func (l *lobby) of(problem string) chan rollout.Result {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.got[problem] == nil {
		l.got[problem] = make(chan rollout.Result, 1)
	}
	return l.got[problem]
}

func (l *lobby) Judge(_ context.Context, r rollout.Result) (rollout.Drop, error) {
	l.of(r.Job.Problem.ID()) <- r
	return "", nil
}

// forgets is a chat template that leaves out the thoughts of earlier replies, so that the
// conversation begins anew.
const forgets = `{% if tools %}{{ '<|im_start|>tools\n' + tools | tojson + '<|im_end|>\n' }}{% endif %}` +
	`{% for m in messages %}{% set said = m.content or '' %}` +
	`{% if m.role == 'assistant' and not loop.last %}{% set said = said.split('</think>')[-1] %}{% endif %}` +
	`{{ '<|im_start|>' + m.role + '\n' + said }}{% for c in m.tool_calls or [] %}{{ '<call>' + c.function.arguments | tojson }}{% endfor %}` +
	`{{ '<|im_end|>\n' }}{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}`

// byteChat renders with that template, in a vocabulary of the bytes and two special tokens,
// of which the second, 257, closes a message.
func byteChat(t *testing.T) *exact.Chat {
	t.Helper()
	vocab := map[string]int{}
	for b := range 256 {
		vocab[fmt.Sprintf("<0x%02X>", b)] = b
		if b < 0x80 {
			delete(vocab, fmt.Sprintf("<0x%02X>", b))
			vocab[string(rune(b))] = b
		}
	}
	text, err := json.Marshal(map[string]any{
		"version": "1.0", "added_tokens": []any{map[string]any{"id": 256, "content": "<|im_start|>", "special": true}, map[string]any{"id": 257, "content": "<|im_end|>", "special": true}},
		"model":   map[string]any{"type": "BPE", "byte_fallback": true, "vocab": vocab, "merges": []string{}},
		"decoder": map[string]any{"type": "Sequence", "decoders": []any{map[string]any{"type": "ByteFallback"}, map[string]any{"type": "Fuse"}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	tok, err := tokenizer.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	config := chattemplate.Config{Templates: []chattemplate.NamedTemplate{{Name: "default", Source: forgets}}}
	template, err := config.Chat("")
	if err != nil {
		t.Fatal(err)
	}
	return &exact.Chat{Template: template, Tokenizer: tok, Model: "bytes"}
}
