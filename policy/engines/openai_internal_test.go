package engines

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/policy/policytest"
)

const fine = `{"choices":[{"message":{"content":"Four"},"finish_reason":"stop"}]}`

func request(n int) quintain.Request {
	return quintain.Request{N: n, Messages: []quintain.Message{{Role: "user", Content: "How many?"}}, Sampling: quintain.Sampling{Temperature: 1}}
}

func TestSpreadPutsLogProbsOnFirstBytes(t *testing.T) {
	t.Parallel()
	type token struct {
		text  string
		bytes []byte
	}
	for _, test := range []struct {
		why    string
		text   string
		tokens []token // token i has log-probability -(i+1)
		want   []float32
	}{
		{"tokens of several bytes", "abcde", []token{{"ab", nil}, {"cde", nil}}, []float32{-1, 0, -2, 0, 0}},
		{"bytes take precedence over text", "é", []token{{"\uFFFD", []byte{0xc3}}, {"\uFFFD", []byte{0xa9}}}, []float32{-1, -2}},
		{"the end of the turn is left out", "a", []token{{"a", nil}, {"<|im_end|>", nil}}, []float32{-1}},
		{"an end without text is left out", "a", []token{{"a", nil}, {"", nil}}, []float32{-1}},
		{"a token without text adds to the next", "ab", []token{{"a", nil}, {"", nil}, {"b", nil}}, []float32{-1, -5}},
		{"only an end", "", []token{{"<|im_end|>", nil}}, []float32{}},
		{"no text, no tokens", "", nil, []float32{}},
		{"no tokens for the text", "a", nil, nil},
		{"too many tokens after the text", "a", []token{{"a", nil}, {"b", nil}, {"c", nil}, {"d", nil}}, nil},
		{"too few tokens for the text", "abc", []token{{"ab", nil}}, nil},
		{"a token that goes beyond the text", "ab", []token{{"abc", nil}}, nil},
		{"different text", "ab", []token{{"a", nil}, {"c", nil}}, nil},
		{"a space that was stripped", "a", []token{{" ", nil}, {"a", nil}}, nil},
	} {
		var entries []entry
		var probs []float32
		for i, tok := range test.tokens {
			entries = append(entries, entry{Token: tok.text, Bytes: tok.bytes})
			probs = append(probs, -float32(i+1))
		}
		got := spread(entries, probs, test.text)
		if !slices.Equal(got, test.want) || (got == nil) != (test.want == nil) {
			t.Errorf("%s: %v, want %v", test.why, got, test.want)
		}
	}
}

// Samples do not keep the whole prompt of a long conversation in memory, and share one copy
// of Read.
func TestReadIsSmallAndShared(t *testing.T) {
	t.Parallel()
	r := request(2)
	prompt := make([]quintain.Token, 1000)
	r.Context, r.Messages, r.Fresh = prompt[:990], append(r.Messages, r.Messages...), 1
	choice := map[string]any{"message": map[string]any{"content": "x"}, "finish_reason": "stop", "token_ids": []int{1}}
	body, err := json.Marshal(map[string]any{"prompt_token_ids": prompt, "choices": []any{choice, choice}})
	if err != nil {
		t.Fatal(err)
	}
	q := &query{Request: r, config: &OpenAIConfig{Model: "m", TokenIDs: true}, n: 2}
	samples, fault := q.read(body)
	if fault != nil {
		t.Fatal(fault)
	}
	if n := cap(samples[0].Read); n != 10 {
		t.Errorf("read has room for %d tokens, want 10", n)
	}
	if &samples[0].Read[0] != &samples[1].Read[0] {
		t.Error("each sample has its own copy of Read")
	}
}

// Text completions report log-probabilities in OpenAI's form and in llama.cpp's.
func TestTextCompletions(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		why, choice string
		want        []float32 // log-probabilities; nil: unknown
		fault       string    // in the fault; empty: none
	}{
		{"tokens and token_logprobs", `"text":"Four","logprobs":{"tokens":["Fo","ur"],"token_logprobs":[-1,-2],"top_logprobs":[{"Fo":-1},{"ur":-2}]}`, []float32{-1, 0, -2, 0}, ""},
		{"with the token that ends the text", `"text":"Four","logprobs":{"tokens":["Four",""],"token_logprobs":[-1,-2]}`, []float32{-1, 0, 0, 0}, ""},
		{"content, as llama.cpp", `"text":"Four","logprobs":{"content":[{"token":"Four","bytes":[70,111,117,114],"logprob":-3}]}`, []float32{-3, 0, 0, 0}, ""},
		{"none", `"text":"Four","logprobs":null`, nil, ""},
		{"tokens that do not spell the text", `"text":"Four","logprobs":{"tokens":["bytes:\\xf0"],"token_logprobs":[-1]}`, nil, ""},
		{"an empty text", `"text":"","logprobs":{"tokens":[],"token_logprobs":[]}`, []float32{}, ""},
		{"fewer log-probabilities than tokens", `"text":"Four","logprobs":{"tokens":["Fo","ur"],"token_logprobs":[-1]}`, nil, "1 log-probability for 2 tokens"},
		{"null among them", `"text":"Four","logprobs":{"tokens":["Four"],"token_logprobs":[null]}`, nil, "token 0 is null"},
		{"no text", `"message":{"content":"Four"}`, nil, "no text"},
	} {
		q := &query{Request: request(1), config: &OpenAIConfig{Model: "m", Prompt: func(quintain.Request) (string, error) { return "", nil }}, n: 1}
		samples, fault := q.read([]byte(`{"choices":[{` + test.choice + `,"finish_reason":"stop"}]}`))
		if (fault != nil) != (test.fault != "") || fault != nil && !strings.Contains(fault.Error(), test.fault) {
			t.Errorf("%s: fault %v, want %q", test.why, fault, test.fault)
		}
		if fault == nil && (!slices.Equal(samples[0].LogProbs, test.want) || (samples[0].LogProbs == nil) != (test.want == nil)) {
			t.Errorf("%s: log-probabilities %v, want %v", test.why, samples[0].LogProbs, test.want)
		}
	}
}

