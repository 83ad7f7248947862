package dialect_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/gateway/dialect"
)

// The parts of a character have no bytes: their text does not hold them.
func TestLogProbs(t *testing.T) {
	text := func(t quintain.Token) string { return []string{"a", "\ufffd", "é"}[t] }
	probs := dialect.LogProbs([]quintain.Token{0, 1, 2}, []float32{-0.5, 0, -1}, text)
	q := decode(t, "chat", `{"logprobs":true,"messages":[{"role":"user","content":"x"}]}`)
	body := dialect.Chat().Encode(q, &dialect.Reply{Choices: []dialect.Choice{{Content: "x", LogProbs: probs}}})
	var got struct {
		Choices []struct {
			LogProbs struct{ Content json.RawMessage }
		}
	}
	if err := json.Unmarshal(body, &got); err != nil {
		t.Fatal(err)
	}
	want := `[{"token":"a","logprob":-0.5,"bytes":[97],"top_logprobs":[]},{"token":"` + "\ufffd" + `","logprob":0,"bytes":null,"top_logprobs":[]},{"token":"é","logprob":-1,"bytes":[195,169],"top_logprobs":[]}]`
	if text := string(got.Choices[0].LogProbs.Content); text != want {
		t.Errorf("%s\nwant\n%s", text, want)
	}
	for _, unknown := range [][]dialect.LogProb{dialect.LogProbs([]quintain.Token{0}, nil, text), dialect.LogProbs([]quintain.Token{0}, []float32{0}, nil)} {
		body := dialect.Chat().Encode(q, &dialect.Reply{Choices: []dialect.Choice{{Content: "x", LogProbs: unknown}}})
		if !strings.Contains(string(body), `"logprobs":null`) {
			t.Errorf("unknown ones are written as %s", body)
		}
	}
}
