package engines

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/policy"
	"github.com/quintain-rl/quintain/policy/remote"
)

func TestNewRefuses(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		why  string
		cfg  VLLMConfig
		says string
	}{
		{"no model", VLLMConfig{Server: remote.Config{URL: "http://host"}}, "model"},
		{"no URL", VLLMConfig{Model: "m"}, "url"},
		{"a negative interval", VLLMConfig{Model: "m", Interval: -1, Server: remote.Config{URL: "http://host"}}, "interval"},
	} {
		if _, err := NewVLLM(test.cfg); err == nil || !strings.Contains(err.Error(), "vllm: "+test.says) {
			t.Errorf("%s: error is %v, want %q", test.why, err, test.says)
		}
	}
}

func TestNativeRouteThatIsSwitchedOff(t *testing.T) {
	t.Parallel()
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, "Scale-out endpoints are disabled", http.StatusForbidden)
	}))
	defer web.Close()
	c, err := NewVLLM(VLLMConfig{Server: remote.Config{URL: web.URL}, Model: "m", Native: true})
	if err != nil {
		t.Fatal(err)
	}
	defer c.CloseIdle()
	_, err = c.Generate(t.Context(), policy.Prompt{Tokens: []quintain.Token{1}, N: 1})
	if err == nil || !strings.Contains(err.Error(), "--enable-scale-out") {
		t.Errorf("error is %v, want one that names --enable-scale-out", err)
	}
}

// The native route reports which weights sampled each token.
func TestVersionsOfTokens(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		why, spans string
		want       []int32 // nil: a fault
	}{
		{"an older server says nothing", `null`, []int32{7, 7, 7}},
		{"weights that came within the reply", `[{"version":"7","start":0,"end":1},{"version":"8","start":1,"end":3}]`, []int32{7, 8, 8}},
		{"weights without a number", `[{"version":"default","start":0,"end":3}]`, []int32{7, 7, 7}},
		{"some of the tokens", `[{"version":"9","start":2,"end":3}]`, []int32{7, 7, 9}},
		{"more tokens than there are", `[{"version":"9","start":2,"end":4}]`, nil},
		{"from behind to front", `[{"version":"9","start":2,"end":1}]`, nil},
		{"before the first", `[{"version":"9","start":-1,"end":1}]`, nil},
	} {
		q := vllmQuery{prompt: policy.Prompt{Tokens: []quintain.Token{1}, N: 1}, config: &VLLMConfig{Native: true}, believes: func(int32) bool { return true }, id: "r"}
		q.begin(7)
		fault := q.readNative([]byte(`{"request_id":"r","choices":[{"index":0,"token_ids":[5,6,7],"finish_reason":"stop",` +
			`"logprobs":{"content":[{"token_id":5,"logprob":-1},{"token_id":6,"logprob":-1},{"token_id":7,"logprob":-1}]},"weight_versions":` + test.spans + `}]}`))
		if (fault == nil) != (test.want != nil) || fault == nil && !slices.Equal(q.outputs[0].Versions, test.want) {
			t.Errorf("%s: versions %v, fault %v; want %v", test.why, q.outputs[0].Versions, fault, test.want)
		}
	}
}

func TestPromptOfAnAnswer(t *testing.T) {
	for _, test := range []struct {
		why, prompt string
		mine, fault bool
	}{
		{"as it was sent", `"prompt_token_ids":[1,23],`, true, false},
		{"with other white space", `"prompt_token_ids": [1, 23],`, true, false},
		{"another", `"prompt_token_ids":[1,24],`, false, true},
		{"a longer one", `"prompt_token_ids":[1,23,4],`, false, true},
		{"no tokens", `"prompt_token_ids":["1","23"],`, false, true},
		{"no value behind it", `"prompt_token_ids":[1,23]4,`, true, true},
		{"in the text of the model", `"reply":"\"prompt_token_ids\":[1,23]",`, false, false},
		{"none, in a later event", ``, false, false},
		{"null", `"prompt_token_ids":null,`, false, false},
		{"empty", `"prompt_token_ids":[],`, false, false},
	} {
		q := vllmQuery{prompt: policy.Prompt{Tokens: []quintain.Token{1, 23}, N: 1}, config: &VLLMConfig{}}
		call, err := q.call()
		if err != nil || !strings.Contains(string(call.Body), `"prompt":[1,23],`) || !json.Valid(call.Body) {
			t.Fatalf("request %s, error %v", call.Body, err)
		}
		q.begin(7)
		if fault := q.event([]byte(`{"choices":[{"index":0,` + test.prompt + `"text":""}]}`)); (fault != nil) != test.fault || q.mine != test.mine {
			t.Errorf("%s: mine is %v, fault %v", test.why, q.mine, fault)
		}
	}
}

