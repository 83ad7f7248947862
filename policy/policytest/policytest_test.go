package policytest_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/policy"
	"github.com/quintain-rl/quintain/policy/policytest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// whole returns a sample in the byte vocabulary that keeps all promises.
func whole() quintain.Sample {
	return quintain.Sample{
		Text: "hé", Read: policy.Encode("read"), Wrote: append(policy.Encode("hé"), policy.End),
		LogProbs: []float32{-1, 0, -2, -0.5}, Versions: []int32{3, 3, 4, 4},
		Finish: quintain.Stop, Vocabulary: quintain.UTF8,
	}
}

// The suite must find each promise broken on its own.
func TestCheckFindsBrokenPromises(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		why   string
		spoil func(*quintain.Sample)
		want  string // part of the error; "": none
	}{
		{"all promises are kept", func(*quintain.Sample) {}, ""},
		{"log-probabilities are not reported", func(s *quintain.Sample) { s.LogProbs = nil }, ""},
		{"a stop without an end in the tokens", func(s *quintain.Sample) {
			s.Wrote, s.Versions, s.LogProbs = s.Wrote[:3], s.Versions[:3], s.LogProbs[:3]
		}, ""},
		{"tokens of a model need not be the text", func(s *quintain.Sample) { s.Vocabulary, s.Wrote[0] = "m", 70_000 }, ""},
		{"no vocabulary", func(s *quintain.Sample) { s.Vocabulary = "" }, "vocabulary"},
		{"nothing read", func(s *quintain.Sample) { s.Read = nil }, "read no tokens"},
		{"too few log-probabilities", func(s *quintain.Sample) { s.LogProbs = s.LogProbs[:3] }, "3 log-probabilities for 4 tokens"},
		{"no versions", func(s *quintain.Sample) { s.Versions = nil }, "0 versions for 4 tokens"},
		{"a version that falls", func(s *quintain.Sample) { s.Versions[3] = 2 }, "version falls from 4 to 2 at token 3"},
		{"a log-probability that is not a number", func(s *quintain.Sample) { s.LogProbs[1] = float32(math.NaN()) }, "token 1 is NaN"},
		{"an infinite log-probability", func(s *quintain.Sample) { s.LogProbs[1] = float32(math.Inf(-1)) }, "token 1 is -Inf"},
		{"a log-probability above zero", func(s *quintain.Sample) { s.LogProbs[1] = 0.1 }, "token 1 is 0.1"},
		{"a token that is not a byte", func(s *quintain.Sample) { s.Wrote[0] = 256 }, "token 0 is 256"},
		{"a token below zero", func(s *quintain.Sample) { s.Vocabulary, s.Read[0] = "m", -1 }, "token 0 is -1"},
		{"a different text", func(s *quintain.Sample) { s.Text = "ho" }, `text "ho"`},
		{"an end token in a reply that was cut", func(s *quintain.Sample) { s.Finish = quintain.Length }, `text "hé"`},
		{"text and whole text", func(s *quintain.Sample) { s.Whole = "hé" }, ""},
		{"another whole text", func(s *quintain.Sample) { s.Whole = "ho" }, `whole text is "ho"`},
		{"a text that goes on at a stop", func(s *quintain.Sample) { s.Text, s.Wrote = "h-->", policy.Encode("h-->") }, "one of the stops"},
		{"a text that ends before a stop", func(s *quintain.Sample) { s.Text, s.Wrote = "h-", policy.Encode("h-->") }, ""},
		{"aborted without a reason", func(s *quintain.Sample) { s.Finish, s.Text = quintain.Aborted, "hé\x03" }, "finish"},
	} {
		s := whole()
		test.spoil(&s)
		got := fmt.Sprint(policytest.Check(quintain.Request{N: 1, Stop: []string{"->"}}, []quintain.Sample{s}))
		if test.want == "" && got != "<nil>" || !strings.Contains(got, test.want) {
			t.Errorf("%s: %s, want %q in it", test.why, got, test.want)
		}
	}
	if err := policytest.Check(quintain.Request{N: 2}, []quintain.Sample{whole()}); err == nil {
		t.Error("one sample instead of two passes")
	}
}