// FuzzReply checks that any body gives either samples that keep their promises, or an
// error.
func FuzzReply(f *testing.F) {
	f.Add([]byte(fine), false, false, 2)
	f.Add([]byte(`{"choices":[{"text":"Four","finish_reason":"length","logprobs":{"tokens":["Fo","ur"],"token_logprobs":[-1,-2]}}]}`), false, true, 0)
	f.Add([]byte(`{"choices":[{"text":"a","finish_reason":"stop","token_ids":[7],"prompt_token_ids":[1],"logprobs":{"tokens":["a"],"token_logprobs":[-1]}}]}`), true, true, 0)
	f.Add([]byte(`{"prompt_token_ids":[1,2,3],"choices":[{"message":{"content":"é"},"finish_reason":"length","token_ids":[9],"logprobs":{"content":[{"token":"é","logprob":-0.5,"bytes":[195,169]}]}}]}`), true, false, 0)
	f.Add([]byte(`{"choices":[{"message":{"content":"é","reasoning_content":"hm"},"finish_reason":"stop","logprobs":{"content":[{"token":"é","logprob":-0.5,"bytes":null},{"token":"","logprob":-1e39}]}}]}`), false, false, 0)
	f.Add([]byte(`{"choices":[{"message":{"prompt_token_ids":[1],"content":"a"},"finish_reason":"stop","logprobs":{"content":[{"token":"token_id:7","logprob":1e-9}]}}]}`), true, false, 1)
	f.Add([]byte(`{"choices":[{"message":{"content":"\ud800\u0003"},"finish_reason":"tool_calls","logprobs":{"content":[]}},{"message":{},"finish_reason":"stop"}]}`), false, false, 1)
	f.Add([]byte(`<html>`), false, false, 1)
	f.Fuzz(func(t *testing.T, body []byte, ids, text bool, context int) {
		r := request(2)
		if context > 0 && context < 100 {
			r.Context, r.Messages, r.Fresh = make([]quintain.Token, context), append(r.Messages, r.Messages...), 1
			for i := range r.Context {
				r.Context[i] = quintain.Token(i + 1)
			}
		}
		q := &query{Request: r, config: &OpenAIConfig{Model: "m", TokenIDs: ids}, n: 2}
		if text {
			q.config.Prompt = func(quintain.Request) (string, error) { return "", nil }
		}
		samples, fault := q.read(bytes.Clone(body))
		if fault != nil {
			if fault.Error() == "" || fault.Err == nil || len(samples) > 0 {
				t.Fatalf("fault %v with %d samples", fault, len(samples))
			}
			return
		}
		r.N = len(samples)
		if err := policytest.Check(r, samples); err != nil {
			t.Fatal(err)
		}
		if r.N < 1 || r.N > 2 {
			t.Fatalf("%d samples", r.N)
		}
		if _, err := json.Marshal(samples); err != nil {
			t.Fatal(err)
		}
	})
}

func BenchmarkRead(b *testing.B) {
	var content []string
	for range 1000 {
		content = append(content, `{"token":"abcd","logprob":-0.123456789,"bytes":[97,98,99,100],"top_logprobs":[]}`)
	}
	choice := fmt.Sprintf(`{"message":{"content":%q},"finish_reason":"stop","logprobs":{"content":[%s]}}`,
		strings.Repeat("abcd", 1000), strings.Join(content, ","))
	body := []byte(`{"choices":[` + choice + `]}`)
	q := &query{Request: request(1), config: &OpenAIConfig{Model: "m"}, n: 1}
	b.SetBytes(int64(len(body)))
	for b.Loop() {
		if _, fault := q.read(body); fault != nil {
			b.Fatal(fault)
		}
	}
}
