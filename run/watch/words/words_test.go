package words_test

import (
	"testing"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/run/watch/words"
)

// A run has the same name for everybody, for ever.
func TestTwoWords(t *testing.T) {
	for id, want := range map[string]string{"760eaa76-8c85-4471-a424-ead5a002b968": "bright curlew", "6032ab31-ccce-4592-82b4-061fe0ee630a": "quick magpie", "": "brief puffin"} {
		if got := words.TwoWords(id); got != want {
			t.Errorf("%s is %s, want %s", id, got, want)
		}
	}
}

func TestEveryOutcomeHasAMeaning(t *testing.T) {
	for _, o := range quintain.Outcomes {
		if words.Meaning(o) == "" {
			t.Errorf("%s has none", o)
		}
	}
}

func TestSpoken(t *testing.T) {
	for name, want := range map[string]string{
		"train/score": "score on training problems", "train/dropped_per_s/equal_scores": "equal scores", "eval/chain_sum (2)": "score on held-out problems of chain sum (2)", "their/own": "their/own",
	} {
		if got := words.Spoken(name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
}
