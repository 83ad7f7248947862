package engines

import (
	"testing"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/policy"
)

// Gaps in llama.cpp's list make the log-probabilities unknown; a token that was not sampled
// is a fault.
func TestLogProbsOfSomeTokens(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		why, probs string
		known, ok  bool
	}{
		{"of all tokens", `{"id":5,"logprob":-1},{"id":6,"logprob":-2},{"id":5,"logprob":-3}`, true, true},
		{"not of one that ends within a character", `{"id":5,"logprob":-1},{"id":5,"logprob":-3}`, false, true},
		{"of none", ``, false, true},
		{"of another token", `{"id":5,"logprob":-1},{"id":9,"logprob":-2}`, false, false},
		{"in another order", `{"id":6,"logprob":-1},{"id":5,"logprob":-2},{"id":5,"logprob":-2}`, false, false},
		{"above zero", `{"id":5,"logprob":1}`, false, false},
	} {
		o, fault := read(policy.Prompt{Tokens: []quintain.Token{1}, N: 1},
			[]byte(`{"tokens":[5,6,5],"stop_type":"eos","tokens_evaluated":1,"tokens_predicted":3,"completion_probabilities":[`+test.probs+`]}`))
		if (fault == nil) != test.ok || (o.LogProbs != nil) != test.known {
			t.Errorf("%s: log-probabilities %v, fault %v", test.why, o.LogProbs, fault)
		}
	}
}

// FuzzLlamaReply checks that any answer gives either an output that keeps its promises, or an
// error.
func FuzzLlamaReply(f *testing.F) {
	f.Add(`{"tokens":[5],"stop_type":"limit","tokens_evaluated":2,"tokens_predicted":1,"completion_probabilities":[{"id":5,"logprob":-0.5}]}`)
	f.Add(`{"tokens":[-5],"stop_type":"eos","tokens_evaluated":2,"tokens_predicted":1}`)
	f.Fuzz(func(t *testing.T, text string) {
		p := policy.Prompt{Tokens: []quintain.Token{1, 2}, N: 1, Sampling: quintain.Sampling{MaxTokens: 3}}
		o, fault := read(p, []byte(text))
		if fault != nil {
			return
		}
		if err := policy.CheckOutput(p, o); err != nil || len(o.Tokens) == 0 {
			t.Errorf("output %v: %v", o, err)
		}
	})
}
