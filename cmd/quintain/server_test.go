package main

import (
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/policy/policytest"
)

// closedURL is the address of a server that does not run.
func closedURL(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return "http://" + l.Addr().String() + "/v1"
}

// A server that is down is reported at the start, in the progress and in the metrics. When
// the run is stopped, episodes that wait for it are cut at once, and are no failures.
func TestAServerThatIsDownIsVisible(t *testing.T) {
	t.Parallel()
	at := closedURL(t)
	p := start("run", "--port", "0", "--data", t.TempDir(), "--policy", "openai", "--url", at, "--model", "m", "--tasks", "chain_sum", "--with", "run.grace=1h")
	await(t, p, "cannot be used yet: ")
	await(t, p, "waiting for the server: unreachable")
	_, after, _ := strings.Cut(p.stderr.String(), "hub on ")
	url, _, _ := strings.Cut(after, ",")
	reply, err := http.Get(url + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer http.DefaultClient.CloseIdleConnections()
	defer reply.Body.Close()
	if page, err := io.ReadAll(reply.Body); err != nil || !strings.Contains(string(page), `quintain_pool_server_up{server="`+at+`"} 0`) {
		t.Errorf("error %v, metrics\n%s", err, page)
	}
	p.interrupts <- os.Interrupt
	if status := p.wait(t); status != exitOK {
		t.Errorf("status %d\n%s", status, p.stderr.String())
	}
	if out := p.stdout.String(); !strings.Contains(out, "cancelled: ") || strings.Contains(out, "infra_failed") {
		t.Errorf("what waited was not cancelled:\n%s", out)
	}
}

// After a failure of the server the episode is played again, and its group is kept.
func TestAFailedRequestLosesNoGroup(t *testing.T) {
	server := &policytest.Server{Reply: guesses(), Faults: []policytest.Fault{policytest.Status(500), policytest.Drop}}
	r := runReport(t, append(against(server.Start(t)), "--steps", "1", "--data", t.TempDir(), "--parallel", "8")...)
	if r.Replays != 16 || r.Episodes["infra_failed"] > 0 || r.GroupsDropped["infra_failed"] > 0 {
		t.Errorf("report %+v", r)
	}
}

// A problem with failing groups is handed out again, a few times.
func TestAProblemThatFailsIsGivenUp(t *testing.T) {
	t.Parallel()
	faults := make([]policytest.Fault, 6)
	for i := range faults {
		faults[i] = policytest.Status(500)
	}
	server := &policytest.Server{Reply: guesses(), Faults: faults}
	r := runReport(t, append(against(server.Start(t)), "--steps", "1", "--data", t.TempDir(), "--parallel", "8", "--with", "run.replays=0")...)
	if r.GroupsDropped["infra_failed"] != 6 || r.PlayedAgain != 5 {
		t.Errorf("%d groups failed, and %d were played again; want 6, and all but the one that failed for the fourth time",
			r.GroupsDropped["infra_failed"], r.PlayedAgain)
	}
}

// A run warns of omissions that its user may not expect.
func TestRunWarns(t *testing.T) {
	for _, test := range []struct {
		why   string
		args  []string
		tells string // empty: nothing
	}{
		{"nobody trains", nil, "add --consumer hub"},
		{"the trainer gets bytes", []string{"--consumer", "hub"}, "name the model's tokenizer"},
		{"the trainer gets tokens", []string{"--consumer", "hub", "--with", "policy.token_ids=true"}, ""},
	} {
		server := &policytest.Server{Model: "fake", TokenIDs: true, Reply: guesses()}
		url := server.Start(t)
		p := start(append(append([]string{"run", "--port", "0", "--data", t.TempDir()}, against(url)...), test.args...)...)
		await(t, p, "the server "+url+" has the model fake")
		until(t, p, "an episode is under way", func() bool { return len(server.Requests()) > 0 })
		p.interrupts <- os.Interrupt
		if status := p.wait(t); status != exitOK {
			t.Errorf("%s: status %d\n%s", test.why, status, p.stderr.String())
		}
		says := p.stderr.String()
		if warned := strings.Contains(says, "warning: "); warned != (test.tells != "") || !strings.Contains(says, test.tells) {
			t.Errorf("%s: it says\n%s", test.why, says)
		}
		if !strings.Contains(p.stdout.String(), "staleness      unknown") {
			t.Errorf("%s: the staleness of a server of which nobody tells the version:\n%s", test.why, p.stdout.String())
		}
	}
}

// An evaluation needs no log-probabilities.
func TestEvalAsksForNoLogProbs(t *testing.T) {
	server := &policytest.Server{Model: "fake", Reply: guesses()}
	evalReport(t, exitOK, "--policy", "openai", "--url", server.Start(t), "--model", "fake", "--tasks", "chain_sum", "--count", "3")
	for _, asked := range server.Requests() {
		if _, has := asked["logprobs"]; has {
			t.Errorf("asked %v", asked)
		}
	}
}

// A run plays against several servers of one model. One of another model, and one that does
// not run, are left out.
func TestRunAgainstAPool(t *testing.T) {
	args := []string{"run", "--port", "0", "--data", t.TempDir(), "--policy", "server", "--tokenizer", "bytes", "--consumer", "builtin", "--steps", "1", "--with", "rules.keep_equal=true"}
	var fakes []*process
	for _, model := range []string{"fake", "fake", "other"} {
		f, url := startFake(t, "--shape", "vllm", "--served-model-name", model)
		fakes, args = append(fakes, f), append(args, "--url", url)
	}
	p := start(append(args, "--url", closedURL(t))...)
	if status := p.wait(t); status != exitOK {
		t.Errorf("status %d\n%s", status, p.stderr.String())
	}
	for _, says := range []string{"the server has other", "connection refused"} {
		if text := p.stderr.String(); !strings.Contains(text, says) {
			t.Errorf("%q is not in\n%s", says, text)
		}
	}
	if out := p.stdout.String(); strings.Contains(out, "infra_failed") {
		t.Errorf("servers that were not admitted were asked:\n%s", out)
	}
	for _, f := range fakes {
		f.interrupts <- os.Interrupt
		if status := f.wait(t); status != exitOK {
			t.Errorf("a fake server ends with status %d", status)
		}
	}
}
