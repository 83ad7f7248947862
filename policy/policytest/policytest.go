// Package policytest tests the promises of a [quintain.Policy]. Its server of chat
// completions writes the texts of a test, in any of the ways in which servers differ, and
// lets the test change its answers. Package policy/fake is for users, too: its servers
// resemble real ones and sample from a distribution.
package policytest

import (
	"fmt"
	"math"
	"strings"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/policy"
)

// Check reports the first promise that samples, returned for r without an error, break: the
// number of samples, matching lengths, versions that never fall, finite log-probabilities
// of zero or less and, in the byte vocabulary, a text equal to the tokens.
func Check(r quintain.Request, samples []quintain.Sample) error {
	if len(samples) != r.N {
		return fmt.Errorf("%d samples, want %d", len(samples), r.N)
	}
	for k, s := range samples {
		if err := checkSample(r, s); err != nil {
			return fmt.Errorf("sample %d: %w", k, err)
		}
		if s.Finish != quintain.Stop && s.Finish != quintain.Length {
			return fmt.Errorf("sample %d: finish is %q, want %q or %q", k, s.Finish, quintain.Stop, quintain.Length)
		}
		if len(s.Read) == 0 {
			return fmt.Errorf("sample %d: read no tokens", k)
		}
		if err := checkStop(r, s); err != nil {
			return fmt.Errorf("sample %d: %w", k, err)
		}
	}
	return nil
}

// checkStop reports whether the text of s goes on at a stop text of r, or differs from the
// text with special tokens.
func checkStop(r quintain.Request, s quintain.Sample) error {
	for _, text := range []string{s.Text, s.Whole} {
		if begin, _ := policy.Stopped(text, r.Stop); begin >= 0 {
			return fmt.Errorf("text %q has one of the stops %q", text, r.Stop)
		}
	}
	if s.Vocabulary == quintain.UTF8 && s.Whole != "" && s.Whole != s.Text && len(s.ToolCalls) == 0 {
		return fmt.Errorf("the whole text is %q, the text %q", s.Whole, s.Text)
	}
	return nil
}

// CheckCut reports the first promise that samples, returned for r with the cause of its
// context, break.
func CheckCut(r quintain.Request, samples []quintain.Sample) error {
	if len(samples) > r.N {
		return fmt.Errorf("%d samples, want at most %d", len(samples), r.N)
	}
	for k, s := range samples {
		if err := checkSample(r, s); err != nil {
			return fmt.Errorf("sample %d: %w", k, err)
		}
		if s.Finish != quintain.Aborted {
			return fmt.Errorf("sample %d: finish is %q, want %q", k, s.Finish, quintain.Aborted)
		}
	}
	return nil
}

// checkSample reports the first broken promise common to whole and cut samples.
func checkSample(r quintain.Request, s quintain.Sample) error {
	if s.Vocabulary == "" {
		return fmt.Errorf("vocabulary is empty")
	}
	if s.LogProbs != nil && len(s.LogProbs) != len(s.Wrote) {
		return fmt.Errorf("%d log-probabilities for %d tokens", len(s.LogProbs), len(s.Wrote))
	}
	if len(s.Versions) != len(s.Wrote) {
		return fmt.Errorf("%d versions for %d tokens", len(s.Versions), len(s.Wrote))
	}
	for i, v := range s.Versions {
		if i > 0 && v < s.Versions[i-1] {
			return fmt.Errorf("version falls from %d to %d at token %d", s.Versions[i-1], v, i)
		}
	}
	for i, p := range s.LogProbs {
		if p64 := float64(p); math.IsNaN(p64) || math.IsInf(p64, 0) || p > 0 {
			return fmt.Errorf("log-probability of token %d is %v", i, p)
		}
	}
	return checkTokens(r, s)
}

// checkTokens reports the first token outside the vocabulary, or bytes that differ from the
// text up to a stop.
func checkTokens(r quintain.Request, s quintain.Sample) error {
	most := quintain.Token(math.MaxInt32)
	if s.Vocabulary == quintain.UTF8 {
		most = 0xff
	}
	for _, list := range [][]quintain.Token{s.Read, s.Wrote} {
		for i, token := range list {
			if token < 0 || token > most {
				return fmt.Errorf("token %d is %d, want 0 to %d", i, token, most)
			}
		}
	}
	if s.Vocabulary != quintain.UTF8 || s.Text == decode(s.Wrote) || len(s.ToolCalls) > 0 {
		return nil
	}
	if begin, end := policy.Stopped(decode(s.Wrote), r.Stop); begin >= 0 && end == len(s.Wrote) && s.Text == decode(s.Wrote[:begin]) {
		return nil
	}
	if s.Finish != quintain.Length && s.Text == policy.Decode(s.Wrote) { // an aborted sample may have ended just then
		return nil
	}
	return fmt.Errorf("text %q is not the written %q", s.Text, decode(s.Wrote))
}

// decode returns the text of tokens, including a closing [policy.End].
func decode(tokens []quintain.Token) string {
	raw := make([]byte, len(tokens))
	for i, t := range tokens {
		raw[i] = byte(t)
	}
	return strings.ToValidUTF8(string(raw), "\uFFFD")
}
