package engines_test

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/policy"
	"github.com/quintain-rl/quintain/policy/engines"
	"github.com/quintain-rl/quintain/policy/policytest"
	"github.com/quintain-rl/quintain/policy/remote"
)

func TestTokensReportedByTheServer(t *testing.T) {
	t.Parallel()
	s := &policytest.Server{TokenIDs: true}
	c := client(t, s, func(cfg *engines.OpenAIConfig) { cfg.Server.Version = func() int32 { return 7 } })
	r := request(2)
	for turn := range 3 {
		samples, err := c.Sample(t.Context(), r)
		if err == nil {
			err = policytest.Check(r, samples)
		}
		if err != nil {
			t.Fatalf("turn %d: %v", turn, err)
		}
		one := samples[0]
		if one.Vocabulary != "fake" || one.Versions[0] != 7 {
			t.Errorf("turn %d: vocabulary %q, version %d", turn, one.Vocabulary, one.Versions[0])
		}
		for i, p := range one.LogProbs {
			if want := float32(policytest.LogProb(one.Wrote[i])); p != want {
				t.Errorf("turn %d: log-probability of token %d is %v, want %v", turn, i, p, want)
			}
		}
		r.Context = append(append(r.Context, one.Read...), one.Wrote...)
		r.Fresh = len(r.Messages) + 1
		r.Messages = append(r.Messages, quintain.Message{Role: "assistant", Content: one.Text}, quintain.Message{Role: "user", Content: "Sure?"})
	}
}

func TestServerThatForgetsThoughtsForks(t *testing.T) {
	t.Parallel()
	s := saying("<think>Let me count.</think>\nFour.")
	s.TokenIDs, s.Forgets = true, true
	c := client(t, s, nil)
	r := request(1)
	samples, err := c.Sample(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	r.Context = append(slices.Clone(samples[0].Read), samples[0].Wrote...)
	r.Fresh = 2
	r.Messages = append(r.Messages, quintain.Message{Role: "assistant", Content: samples[0].Text}, quintain.Message{Role: "user", Content: "Sure?"})
	_, err = c.Sample(t.Context(), r)
	fault, ok := errors.AsType[*remote.Error](err)
	want := fmt.Sprintf("differs from the %d tokens of the conversation so far at token %d", len(r.Context), len(samples[0].Read))
	if !ok || fault.Kind != remote.Forked || !strings.Contains(err.Error(), want) {
		t.Errorf("error is %v, want %q", err, want)
	}
}

func TestLogProbsOnBytes(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		why, text string
		fault     policytest.Fault
		known     bool
	}{
		{"plain text", "Four legs.", nil, true},
		{"characters cut by token boundaries", "日本語 é", nil, true},
		{"an empty reply", "", nil, true},
		{"the server strips its text", "Four", policytest.EditChoice(func(c map[string]any) {
			c["message"].(map[string]any)["content"] = "our"
		}), false},
		{"the tokens are shorter than the text", "Four", policytest.EditChoice(func(c map[string]any) {
			c["message"].(map[string]any)["content"] = "Four legs. Or more."
		}), false},
		{"the server reports none", "Four", policytest.EditChoice(func(c map[string]any) { c["logprobs"] = nil }), false},
		{"the list is missing", "Four", policytest.EditChoice(func(c map[string]any) { c["logprobs"] = map[string]any{} }), false},
	} {
		s := saying(test.text)
		s.Faults = []policytest.Fault{test.fault}
		c := client(t, s, nil)
		r := request(1)
		samples, err := c.Sample(t.Context(), r)
		if err == nil {
			err = policytest.Check(r, samples)
		}
		if err != nil {
			t.Errorf("%s: %v", test.why, err)
			continue
		}
		if known := samples[0].LogProbs != nil; known != test.known || (c.Stats().NoLogProbs == 0) != test.known {
			t.Errorf("%s: log-probabilities %v, counted %d", test.why, samples[0].LogProbs, c.Stats().NoLogProbs)
		}
		if want := sumOf(test.text); test.known && math.Abs(sum(samples[0].LogProbs)-want) > 1e-4 {
			t.Errorf("%s: they sum to %v, want %v", test.why, sum(samples[0].LogProbs), want)
		}
	}
}

