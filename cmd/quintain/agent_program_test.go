package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
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
