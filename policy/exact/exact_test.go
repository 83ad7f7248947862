package exact_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/policy"
	"github.com/quintain-rl/quintain/policy/exact"
	"github.com/quintain-rl/quintain/policy/remote"
)

// A script is a generator with given outputs, in order.
type script struct {
	outputs []policy.Output
	several bool
	asked   []policy.Prompt
}

func (s *script) Can() policy.Abilities { return policy.Abilities{Several: s.several} }

func (s *script) Generate(_ context.Context, p policy.Prompt) ([]policy.Output, error) {
	s.asked = append(s.asked, p)
	outputs := s.outputs[:p.N]
	s.outputs = s.outputs[p.N:]
	return outputs, nil
}

// output makes one token per byte of text, all of one version.
func output(text string, version int32, finish quintain.Finish) policy.Output {
	n := len(text)
	return policy.Output{
		Tokens: policy.Encode(text), LogProbs: slices.Repeat([]float32{-1}, n), Versions: slices.Repeat([]int32{version}, n), Finish: finish,
	}
}

func request(most int) quintain.Request {
	return quintain.Request{N: 1, Messages: []quintain.Message{{Role: "user", Content: "Hm?"}}, Sampling: quintain.Sampling{Temperature: 1, MaxTokens: most}}
}

func TestInterruptedReplies(t *testing.T) {
	t.Parallel()
	unknown := output("b", 1, quintain.Stop)
	unknown.LogProbs = nil
	for _, test := range []struct {
		why     string
		outputs []policy.Output
		most    int
		text    string
		finish  quintain.Finish
		known   bool
		says    string // "": no error
	}{
		{"whole", []policy.Output{output("a", 0, quintain.Stop)}, 9, "a", quintain.Stop, true, ""},
		{"interrupted twice", []policy.Output{output("a", 0, quintain.Aborted), output("bc", 1, quintain.Aborted), output("d", 1, quintain.Length)}, 4, "abcd", quintain.Length, true, ""},
		{"interrupted at its last token", []policy.Output{output("ab", 0, quintain.Aborted)}, 2, "ab", quintain.Length, true, ""},
		{"interrupted before its first", []policy.Output{output("", 0, quintain.Aborted), output("b", 1, quintain.Stop)}, 9, "b", quintain.Stop, true, ""},
		{"continued without log-probabilities", []policy.Output{output("a", 0, quintain.Aborted), unknown}, 9, "ab", quintain.Stop, false, ""},
		{"continued with older weights", []policy.Output{output("a", 5, quintain.Aborted), output("b", 4, quintain.Stop)}, 9, "", "", false, "interrupted at version 5 and continued at version 4"},
	} {
		s := &script{outputs: test.outputs}
		samples, err := exact.New(s, exact.Bytes{}).Sample(t.Context(), request(test.most))
		if test.says != "" {
			if err == nil || !strings.Contains(err.Error(), test.says) || len(samples) > 0 {
				t.Errorf("%s: error is %v, want %q", test.why, err, test.says)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", test.why, err)
			continue
		}
		one := samples[0]
		if one.Text != test.text || one.Finish != test.finish || (one.LogProbs != nil) != test.known || len(one.Versions) != len(one.Wrote) {
			t.Errorf("%s: %+v", test.why, one)
		}
		last := s.asked[len(s.asked)-1]
		if n := len(s.asked[0].Tokens) + len(one.Wrote) - len(test.outputs[len(test.outputs)-1].Tokens); len(last.Tokens) != n && one.Finish != quintain.Length {
			t.Errorf("%s: the last prompt has %d tokens, want %d", test.why, len(last.Tokens), n)
		}
	}
}

// Another request continues a reply longer than a chunk.
func TestGivenTokensAreTheFirstPrompt(t *testing.T) {
	t.Parallel()
	given := []quintain.Token{7, 0, 255}
	for _, test := range []struct {
		why    string
		change func(*quintain.Request)
		want   []quintain.Token // of the prompt; nil: an error
	}{
		{"as they are", func(r *quintain.Request) { r.Tokens = given }, given},
		{"not given", func(*quintain.Request) {}, policy.Read(request(9))},
		{"outside the vocabulary", func(r *quintain.Request) { r.Tokens = []quintain.Token{256} }, nil},
		{"below zero", func(r *quintain.Request) { r.Tokens = []quintain.Token{-1} }, nil},
		{"at a later turn the context counts", func(r *quintain.Request) {
			r.Messages = append(r.Messages, quintain.Message{Role: "assistant", Content: "a"}, quintain.Message{Role: "user", Content: "b"})
			r.Tokens, r.Context, r.Fresh, r.Wrote = given, []quintain.Token{1, 2, 3}, 2, 1
		}, append([]quintain.Token{1, 2, 3}, policy.Read(quintain.Request{Messages: []quintain.Message{{Role: "user", Content: "b"}}})...)},
	} {
		g := &script{outputs: []policy.Output{output("a", 0, quintain.Stop)}}
		r := request(9)
		test.change(&r)
		samples, err := exact.New(g, exact.Bytes{}).Sample(t.Context(), r)
		if test.want == nil {
			if !errors.Is(err, quintain.ErrFinal) || len(g.asked) > 0 {
				t.Errorf("%s: error %v", test.why, err)
			}
			continue
		}
		if err != nil || !slices.Equal(g.asked[0].Tokens, test.want) || !slices.Equal(slices.Concat(r.Context, samples[0].Read), test.want) {
			t.Errorf("%s: asked %v, error %v, want %v", test.why, g.asked, err, test.want)
		}
	}
}

func TestChunks(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		why     string
		outputs []policy.Output
		most    int   // tokens of the reply; 0: no limit
		asked   []int // tokens of each request
		text    string
		finish  quintain.Finish
		version int32 // of the last token
	}{
		{"three chunks, with new weights", []policy.Output{output("ab", 0, quintain.Length), output("cd", 1, quintain.Length), output("e", 2, quintain.Stop)}, 9, []int{2, 2, 2}, "abcde", quintain.Stop, 2},
		{"the limit of the reply", []policy.Output{output("ab", 0, quintain.Length), output("c", 0, quintain.Length)}, 3, []int{2, 1}, "abc", quintain.Length, 0},
		{"the limit at the end of a chunk", []policy.Output{output("ab", 0, quintain.Length), output("cd", 0, quintain.Length)}, 4, []int{2, 2}, "abcd", quintain.Length, 0},
		{"no limit but the context", []policy.Output{output("ab", 0, quintain.Length), output("c", 0, quintain.Length)}, 0, []int{2, 2}, "abc", quintain.Length, 0},
		{"a short reply", []policy.Output{output("a", 0, quintain.Stop)}, 9, []int{2}, "a", quintain.Stop, 0},
	} {
		s := &script{outputs: test.outputs}
		p := exact.New(s, exact.Bytes{})
		p.Settings.NewTokensPerChunk = 2
		samples, err := p.Sample(t.Context(), request(test.most))
		if err != nil {
			t.Errorf("%s: %v", test.why, err)
			continue
		}
		var asked []int
		for _, prompt := range s.asked {
			asked = append(asked, prompt.Sampling.MaxTokens)
		}
		one := samples[0]
		if one.Text != test.text || one.Finish != test.finish || one.Versions[len(one.Versions)-1] != test.version || !slices.Equal(asked, test.asked) {
			t.Errorf("%s: %q, asked for %v: %+v", test.why, one.Text, asked, one)
		}
	}
}

