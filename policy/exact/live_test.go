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

// A teller is a typist that reports its tokens one by one, and is interrupted after some.
type teller struct {
	*typist
	most  int
	fails bool // after the first interruption it begins anew, with nothing
}

func (w *teller) Can() policy.Abilities { return policy.Abilities{Stop: true, Several: true} }

func (w *teller) Generate(ctx context.Context, p policy.Prompt) ([]policy.Output, error) {
	all, err := w.typist.Generate(ctx, p)
	o := &all[0]
	if w.most > 0 && len(o.Tokens) > w.most {
		o.Tokens, o.LogProbs, o.Versions, o.Finish = o.Tokens[:w.most], o.LogProbs[:w.most], o.Versions[:w.most], quintain.Aborted
	}
	if p.Sampled != nil {
		for n := range o.Tokens {
			p.Sampled(o.Tokens[:n+1])
		}
		if w.fails {
			p.Sampled(nil)
			p.Sampled(append(slices.Clone(o.Tokens), o.Tokens...))
		}
	}
	return all, err
}

// What is told of a reply while it is sampled is what it begins with, in whole characters, and
// nothing of a stop text or of the token that closes it.
func TestLiveText(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		why, reply string
		stops      []string
		most       int
		fails      bool
		told       string // the parts of the text with special tokens
	}{
		{"a token each", "an in a<|im_end|>", nil, 0, false, "an| in| a"}, // a space may be a part of a character of bytes
		{"special tokens", "<s>an<|other|>an<|im_end|>", nil, 0, false, "<s>an|<|other|>an"},
		{"characters of several tokens", "é→in<|im_end|>", nil, 0, false, "é→in"},
		{"the start of a stop text", "anna in<|im_end|>", []string{"nx"}, 0, false, "anna"},
		{"a stop text with a special token in it", "aan<|other|>ian", []string{"nia"}, 0, false, "a"},
		{"nothing after a stop text", "ainaa", []string{"in"}, 0, false, "a"},
		{"a reply in chunks", "an é in a<|im_end|>", nil, 3, false, "an| é in| a"},
		{"a server that begins anew", "an<|im_end|>", nil, 0, true, "an"},
	} {
		c := chat(t, chatML)
		w := &teller{&typist{tokens: encode(t, c, test.reply)}, test.most, test.fails}
		r := request(0)
		r.Stop = test.stops
		var parts []string
		var text, whole string
		r.Text = func(nowText, nowWhole string) {
			if !strings.HasPrefix(nowText, text) || !strings.HasPrefix(nowWhole, whole) {
				t.Errorf("%s: after %q and %q came %q and %q", test.why, text, whole, nowText, nowWhole)
			}
			if nowWhole != whole {
				parts = append(parts, nowWhole[len(whole):])
			}
			text, whole = nowText, nowWhole
		}
		samples, err := exact.New(w, c).Sample(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(parts, "|"); got != test.told {
			t.Errorf("%s: told %q, want %q", test.why, got, test.told)
		}
		if one := samples[0]; !strings.HasPrefix(one.Text, text) || !strings.HasPrefix(one.Whole, whole) {
			t.Errorf("%s: told %q and %q of %q and %q", test.why, text, whole, one.Text, one.Whole)
		}
	}
}

// Several samples are not told.
func TestSeveralSamplesAreNotTold(t *testing.T) {
	t.Parallel()
	c := chat(t, chatML)
	w := &teller{typist: &typist{tokens: encode(t, c, "an<|im_end|>")}}
	r := request(0)
	r.N, r.Text = 2, func(_, whole string) { t.Errorf("told %q", whole) }
	if samples, err := exact.New(w, c).Sample(t.Context(), r); err != nil || len(samples) != 2 {
		t.Errorf("%d samples, error %v", len(samples), err)
	}
}
