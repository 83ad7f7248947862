package agl_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/gateway/agl"
	"github.com/quintain-rl/quintain/gateway/gatewaytest"
)

const key = gatewaytest.Key

// A rollout is what the tests read of one.
type rollout struct {
	ID     string `json:"rollout_id"`
	Status struct {
		State   string
		Version int
	}
}

func create(t *testing.T, b *gatewaytest.Bench, body string) []rollout {
	t.Helper()
	return gatewaytest.Parse[[]rollout](t, b.Want(201, key, "POST /api/rollouts", body))
}

func ask(b *gatewaytest.Bench, id, attempt string) {
	b.Ask(key, "/proxy/rollout/"+id+"/attempt/"+attempt+"/mode/train/openai/v1/chat/completions", "1+1?")
}

func reward(b *gatewaytest.Bench, id, attempt string, value float64) {
	b.Want(200, key, "POST /api/rollouts/"+id+"/attempt/"+attempt+"/events", fmt.Sprintf(`{"event_type": "reward", "data": {"value": %g, "reason": "so"}}`, value))
}

func end(b *gatewaytest.Bench, id, state string) string {
	return b.Want(200, key, "PATCH /api/rollouts/"+id, fmt.Sprintf(`{"status": {"state": %q, "error_message": "it says so"}}`, state))
}

// A whole life in the order of trainer, controller and agent: equal inputs are a group.
func TestRolloutsOfAnInputAreAGroup(t *testing.T) {
	b := gatewaytest.Open(t, "", agl.Routes)
	all := create(t, b, `[{"input": {"q": "1+1?"}}, {"input": 7, "is_train": false}, {"input": {"q":"1+1?"}, "metadata": {"batch_idx": 0}}]`)
	if len(all) != 3 || all[0].Status.State != "queuing" || all[0].ID == all[2].ID {
		t.Fatalf("%+v", all)
	}
	queue := func(states string) int {
		return len(gatewaytest.Parse[[]rollout](t, b.Want(200, key, "GET /api/rollouts?"+states, "")))
	}
	if n := queue("state_in=queuing"); n != 3 {
		t.Errorf("%d rollouts wait", n)
	}
	for i, k := range []int{0, 2} {
		id := all[k].ID
		b.Want(200, key, "PATCH /api/rollouts/"+id, `{"status": {"state": "running", "last_attempt_id": "a1"}}`)
		ask(b, id, "a1")
		reward(b, id, "a1", float64(i))
		if text := end(b, id, "succeeded"); !strings.Contains(text, `"state":"succeeded"`) || !strings.Contains(text, `"last_attempt_id":"a1"`) {
			t.Errorf("ended %s", text)
		}
		b.Want(409, key, "PATCH /api/rollouts/"+id, `{"status": {"state": "running"}}`)
	}
	if r := b.Result(); r.Drop != "" || len(r.Trajectories) != 2 || r.Trajectories[1].Reward() != 1 || r.Trajectories[1].Turns[0].Why != "so" {
		t.Errorf("%+v", r)
	}
	if q, done := queue("state_in=queuing&state_in=running"), queue("state_in=succeeded"); q != 1 || done != 2 {
		t.Errorf("%d wait, %d ended", q, done)
	}
	if one := queue("state_in=succeeded&limit=1"); one != 1 {
		t.Errorf("%d rollouts, want 1", one)
	}
	first := b.Want(200, key, "GET /api/rollouts/terminal?limit=1", "")
	if want := fmt.Sprintf(`{"items":[{"rollout_id":%q,"state":"succeeded","data_id":"","is_train":true}],"next_after":1,"total_terminal":2}`, all[0].ID); first != want {
		t.Errorf("ended %s, want %s", first, want)
	}
	if next := b.Want(200, key, "GET /api/rollouts/terminal?after=1", ""); !strings.Contains(next, all[2].ID) || !strings.Contains(next, `"next_after":2`) {
		t.Errorf("then %s", next)
	}
}