// A narrow generator has a context of few tokens, and refuses what exceeds it, as servers do.
type narrow struct {
	context int
	script
}

func (n *narrow) Generate(ctx context.Context, p policy.Prompt) ([]policy.Output, error) {
	if len(p.Tokens)+max(1, p.Sampling.MaxTokens) > n.context {
		n.asked = append(n.asked, p)
		return nil, &remote.Error{Kind: remote.TooLong}
	}
	return n.script.Generate(ctx, p)
}

// A reply gets the room that the conversation leaves in the server's context.
func TestRoomInTheContext(t *testing.T) {
	t.Parallel()
	prompt := len(policy.Read(request(0)))
	for _, test := range []struct {
		why         string
		room        int // that the prompt leaves
		chunk, most int
		outputs     []policy.Output
		asked       []int // tokens of each request
		text        string
		fits        bool
	}{
		{"as much as the limit", 2, 0, 2, []policy.Output{output("ab", 0, quintain.Length)}, []int{2}, "ab", true},
		{"less than the limit", 2, 0, 9, []policy.Output{output("ab", 0, quintain.Length)}, []int{9, 0}, "ab", true},
		{"less than a chunk", 1, 2, 9, []policy.Output{output("a", 0, quintain.Length)}, []int{2, 0}, "a", true},
		{"less than the second chunk", 3, 2, 0, []policy.Output{output("ab", 0, quintain.Length), output("c", 0, quintain.Length)}, []int{2, 2, 0}, "abc", true},
		{"as much as a chunk", 2, 2, 9, []policy.Output{output("ab", 0, quintain.Length)}, []int{2, 2, 0}, "ab", true},
		{"none", 0, 0, 9, nil, []int{9, 0}, "", false},
	} {
		s := &narrow{context: prompt + test.room, script: script{outputs: test.outputs}}
		p := exact.New(s, exact.Bytes{})
		p.Settings.NewTokensPerChunk = test.chunk
		samples, err := p.Sample(t.Context(), request(test.most))
		var asked []int
		for _, prompt := range s.asked {
			asked = append(asked, prompt.Sampling.MaxTokens)
		}
		if !slices.Equal(asked, test.asked) || errors.Is(err, quintain.ErrNoRoom) == test.fits {
			t.Errorf("%s: asked for %v tokens, want %v; error %v", test.why, asked, test.asked, err)
			continue
		}
		if test.fits && (samples[0].Text != test.text || samples[0].Finish != quintain.Length) {
			t.Errorf("%s: %+v, want %q", test.why, samples[0], test.text)
		}
	}
}

