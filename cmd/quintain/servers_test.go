package main

import (
	"encoding/json"
	"net/http"
	"os"
	"strings"
	"testing"
)

// startFake starts quintain fake-server on a free port, and returns it and its URL.
func startFake(t *testing.T, args ...string) (*process, string) {
	t.Helper()
	p := start(append([]string{"fake-server", "--port", "0", "--rate", "0"}, args...)...)
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
	for _, want := range []string{"sglang 0.5", "m1", "version 3", "takes tokens                     yes", "several samples a request        no"} {
		if !strings.Contains(table.stdout.String(), want) {
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
		{[]string{"policy", "probe", "--url", "ftp://x"}, exitFailed, "want one like http://"},
		{[]string{"bench", "policy"}, exitUsage, "either --fake or the --url"},
		{[]string{"bench", "policy", "--url", url, "--streams", "0"}, exitUsage, "streams: is 0"},
		{[]string{"fake-server", "--length", "long"}, exitUsage, "fixed:N"},
		{[]string{"fake-server", "--faults", "bored=1"}, exitUsage, "no fault"},
	} {
		p := start(test.args...)
		if status := p.wait(t); status != test.status || !strings.Contains(p.stderr.String(), test.says) {
			t.Errorf("%v: status %d, %q; want %d and %q", test.args, status, p.stderr.String(), test.status, test.says)
		}
	}
}

// TestBenchPolicy measures a server that is recognised.
func TestBenchPolicy(t *testing.T) {
	fake, url := startFake(t, "--shape", "vllm")
	p := start("bench", "policy", "--url", url, "--streams", "8", "--rounds", "2", "--ramp", "0s", "--tokens", "20")
	if status := p.wait(t); status != exitOK {
		t.Fatalf("status %d\n%s", status, p.stderr.String())
	}
	var row struct {
		Server   string `json:"server"`
		Requests int    `json:"requests"`
		Errors   int    `json:"errors"`
	}
	if err := json.Unmarshal([]byte(p.stdout.String()), &row); err != nil || row.Server != "vllm" || row.Requests != 16 || row.Errors != 0 {
		t.Errorf("measured %+v, error %v", row, err)
	}
	fake.interrupts <- os.Interrupt
	fake.wait(t)
}
