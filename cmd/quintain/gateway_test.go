package main

import (
	"cmp"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// With gateway.port the model calls of agents go there alone, and those who make sessions stay
// at the other port.
func TestAgentsHaveAPortOfTheirOwn(t *testing.T) {
	port := freePort(t)
	keys := filepath.Join(t.TempDir(), "keys")
	if err := os.WriteFile(keys, []byte("trainer t\nsessions s\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	p := start("gateway", "--policy", "script", "--tasks", "countdown:1", "--consumer", "hub", "--port", "0", "--key-file", keys, "--with", "gateway.port="+port, "--data", t.TempDir())
	await(t, p, "their model calls go to http://127.0.0.1:"+port+" alone")
	_, after, _ := strings.Cut(p.stderr.String(), "POST ")
	url, _, _ := strings.Cut(after, "/v1/sessions")
	until(t, p, "it answers agents", func() bool {
		resp, err := http.Get("http://127.0.0.1:" + port + "/v1/models") // without a key: 401
		if err == nil {
			resp.Body.Close()
		}
		return err == nil && resp.StatusCode == http.StatusUnauthorized
	})
	var made struct {
		Sessions []struct{ ID, Key, OpenAI string }
	}
	if err := json.Unmarshal([]byte(askHub(t, 201, "POST "+url+"/v1/sessions", "s", `{"of": 1}`)), &made); err != nil {
		t.Fatal(err)
	}
	s := made.Sessions[0]
	agents := "http://127.0.0.1:" + port
	if s.OpenAI != agents+"/sessions/"+s.ID+"/v1" {
		t.Errorf("agents are told %s", s.OpenAI)
	}
	const ask = `{"messages": [{"role": "user", "content": "?"}]}`
	askHub(t, 200, "POST "+s.OpenAI+"/chat/completions", s.Key, ask)
	askHub(t, 200, "POST "+agents+"/v1/chat/completions", s.Key, ask)
	askHub(t, 401, "POST "+s.OpenAI+"/chat/completions", "t", ask)
	askHub(t, 404, "POST "+url+"/v1/chat/completions", s.Key, ask)
	askHub(t, 404, "POST "+agents+"/v1/sessions", "s", "{}")
	askHub(t, 404, "GET "+agents+"/status", "t", "")
	if text := askHub(t, 200, "GET "+url+"/metrics", "t", ""); !strings.Contains(text, `quintain_gateway_calls_total{class="root"} 1`) {
		t.Error("the metrics have no call of an agent")
	}
	http.DefaultClient.CloseIdleConnections()
	p.interrupts <- os.Interrupt
	if status := p.wait(t); status != exitOK {
		t.Errorf("an interrupted gateway ends with status %d: %s", status, p.stderr.String())
	}
}

// The walk at the beginning of docs/gateway.md ends in a group that is kept.
func TestTheWalkOfTheGatewayEndsInAGroup(t *testing.T) {
	page, err := os.ReadFile("../../docs/gateway.md")
	if err != nil {
		t.Fatal(err)
	}
	model, modelURL := address(t, "policy", "fake", "--first-token", "0s", "--rate", "0", "--length", "fixed:16", "--tokenizer", "bytes")
	p := start("gateway", "--policy", "server", "--url", modelURL, "--tokenizer", "bytes", "--tasks", "countdown:1", "--port", "0", "--data", t.TempDir())
	await(t, p, "agents play")
	_, after, _ := strings.Cut(p.stderr.String(), "POST ")
	url, _, _ := strings.Cut(after, "/v1/sessions")
	until(t, p, "ready", func() bool {
		resp, err := http.Get(url + "/readyz")
		if err == nil {
			resp.Body.Close()
		}
		return err == nil && resp.StatusCode == http.StatusOK
	})
	type reply struct {
		ID       string
		Done     bool
		Dropped  *string
		Sessions []struct{ ID, Key, OpenAI string }
	}
	var ids []string
	var last reply
	for _, m := range regexp.MustCompile(`(?m)^    curl (?:-X (POST) )?'?http://127.0.0.1:8000(\S+?)'?(?: -d '(.*)')?$`).FindAllStringSubmatch(string(page), -1) {
		last = reply{}
		method := cmp.Or(m[1], "GET")
		if rest, ok := strings.CutPrefix(m[2], "/v1/sessions/ID"); ok {
			for _, id := range ids {
				askHub(t, 200, "POST "+url+"/v1/sessions/"+id+rest, "", m[3])
			}
			continue
		}
		status := 200
		if m[2] == "/v1/sessions" {
			status = 201
		}
		if err := json.Unmarshal([]byte(askHub(t, status, method+" "+url+m[2], "", m[3])), &last); err != nil {
			t.Fatal(err)
		}
		for _, s := range last.Sessions {
			if status == 201 {
				ids = append(ids, s.ID)
				askHub(t, 200, "POST "+s.OpenAI+"/chat/completions", s.Key, `{"messages": [{"role": "user", "content": "?"}]}`)
			}
		}
	}
	if len(ids) != 8 || !last.Done || last.Dropped == nil || *last.Dropped != "" {
		t.Errorf("%d sessions, then %+v", len(ids), last)
	}
	http.DefaultClient.CloseIdleConnections()
	p.interrupts <- os.Interrupt
	p.wait(t)
	model.interrupts <- os.Interrupt
	model.wait(t)
}
