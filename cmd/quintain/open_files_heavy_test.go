//go:build heavy && unix

package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/quintain-rl/quintain/policy/policytest"
)

// Agents that open more streams than the process may open files get a status, or wait; no file of
// the run fails, and what they play is all there in the end.
func TestMoreStreamsThanOpenFiles(t *testing.T) {
	const groups, most = 60, 200 // two sessions a group
	folder := policytest.ByteModel(t, policytest.Talk, 0)
	fake, engine := startFake(t, "--shape", "vllm", "--tokenizer", folder, "--first-token", "150ms", "--length", "fixed:64")
	data := t.TempDir()
	c := program(t, "gateway", "--policy", "server", "--url", engine, "--tokenizer", folder, "--data", data, "--port", "0", "--group-size", "2",
		"--batch-size", fmt.Sprint(4*groups), "--parallel", "1000", "--with", "server.max_connections=1000")
	c.Args = append([]string{"sh", "-c", fmt.Sprintf(`ulimit -n %d && exec "$@"`, most), "sh"}, c.Args...)
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Fatal(err)
	}
	c.Path = sh
	var out bytes.Buffer
	c.Stdout = &out
	log := startLogged(t, c)
	lines := bufio.NewScanner(log)
	var said bytes.Buffer
	url := ""
	for url == "" && lines.Scan() {
		said.WriteString(lines.Text() + "\n")
		if _, after, ok := strings.Cut(lines.Text(), "hub on "); ok {
			url, _, _ = strings.Cut(after, ",")
		}
	}
	var reading sync.WaitGroup
	reading.Go(func() { _, _ = io.Copy(&said, log) })
	a := &crowd{client: http.Client{Transport: &http.Transport{DisableKeepAlives: true}}}
	var all sync.WaitGroup
	var names []string
	for i := range groups {
		var made struct {
			Group    string
			Sessions []struct{ ID, OpenAI string }
		}
		if err := json.Unmarshal([]byte(a.ask(url+"/v1/sessions", fmt.Sprintf(`{"name": "n%d"}`, i), http.StatusCreated, "")), &made); err != nil {
			t.Fatal(err)
		}
		names = append(names, made.Group)
		for k, s := range made.Sessions {
			all.Go(func() {
				a.ask(s.OpenAI+"/chat/completions", `{"model": "m", "stream": true, "messages": [{"role": "user", "content": "?"}]}`, http.StatusOK, "data: [DONE]\n\n")
				a.ask(url+"/v1/sessions/"+s.ID+"/reward", fmt.Sprintf(`{"reward": %d}`, k), http.StatusOK, "")
				a.ask(url+"/v1/sessions/"+s.ID+"/end", "{}", http.StatusOK, "")
			})
		}
	}
	all.Wait()
	for _, name := range names {
		for !strings.Contains(a.ask(url+"/v1/groups/"+name, "", http.StatusOK, ""), `"done":true`) {
			<-time.After(10 * time.Millisecond)
		}
	}
	if err := c.Process.Signal(os.Interrupt); err != nil {
		t.Error(err)
	}
	reading.Wait()
	if err := c.Wait(); err != nil {
		t.Errorf("an interrupted gateway: %v", err)
	}
	if waiting, _ := heldBy(t, data); len(waiting) != groups {
		t.Errorf("%d groups are there, want %d", len(waiting), groups)
	}
	if a.refused.Load() == 0 {
		t.Error("nothing was refused: want more streams")
	}
	text := said.String()
	if strings.Contains(text, "too many open files") || !strings.Contains(text, "connections get status 503, because as many are busy as may be") {
		t.Error("it says otherwise")
	}
	if t.Failed() {
		t.Log(text, out.String())
	}
	fake.interrupts <- os.Interrupt
	fake.wait(t)
}

// A crowd is clients that have a connection for each request, and ask until they get all of a reply.
type crowd struct {
	client  http.Client
	refused atomic.Int64
}

// ask posts a body, or gets what is there if there is none.
func (a *crowd) ask(url, body string, want int, end string) string {
	for {
		method := http.MethodPost
		if body == "" {
			method = http.MethodGet
		}
		r, err := http.NewRequest(method, url, strings.NewReader(body))
		if err != nil {
			return err.Error()
		}
		r.Header.Set("Content-Type", "application/json")
		reply, err := a.client.Do(r)
		if err == nil {
			text, err := io.ReadAll(reply.Body)
			_ = reply.Body.Close()
			if err == nil && reply.StatusCode == want && strings.HasSuffix(string(text), end) {
				return string(text)
			}
		}
		a.refused.Add(1)
		<-time.After(50 * time.Millisecond)
	}
}