// vLLM says nothing of a reply that it aborts before the first token, and closes the stream.
func TestEndOfAStream(t *testing.T) {
	t.Parallel()
	const first = `data: {"choices":[{"index":0,"prompt_token_ids":[1],"token_ids":[5],"logprobs":{"token_logprobs":[-1]},"finish_reason":`
	for _, test := range []struct {
		why, stream string
		kind        remote.Kind // "": no fault
		text        string      // tokens and ends of both outputs
	}{
		{"both aborted before the first token", "data: [DONE]\n\n", remote.Aborted, ""},
		{"one aborted before it, one after", first + "\"abort\"}]}\n\ndata: [DONE]\n\n", "", "[5] abort [] abort"},
		{"one aborted before it, one whole", first + "\"stop\"}]}\n\ndata: [DONE]\n\n", "", "[5] stop [] abort"},
		{"a sample without an end", first + "null}]}\n\ndata: [DONE]\n\n", remote.Unreachable, ""},
		{"nothing, not even the end of the stream", "", remote.Unreachable, ""},
		{"one whole, and no end of the stream", first + "\"stop\"}]}\n\n", remote.Unreachable, ""},
		{"a token beyond the vocabulary", strings.Replace(first, "[5]", "[9]", 1) + "\"stop\"}]}\n\ndata: [DONE]\n\n", remote.Nonsense, ""},
	} {
		web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = w.Write([]byte(test.stream))
		}))
		c, err := NewVLLM(VLLMConfig{Server: remote.Config{URL: web.URL, Retries: -1, VersionPath: remote.Unasked}, Model: "m"})
		if err != nil {
			t.Fatal(err)
		}
		outputs, err := c.Generate(t.Context(), policy.Prompt{Tokens: []quintain.Token{1}, N: 2, Size: 9, Sampling: quintain.Sampling{Temperature: 1}})
		var got []string
		for _, o := range outputs {
			got = append(got, fmt.Sprint(o.Tokens, " ", strings.TrimSuffix(string(o.Finish), "ed")))
		}
		fault, _ := errors.AsType[*remote.Error](err)
		if (fault == nil) != (test.kind == "") || fault != nil && fault.Kind != test.kind || strings.Join(got, " ") != test.text {
			t.Errorf("%s: %q, error %v; want %q and a fault of kind %q", test.why, got, err, test.text, test.kind)
		}
		c.CloseIdle()
		web.Close()
	}
}

// Tokens are told as they arrive. If the stream then breaks, those told are kept, as of an
// interrupted reply; without anybody who was told, the reply is asked for again.
func TestToldTokens(t *testing.T) {
	t.Parallel()
	const first = `data: {"choices":[{"index":0,"prompt_token_ids":[1],"token_ids":[5],"logprobs":{"token_logprobs":[-1]},"finish_reason":null}]}` + "\n\n"
	const second = `data: {"choices":[{"index":0,"token_ids":[6,7],"logprobs":{"token_logprobs":[-1,-2]},"finish_reason":null}]}` + "\n\n"
	for _, test := range []struct {
		why, stream string
		tells       bool
		told        string
		kept        int // tokens; 0: an error
	}{
		{"a whole reply", first + strings.Replace(second, "null", `"stop"`, 1) + "data: [DONE]\n\n", true, "[5][5 6 7]", 3},
		{"a stream that breaks", first + second, true, "[5][5 6 7]", 3},
		{"an error in the stream", first + second + `data: {"error":{"message":"dead"}}` + "\n\n", true, "[5][5 6 7]", 3},
		{"a stream that breaks, and nobody is told", first + second, false, "", 0},
		{"a stream without tokens", "", true, "", 0},
		{"an answer to another prompt", strings.Replace(first, "[1]", "[2]", 1), true, "", 0},
		{"an answer that does not say to which", second, true, "", 0},
	} {
		web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = w.Write([]byte(test.stream))
		}))
		c, err := NewVLLM(VLLMConfig{Server: remote.Config{URL: web.URL, Retries: -1, VersionPath: remote.Unasked}, Model: "m"})
		if err != nil {
			t.Fatal(err)
		}
		var told strings.Builder
		prompt := policy.Prompt{Tokens: []quintain.Token{1}, N: 1, Size: 9}
		if test.tells {
			prompt.Sampled = func(tokens []quintain.Token) { fmt.Fprint(&told, tokens) }
		}
		outputs, err := c.Generate(t.Context(), prompt)
		if told.String() != test.told || (err == nil) != (test.kept > 0) || err == nil && (len(outputs[0].Tokens) != test.kept || len(outputs[0].Versions) != test.kept) {
			t.Errorf("%s: told %s; %+v, error %v", test.why, told.String(), outputs, err)
		}
		c.CloseIdle()
		web.Close()
	}
}

