package main

import (
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// startFake starts quintain policy fake on a free port, and returns it and its URL.
func startFake(t *testing.T, args ...string) (*process, string) {
	t.Helper()
	p := start(append([]string{"policy", "fake", "--port", "0", "--rate", "0"}, args...)...)
	await(t, p, "Ctrl-C stops")
	_, after, _ := strings.Cut(p.stderr.String(), "listening on ")
	url, _, _ := strings.Cut(after, ",")
	return p, url
}

// TestPolicyProbe tells of a fake server, and of addresses where there is none.
func TestPolicyProbe(t *testing.T) {
	fake, url := startFake(t, "--shape", "sglang", "--weight-version", "3", "--served-model-name", "m1")
	table := start("policy", "probe", "--url", url)
	if status := table.wait(t); status != exitOK {
		t.Fatalf("status %d\n%s", status, table.stderr.String())
	}
	for _, want := range []string{"sglang 0.5", "m1", "version 3", "takes tokens yes", "several samples a request no"} {
		if text := strings.Join(strings.Fields(table.stdout.String()), " "); !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, table.stdout.String())
		}
	}
	asJSON := start("policy", "probe", "--url", url+"/v1", "--json")
	if status := asJSON.wait(t); status != exitOK {
		t.Fatalf("status %d\n%s", status, asJSON.stderr.String())
	}
	var report struct {
		Server string          `json:"server"`
		Can    map[string]bool `json:"can"`
	}
	if err := json.Unmarshal([]byte(asJSON.stdout.String()), &report); err != nil || report.Server != "sglang" || !report.Can["score"] {
		t.Errorf("found %+v, error %v", report, err)
	}
	http.DefaultClient.CloseIdleConnections()
	fake.interrupts <- os.Interrupt
	if status := fake.wait(t); status != exitOK {
		t.Errorf("the server ends with status %d\n%s", status, fake.stderr.String())
	}
	for _, test := range []struct {
		args   []string
		status int
		says   string
	}{
		{[]string{"policy", "probe"}, exitUsage, "--url"},
		{[]string{"policy", "probe", "--url", url}, exitFailed, "is the server running"},
		{[]string{"policy", "probe", "--url", "ftp://x"}, exitFailed, "want one with http:// or https:// before it"},
		{[]string{"policy", "fake", "--length", "long"}, exitUsage, "fixed:N"},
		{[]string{"policy", "fake", "--faults", "bored=1"}, exitUsage, "no fault"},
		{[]string{"policy", "fake", "--tokenizer", "nowhere"}, exitUsage, "nowhere"},
		{[]string{"policy", "fake", "--chat-template", "x.jinja"}, exitUsage, "policy.tokenizer: is missing"},
		{[]string{"policy", "fake", "--port", "0", "--replies", "nowhere.jsonl"}, exitUsage, "nowhere.jsonl"},
	} {
		p := start(test.args...)
		if status := p.wait(t); status != test.status || !strings.Contains(p.stderr.String(), test.says) {
			t.Errorf("%v: status %d, %q; want %d and %q", test.args, status, p.stderr.String(), test.status, test.says)
		}
	}
}

// A fake server reads and writes the tokens of the given model, and gives the given replies.
func TestFakeServerOfAModel(t *testing.T) {
	folder := t.TempDir()
	for name, text := range map[string]string{
		"tokenizer.json": `{"version":"1.0","added_tokens":[{"id":3,"content":"<end>","special":true}],
			"model":{"type":"BPE","vocab":{"h":0,"i":1,"hi":2},"merges":["h i"]}}`,
		"tokenizer_config.json": `{"chat_template":"{% for m in messages %}{{ m.content }}<end>{% endfor %}"}`,
		"replies.jsonl":         `{"text":"hi"}`,
	} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	fake, url := startFake(t, "--tokenizer", folder, "--replies", filepath.Join(folder, "replies.jsonl"))
	r, err := http.Post(url+"/v1/chat/completions", "application/json",
		strings.NewReader(`{"model":"fake","return_token_ids":true,"messages":[{"role":"user","content":"hi!"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(r.Body)
	_ = r.Body.Close()
	for _, want := range []string{`"content":"hi"`, `"token_ids":[2,3]`, `"prompt_token_ids":[2,3]`} {
		if !strings.Contains(string(text), want) {
			t.Errorf("%s is not in %s, error %v", want, text, err)
		}
	}
	http.DefaultClient.CloseIdleConnections()
	fake.interrupts <- os.Interrupt
	if status := fake.wait(t); status != exitOK {
		t.Errorf("the server ends with status %d\n%s", status, fake.stderr.String())
	}
}
