package policytest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/policy"
)

// A Suite tests the promises of one policy. Its fields describe the policy.
type Suite struct {
	// New returns the policy to test. Its replies must exceed eight tokens unless MaxTokens
	// cuts them, and must not depend on time.
	New func(t *testing.T) quintain.Policy

	// Deterministic promises equal samples for equal requests, even from two policies
	// returned by New.
	Deterministic bool

	// Calls returns the policy with replies that call the tool add once and say "I add.", if it can be made so; nil: it
	// cannot.
	Calls func(t *testing.T) quintain.Policy

	// Retells says that the policy's tokens are the bytes of a text, because its server
	// does not reveal the real tokens. MaxTokens then counts the real tokens.
	Retells bool
}

// Run tests all promises on policies returned by fresh, which must meet the requirements of
// [Suite.New].
func Run(t *testing.T, fresh func(t *testing.T) quintain.Policy) {
	t.Helper()
	Suite{New: fresh}.Run(t)
}

// Run tests all promises.
func (s Suite) Run(t *testing.T) {
	t.Helper()
	for _, promise := range []struct {
		name string // the promise as a test name
		test func(Suite, *testing.T)
	}{
		{"ExactlyNSamplesThatHoldTogether", Suite.testSamples},
		{"WhatWasSampledIsNotReadAgain", Suite.testSecondTurn},
		{"MaxTokensIsKept", Suite.testMaxTokens},
		{"AStopEndsTheReply", Suite.testStop},
		{"ToolsAreReadOrRefused", Suite.testTools},
		{"CallsAreReadAndTheirTokensStay", Suite.testCalls},
		{"AnEndedContextGivesItsCause", Suite.testEnded},
		{"AContextThatEndsCutsTheReply", Suite.testCut},
		{"InvalidRequestsAreRefused", Suite.testInvalid},
		{"ManyGoroutinesMayUseIt", Suite.testMany},
		{"SamplesMayBeExtended", Suite.testOwnership},
		{"EqualRequestsGetEqualSamples", Suite.testDeterministic},
	} {
		t.Run(promise.name, func(t *testing.T) { promise.test(s, t) })
	}
}

// limit is the time limit of a request.
const limit = 30 * time.Second

// question returns a request of n samples for the first turn of an episode.
func question(n int) quintain.Request {
	return quintain.Request{
		Key: "policytest.v1.s1.l0.0", N: n, Sampling: quintain.Sampling{Temperature: 1, TopP: 1},
		Messages: []quintain.Message{
			{Role: quintain.RoleSystem, Content: "You answer questions. " + strings.Repeat("Think it over before you do. ", 30)},
			{Role: quintain.RoleUser, Content: "What is the first question — “α”?"},
		},
	}
}

// followUp returns the request for the next turn, after s answered r.
func followUp(r quintain.Request, s quintain.Sample) quintain.Request {
	next := r
	next.Messages = append(append([]quintain.Message(nil), r.Messages...),
		quintain.Message{Role: quintain.RoleAssistant, Content: s.Text},
		quintain.Message{Role: quintain.RoleUser, Content: "And the second?"})
	next.Context = append(append(append([]quintain.Token(nil), r.Context...), s.Read...), s.Wrote...)
	next.Fresh, next.Wrote = len(next.Messages)-1, len(s.Wrote)
	return next
}

// ask returns the samples of r, after checking their promises.
func ask(t *testing.T, p quintain.Policy, r quintain.Request) []quintain.Sample {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	samples, err := p.Sample(ctx, r)
	if err != nil {
		t.Fatalf("error: %v", err)
	}
	if err := Check(r, samples); err != nil {
		t.Fatal(err)
	}
	return samples
}

func (s Suite) testSamples(t *testing.T) {
	p := s.New(t)
	for _, n := range []int{1, 2, 7} {
		ask(t, p, question(n))
	}
}

func (s Suite) testSecondTurn(t *testing.T) {
	p := s.New(t)
	first := question(1)
	one := ask(t, p, first)[0]
	second := followUp(first, one)
	two := ask(t, p, second)[0]
	if two.Vocabulary != one.Vocabulary {
		t.Errorf("vocabulary changes from %q to %q", one.Vocabulary, two.Vocabulary)
	}
	if len(two.Read)*4 > len(one.Read) {
		t.Errorf("the second turn read %d tokens of a short message; the first %d of a long one", len(two.Read), len(one.Read))
	}
	if two.Vocabulary == quintain.UTF8 {
		checkRead(t, second, two)
	}
	three := ask(t, p, followUp(second, two))[0]
	if len(three.Read)*4 > len(one.Read) {
		t.Errorf("the third turn read %d tokens of a short message; the first %d of a long one", len(three.Read), len(one.Read))
	}
}

