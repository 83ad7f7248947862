package main

import (
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/policy/policytest"
)

// A taught group has the fields of distillation, as a trainer gets them.
type taught struct {
	Tokens   [][]int       `json:"tokens"`
	IDs      [][][]int     `json:"distill_token_ids"`
	LogProbs [][][]float64 `json:"distill_logprobs"`
}

// A trainer gets groups with the scores of the teacher, and without them once it is gone.
func TestATeacherScoresTheGroupsOfATrainer(t *testing.T) {
	fake, at := startFake(t, "--shape", "llamacpp", "--first-token", "0s", "--length", "fixed:8") // which says no version: batches count
	teacher, scores := startFake(t, "--shape", "sglang")
	p := start(append([]string{
		"run", "--data", t.TempDir(), "--port", "0", "--consumer", "hub", "--max-lag", "0", "--with", "policy.retries=0", "--with", "teacher.url=" + scores, "--with", "teacher.top_k=2",
	}, threeTurns(t, at, "--tokenizer", "bytes")...)...)
	await(t, p, "teacher: the server "+scores)
	await(t, p, "hub on ")
	_, after, _ := strings.Cut(p.stderr.String(), "hub on ")
	url, _, _ := strings.Cut(after, ",")
	d := &hubDrive{url: url}
	d.register(t)
	take := func() (batch []taught) {
		reply := struct{ Batch *[]taught }{&batch}
		if err := d.call(t.Context(), http.MethodGet, "/batch", "", &reply); err != nil {
			t.Fatal(err)
		}
		return batch
	}
	var first []taught
	until(t, p, "a batch is there", func() bool { first = take(); return first != nil })
	for _, g := range first {
		for i, seq := range g.Tokens {
			last := len(seq) - 1
			if len(g.IDs) != len(g.Tokens) || len(g.IDs[i]) != len(seq) || len(g.LogProbs[i]) != len(seq) || len(g.IDs[i][0]) != 0 || len(g.IDs[i][last]) != 2 {
				t.Errorf("the group is %+v", g)
			}
		}
	}
	teacher.interrupts <- os.Interrupt
	teacher.wait(t)
	until(t, p, "a group comes without scores", func() bool {
		return slices.ContainsFunc(take(), func(g taught) bool { return g.IDs == nil && g.LogProbs == nil })
	})
	http.DefaultClient.CloseIdleConnections()
	p.interrupts <- os.Interrupt
	if status := p.wait(t); status != exitOK || !strings.Contains(p.stdout.String(), "\nno teacher     ") || !strings.Contains(p.stdout.String(), "refused") {
		t.Errorf("status %d\n%s\n%s", status, p.stdout.String(), p.stderr.String())
	}
	fake.interrupts <- os.Interrupt
	fake.wait(t)
}

// An unsuitable teacher, or run for it, is refused before anything starts.
func TestATeacherThatIsOfNoUse(t *testing.T) {
	fake, url := startFake(t, "--shape", "vllm")
	other, otherURL := startFake(t, "--shape", "vllm", "--tokenizer", policytest.ByteModel(t, policytest.Talk, 1))
	llamaCpp, llamaCppURL := startFake(t, "--shape", "llamacpp")
	for _, test := range []struct {
		why    string
		args   []string
		status int
		says   string
	}{
		{"nobody reads the scores", []string{"--with", "teacher.url=" + url, "--consumer", "builtin"}, exitUsage, "(--consumer hub)"},
		{"no teacher for its settings", []string{"--with", "teacher.top_k=2"}, exitUsage, "(teacher.url)"},
		{"a policy of text", []string{"--with", "teacher.url=" + url, "--tokenizer", ""}, exitUsage, "(--tokenizer)"},
		{"an address that is none", []string{"--with", "teacher.url=here"}, exitUsage, "teacher.url is"},
		{"a key that is not there", []string{"--with", "teacher.url=" + url, "--with", "teacher.key_file=none"}, exitUsage, "teacher.key_file: "},
		{"another model", []string{"--with", "teacher.url=" + url, "--with", "teacher.model=m2"}, exitFailed, `teacher: `},
		{"another vocabulary", []string{"--with", "teacher.url=" + otherURL}, exitFailed, "teacher: a teacher must have the policy's vocabulary: tokenizer: "},
		{"a server that does not score", []string{"--with", "teacher.url=" + llamaCppURL}, exitFailed, "serve the teacher with vLLM or SGLang"},
	} {
		p := start(append([]string{
			"run", "--data", t.TempDir(), "--port", "0", "--policy", "server", "--url", url, "--tokenizer", "bytes", "--consumer", "hub",
		}, test.args...)...)
		if status := p.wait(t); status != test.status || !strings.Contains(p.stderr.String(), test.says) || strings.Contains(p.stderr.String(), "hub on ") {
			t.Errorf("%s: status %d, want %d and %q\n%s", test.why, status, test.status, test.says, p.stderr.String())
		}
	}
	for _, p := range []*process{fake, other, llamaCpp} {
		p.interrupts <- os.Interrupt
		p.wait(t)
	}
}