// A rewriter renders like a template that rewrites earlier messages.
type rewriter struct{ exact.Bytes }

func (rewriter) Render(quintain.Request) (exact.Rendering, error) {
	return exact.Rendering{Tokens: []quintain.Token{1, 2}, Drift: exact.Forked}, nil
}

func TestForkedConversationsBeginAnew(t *testing.T) {
	t.Parallel()
	s := &script{outputs: []policy.Output{output("a", 0, quintain.Stop)}}
	r := request(9)
	r.Context, r.Messages, r.Fresh = []quintain.Token{7, 8, 9}, append(r.Messages, r.Messages...), 1
	p := exact.New(s, rewriter{})
	samples, err := p.Sample(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	if got := s.asked[0].Tokens; !slices.Equal(got, []quintain.Token{1, 2}) || !samples[0].Fork || !slices.Equal(samples[0].Read, got) || p.Stats().Forked != 1 {
		t.Errorf("prompt %v, sample %+v, counts %+v; want a fork", got, samples[0], p.Stats())
	}
}

// Greedy samples, and those of a server with one sample per request, are requested singly.
func TestSeveralSamples(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		why         string
		several     bool
		temperature float64
		want        int // requests
	}{
		{"a server that can do several", true, 1, 1},
		{"a server that cannot", false, 1, 3},
		{"greedy", true, 0, 3},
	} {
		s := &locked{script: script{several: test.several, outputs: slices.Repeat([]policy.Output{output("a", 0, quintain.Stop)}, 3)}, turn: make(chan struct{}, 1)}
		r := request(9)
		r.N, r.Sampling.Temperature = 3, test.temperature
		if _, err := exact.New(s, exact.Bytes{}).Sample(t.Context(), r); err != nil || len(s.asked) != test.want {
			t.Errorf("%s: %d requests and error %v, want %d", test.why, len(s.asked), err, test.want)
		}
	}
}

// A locked script serves many goroutines.
type locked struct {
	script
	turn chan struct{}
}

func (l *locked) Generate(ctx context.Context, p policy.Prompt) ([]policy.Output, error) {
	l.turn <- struct{}{}
	defer func() { <-l.turn }()
	return l.script.Generate(ctx, p)
}

// The reply may fill what the conversation leaves of the common limit.
func TestMaxTotal(t *testing.T) {
	t.Parallel()
	first := &script{outputs: []policy.Output{output("a", 0, quintain.Stop)}}
	if _, err := exact.New(first, exact.Bytes{}).Sample(t.Context(), request(9)); err != nil {
		t.Fatal(err)
	}
	prompt := len(first.asked[0].Tokens)
	for _, test := range []struct {
		why              string
		most, total, got int // got 0: an error
	}{
		{"no limit on both", 9, 0, 9},
		{"the limit on both is nearer", 9, prompt + 4, 4},
		{"the limit on the reply is nearer", 3, prompt + 4, 3},
		{"no limit on the reply", 0, prompt + 4, 4},
		{"no room for a reply", 9, prompt, 0},
	} {
		s, r := &script{outputs: []policy.Output{output("a", 0, quintain.Stop)}}, request(test.most)
		r.Sampling.MaxTotal = test.total
		_, err := exact.New(s, exact.Bytes{}).Sample(t.Context(), r)
		switch {
		case test.got == 0:
			if !errors.Is(err, quintain.ErrNoRoom) || len(s.asked) > 0 {
				t.Errorf("%s: error %v, asked %v", test.why, err, s.asked)
			}
		case err != nil || s.asked[0].Sampling.MaxTokens != test.got:
			t.Errorf("%s: error %v, asked for %d tokens, want %d", test.why, err, s.asked[0].Sampling.MaxTokens, test.got)
		}
	}
}

// A scorer finds one token likely at each place.
type scorer struct {
	script
	likely quintain.Token
}

func (s *scorer) Score(_ context.Context, tokens []quintain.Token, _ int) ([]policy.Score, error) {
	scores := make([]policy.Score, len(tokens))
	for i := range scores[1:] {
		scores[i+1].Top = []policy.Likely{{Token: s.likely}}
	}
	return scores, nil
}

func TestScoresOutsideTheVocabulary(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		likely quintain.Token
		fits   bool
	}{{0, true}, {255, true}, {256, false}, {99_999_999, false}, {-1, false}} {
		scores, err := exact.New(&scorer{likely: test.likely}, exact.Bytes{}).Score(t.Context(), policy.Encode("ab"), 1)
		if (err == nil) != test.fits || (len(scores) == 2) != test.fits {
			t.Errorf("token %d: %d scores, error %v", test.likely, len(scores), err)
		}
	}
}
