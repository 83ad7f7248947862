package fake

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/policy"
	"github.com/quintain-rl/quintain/task/rng"
)

func TestLengthsOfReplies(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		text        string
		low, high   int
		mean, sigma float64 // expected mean, and the tolerance for 2000 samples
	}{
		{"fixed:1", 1, 1, 1, 0},
		{"fixed:40", 40, 40, 40, 0},
		{"uniform:8-64", 8, 64, 36, 2},
		{"lognormal:48,0.5", 1, 1000, 48 * math.Exp(0.125), 3},
	} {
		l, err := parseLengths(test.text)
		if err != nil {
			t.Fatal(err)
		}
		m := &Model{lengths: l, tokens: newByteVocabulary().alphabet()}
		w := m.Weights(0)
		prompt := policy.Read(quintain.Request{Messages: []quintain.Message{{Role: "user", Content: "Hm?"}}})
		total := 0
		for i := range 2000 {
			r, s, n := rng.Named("test").Stream(1, i), m.stateOf(prompt), 0
			for n == 0 || s.since > 0 {
				s = m.after(s, w.draw(r, s, quintain.Sampling{Temperature: 1}))
				n++
			}
			if n < test.low || n > test.high {
				t.Errorf("%s: a reply of %d tokens", test.text, n)
			}
			total += n
		}
		if mean := float64(total) / 2000; math.Abs(mean-test.mean) > test.sigma {
			t.Errorf("%s: the mean is %v, want %v", test.text, mean, test.mean)
		}
	}
}

// While a reply goes on, the likeliest tokens are those of the replies, in proportion.
func TestSharesOfReplies(t *testing.T) {
	t.Parallel()
	l, err := parseLengths("fixed:1000")
	if err != nil {
		t.Fatal(err)
	}
	m := &Model{lengths: l, tokens: newByteVocabulary().alphabet(), replies: replies{{'a', 'b'}, {'b', 'a'}, {'b', 'b'}, {'c', 'c'}}}
	s := state{prev: ' ', reply: m.replies.begin()}
	w := m.Weights(0)
	all, few := w.shares(s), w.replyShares(s)
	if len(few) != 3 || !slices.Equal(all[:3], few) || all[3].p > 2*stray {
		t.Errorf("shares %v, of all %v", few, all[:4])
	}
}

func TestSamplingIsAsAsked(t *testing.T) {
	t.Parallel()
	l, err := parseLengths("fixed:1000")
	if err != nil {
		t.Fatal(err)
	}
	w, s := (&Model{lengths: l, tokens: newByteVocabulary().alphabet()}).Weights(0), state{prev: 'a', since: 20}
	best := w.top(s, 3)
	for _, test := range []struct {
		why  string
		how  quintain.Sampling
		most int // likeliest tokens to draw from
	}{
		{"greedy", quintain.Sampling{}, 1},
		{"one of two", quintain.Sampling{Temperature: 1, TopK: 2}, 2},
		{"almost nothing of the probability", quintain.Sampling{Temperature: 1, TopP: 1e-6}, 1},
		{"cold", quintain.Sampling{Temperature: 0.001}, 1},
	} {
		for i := range 50 {
			got := w.draw(rng.Named("test").Stream(1, i), s, test.how)
			if got != best[0].Token && (test.most < 2 || got != best[1].Token) {
				t.Errorf("%s: drew %q, the likeliest are %v", test.why, rune(got), best)
			}
		}
	}
}

func TestSettingsAreChecked(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		why    string
		change func(*Settings)
		says   string
	}{
		{"a length without a number", func(s *Settings) { s.Length = "fixed:" }, "want fixed:N"},
		{"no tokens", func(s *Settings) { s.Length = "fixed:0" }, "want fixed:N"},
		{"a range that is turned around", func(s *Settings) { s.Length = "uniform:9-8" }, "want fixed:N"},
		{"something after the length", func(s *Settings) { s.Length = "uniform:8-9x" }, "want fixed:N"},
		{"no spread", func(s *Settings) { s.Length = "lognormal:48,0" }, "want fixed:N"},
		{"an unknown fault", func(s *Settings) { s.Faults = "bored=0.1" }, `no fault "bored"`},
		{"a rate above 1", func(s *Settings) { s.Faults = "busy=2" }, "no rate"},
		{"rates above 1", func(s *Settings) { s.Faults = "busy=0.6,cut=0.6" }, "add up to 1.2"},
		{"no interval", func(s *Settings) { s.Interval = 0 }, "1 or more"},
		{"a negative rate", func(s *Settings) { s.Rate = -1 }, "0 or more"},
		{"an unknown shape", func(s *Settings) { s.Shape = "round" }, "want all"},
		{"a negative version", func(s *Settings) { s.Version = -1 }, "version"},
	} {
		c := Config{Server: Defaults()}
		test.change(&c.Server)
		if _, err := New(c); err == nil || !strings.Contains(err.Error(), test.says) {
			t.Errorf("%s: error is %v, want %q", test.why, err, test.says)
		}
	}
}
