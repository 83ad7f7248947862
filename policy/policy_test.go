package policy_test

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/policy"
)

func TestReadRendersOnlyFreshMessages(t *testing.T) {
	t.Parallel()
	talk := []quintain.Message{
		{Role: quintain.RoleSystem, Content: "Be brief."},
		{Role: quintain.RoleUser, Content: "2+2?"},
		{Role: quintain.RoleAssistant, Content: "4"},
		{Role: quintain.RoleTool, Content: "right"},
		{Role: quintain.RoleUser, Content: "é?"},
	}
	for _, test := range []struct {
		why     string
		request quintain.Request
		want    string
	}{
		{"the first turn has all messages", quintain.Request{Messages: talk[:2]},
			"<|system|>Be brief.\x03<|user|>2+2?\x03<|assistant|>"},
		{"a reply that ended itself is not closed again", quintain.Request{Messages: talk, Fresh: 3, Context: policy.Encode("…4\x03")},
			"<|tool|>right\x03<|user|>é?\x03<|assistant|>"},
		{"a reply that was cut is closed", quintain.Request{Messages: talk[:4], Fresh: 3, Context: policy.Encode("…4")},
			"\x03<|tool|>right\x03<|assistant|>"},
	} {
		got := policy.Read(test.request)
		var raw []byte
		for _, token := range got {
			raw = append(raw, byte(token))
		}
		if string(raw) != test.want {
			t.Errorf("%s:\n got %q\nwant %q", test.why, raw, test.want)
		}
		if cap(got) > len(got)+1 {
			t.Errorf("%s: room for %d tokens, %d are used", test.why, cap(got), len(got))
		}
	}
}

func TestDecodeGivesTheText(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		why    string
		tokens []quintain.Token
		want   string
	}{
		{"nothing", nil, ""},
		{"bytes of several characters", policy.Encode("a é 日"), "a é 日"},
		{"the end is not text", append(policy.Encode("a"), policy.End), "a"},
		{"only one end is dropped", append(policy.Encode("a"), policy.End, policy.End), "a\x03"},
		{"a character cut in its middle", policy.Encode("é")[:1], "\uFFFD"},
		{"a run of bad bytes becomes one U+FFFD", []quintain.Token{'a', 0xff, 0xfe, 'b'}, "a\uFFFDb"},
		{"tokens that are not bytes", []quintain.Token{'a', 256, 'b', -1}, "a\uFFFDb\uFFFD"},
	} {
		if got := policy.Decode(test.tokens); got != test.want {
			t.Errorf("%s: %q, want %q", test.why, got, test.want)
		}
	}
}

func TestCheckRefusesInvalidRequests(t *testing.T) {
	t.Parallel()
	valid := func() quintain.Request {
		return quintain.Request{
			N: 1, Messages: []quintain.Message{{Role: "user", Content: "a"}, {Role: "assistant", Content: "b"}, {Role: "user", Content: "c"}},
			Context: []quintain.Token{1}, Fresh: 2, Sampling: quintain.Sampling{Temperature: 1, TopP: 1},
		}
	}
	for _, test := range []struct {
		why   string
		spoil func(*quintain.Request)
		want  string // part of the error; "": none
	}{
		{"valid", func(*quintain.Request) {}, ""},
		{"top_p left out", func(r *quintain.Request) { r.Sampling.TopP = 0 }, ""},
		{"no samples", func(r *quintain.Request) { r.N = 0 }, "0 samples"},
		{"no messages", func(r *quintain.Request) { r.Messages, r.Context, r.Fresh = nil, nil, 0 }, "none to reply to"},
		{"nothing fresh", func(r *quintain.Request) { r.Fresh = 3 }, "none to reply to"},
		{"fresh below zero", func(r *quintain.Request) { r.Fresh = -1 }, "none to reply to"},
		{"messages that would be lost", func(r *quintain.Request) { r.Context = nil }, "no tokens for the earlier ones"},
		{"messages that would be read twice", func(r *quintain.Request) { r.Fresh = 0 }, "none is in the context"},
		{"a schema", func(r *quintain.Request) { r.Schema = json.RawMessage(` {"type": "object"}`) }, ""},
		{"a schema that is no object", func(r *quintain.Request) { r.Schema = json.RawMessage(`[]`) }, "schema of the request is"},
		{"a reply longer than the context", func(r *quintain.Request) { r.Wrote = 2 }, "last reply of the request has 2 tokens"},
		{"temperature that is not a number", func(r *quintain.Request) { r.Sampling.Temperature = math.NaN() }, "temperature NaN"},
		{"infinite temperature", func(r *quintain.Request) { r.Sampling.Temperature = math.Inf(1) }, "temperature +Inf"},
		{"temperature below zero", func(r *quintain.Request) { r.Sampling.Temperature = -1 }, "temperature -1"},
		{"top_p above one", func(r *quintain.Request) { r.Sampling.TopP = 1.5 }, "top_p 1.5"},
		{"top_k below zero", func(r *quintain.Request) { r.Sampling.TopK = -1 }, "top_k -1"},
		{"max_tokens below zero", func(r *quintain.Request) { r.Sampling.MaxTokens = -1 }, "max_tokens -1"},
	} {
		r := valid()
		test.spoil(&r)
		got := fmt.Sprint(policy.Check(r))
		if test.want == "" && got != "<nil>" || !strings.Contains(got, test.want) {
			t.Errorf("%s: %q, want %q in it", test.why, got, test.want)
		}
	}
}

func TestParseFinish(t *testing.T) {
	for _, test := range []struct {
		reason string
		want   quintain.Finish // "": refused
	}{
		{"stop", quintain.Stop}, {"length", quintain.Length}, {"abort", quintain.Aborted}, {"", ""}, {"Stop", ""}, {"tool_calls", ""},
	} {
		got, err := policy.ParseFinish(test.reason)
		if got != test.want || (err == nil) != (test.want != "") {
			t.Errorf("%q: %q, error %v", test.reason, got, err)
		}
	}
}

func TestCheckOutput(t *testing.T) {
	t.Parallel()
	p := policy.Prompt{N: 1, Size: 256, Sampling: quintain.Sampling{MaxTokens: 3}}
	for _, test := range []struct {
		why    string
		output policy.Output
		want   string // part of the error; "": none
	}{
		{"whole", policy.Output{Tokens: []quintain.Token{0, 255}, LogProbs: []float32{-1, -1}, Finish: quintain.Stop}, ""},
		{"aborted before the first token", policy.Output{Finish: quintain.Aborted}, ""},
		{"no tokens", policy.Output{Finish: quintain.Stop}, "no tokens"},
		{"a token below 0", policy.Output{Tokens: []quintain.Token{-1}}, "token ID 0 is -1"},
		{"the first beyond the vocabulary", policy.Output{Tokens: []quintain.Token{1, 256}}, "token ID 1 is 256, outside the vocabulary of 256 tokens"},
		{"one far beyond", policy.Output{Tokens: []quintain.Token{99_999_999}}, "outside the vocabulary"},
		{"too many", policy.Output{Tokens: []quintain.Token{1, 2, 3, 4}}, "4 tokens, asked for at most 3"},
		{"few log-probabilities", policy.Output{Tokens: []quintain.Token{1, 2}, LogProbs: []float32{-1}}, "1 log-probability for 2 tokens"},
	} {
		if got := fmt.Sprint(policy.CheckOutput(p, test.output)); test.want == "" && got != "<nil>" || !strings.Contains(got, test.want) {
			t.Errorf("%s: %q, want %q in it", test.why, got, test.want)
		}
	}
}
