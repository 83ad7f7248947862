package hub

import (
	"fmt"
	"net/http"
	"testing"
)

// An agent makes requests, with a batch of four rollouts and a staleness bound of one.
func TestRolloutsAreAdmitted(t *testing.T) {
	f := newFixture(t, nil, Config{Settings: Settings{RolloutBatch: 4, MaxOffPolicy: 1, MaxRollouts: 6}})
	admit := func(from, to int) {
		t.Helper()
		for i := from; i < to; i++ {
			f.want("POST", "/allocate_rollout", fmt.Sprintf(`{"qid":"%d"}`, i), `{"success":true,"reason":""}`)
		}
	}
	finish := func(from, to int, accepted bool) {
		t.Helper()
		for i := from; i < to; i++ {
			f.want("POST", "/finish_rollout", fmt.Sprintf(`{"qid":"%d","accepted":%t,"n_tokens":100}`, i, accepted), `{"success":true}`)
		}
	}
	admit(0, 6)
	f.want("POST", "/allocate_rollout", `{"qid":"6"}`, `{"success":false,"reason":"capacity: 6 rollouts running, of 6 that may"}`)
	admit(0, 1) // again: the reply was lost
	finish(0, 5, true)
	finish(5, 6, false)
	admit(6, 9)
	const staled = `{"success":false,"reason":"staled: 8 rollouts accepted or running, of 8 that version 0 may be trained on with an offpolicyness of 1"}`
	f.want("POST", "/allocate_rollout", `{"qid":"9"}`, staled)
	f.want("POST", mainPath+"/version", `{"version":1}`, `{"version":1,"acked":0,"step":0}`)
	f.want("POST", "/get_model_version", `{"server_url":"http://a"}`, `{"version":1}`)
	admit(9, 12)

	f.restart() // the rollouts before version 1 count as accepted
	f.want("POST", "/get_model_version", "", `{"version":1}`)
	admit(12, 18)
	finish(12, 18, true)
	admit(18, 20)
	if w := f.do("POST", "/allocate_rollout", `{"qid":"20"}`); w.Code != http.StatusOK || w.Body.String() == `{"success":true,"reason":""}` {
		t.Errorf("after the restart more than two batches are admitted: %d %s", w.Code, w.Body)
	}
}

func TestRolloutRequestsThatAreInvalid(t *testing.T) {
	f := newFixture(t, nil, Config{})
	f.want("POST", "/allocate_rollout", `{"qid":"a"}`, `{"success":false,"reason":"no trainer has registered"}`)
	for _, test := range []struct {
		why, path, body string
		status          int
	}{
		{"no name", "/allocate_rollout", `{}`, 422},
		{"a number as the name", "/allocate_rollout", `{"qid":1}`, 422},
		{"no JSON", "/allocate_rollout", `{`, 400},
		{"not admitted", "/finish_rollout", `{"qid":"b","accepted":true}`, 404},
		{"without saying how it ended", "/finish_rollout", `{"qid":"b"}`, 422},
		{"a run that is not there", "/v1/runs/none/finish_rollout", `{"qid":"b","accepted":true}`, 404},
	} {
		if w := f.do("POST", test.path, test.body); w.Code != test.status {
			t.Errorf("%s: %d %s, want %d", test.why, w.Code, w.Body, test.status)
		}
	}
}
