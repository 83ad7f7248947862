package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/run"
)

// asAgent is the argument that makes the test binary an agent's program. With a second one, it
// says that and fails.
const asAgent = "as-agent"

// playAgent asks the model what the problem asks, and prints the reply.
func playAgent(complaints []string) error {
	text, err := os.ReadFile(os.Getenv("QUINTAIN_PROBLEM"))
	if err != nil {
		return err
	}
	var problem struct{ Messages json.RawMessage }
	if err := json.Unmarshal(text, &problem); err != nil {
		return err
	}
	r, err := http.NewRequest(http.MethodPost, os.Getenv("OPENAI_BASE_URL")+"/chat/completions", strings.NewReader(fmt.Sprintf(`{"model":"any","messages":%s}`, problem.Messages)))
	if err != nil {
		return err
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Authorization", "Bearer "+os.Getenv("OPENAI_API_KEY"))
	reply, err := http.DefaultClient.Do(r)
	if err != nil {
		return err
	}
	defer reply.Body.Close()
	body, err := io.ReadAll(reply.Body)
	if err != nil {
		return err
	}
	fmt.Println("it got", reply.Status, len(body) > 0)
	if len(complaints) > 0 {
		return fmt.Errorf("it is %s", strings.Join(complaints, " "))
	}
	return nil
}

func TestEnvironmentsPlayAgents(t *testing.T) {
	model, modelURL := address(t, "policy", "fake", "--first-token", "0s", "--rate", "0", "--length", "fixed:16")
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	report := filepath.Join(t.TempDir(), "report.json")
	p := start(append([]string{"env", "process", "--environment", "agent:" + program + " " + asAgent, "--report", report, "--data", t.TempDir()}, environmentOf(modelURL,
		"--env.total_steps", "2", "--env.data_path_to_save_groups", filepath.Join(t.TempDir(), "groups.jsonl"))...)...)
	if status := p.wait(t); status != exitOK {
		t.Fatalf("status %d\n%s", status, p.stderr.String())
	}
	text, err := os.ReadFile(report)
	if err != nil {
		t.Fatal(err)
	}
	var r run.Report
	if err := json.Unmarshal(text, &r); err != nil {
		t.Fatal(err)
	}
	if len(r.Tasks) == 0 || r.Episodes[quintain.ModelFailed]+r.Episodes[quintain.Scored] < 8 || r.Episodes[quintain.EnvFailed] > 0 {
		t.Errorf("report %s", text)
	}
	model.interrupts <- os.Interrupt
	model.wait(t)
}

// An agent also plays the problems of a scenario that is a program.
func TestAgentsPlayTheProblemsOfAProgram(t *testing.T) {
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	p := start("ask", "echo:1", "--environment", echoServer(t, "echo", 1), "--index", "7", "--policy", "script", "--with", "policy.accuracy=1", "--environment", "agent:"+program+" "+asAgent)
	if status := p.wait(t); status != exitOK {
		t.Fatalf("status %d\n%s", status, p.stderr.String())
	}
	for _, want := range []string{"problem agent.v1-", "/echo.v1.s1.l1.7\n", "Say <answer>7</answer>.", "it got 200 OK", "reward 1, terminated"} {
		if !strings.Contains(p.stdout.String(), want) {
			t.Errorf("it does not say %s:\n%s", want, p.stdout.String())
		}
	}
}