// A second attempt takes the place of the first, and a rollout that failed is left out.
func TestAttempts(t *testing.T) {
	b := gatewaytest.Open(t, "", agl.Routes)
	create(t, b, `[{"input": 1, "rollout_id": "a"}, {"input": 1, "rollout_id": "b"}, {"input": 1, "rollout_id": "c"}]`)
	create(t, b, `[{"input": 1, "rollout_id": "a"}]`) // again: nothing new
	ask(b, "a", "a1")
	ask(b, "a", "a2")
	b.Want(410, key, "POST /proxy/rollout/a/attempt/a1/mode/train/openai/v1/chat/completions", `{"model": "m", "messages": [{"role": "user", "content": "?"}]}`)
	if text := b.Want(200, key, "GET /api/rollouts/a", ""); !strings.Contains(text, `"attempts":["a1","a2"]`) || !strings.Contains(text, `"state":"running"`) {
		t.Errorf("the rollout: %s", text)
	}
	reward(b, "a", "a2", 1)
	ask(b, "b", "a1")
	reward(b, "b", "a1", 0)
	end(b, "a", "succeeded")
	end(b, "b", "succeeded")
	if text := end(b, "c", "failed"); !strings.Contains(text, `"state":"failed"`) {
		t.Errorf("ended %s", text)
	}
	r := b.Result()
	if r.Drop != "" || len(r.Trajectories) != 2 {
		t.Fatalf("%d sessions, dropped: %q", len(r.Trajectories), r.Drop)
	}
	if text := b.Want(200, key, "GET /api/rollouts/c", ""); !strings.Contains(text, `"state":"failed"`) || !strings.Contains(text, `"error_message":"it says so"`) {
		t.Errorf("the one that failed: %s", text)
	}
}

// The events of a rollout are the calls of its last attempt, with tokens, and what was sent.
func TestEvents(t *testing.T) {
	folder := t.TempDir()
	b := gatewaytest.Open(t, folder, agl.Routes)
	create(t, b, `[{"input": 1, "rollout_id": "a"}, {"input": 1, "rollout_id": "b"}]`)
	ask(b, "a", "a1")
	b.Want(200, key, "POST /api/rollouts/a/attempt/a1/events", `{"event_type": "mine", "data": {"x": 1}}`)
	reward(b, "a", "a1", 0.5)
	type event struct {
		Type string `json:"event_type"`
		Data struct {
			X        int
			Value    float64
			Version  int `json:"model_version"`
			Response struct {
				Prompt  []quintain.Token `json:"prompt_token_ids"`
				Choices []struct {
					Tokens   []quintain.Token `json:"token_ids"`
					LogProbs struct {
						Content []struct{ LogProb float64 }
					}
				}
			}
		}
	}
	all := gatewaytest.Parse[[]event](t, b.Want(200, key, "GET /api/rollouts/a/events", ""))
	if len(all) != 3 || all[0].Type != "model_request" || all[1].Data.X != 1 || all[2].Data.Value != 0.5 {
		t.Fatalf("%+v", all)
	}
	reply := all[0].Data.Response
	if got := gatewaytest.Text(reply.Prompt) + "|" + gatewaytest.Text(reply.Choices[0].Tokens); got != "<user>1+1?|reply 1\n" || all[0].Data.Version != 3 {
		t.Errorf("tokens say %q", got)
	}
	if p := reply.Choices[0].LogProbs.Content; len(p) != 8 || p[0].LogProb != -0.5 {
		t.Errorf("log-probabilities %v", p)
	}
	if only := gatewaytest.Parse[[]event](t, b.Want(200, key, "GET /api/rollouts/a/events?event_type=reward", "")); len(only) != 1 {
		t.Errorf("%d rewards", len(only))
	}
	b.Close()
	b = gatewaytest.Open(t, folder, agl.Routes)
	if n := len(gatewaytest.Parse[[]rollout](t, b.Want(200, key, "GET /api/rollouts?state_in=running&state_in=queuing", ""))); n != 2 {
		t.Errorf("%d rollouts after a restart, want 2", n)
	}
	ask(b, "a", "a1")
	for range 101 {
		status, text := b.Do(key, "POST /api/rollouts/a/attempt/a1/events", `{"event_type": "mine"}`)
		if status != 200 {
			if !strings.Contains(text, "100 events") {
				t.Errorf("%d %s", status, text)
			}
			return
		}
	}
	t.Error("any number of events is kept")
}