// FuzzEvents checks that any events give either outputs that keep their promises, or an
// error.
func FuzzEvents(f *testing.F) {
	const first = `{"choices":[{"index":0,"token_ids":[5],"prompt_token_ids":[1,2],"logprobs":{"token_logprobs":[-0.5]},"finish_reason":null}]}`
	f.Add(first, `{"choices":[{"index":0,"token_ids":[6],"logprobs":{"token_logprobs":[-1]},"finish_reason":"stop"}]}`)
	f.Add(first, `{"choices":[{"index":1,"token_ids":[],"finish_reason":"abort"},{"index":0,"token_ids":null,"finish_reason":"abort"}]}`)
	f.Add(first, `{"choices":[],"error":{"message":"no"}}`)
	f.Add(`{"choices":[{"index":-1,"token_ids":[-5],"logprobs":{"content":[{"logprob":null}]}}]}`, `[]`)
	f.Fuzz(func(t *testing.T, one, two string) {
		q := vllmQuery{prompt: policy.Prompt{Tokens: []quintain.Token{1, 2}, N: 2, Sampling: quintain.Sampling{MaxTokens: 3}}, config: &VLLMConfig{}, believes: func(int32) bool { return true }, sent: []byte("[1,2]")}
		q.begin(7)
		for _, data := range []string{one, two} {
			if q.event([]byte(data)) != nil {
				return
			}
		}
		fault := q.end([]byte(remote.Done))
		outputs := q.outputs
		if fault != nil {
			outputs = q.cut()
		}
		for _, o := range outputs {
			if err := policy.CheckOutput(q.prompt, o); err != nil && fault == nil || len(o.Versions) != len(o.Tokens) || o.Finish == "" {
				t.Errorf("output %v: %v", o, err)
			}
		}
	})
}

// FuzzEventReader compares the fast reading of an event with encoding/json.
func FuzzEventReader(f *testing.F) {
	f.Add(`{"choices":[{"index":1,"text":"a","logprobs":{"tokens":[],"token_logprobs":[-0.5,-1e-3]},"finish_reason":"stop","token_ids":[5,6],"prompt_token_ids":null}]}`)
	f.Add(`{"choices":[{"index":0,"token_ids":[5],"logprobs":null,"finish_reason":null},{"index":1,"token_ids":[]}],"error":null}`)
	f.Add(`{"choices":[],"usage":{"prompt_tokens":3}}`)
	f.Add(`{"choices":[{"index":0,"index":1,"Token_IDs":[5],"token_ids":[4294967296]}]}`)
	reader := newEventReader()
	f.Fuzz(func(t *testing.T, data string) {
		got, usual := reader.read([]byte(data))
		if !usual {
			return
		}
		var want vllmReply
		if err := json.Unmarshal([]byte(data), &want); err != nil || len(want.Error) > 0 && string(want.Error) != "null" || len(got) != len(want.Choices) {
			t.Fatalf("read %v of %q, which is %v, error %v", got, data, want, err)
		}
		for i, c := range want.Choices {
			probs, fault := c.logProbs()
			of := got[i]
			if fault != nil || of.Index != c.Index || !slices.Equal(of.TokenIDs, c.TokenIDs) || !slices.Equal(of.probs, probs) || fmt.Sprint(text(of.FinishReason)) != fmt.Sprint(text(c.FinishReason)) {
				t.Errorf("choice %d is %v, want %v, %v, fault %v", i, of, c, probs, fault)
			}
		}
	})
}

// text returns the string at p; nil if p is nil.
func text(p *string) any {
	if p == nil {
		return nil
	}
	return *p
}

// FuzzScores checks that any places give a score for each token, or an error.
func FuzzScores(f *testing.F) {
	f.Add(`{"choices":[{"prompt_logprobs":[null,{"5":{"logprob":-0.5},"7":{"logprob":-0.1}}]}]}`, 1)
	f.Add(`{"choices":[{"prompt_logprobs":[null,{"x":{"logprob":-0.5}}]}]}`, -3)
	f.Fuzz(func(t *testing.T, text string, top int) {
		var r vllmReply
		tokens := []quintain.Token{1, 5}
		if remote.Decode([]byte(text), &r) != nil || len(r.Choices) != 1 || len(r.Choices[0].PromptLogProbs) != 2 || top < 0 {
			return
		}
		scores, fault := scoresOf(tokens, r.Choices[0].PromptLogProbs, top)
		if fault == nil && (len(scores) != 2 || scores[1].LogProb > 0 || len(scores[1].Top) > top) {
			t.Errorf("scores %v", scores)
		}
	})
}
