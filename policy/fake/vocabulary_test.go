package fake_test

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/policy"
	"github.com/quintain-rl/quintain/policy/engines"
	"github.com/quintain-rl/quintain/policy/exact"
	"github.com/quintain-rl/quintain/policy/fake"
	"github.com/quintain-rl/quintain/policy/policytest"
	"github.com/quintain-rl/quintain/policy/remote"
	"github.com/quintain-rl/quintain/text/chattemplate"
	"github.com/quintain-rl/quintain/text/tokenizer"
)

// chatML is the template of many models.
const chatML = `{% for m in messages %}{{ '<|im_start|>' + m.role + '\n' + m.content + '<|im_end|>\n' }}{% endfor %}` +
	`{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}`

// bpe is a tokenizer of bytes, pairs of letters and two special tokens.
func bpe(t testing.TB) *tokenizer.Tokenizer {
	t.Helper()
	vocab := map[string]int{}
	for b := range 256 {
		vocab[fmt.Sprintf("<0x%02X>", b)] = b
	}
	for _, piece := range strings.Split("t h e a n he the an", " ") {
		vocab[piece] = len(vocab)
	}
	file, err := json.Marshal(map[string]any{
		"version": "1.0",
		"added_tokens": []any{
			map[string]any{"id": len(vocab), "content": "<|im_start|>", "special": true},
			map[string]any{"id": 1 + len(vocab), "content": "<|im_end|>", "special": true},
		},
		"model":   map[string]any{"type": "BPE", "byte_fallback": true, "vocab": vocab, "merges": []string{"h e", "t he", "a n"}},
		"decoder": map[string]any{"type": "Sequence", "decoders": []any{map[string]any{"type": "ByteFallback"}, map[string]any{"type": "Fuse"}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	made, err := tokenizer.Parse(file)
	if err != nil {
		t.Fatal(err)
	}
	return made
}

// template compiles a chat template.
func template(t testing.TB, source string) *chattemplate.Chat {
	t.Helper()
	config := chattemplate.Config{Templates: []chattemplate.NamedTemplate{{Name: "default", Source: source}}}
	chat, err := config.Chat("")
	if err != nil {
		t.Fatal(err)
	}
	return chat
}

// model returns a model's vocabulary, for a server and for its clients.
func model(t testing.TB) (*exact.Chat, func(*fake.Config)) {
	c := &exact.Chat{Tokenizer: bpe(t), Template: template(t, chatML), Model: "tiny"}
	return c, func(f *fake.Config) {
		f.Tokenizer, f.Template, f.Server.Length = c.Tokenizer, c.Template, "uniform:20-90"
	}
}

func TestPoliciesKeepTheirPromisesWithAModelsTokens(t *testing.T) {
	t.Parallel()
	for kind := range kinds() {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			policytest.Run(t, func(t *testing.T) quintain.Policy {
				c, set := model(t)
				_, web := serve(t, set)
				return exact.New(connect(t, kind, web.URL), c)
			})
		})
	}
	t.Run("openai", func(t *testing.T) { // without token IDs, replies are encoded again by the template
		t.Parallel()
		policytest.Suite{Retells: true, New: func(t *testing.T) quintain.Policy {
			_, set := model(t)
			_, web := serve(t, set)
			c, err := engines.NewOpenAI(engines.OpenAIConfig{Server: remote.Config{URL: web.URL + "/v1"}, Model: "fake"})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(c.CloseIdle)
			return c
		}}.Run(t)
	})
}

// A server reads and writes the model's tokens, with their probabilities, which add up to
// 1.
func TestAModelsTokens(t *testing.T) {
	t.Parallel()
	c, set := model(t)
	s, web := serve(t, set)
	p := exact.New(connect(t, "vllm", web.URL), c)
	samples, err := p.Sample(t.Context(), quintain.Request{N: 1, Sampling: quintain.Sampling{Temperature: 1},
		Messages: []quintain.Message{{Role: "user", Content: "how many legs has the horse?"}}})
	if err != nil {
		t.Fatal(err)
	}
	one, w := samples[0], s.Model().Weights(0)
	if text := c.Tokenizer.Decode([]int32{int32(one.Wrote[len(one.Wrote)-1])}, false); text != "<|im_end|>" {
		t.Errorf("the last token is %q", text)
	}
	for i, token := range one.Wrote {
		before := slices.Concat(one.Read, one.Wrote[:i])
		if want := w.LogProb(before, token); math.Abs(want-float64(one.LogProbs[i])) > 1e-4 {
			t.Errorf("log-probability of token %d is %v, want %v", i, one.LogProbs[i], want)
		}
		sum := 0.0
		for id := range int32(c.Tokenizer.Size()) {
			if _, known := c.Tokenizer.Token(id); known {
				sum += math.Exp(w.LogProb(before, quintain.Token(id)))
			}
		}
		if math.Abs(sum-1) > 1e-9 {
			t.Errorf("after %d tokens the probabilities add up to %v", i, sum)
		}
	}
}

// ask posts body to a path and decodes the answer.
func ask(t *testing.T, url, body string, into any) {
	t.Helper()
	r, err := http.Post(url, "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	text, err := io.ReadAll(r.Body)
	if err == nil {
		err = json.Unmarshal(text, into)
	}
	if err != nil || r.StatusCode != http.StatusOK {
		t.Fatalf("%s: status %d, %s, error %v", url, r.StatusCode, text, err)
	}
}

func TestTokenizeRoute(t *testing.T) {
	t.Parallel()
	c, set := model(t)
	_, web := serve(t, set)
	_, plain := serve(t, nil)
	for _, test := range []struct{ why, url, body, want string }{
		{"a text", web.URL, `{"prompt":"the <|im_end|>"}`, "the <|im_end|>"},
		{"a text, as llama.cpp has it", web.URL, `{"content":"the é"}`, "the é"},
		{"a conversation", web.URL, `{"messages":[{"role":"user","content":"hi"}]}`, "<|im_start|>user\nhi<|im_end|>\n<|im_start|>assistant\n"},
		{"without the opening", web.URL, `{"messages":[{"role":"user","content":"hi"}],"add_generation_prompt":false}`, "<|im_start|>user\nhi<|im_end|>\n"},
		{"bytes", plain.URL, `{"prompt":"hi"}`, ""},
	} {
		var got struct {
			Tokens []quintain.Token `json:"tokens"`
			Count  int              `json:"count"`
		}
		ask(t, test.url+"/tokenize", test.body, &got)
		want := policy.Encode("hi")
		if test.want != "" {
			ids, err := c.Tokenizer.Encode(test.want, true)
			if err != nil {
				t.Fatal(err)
			}
			want = want[:0]
			for _, id := range ids {
				want = append(want, quintain.Token(id))
			}
		}
		if !slices.Equal(got.Tokens, want) || got.Count != len(want) {
			t.Errorf("%s: %d tokens, %v, want %v", test.why, got.Count, got.Tokens, want)
		}
	}
}

// replyFile writes a file of replies.
func replyFile(t *testing.T, lines ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "replies.jsonl")
	text := ""
	for _, line := range lines {
		text += line + "\n"
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// A reply's probability is its share of the file, and its log-probabilities say so.
func TestReplies(t *testing.T) {
	t.Parallel()
	want := map[string]float64{"the answer is 4": 0.5, "the answer is é": 0.25, "the": 0.25}
	path := replyFile(t, `{"text":"the answer is 4"}`, `{"text":"the"}`, `{"text":"the answer is é"}`, `{"text":"the answer is 4"}`)
	c, set := model(t)
	for why, render := range map[string]exact.Renderer{"bytes": exact.Bytes{}, "a model's tokens": c} {
		_, web := serve(t, func(f *fake.Config) {
			if render == c {
				set(f)
			}
			f.Server.Replies = path
		})
		p := exact.New(connect(t, "vllm", web.URL), render)
		for name, how := range map[string]quintain.Sampling{"as likely as they are": {Temperature: 1}, "the likeliest": {}, "few": {Temperature: 1, TopP: 0.4}} {
			n := 60
			if how.Temperature == 0 {
				n = 1
			}
			samples, err := p.Sample(t.Context(), quintain.Request{N: n, Messages: []quintain.Message{{Role: "user", Content: "2+2?"}}, Sampling: how})
			if err != nil {
				t.Fatal(err)
			}
			times := map[string]int{}
			for _, s := range samples {
				sum := 0.0
				for _, p := range s.LogProbs {
					sum += float64(p)
				}
				if times[s.Text]++; math.Abs(math.Exp(sum)-want[s.Text]) > 1e-3 {
					t.Errorf("%s, %s: %q has the probability %v, want %v", why, name, s.Text, math.Exp(sum), want[s.Text])
				}
			}
			if half := times["the answer is 4"]; name == "as likely as they are" && (half < 15 || half > 45) || name != "as likely as they are" && half != n {
				t.Errorf("%s, %s: of %d replies %v", why, name, n, times)
			}
		}
	}
}

func TestVocabulariesThatCannotServe(t *testing.T) {
	t.Parallel()
	words, err := tokenizer.Parse([]byte(`{"version":"1.0","added_tokens":[{"id":1,"content":"<|im_end|>","special":true}],
		"model":{"type":"WordLevel","vocab":{"?":0},"unk_token":"?"}}`))
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		why    string
		change func(*fake.Config)
		says   string
	}{
		{"no template", func(c *fake.Config) { c.Template = nil }, "or neither"},
		{"no tokenizer", func(c *fake.Config) { c.Tokenizer = nil }, "or neither"},
		{"no letters", func(c *fake.Config) { c.Tokenizer = words }, "no tokens of small letters"},
		{"nothing ends a reply", func(c *fake.Config) { c.Template = template(t, "{% for m in messages %}{{ m.content }}{% endfor %}") }, "without a special token"},
		{"a template that is silent", func(c *fake.Config) { c.Template = template(t, "<|im_end|>") }, "leaves out"},
		{"a template that refuses", func(c *fake.Config) { c.Template = template(t, "{{ raise_exception('no') }}") }, "refuses"},
		{"no file of replies", func(c *fake.Config) { c.Server.Replies = "none.jsonl" }, "none.jsonl"},
		{"an empty file of replies", func(c *fake.Config) { c.Server.Replies = replyFile(t) }, "has none"},
		{"replies that are no JSON", func(c *fake.Config) { c.Server.Replies = replyFile(t, "Hello") }, "reply 1: it is no JSON"},
		{"a reply without a text", func(c *fake.Config) { c.Server.Replies = replyFile(t, `{"text":""}`, "{}") }, "reply 2: text: is missing"},
	} {
		c := fake.Config{Server: fake.Defaults(), Tokenizer: bpe(t), Template: template(t, chatML)}
		test.change(&c)
		if _, err := fake.New(c); err == nil || !strings.Contains(err.Error(), test.says) {
			t.Errorf("%s: error %v, want %q", test.why, err, test.says)
		}
	}
}