func TestRefusals(t *testing.T) {
	b := gatewaytest.Open(t, "", agl.Routes)
	create(t, b, `[{"input": 1, "rollout_id": "a"}]`)
	const proxy = "POST /proxy/rollout/"
	for _, test := range []struct {
		key, request, body string
		status             int
		says               string
	}{
		{"", "POST /api/rollouts", `[]`, 401, "Not authenticated"},
		{"", proxy + "a/attempt/a1/mode/train/openai/v1/chat/completions", `{}`, 401, "Not authenticated"},
		{key, "POST /api/rollouts", `{"input": 1}`, 422, ""},
		{key, "POST /api/rollouts", `[{}]`, 422, "[0].input: is missing"},
		{key, "POST /api/rollouts", `[{"input": 1, "rollout_id": "a b"}]`, 422, "[0].rollout_id: is"},
		{key, "POST /api/rollouts", `[` + strings.Repeat(`{"input":1},`, 10_000) + `{"input":1}]`, 422, "at most 10000"},
		{key, "POST /api/rollouts", `[]`, 201, "[]"},
		{key, "GET /api/rollouts", "", 422, "state_in: want states"},
		{key, "GET /api/rollouts?state_in=over", "", 422, "state_in: is"},
		{key, "GET /api/rollouts?state_in=queuing&limit=x", "", 422, "limit: is"},
		{key, "GET /api/rollouts/terminal?after=-1", "", 422, "after: is"},
		{key, "GET /api/rollouts/terminal?after=99", "", 200, `{"items":[],"next_after":0,"total_terminal":0}`},
		{key, "GET /api/rollouts/none", "", 404, "Rollout not found"},
		{key, "GET /api/rollouts/none/events", "", 404, "Rollout not found"},
		{key, "PATCH /api/rollouts/none", `{}`, 404, "Rollout not found"},
		{key, "PATCH /api/rollouts/a", `{"status": {"state": "over"}}`, 422, "status.state: is"},
		{key, "POST /api/rollouts/none/attempt/a1/events", `{"event_type": "x"}`, 404, "Rollout not found"},
		{key, "POST /api/rollouts/a/attempt/a1/events", `{"data": {}}`, 422, "event_type: is"},
		{key, "POST /api/rollouts/a/attempt/a1/events", `{"event_type": "reward", "data": {}}`, 422, "data.value: want a number"},
		{key, "POST /api/rollouts/a/attempt/a1/events", `{"event_type": "reward", "data": {"value": "1"}}`, 422, "data: value"},
		{key, proxy + "none/attempt/a1/mode/train/openai/v1/chat/completions", `{}`, 404, "Rollout not found"},
		{key, proxy + "a/attempt/a1/mode/test/openai/v1/chat/completions", `{}`, 404, "Unsupported proxy mode"},
		{key, proxy + "a/attempt/a1/mode/train/openai/v1/chat/completions", `{"messages": 7}`, 400, "messages"},
		{key, "POST /api/models", `[]`, 409, "the run's"},
		{key, "POST /proxy/pause", `{}`, 409, "the run's"},
		{key, "GET /proxy/state", "", 200, `"paused":false`},
		{key, "DELETE /api/rollouts/none", "", 204, ""},
		{key, "DELETE /api/rollouts/a", "", 204, ""},
		{key, proxy + "a/attempt/a1/mode/val/openai/v1/chat/completions", `{"model": "m", "messages": [{"role": "user", "content": "?"}]}`, 410, "ended"},
	} {
		if status, text := b.Do(test.key, test.request, test.body); status != test.status || !strings.Contains(text, test.says) {
			t.Errorf("%s %.80s: %d %s, want %d %s", test.request, test.body, status, text, test.status, test.says)
		}
	}
}

// A request for which there is no room leaves nothing behind, and may be repeated.
func TestFullRequestsLeaveNothing(t *testing.T) {
	b := gatewaytest.Open(t, "", agl.Routes)
	const body = `[{"input": 2, "rollout_id": "x", "is_train": false}, {"input": 3, "rollout_id": "y"}]`
	b.Shut(true)
	b.Want(429, key, "POST /api/rollouts", body)
	b.Want(404, key, "GET /api/rollouts/y", "")
	if text := b.Want(200, key, "GET /api/rollouts?state_in=queuing&state_in=running", ""); text != "[]" {
		t.Errorf("controllers see %s", text)
	}
	b.Shut(false)
	if all := create(t, b, body); all[0].Status.State != "queuing" || all[1].Status.State != "queuing" {
		t.Errorf("%+v", all)
	}
}
