package exact_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/policy"
	"github.com/quintain-rl/quintain/policy/exact"
	"github.com/quintain-rl/quintain/text/chattemplate"
	"github.com/quintain-rl/quintain/text/tokenizer"
)

// Templates of the usual kinds.
const (
	chatML = `{% if tools %}{{ '<|im_start|>tools\n' + tools | tojson + '<|im_end|>\n' }}{% endif %}` +
		`{% for m in messages %}{{ '<|im_start|>' + m.role + '\n' + m.content }}` +
		`{% for c in m.tool_calls or [] %}{{ '<call>' + c.function.arguments | tojson }}{% endfor %}` +
		`{{ '<|im_end|>\n' }}{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}`

	strips = `{% for m in messages %}{{ '<|im_start|>' + m.role + '\n' + m.content.strip() + '<|im_end|>\n' }}{% endfor %}` +
		`{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}`

	dropsThought = `{% for m in messages %}{% set said = m.content %}` +
		`{% if m.role == 'assistant' and not loop.last %}{% set said = said.split('</think>')[-1] %}{% endif %}` +
		`{{ '<|im_start|>' + m.role + '\n' + said + '<|im_end|>\n' }}{% endfor %}` +
		`{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}`

	toolsLast = `{% for m in messages %}{% if loop.last and tools %}{{ 'tools: ' + tools | tojson }}{% endif %}` +
		`{{ '<|im_start|>' + m.role + '\n' + m.content + '<|im_end|>\n' }}{% endfor %}` +
		`{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}`

	// bracketed closes a reply with a space and another token.
	bracketed = `{{ '<s>' }}{% for m in messages %}{% if m.role == 'user' %}{{ '[INST] ' + m.content + ' [/INST]' }}` +
		`{% else %}{{ ' ' + m.content.strip() + ' </s>' }}{% endif %}{% endfor %}`

	plain = `{% for m in messages %}{{ m.role + ': ' + m.content + '\n' }}{% endfor %}{% if add_generation_prompt %}{{ 'assistant: ' }}{% endif %}`
)

// specials are the vocabulary's special tokens, after the 256 bytes and two pairs.
var specials = []string{"<s>", "</s>", "<|im_start|>", "<|im_end|>", "<|other|>"}

// tags are the vocabulary's added tokens that are not special, as of Qwen 3.
var tags = []string{"<tool_call>", "</tool_call>", "<tool_response>", "</tool_response>", "<think>", "</think>", "<h1>", "  "}