// checkRead checks that s read the fresh messages of r, and no others.
func checkRead(t *testing.T, r quintain.Request, s quintain.Sample) {
	t.Helper()
	read := decode(s.Read)
	for i, m := range r.Messages {
		if got, want := strings.Contains(read, m.Content), i >= r.Fresh; got != want {
			t.Errorf("message %d was read: %v, want %v; read %q", i, got, want, read)
		}
	}
	if want := decode(policy.Read(r)); read != want {
		t.Errorf("read %q, want %q as package policy renders it", read, want)
	}
}

func (s Suite) testMaxTokens(t *testing.T) {
	p := s.New(t)
	for _, most := range []int{1, 3, 8} {
		r := question(2)
		r.Sampling.MaxTokens = most
		for k, sample := range ask(t, p, r) {
			if !s.Retells && len(sample.Wrote) > most {
				t.Errorf("sample %d has %d tokens, want at most %d", k, len(sample.Wrote), most)
			}
			if sample.Finish != quintain.Length {
				t.Errorf("sample %d was cut to %d tokens with finish %q, want %q", k, most, sample.Finish, quintain.Length)
			}
		}
	}
}

// testStop stops at texts of earlier replies. The tokens of a stop stay, so the sample has
// more of them than its text.
func (s Suite) testStop(t *testing.T) {
	p := s.New(t)
	r := question(1)
	for k := range 4 {
		r.Key = fmt.Sprint("policytest.v1.s1.l0.", k)
		r.Stop = nil
		said := ask(t, p, r)[0].Text
		middle := said[len(said)/2:]
		at := max(0, strings.IndexFunc(middle, func(c rune) bool { return c < utf8.RuneSelf }))
		r.Stop = []string{"no such text", middle[at : at+1]}
		samples, err := p.Sample(t.Context(), r)
		if refuses(t, err, "stop") {
			return
		}
		if err := Check(r, samples); err != nil {
			t.Fatal(err)
		}
		one := samples[0]
		before, _, _ := strings.Cut(said, r.Stop[1])
		if one.Finish != quintain.Stop || s.Deterministic && one.Text != before {
			t.Errorf("%q, finish %s, was %q without the stop %q", one.Text, one.Finish, said, r.Stop[1])
		}
		two := ask(t, p, followUp(r, one))[0]
		if two.Fork {
			t.Errorf("the turn after the stop begins anew")
		}
	}
}

// refuses reports whether err is a refusal that names a field, and fails the test on another
// error.
func refuses(t *testing.T, err error, field string) bool {
	t.Helper()
	if err != nil && (!errors.Is(err, quintain.ErrFinal) || !strings.Contains(err.Error(), field)) {
		t.Fatalf("error is %v, want none, or a final one that names %s", err, field)
	}
	return err != nil
}

func (s Suite) testTools(t *testing.T) {
	p := s.New(t)
	r := question(1)
	without := ask(t, p, r)[0]
	r.Tools = json.RawMessage(`[{"type": "function", "function": {"name": "search"}}]`)
	r.Vars = map[string]any{"no_such_variable": true}
	samples, err := p.Sample(t.Context(), r)
	if refuses(t, err, "tools") {
		return
	}
	if err := Check(r, samples); err != nil {
		t.Fatal(err)
	}
	if one := samples[0]; one.Vocabulary == quintain.UTF8 && !strings.Contains(decode(one.Read), `"search"`) {
		t.Errorf("read %q, want the tools in it", decode(one.Read))
	} else if len(one.Read) < len(without.Read) {
		t.Errorf("read %d tokens with tools, %d without", len(one.Read), len(without.Read))
	}
}

// testCalls plays two turns with the result of a tool between them.
func (s Suite) testCalls(t *testing.T) {
	if s.Calls == nil {
		return
	}
	p := s.Calls(t)
	r := question(2)
	r.Tools = json.RawMessage(`[{"type": "function", "function": {"name": "add", "description": "Add.", "parameters": {"type": "object", "properties": {}}}}]`)
	first := adds(t, p, r)
	r = followUp(r, first)
	r.N, r.Messages[r.Fresh-1].ToolCalls = 1, first.ToolCalls
	r.Messages[r.Fresh] = quintain.Message{Role: quintain.RoleTool, ToolCallID: first.ToolCalls[0].ID, Name: "add", Content: "5"}
	second := adds(t, p, r)
	if second.ToolCalls[0].ID == first.ToolCalls[0].ID || second.Fork {
		t.Errorf("the second turn has the call %+v after %+v, and begins anew: %v", second.ToolCalls[0], first.ToolCalls[0], second.Fork)
	}
}

