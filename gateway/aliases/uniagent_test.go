package aliases

import (
	"net/http"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/gateway/gatewaytest"
)

// An agent calls its model by both of uni-agent's dialects, and rewards its session.
func TestASession(t *testing.T) {
	b := gatewaytest.Open(t, "", uniagentRoutes)
	type session struct{ ID, Key string }
	s := gatewaytest.Parse[struct{ Sessions []session }](t, b.Want(201, gatewaytest.Key, "POST /v1/sessions", `{"name": "x", "of": 1, "agent_rewards": true}`)).Sessions[0]
	at := "/sessions/" + s.ID
	b.Ask("", at+"/v1/chat/completions", "one")
	b.Want(200, "", "POST "+at+"/v1/messages", `{"max_tokens": 9, "messages": [{"role": "user", "content": "two"}]}`)
	for _, test := range []struct {
		why, key, body string
		status         int
		want           string
	}{
		{"no number", s.Key, `{"reward_extra_info": {}}`, 422, "what has no reward is not a 0"},
		{"an infinite one", s.Key, `{"reward": 1e999}`, 422, "reward"},
		{"a forged key", s.Key + "x", `{"reward": 1}`, 401, "key"},
		{"a reward", s.Key, `{"reward": 0.25, "extra": 1}`, 200, `"reward":0.25`},
		{"another, without a key", "", `{"reward": 0.5}`, 200, `"session_id":"` + s.ID + `"`},
	} {
		if status, text := b.Do(test.key, "POST "+at+"/reward_info", test.body); status != test.status || !strings.Contains(text, test.want) {
			t.Errorf("%s: status %d: %s", test.why, status, text)
		}
	}
	b.Want(200, gatewaytest.Key, "POST /v1"+at+"/end", "")
	if r := b.Result().Trajectories[0]; r.Outcome != quintain.Scored || r.Reward() != 0.5 || len(r.Turns) != 2 {
		t.Errorf("%s, reward %v, %d turns", r.Outcome, r.Reward(), len(r.Turns))
	}
	b.Want(http.StatusGone, "", "POST /sessions/nobody12345/reward_info", "")
}

// A session whose caller rewards it takes none of its agent, and an ended one none at all.
func TestRefusedRewards(t *testing.T) {
	b := gatewaytest.Open(t, "", uniagentRoutes)
	made := gatewaytest.Parse[struct{ Sessions []struct{ ID string } }](t, b.Want(201, gatewaytest.Key, "POST /v1/sessions", `{"name": "x", "of": 1}`))
	b.Want(http.StatusForbidden, "", "POST /sessions/"+made.Sessions[0].ID+"/reward_info", `{"reward": 1}`)
}