func sum(probs []float32) (total float64) {
	for _, p := range probs {
		total += float64(p)
	}
	return total
}

// sumOf returns the sum of the server tokens' log-probabilities for text.
func sumOf(text string) (total float64) {
	for len(text) > 0 {
		n := min(3, len(text))
		token := quintain.Token(n) << 24
		for i := range n {
			token |= quintain.Token(text[i]) << (8 * i)
		}
		total += policytest.LogProb(token)
		text = text[n:]
	}
	return total
}

func TestSeparateReasoningPrecedesTheText(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		why, field, text string
		most             int
		want             string
		finish           quintain.Finish
	}{
		{"like DeepSeek", "reasoning_content", "<think>hm</think>\nFour", 0, "<think>hm</think>\nFour", quintain.Stop},
		{"like newer vLLM", "reasoning", "<think>hm</think>\nFour", 0, "<think>hm</think>\nFour", quintain.Stop},
		{"cut within the reasoning", "reasoning_content", "<think>hm, let me see</think>\nFour", 4, "<think>hm, l", quintain.Length},
		{"nothing after the reasoning", "reasoning_content", "<think>hm</think>", 0, "<think>hm</think>\n", quintain.Stop},
		{"no reasoning", "reasoning_content", "Four", 0, "Four", quintain.Stop},
	} {
		s := saying(test.text)
		s.Reasoning = test.field
		c := client(t, s, nil)
		r := request(1)
		r.Sampling.MaxTokens = test.most
		samples, err := c.Sample(t.Context(), r)
		if err == nil {
			err = policytest.Check(r, samples)
		}
		if err != nil {
			t.Errorf("%s: %v", test.why, err)
		} else if samples[0].Text != test.want || samples[0].Finish != test.finish {
			t.Errorf("%s: %q, %q, want %q, %q", test.why, samples[0].Text, samples[0].Finish, test.want, test.finish)
		}
	}
}

func TestFinishReasons(t *testing.T) {
	t.Parallel()
	for reason, want := range map[string]quintain.Finish{
		"stop": quintain.Stop, "length": quintain.Length, "eos_token": quintain.Stop, "tool_calls": quintain.Stop,
	} {
		c := client(t, failing(policytest.EditChoice(func(c map[string]any) { c["finish_reason"] = reason })), nil)
		samples, err := c.Sample(t.Context(), request(1))
		if err != nil {
			t.Errorf("%s: %v", reason, err)
		} else if samples[0].Finish != want {
			t.Errorf("%s: finish %q, want %q", reason, samples[0].Finish, want)
		}
	}
}

// An empty content is a valid reply, whether written as "" or null.
func TestEmptyReplyIsAReply(t *testing.T) {
	t.Parallel()
	for _, content := range []any{"", nil} {
		s := saying("")
		s.Faults = []policytest.Fault{policytest.EditChoice(func(c map[string]any) { c["message"].(map[string]any)["content"] = content })}
		c := client(t, s, nil)
		r := request(1)
		samples, err := c.Sample(t.Context(), r)
		if err == nil {
			err = policytest.Check(r, samples)
		}
		if err != nil || samples[0].Text != "" || samples[0].Finish != quintain.Stop {
			t.Errorf("content %v: %v, error %v, want an empty reply", content, samples, err)
		}
	}
}

func TestReadIsRenderedByPackagePolicy(t *testing.T) {
	t.Parallel()
	c := client(t, saying("Four"), nil)
	r := request(2)
	samples, err := c.Sample(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(samples[1].Read, policy.Read(r)) || !slices.Equal(samples[1].Wrote, policy.Encode("Four")) {
		t.Errorf("read %v and wrote %v", samples[1].Read, samples[1].Wrote)
	}
}