// adds returns the first sample of r, each of which calls the tool add.
func adds(t *testing.T, p quintain.Policy, r quintain.Request) quintain.Sample {
	t.Helper()
	samples := ask(t, p, r)
	for k, one := range samples {
		if len(one.ToolCalls) != 1 || one.ToolCalls[0].Name != "add" || one.ToolCalls[0].ID == "" || strings.TrimSpace(one.Text) != "I add." || one.CallFault != "" {
			t.Fatalf("sample %d: the text %q with the calls %+v; %s", k, one.Text, one.ToolCalls, one.CallFault)
		}
	}
	return samples[0]
}

func (s Suite) testEnded(t *testing.T) {
	p := s.New(t)
	cause := errors.New("the run is over")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(cause)
	r := question(3)
	samples, err := p.Sample(ctx, r)
	if !errors.Is(err, cause) {
		t.Errorf("error is %v, want the cause of the context", err)
	}
	if err := CheckCut(r, samples); err != nil {
		t.Error(err)
	}
}

// testCut ends the context while the policy samples, or just before or after.
func (s Suite) testCut(t *testing.T) {
	p := s.New(t)
	cause := errors.New("the episode is cut")
	for range 8 {
		ctx, cancel := context.WithCancelCause(t.Context())
		go cancel(cause)
		r := question(3)
		samples, err := p.Sample(ctx, r)
		<-ctx.Done()
		switch {
		case err == nil:
			err = Check(r, samples)
		case errors.Is(err, cause):
			err = CheckCut(r, samples)
		default:
			err = fmt.Errorf("error is %w, want the cause of the context", err)
		}
		if err != nil {
			t.Error(err)
		}
	}
}

func (s Suite) testInvalid(t *testing.T) {
	p := s.New(t)
	for _, test := range []struct {
		why   string
		spoil func(*quintain.Request)
	}{
		{"no samples", func(r *quintain.Request) { r.N = 0 }},
		{"no messages", func(r *quintain.Request) { r.Messages = nil }},
		{"messages neither fresh nor in the context", func(r *quintain.Request) { r.Fresh = 1 }},
		{"temperature below zero", func(r *quintain.Request) { r.Sampling.Temperature = -1 }},
		{"an empty stop", func(r *quintain.Request) { r.Stop = []string{"a", ""} }},
		{"tools that are no list", func(r *quintain.Request) { r.Tools = json.RawMessage(`{"name": "search"}`) }},
		{"a schema that is no object", func(r *quintain.Request) { r.Schema = json.RawMessage(`true`) }},
		{"tools that are no JSON", func(r *quintain.Request) { r.Tools = json.RawMessage(`[`) }},
	} {
		r := question(1)
		test.spoil(&r)
		if samples, err := p.Sample(t.Context(), r); err == nil || len(samples) > 0 {
			t.Errorf("%s: %d samples and error %v, want only an error", test.why, len(samples), err)
		}
	}
}

func (s Suite) testMany(t *testing.T) {
	p := s.New(t)
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	var all sync.WaitGroup
	for i := range 16 {
		all.Go(func() {
			r := question(1 + i%3)
			r.Key = fmt.Sprint("policytest.v1.s1.l0.", i)
			samples, err := p.Sample(ctx, r)
			if err == nil {
				err = Check(r, samples)
			}
			if err != nil {
				t.Errorf("request %d: %v", i, err)
			}
		})
	}
	all.Wait()
}

// testOwnership appends to the slices of one sample, which must not change the others.
func (s Suite) testOwnership(t *testing.T) {
	samples := ask(t, s.New(t), question(2))
	before := fmt.Sprint(samples[1])
	_ = append(samples[0].Read, 1, 2, 3)
	_ = append(samples[0].Wrote, 1, 2, 3)
	_ = append(samples[0].LogProbs, 1, 2, 3)
	_ = append(samples[0].Versions, 1, 2, 3)
	if after := fmt.Sprint(samples[1]); after != before {
		t.Errorf("extending sample 0 changes sample 1 from %s to %s", before, after)
	}
}

func (s Suite) testDeterministic(t *testing.T) {
	if !s.Deterministic {
		return // the policy does not promise it
	}
	p := s.New(t)
	one := ask(t, p, question(4))
	if two := ask(t, p, question(4)); !reflect.DeepEqual(one, two) {
		t.Errorf("the same policy says %v, then %v", one, two)
	}
	if two := ask(t, s.New(t), question(4)); !reflect.DeepEqual(one, two) {
		t.Errorf("one policy says %v, another %v", one, two)
	}
}