func TestCheckCutFindsBrokenPromises(t *testing.T) {
	t.Parallel()
	cut := whole()
	cut.Text, cut.Wrote, cut.LogProbs, cut.Versions, cut.Finish = "h", cut.Wrote[:1], cut.LogProbs[:1], cut.Versions[:1], quintain.Aborted
	falls := cut
	falls.Versions = nil
	for _, test := range []struct {
		why     string
		samples []quintain.Sample
		kept    bool
	}{
		{"none", nil, true},
		{"fewer than wanted", []quintain.Sample{cut}, true},
		{"all of them", []quintain.Sample{cut, cut}, true},
		{"more than wanted", []quintain.Sample{cut, cut, cut}, false},
		{"one that is whole", []quintain.Sample{cut, whole()}, false},
		{"one with lengths that do not match", []quintain.Sample{falls}, false},
	} {
		if err := policytest.CheckCut(quintain.Request{N: 2}, test.samples); (err == nil) != test.kept {
			t.Errorf("%s: error %v", test.why, err)
		}
	}
}

// post sends body to the server at url as a request for completions.
func post(t *testing.T, url, body string) (int, map[string]any) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url+"/chat/completions", bytes.NewBufferString(body))
	if err != nil {
		t.Fatal(err)
	}
	response, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	var answer map[string]any
	if err := json.NewDecoder(response.Body).Decode(&answer); err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, answer
}

// The fake is as strict as a real server.
func TestServerRefuses(t *testing.T) {
	t.Parallel()
	url := (&policytest.Server{MaxContext: 40}).Start(t)
	const talk = `"messages":[{"role":"user","content":"hi"}]`
	for _, test := range []struct {
		why, body string
		status    int
	}{
		{"a valid request", `{"model":"fake",` + talk + `}`, 200},
		{"not JSON", `{`, 400},
		{"not an object", `[]`, 422},
		{"a field of the wrong type", `{"model":7}`, 422},
		{"another model", `{"model":"gpt",` + talk + `}`, 404},
		{"no messages", `{"model":"fake"}`, 400},
		{"no choices", `{"model":"fake","n":0,` + talk + `}`, 400},
		{"no tokens", `{"model":"fake","max_tokens":0,` + talk + `}`, 400},
		{"several greedy samples", `{"model":"fake","n":2,"temperature":0,` + talk + `}`, 400},
		{"a prompt that does not fit", `{"model":"fake","messages":[{"role":"user","content":"` + strings.Repeat("x", 200) + `"}]}`, 400},
	} {
		if status, answer := post(t, url, test.body); status != test.status {
			t.Errorf("%s: status %d, want %d: %v", test.why, status, test.status, answer)
		}
	}
}

// A prompt extends the previous one by the reply and the new messages.
func TestServerExtendsItsPrompts(t *testing.T) {
	t.Parallel()
	url := (&policytest.Server{TokenIDs: true}).Start(t)
	_, one := post(t, url, `{"model":"fake","return_token_ids":true,"messages":[{"role":"user","content":"how many?"}]}`)
	choice := one["choices"].([]any)[0].(map[string]any)
	content, err := json.Marshal(choice["message"].(map[string]any)["content"])
	if err != nil {
		t.Fatal(err)
	}
	_, two := post(t, url, `{"model":"fake","return_token_ids":true,"messages":[{"role":"user","content":"how many?"},
		{"role":"assistant","content":`+string(content)+`},{"role":"user","content":"sure?"}]}`)
	before := append(one["prompt_token_ids"].([]any), choice["token_ids"].([]any)...)
	after := two["prompt_token_ids"].([]any)
	if len(after) <= len(before) || fmt.Sprint(after[:len(before)]) != fmt.Sprint(before) {
		t.Errorf("prompt %v does not extend %v", after, before)
	}
	if choice["logprobs"] != nil {
		t.Error("the reply has log-probabilities, which were not requested")
	}
}