// vocabulary is a tokenizer.json: bytes, "in" and "an" as tokens, the special tokens and the tags.
// Like many others, it adds <s> to a text on request.
func vocabulary(t testing.TB) *tokenizer.Tokenizer {
	t.Helper()
	vocab := map[string]int{}
	for b := range 256 {
		vocab[fmt.Sprintf("<0x%02X>", b)] = b
	}
	for _, piece := range strings.Split("i n a in an", " ") {
		vocab[piece] = len(vocab)
	}
	var added []map[string]any
	for i, s := range slices.Concat(specials, tags) {
		added = append(added, map[string]any{"id": len(vocab) + len(added), "content": s, "special": i < len(specials), "rstrip": s == "<|other|>"})
	}
	text, err := json.Marshal(map[string]any{
		"version": "1.0", "added_tokens": added,
		"model":   map[string]any{"type": "BPE", "byte_fallback": true, "vocab": vocab, "merges": []string{"i n", "a n"}},
		"decoder": map[string]any{"type": "Sequence", "decoders": []any{map[string]any{"type": "ByteFallback"}, map[string]any{"type": "Fuse"}}},
		"post_processor": map[string]any{
			"type": "TemplateProcessing", "single": []any{map[string]any{"SpecialToken": map[string]any{"id": "<s>", "type_id": 0}}, map[string]any{"Sequence": map[string]any{"id": "A", "type_id": 0}}},
			"pair":           []any{map[string]any{"Sequence": map[string]any{"id": "A", "type_id": 0}}, map[string]any{"Sequence": map[string]any{"id": "B", "type_id": 0}}},
			"special_tokens": map[string]any{"<s>": map[string]any{"id": "<s>", "ids": []int{len(vocab)}, "tokens": []string{"<s>"}}},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	tok, err := tokenizer.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return tok
}

// chat returns a renderer with a template.
func chat(t testing.TB, template string) *exact.Chat {
	t.Helper()
	config := chattemplate.Config{Templates: []chattemplate.NamedTemplate{{Name: "default", Source: template}}}
	compiled, err := config.Chat("")
	if err != nil {
		t.Fatal(err)
	}
	return &exact.Chat{Template: compiled, Tokenizer: vocabulary(t), Model: "tiny"}
}

// encode returns the tokens of text.
func encode(t testing.TB, c *exact.Chat, text string) []quintain.Token {
	t.Helper()
	ids, err := c.Tokenizer.Encode(text, false)
	if err != nil {
		t.Fatal(err)
	}
	tokens := make([]quintain.Token, len(ids))
	for i, id := range ids {
		tokens[i] = quintain.Token(id)
	}
	return tokens
}

// decode returns the text of tokens, special ones included.
func decode(c *exact.Chat, tokens []quintain.Token) string {
	ids := make([]int32, len(tokens))
	for i, token := range tokens {
		ids[i] = int32(token)
	}
	return c.Tokenizer.Decode(ids, false)
}

// A talk is an episode in the making.
type talk struct {
	t testing.TB
	*exact.Chat
	request quintain.Request
	prompt  []quintain.Token // of the last reply
}

func newTalk(t testing.TB, c *exact.Chat) *talk {
	return &talk{t: t, Chat: c, request: quintain.Request{N: 1}}
}

// ask renders the next prompt.
func (a *talk) ask(messages ...quintain.Message) exact.Rendering {
	a.t.Helper()
	r := &a.request
	r.Fresh = len(r.Messages)
	r.Messages = append(r.Messages, messages...)
	read, err := a.Render(*r)
	if err != nil {
		a.t.Fatal(err)
	}
	if read.Drift == exact.Forked {
		r.Context = nil
	}
	a.prompt = slices.Concat(r.Context, read.Tokens)
	return read
}

// reply makes the policy write tokens.
func (a *talk) reply(tokens []quintain.Token) {
	r := &a.request
	r.Context, r.Wrote = slices.Concat(a.prompt, tokens), len(tokens)
	r.Messages = append(r.Messages, quintain.Message{Role: quintain.RoleAssistant, Content: a.Text(tokens)})
}

func user(text string) quintain.Message {
	return quintain.Message{Role: quintain.RoleUser, Content: text}
}

func TestTurns(t *testing.T) {
	t.Parallel()
	const asked = "<|im_start|>user\nHm?<|im_end|>\n<|im_start|>assistant\n"
	const again = "<|im_start|>user\nAnd?<|im_end|>\n<|im_start|>assistant\n"
	for _, test := range []struct {
		why, template string
		reply         string
		drift         exact.Drift
		read          string // in the second turn
	}{
		{"a reply that ended itself", chatML, "in an<|im_end|>", exact.Clean, "\n" + again},
		{"an empty reply", chatML, "<|im_end|>", exact.Clean, "\n" + again},
		{"a reply that was cut is closed", chatML, "in a", exact.Realigned, "<|im_end|>\n" + again},
		{"a reply that ended with another token is closed as well", chatML, "in<|other|>", exact.Realigned, "<|im_end|>\n" + again},
		{"special tokens within a reply are lost in its text", chatML, "in<|other|>an<|im_end|>", exact.Forked, "<|im_start|>user\nHm?<|im_end|>\n<|im_start|>assistant\ninan<|im_end|>\n" + again},
		{"white space that is not trimmed", chatML, " in \n<|im_end|>", exact.Clean, "\n" + again},
		{"white space that is", strips, "\n in \n<|im_end|>", exact.Realigned, "\n" + again},
		{"trimmed, and cut", strips, " in \n", exact.Realigned, "<|im_end|>\n" + again},
		{"nothing but white space, trimmed", strips, " \n<|im_end|>", exact.Realigned, "\n" + again},
		{"thinking that is dropped", dropsThought, "<think>an</think>in<|im_end|>", exact.Forked, asked + "in<|im_end|>\n" + again},
		{"no thinking to drop", dropsThought, "in<|im_end|>", exact.Clean, "\n" + again},
		{"a space before the reply and its end", bracketed, "in</s>", exact.Realigned, "[INST] And? [/INST]"},
		{"the same space, sampled", bracketed, " in </s>", exact.Clean, "[INST] And? [/INST]"},
		{"a template without ends, a reply that was cut", plain, "in", exact.Realigned, "\nuser: And?\nassistant: "},
		{"a template without ends, a reply that ended itself", plain, "in<|im_end|>", exact.Forked, "user: Hm?\nassistant: in\nuser: And?\nassistant: "},
		{"trimmed, and cut, with no token that closes it", strings.ReplaceAll(plain, "m.content", "m.content.strip()"), " in ", exact.Forked, "user: Hm?\nassistant: in\nuser: And?\nassistant: "},
		{"half a character at the cut", chatML, "in\xc3", exact.Realigned, "<|im_end|>\n" + again},
	} {
		c := chat(t, test.template)
		a := newTalk(t, c)
		a.ask(user("Hm?"))
		text, half := strings.CutSuffix(test.reply, "\xc3")
		tokens := encode(t, c, text)
		if half {
			tokens = append(tokens, 0xc3)
		}
		a.reply(tokens)
		read := a.ask(user("And?"))
		if got := decode(c, read.Tokens); got != test.read || read.Drift != test.drift || (read.Why != "") != (test.drift == exact.Forked) {
			t.Errorf("%s: %q, %s %s\nwant %q, %s", test.why, got, read.Drift, read.Why, test.read, test.drift)
		}
	}
}

// Such vocabularies put a space before the first word of a text and take it from the first
// token. Where the policy goes on, there is none to put or take.
// The tokens are those of AReaL's legacy agent: the whole sequence so far, then a plain call
// of the tokenizer on a line feed and the template's text of a lone message.
func TestFreshMessagesAlone(t *testing.T) {
	t.Parallel()
	const system = `{{ '<|im_start|>system\nBe good.<|im_end|>\n' }}{% for m in messages %}{{ '<|im_start|>' + m.role + '\n' + m.content + '<|im_end|>\n' }}{% endfor %}{{ '<|im_start|>assistant\n' }}`
	for _, test := range []struct{ why, template, reply, want string }{
		{"no system message", plain, "in</s>", "<s>\nuser: an\nassistant: "},
		{"the template's own system message again", system, "in<|im_end|>", "<s>\n<|im_start|>system\nBe good.<|im_end|>\n<|im_start|>user\nan<|im_end|>\n<|im_start|>assistant\n"},
		{"no end after a cut reply", bracketed, "in", "<s>\n<s>[INST] an [/INST]"},
	} {
		a := newTalk(t, chat(t, test.template))
		a.ask(user("Hm?"))
		a.reply(encode(t, a.Chat, test.reply))
		a.request.Alone = true
		soFar := a.request.Context
		for range 2 {
			read := a.ask(user("an"))
			if read.Drift != exact.Clean || !slices.Equal(read.Tokens, encode(t, a.Chat, test.want)) || !slices.Equal(a.prompt, slices.Concat(soFar, read.Tokens)) {
				t.Errorf("%s: %q, drift %v, want %q", test.why, decode(a.Chat, read.Tokens), read.Drift, test.want)
			}
			a.reply(encode(t, a.Chat, test.reply))
			soFar = a.request.Context
		}
	}
}

func TestSpacesBeforeWords(t *testing.T) {
	t.Parallel()
	tok, err := tokenizer.Parse([]byte(`{
		"version": "1.0", "added_tokens": [{"id": 7, "content": "</s>", "special": true}],
		"pre_tokenizer": {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always"},
		"decoder": {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always"},
		"model": {"type": "BPE", "vocab": {"▁": 0, "h": 1, "i": 2, "hi": 3, "▁hi": 4, "[": 5, "]": 6}, "merges": ["h i", "▁ hi"]}
	}`))
	if err != nil {
		t.Fatal(err)
	}
	const template = `{% for m in messages %}{{ '[' + m.content + ']' if m.role == 'user' else ' ' + m.content + '</s>' }}{% endfor %}`
	c := chat(t, template)
	c.Tokenizer = tok
	a := newTalk(t, c)
	a.ask(user("hi"))
	a.reply([]quintain.Token{4, 7})
	if read := a.ask(user("hi")); a.request.Messages[1].Content != "hi" || read.Drift != exact.Clean || !slices.Equal(a.prompt, encode(t, c, "[hi] hi</s>[hi]")) {
		t.Errorf("%+v after %q", read, a.request.Messages[1].Content)
	}
}

func TestTools(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		why, template, first string
		drift                exact.Drift
	}{
		{"tools at the start stay there", chatML, "<|im_start|>tools\n[{\"name\": \"add\"}]<|im_end|>\n<|im_start|>user\nHm?<|im_end|>\n<|im_start|>assistant\n", exact.Clean},
		{"tools before the last message move", toolsLast, "tools: [{\"name\": \"add\"}]<|im_start|>user\nHm?<|im_end|>\n<|im_start|>assistant\n", exact.Forked},
	} {
		c := chat(t, test.template)
		if err := c.Vars.Set("tools", []any{map[string]string{"name": "add"}}); err != nil {
			t.Fatal(err)
		}
		a := newTalk(t, c)
		if got := decode(c, a.ask(user("Hm?")).Tokens); got != test.first {
			t.Errorf("%s: %q, want %q", test.why, got, test.first)
		}
		a.reply(encode(t, c, "in<|im_end|>"))
		if read := a.ask(quintain.Message{Role: quintain.RoleTool, Content: "5"}); read.Drift != test.drift {
			t.Errorf("%s: %+v", test.why, read)
		}
	}
}

// Templates expect a call's arguments as an object, not as its text.
func TestArgumentsAreObjects(t *testing.T) {
	t.Parallel()
	c := chat(t, chatML)
	for arguments, want := range map[string]string{`{"b":1,"a":"ü"}`: `<call>{"b": 1, "a": "ü"}`, `{"b":`: `<call>"{\"b\":"`, `null`: `<call>"null"`} {
		m := quintain.Message{Role: quintain.RoleAssistant, Content: "in", ToolCalls: []quintain.ToolCall{{ID: "1", Name: "add", Arguments: arguments}}}
		read := newTalk(t, c).ask(user("Hm?"), m, user("5"))
		if got := decode(c, read.Tokens); !strings.Contains(got, "in"+want+"<|im_end|>") {
			t.Errorf("%s: %q, want %q in it", arguments, got, want)
		}
		if m.ToolCalls[0].Raw != nil {
			t.Error("the message was changed")
		}
	}
}

// A token that absorbs the white space after it also does so at the end of a reply.
func TestTextAfterAnEndIsEncodedAfterIt(t *testing.T) {
	t.Parallel()
	c := chat(t, strings.ReplaceAll(chatML, "<|im_end|>", "<|other|>"))
	a := newTalk(t, c)
	a.ask(user("Hm?"))
	a.reply(encode(t, c, "in<|other|>"))
	if read := a.ask(user("And?")); read.Drift != exact.Clean || !slices.Equal(a.prompt, encode(t, c, decode(c, a.prompt))) {
		t.Errorf("%+v is not how the whole text is encoded", read)
	}
}

func TestRenderRefuses(t *testing.T) {
	t.Parallel()
	c := chat(t, chatML)
	whole := quintain.Request{N: 1, Messages: []quintain.Message{user("a"), {Role: "assistant", Content: "b"}, user("c")}, Context: []quintain.Token{1, 2}, Fresh: 2, Wrote: 1}
	for _, test := range []struct {
		why   string
		c     *exact.Chat
		spoil func(*quintain.Request)
		says  string
	}{
		{"a reply of unknown length", c, func(r *quintain.Request) { r.Wrote = 0 }, "(Wrote)"},
		{"a reply that is not the policy's", c, func(r *quintain.Request) { r.Fresh = 1 }, `message 0 of the request has the role "user"`},
		{"a template that refuses", chat(t, `{{ raise_exception('alternate!') }}`), func(*quintain.Request) {}, "alternate!"},
		{"a template that asks for a time that is not set", chat(t, `{{ strftime_now('%Y') }}`), func(*quintain.Request) {}, "asks for the time"},
	} {
		r := whole
		test.spoil(&r)
		if _, err := test.c.Render(r); err == nil || !strings.Contains(err.Error(), test.says) || !errors.Is(err, quintain.ErrFinal) {
			t.Errorf("%s: error is %v, want %q", test.why, err, test.says)
		}
	}
}

// Sampled tokens stay, and unless a turn is realigned, all tokens together spell the
// template's text.
func TestTokensSpellTheTemplatesText(t *testing.T) {
	t.Parallel()
	pieces := []string{"in", "an", "i", " ", "\n", "ü", "👍", "<think>", "</think>", "<|im_end", "?"}
	for _, template := range []string{chatML, strips, dropsThought, bracketed, plain} {
		c := chat(t, template)
		drifts := map[exact.Drift]int{}
		for seed := range uint64(200) {
			rnd := rand.New(rand.NewPCG(seed, 1))
			say := func() (text string) {
				for range rnd.IntN(6) {
					text += pieces[rnd.IntN(len(pieces))]
				}
				return text
			}
			a := newTalk(t, c)
			said := true // the tokens so far spell the template's text
			for range 6 {
				sampled := slices.Clone(a.request.Context)
				read := a.ask(user(say()))
				drifts[read.Drift]++
				said = read.Drift == exact.Forked || said && read.Drift == exact.Clean
				if read.Drift != exact.Forked && !slices.Equal(a.prompt[:len(sampled)], sampled) {
					t.Fatalf("seed %d: tokens that were sampled have changed", seed)
				}
				if whole := decode(c, newTalk(t, c).ask(a.request.Messages...).Tokens); said && decode(c, a.prompt) != whole {
					t.Fatalf("seed %d: the tokens say %q, the template %q", seed, decode(c, a.prompt), whole)
				}
				a.reply(spelled(rnd, encode(t, c, say()+[]string{"<|im_end|>", "</s>", ""}[rnd.IntN(3)]+" ")))
			}
		}
		if drifts[exact.Realigned] == 0 || drifts[exact.Clean] == 0 {
			t.Errorf("%s: %v", template, drifts)
		}
	}
}

// spelled returns all tokens but the last, some spelled byte by byte: a policy may sample
// such tokens, but no tokenizer encodes them.
func spelled(rnd *rand.Rand, tokens []quintain.Token) (out []quintain.Token) {
	bytes := map[quintain.Token]string{259: "in", 260: "an"}
	for i, token := range tokens {
		text, ok := bytes[token]
		switch {
		case i == len(tokens)-1 && i > 0:
		case ok && rnd.IntN(2) == 0:
			out = append(out, policy.Encode(text)...)
		default:
			out = append(out, token)
		}
	}
	return out
}

// A server gets the template's text to continue or, without a template, paragraphs.
func TestPrompts(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	config := write("tokenizer_config.json", `{"chat_template":"{{ messages[0].content }}{{ messages[1].content[0].text }}{{ mark }}:"}`)
	talk := []quintain.Message{{Role: "user", Content: "2+2?"}, {Role: "assistant", Parts: []quintain.Part{{Type: "text", Text: "4"}}}}
	for _, test := range []struct {
		why   string
		files exact.Files
		want  string // empty: refused
	}{
		{"no template", exact.Files{}, "2+2?\n\n4\n\n"},
		{"that of a configuration", exact.Files{Config: config, Vars: map[string]any{"mark": "!"}}, "2+2?4!:"},
		{"that of a file before it", exact.Files{Config: config, Template: write("t.jinja", "{{ messages[0].role }}>{{ messages[0].content }}{{ messages[1].content[0].text }}")}, "user>2+2?4"},
		{"one that reads only texts", exact.Files{Template: write("texts.jinja", "{% for m in messages %}{{ m.content if m.content is string }}{% endfor %}")}, ""},
		{"one that refuses", exact.Files{Template: write("no.jinja", "{{ raise_exception('no') }}")}, ""},
	} {
		prompt, _, err := test.files.Prompt(time.Now())
		if err != nil {
			t.Fatalf("%s: %v", test.why, err)
		}
		text, err := prompt(quintain.Request{Messages: talk})
		if text != test.want || (err == nil) != (test.want != "") || err != nil && !errors.Is(err, quintain.ErrFinal) {
			t.Errorf("%s: %q, error %v", test.why, text, err)
		}
	}
	if _, _, err := (&exact.Files{Template: filepath.Join(folder, "none")}).Prompt(time.Now()); err == nil {
		t.Error("a template that is not there is accepted")
	}
}

func TestOnDrift(t *testing.T) {
	t.Parallel()
	for _, does := range []exact.OnDrift{exact.Fork, exact.Drop, exact.Fail} {
		c := chat(t, dropsThought)
		a := newTalk(t, c)
		a.ask(user("Hm?"))
		a.reply(encode(t, c, "<think>an</think>in<|im_end|>"))
		r := a.request
		r.Key, r.Fresh, r.Messages = "p#1", 2, append(r.Messages, user("And?"))

		s := &script{outputs: []policy.Output{output("a", 0, quintain.Stop)}}
		p := exact.New(s, c)
		p.Settings.OnDrift = does
		samples, err := p.Sample(t.Context(), r)
		if p.Stats().Forked != 1 {
			t.Errorf("%s: %+v", does, p.Stats())
		}
		if does == exact.Fork {
			if err != nil || len(samples) != 1 || !samples[0].Fork {
				t.Errorf("%s: %+v %v", does, samples, err)
			}
			continue
		}
		drift, ok := errors.AsType[*exact.DriftError](err)
		if !ok || drift.OnDrift != does || !errors.Is(err, quintain.ErrFinal) || errors.Is(err, quintain.ErrStop) != (does == exact.Fail) || len(s.asked) > 0 ||
			!strings.Contains(err.Error(), `p#1: the chat template rewrote earlier messages: it has "im_start|>assistant\nin<|im_end|>`) {
			t.Errorf("%s: error is %v", does, err)
		}
	}
}
