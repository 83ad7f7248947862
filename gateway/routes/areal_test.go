package routes

import (
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"math"
	"strings"
	"testing"
)

// A begun is the reply of start_session.
type begun struct {
	ID       string `json:"session_id"`
	Key      string `json:"api_key"`
	Group    string `json:"group_id"`
	Sessions []struct {
		ID  string `json:"session_id"`
		Key string `json:"session_api_key"`
	}
}

func openAReaL(t *testing.T) *Bench { return Open(t, "", arealRoutes) }

func start(t *testing.T, b *Bench, body string) begun {
	t.Helper()
	status := 200
	if strings.Contains(body, "group_size") {
		status = 201
	}
	return Parse[begun](t, b.Want(status, Key, "POST /rl/start_session", body))
}

// A whole life in the order of AReaL's workflow: sessions of one task_id are a group.
func TestSessionsOfATaskAreAGroup(t *testing.T) {
	b := openAReaL(t)
	b.Want(200, Key, "POST /grant_capacity", "")
	var groups []string
	for i := range 2 {
		s := start(t, b, `{"task_id": "sum-7"}`)
		groups = append(groups, s.Group)
		first := b.Ask(s.Key, "/chat/completions", "1+1?")
		b.Ask(s.Key, "/chat/completions", "2+2?")
		if !strings.HasPrefix(first, "chatcmpl-") {
			t.Errorf("the ID of a reply is %q", first)
		}
		b.Want(200, s.Key, "POST /rl/set_reward", fmt.Sprintf(`{"interaction_id": %q, "reward": 0.25}`, first))
		b.Want(200, s.Key, "POST /rl/set_reward", fmt.Sprintf(`{"interaction_id": null, "reward": %d}`, i))
		if text := b.Want(200, s.Key, "POST /rl/end_session", ""); text != `{"interaction_count":2,"message":"success"}` {
			t.Errorf("the end says %s", text)
		}
	}
	if other := start(t, b, `{"task_id": "sum-7"}`); groups[0] != groups[1] || other.Group == groups[0] {
		t.Errorf("groups %v, and the third session in %s", groups, other.Group)
	}
	r := b.Result()
	if len(r.Trajectories) != 2 || r.Drop != "" {
		t.Fatalf("%d sessions, dropped: %q", len(r.Trajectories), r.Drop)
	}
	for i, played := range r.Trajectories {
		if len(played.Turns) != 2 || played.Turns[0].Reward != 0.25 || played.Turns[1].Reward != float64(i) {
			t.Errorf("session %d: rewards %v", i, played.Turns)
		}
	}
}

// The other shape of start_session: a whole group, whose sessions end with their reward.
func TestGroupsOfTheInferenceService(t *testing.T) {
	b := openAReaL(t)
	s := start(t, b, `{"task_id": "sum-7", "group_size": 2}`)
	if len(s.Sessions) != 2 || s.Group == "" || s.Sessions[0].Key == s.Sessions[1].Key {
		t.Fatalf("%+v", s)
	}
	for i, one := range s.Sessions {
		b.Ask(one.Key, "/v1/chat/completions", "1+1?")
		reward := fmt.Sprintf(`{"reward": %d, "model": "m"}`, i)
		want := fmt.Sprintf(`{"interaction_count":1,"message":"success","ready_transition":true,"session_id":%q,"trajectory_id":0,"trajectory_ready":true}`, one.ID)
		if got := b.Want(200, one.Key, "POST /rl/set_reward", reward); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
		if again := b.Want(200, one.Key, "POST /rl/set_reward", reward); again != strings.Replace(want, `n":true`, `n":false`, 1) {
			t.Errorf("again: %s", again)
		}
		b.Want(410, one.Key, "POST /rl/set_reward", `{"reward": 7}`)
	}
	if r := b.Result(); len(r.Trajectories) != 2 || r.Drop != "" || r.Trajectories[1].Reward() != 1 {
		t.Errorf("%+v", r)
	}
	both := b.Want(200, Key, "POST /export_trajectories",
		fmt.Sprintf(`{"session_ids": [%q, "unknown", %q]}`, s.Sessions[0].ID, s.Sessions[1].ID))
	if n := len(Parse[exportedSession](t, both).Interactions); n != 2 {
		t.Errorf("%d interactions: %s", n, both)
	}
}

// A key that a running agent holds goes to its next session, and works after a crash.
func TestKeysAreRefreshed(t *testing.T) {
	folder := t.TempDir()
	b := Open(t, folder, arealRoutes)
	first := start(t, b, `{"task_id": "day-1"}`)
	b.Ask(first.Key, "/chat/completions", "one")
	b.Want(200, first.Key, "POST /rl/set_reward", `{"reward": 1}`)
	second := start(t, b, fmt.Sprintf(`{"task_id": "day-2", "api_key": %q}`, first.Key))
	if second.Key != first.Key || second.ID == first.ID {
		t.Fatalf("%+v after %+v", second, first)
	}
	if v := b.Want(200, Key, "GET /v1/sessions/"+first.ID+"?wait=5&state=ended", ""); !strings.Contains(v, `"reward":0`) || !strings.Contains(v, `"outcome":"scored"`) {
		t.Errorf("the old session: %s", v)
	}
	b.Ask(first.Key, "/chat/completions", "two")
	b.Close()
	b = Open(t, folder, arealRoutes)
	b.Want(200, first.Key, "POST /responses", `{"model": "m", "input": "three"}`)
	if v := b.Want(200, Key, "GET /v1/sessions/"+second.ID, ""); !strings.Contains(v, `"calls":2`) {
		t.Errorf("the new session: %s", v)
	}
	b.Want(200, first.Key, "POST /rl/end_session", "")
	b.Want(410, first.Key, "POST /rl/end_session", "")
	if third := start(t, b, fmt.Sprintf(`{"task_id": "day-3", "api_key": %q}`, first.Key)); third.Key != first.Key {
		t.Errorf("%+v", third)
	}
	b.Ask(first.Key, "/chat/completions", "four")
	if other := start(t, b, `{"task_id": "day-3", "api_key": "of somebody else"}`); !strings.HasPrefix(other.Key, "qs_") {
		t.Errorf("an unknown key stays: %+v", other)
	}
}

func TestRefusals(t *testing.T) {
	b := openAReaL(t)
	s := start(t, b, `{"task_id": "sum-7"}`)
	pair := start(t, b, `{"task_id": "sum-7", "group_size": 2}`)
	own := Parse[struct{ Sessions []struct{ Key string } }](t, b.Want(201, Key, "POST /v1/sessions", `{"name": "n"}`)).Sessions[0].Key
	forged := s.Key[:len(s.Key)-1] + "?"
	const admin = Key
	for _, test := range []struct {
		key, request, body string
		status             int
		says               string
	}{
		{"", "POST /rl/start_session", `{"task_id": "t"}`, 401, "Not authenticated"},
		{"wrong", "POST /rl/start_session", `{"task_id": "t"}`, 401, "Not authenticated"},
		{admin, "POST /rl/start_session", `{}`, 422, "task_id: has 0 bytes"},
		{admin, "POST /rl/start_session", `{"task_id": 7}`, 422, "task_id"},
		{admin, "POST /rl/start_session", `[`, 422, ""},
		{admin, "POST /rl/start_session", `{"task_id": "` + strings.Repeat("t", 1001) + `"}`, 422, "task_id: has 1001 bytes"},
		{admin, "POST /rl/start_session", `{"task_id": "t", "group_size": 0}`, 422, "group_size: is 0"},
		{admin, "POST /rl/start_session", `{"task_id": "t", "group_size": 1025}`, 422, "group_size: is 1025"},
		{admin, "POST /rl/start_session", `{"task_id": "t", "group_size": 2, "api_key": "k"}`, 400, "api_key: one key opens one session"},
		{"", "POST /rl/set_reward", `{"reward": 1}`, 401, "want the key of a session"},
		{forged, "POST /rl/set_reward", `{"reward": 1}`, 401, "not that of a session"},
		{own, "POST /rl/set_reward", `{"reward": 1}`, 403, "not begun by /rl/start_session"},
		{own, "POST /rl/end_session", ``, 403, "not begun by /rl/start_session"},
		{s.Key, "POST /rl/set_reward", `{"reward": 1}`, 400, "no interactions"},
		{s.Key, "POST /rl/set_reward", `{}`, 422, "reward: want a number"},
		{s.Key, "POST /rl/set_reward", `{"reward": "1"}`, 422, "reward"},
		{pair.Sessions[0].Key, "POST /rl/set_reward", `{"interaction_id": "chatcmpl-x", "reward": 1}`, 400, "no interactions"},
		{"", "POST /chat/completions", `{}`, 401, "want the key of a session"},
		{forged, "POST /responses", `{}`, 401, "not that of a session"},
		{s.Key, "POST /export_trajectories", `{"session_id": "x"}`, 401, "Not authenticated"},
		{admin, "POST /export_trajectories", `{}`, 400, "want session_id"},
		{admin, "POST /export_trajectories", `{"session_id": "x"}`, 404, "there is no session"},
		{admin, "POST /export_trajectories", `{"session_id": "x", "style": "tree"}`, 422, "style: is"},
		{admin, "POST /export_trajectories", `{"session_ids": ["x"]}`, 200, `{"interactions":{}}`},
		{"", "POST /grant_capacity", ``, 401, "Not authenticated"},
		{"", "GET /health", ``, 200, `"status":"ok"`},
		{admin, "GET /models", ``, 200, `{"models":["policy"]}`},
	} {
		if status, text := b.Do(test.key, test.request, test.body); status != test.status || !strings.Contains(text, test.says) {
			t.Errorf("%s %.80s: %d %s, want %d %s", test.request, test.body, status, text, test.status, test.says)
		}
	}
	b.Ask(s.Key, "/chat/completions", "1+1?")
	b.Want(400, s.Key, "POST /rl/set_reward", `{"interaction_id": "chatcmpl-x", "reward": 1}`)
	b.Want(200, s.Key, "POST /rl/end_session", "")
	for request, body := range map[string]string{
		"POST /rl/end_session": "", "POST /rl/set_reward": `{"reward": 1}`, "POST /chat/completions": `{"model": "m", "messages": [{"role": "user", "content": "?"}]}`,
	} {
		b.Want(410, s.Key, request, body)
	}
	b.Shut(true)
	b.Want(429, admin, "POST /rl/start_session", `{"task_id": "another"}`)
}

// An exportedSession is the reply of export_trajectories.
type exportedSession struct {
	Interactions map[string]struct {
		Tensors map[string]tensor `json:"tensor_dict"`
		Reward  *float64
		ID      string `json:"interaction_id"`
	}
}

type tensor struct {
	Type, Data, DType string
	Shape             []int
}

// values are those of a tensor.
func (x tensor) values(t *testing.T) (all []int64) {
	t.Helper()
	raw, err := base64.StdEncoding.DecodeString(x.Data)
	if err != nil || x.Type != "tensor" {
		t.Fatalf("%v: %+v", err, x)
	}
	switch x.DType {
	case "torch.bool":
		for _, b := range raw {
			all = append(all, int64(b))
		}
	case "torch.float32": // in thousandths
		for i := 0; i < len(raw); i += 4 {
			all = append(all, int64(1000*math.Float32frombits(binary.LittleEndian.Uint32(raw[i:]))))
		}
	case "torch.int32":
		for i := 0; i < len(raw); i += 4 {
			all = append(all, int64(int32(binary.LittleEndian.Uint32(raw[i:]))))
		}
	}
	return all
}

// The export has each reply's tokens, and hands rewards on to earlier replies.
func TestExport(t *testing.T) {
	b := openAReaL(t)
	s := start(t, b, `{"task_id": "sum-7"}`)
	first := b.Ask(s.Key, "/chat/completions", "one")
	talk := `[{"role": "user", "content": "one"}, {"role": "assistant", "content": "reply 1"}, {"role": "user", "content": "two"}]`
	second := Parse[struct{ ID string }](t, b.Want(200, s.Key, "POST /chat/completions", `{"model": "m", "messages": `+talk+`}`)).ID
	b.Want(200, s.Key, "POST /rl/set_reward", `{"reward": 1}`)
	waits := make(chan string)
	go func() {
		_, text := b.Do(Key, "POST /export_trajectories", fmt.Sprintf(`{"session_id": %q, "discount": 0.5}`, s.ID))
		waits <- text
	}()
	b.Want(200, s.Key, "POST /rl/end_session", "")
	got := Parse[exportedSession](t, <-waits).Interactions
	if len(got) != 2 || *got[first].Reward != 0.5 || *got[second].Reward != 1 || got[first].ID != first {
		t.Fatalf("%+v", got)
	}
	last := got[second].Tensors
	if text := Text(last["input_ids"].values(t)); text != "<user>onereply 1\n<user>tworeply 2\n" {
		t.Errorf("tokens say %q", text)
	}
	n, sampled := len(last["loss_mask"].values(t)), len("reply 2\n")
	for name, want := range map[string][2]int64{"loss_mask": {0, 1}, "versions": {-1, 3}, "logprobs": {0, -500}, "attention_mask": {1, 1}} {
		for i, v := range last[name].values(t) {
			if k := min(1, max(0, i+1-(n-sampled))); v != want[k] {
				t.Errorf("%s[%d] is %d, want %d", name, i, v, want[k])
			}
		}
	}
	if r := last["rewards"].values(t); len(r) != 1 || r[0] != 1000 {
		t.Errorf("rewards %v", r)
	}
	whole := Parse[exportedSession](t, b.Want(200, Key, "POST /export_trajectories", fmt.Sprintf(`{"session_id": %q, "style": "concat"}`, s.ID))).Interactions
	ones := 0
	for _, v := range whole[second].Tensors["loss_mask"].values(t) {
		ones += int(v)
	}
	if len(whole) != 1 || ones != 2*sampled {
		t.Errorf("concat: %d rows, %d tokens trained", len(whole), ones)
	}
}

// Where AReaL's reward is 0, ours is null.
func TestNoRewardIsNoReward(t *testing.T) {
	b := openAReaL(t)
	s := start(t, b, `{"task_id": "sum-7"}`)
	id := b.Ask(s.Key, "/chat/completions", "one")
	b.Want(200, s.Key, "POST /rl/end_session", "")
	got := Parse[exportedSession](t, b.Want(200, Key, "POST /export_trajectories", fmt.Sprintf(`{"session_id": %q}`, s.ID))).Interactions[id]
	if _, has := got.Tensors["rewards"]; has || got.Reward != nil || len(got.Tensors) != 5 {
		t.Errorf("%+v", got)
	}
}

// Sessions of a task that begin at once fill whole groups, also across a restart.
func TestGroupsAreFilled(t *testing.T) {
	folder := t.TempDir()
	b := Open(t, folder, arealRoutes)
	first := start(t, b, `{"task_id": "sum-7"}`)
	b.Close()
	b = Open(t, folder, arealRoutes)
	if second := start(t, b, `{"task_id": "sum-7"}`); second.Group != first.Group {
		t.Errorf("after a restart, the group is %s, not %s", second.Group, first.Group)
	}
	const n = 16
	groups := make(chan string)
	for range n {
		go func() {
			_, text := b.Do(Key, "POST /rl/start_session", `{"task_id": "sum-7"}`)
			_, text, _ = strings.Cut(text, `"group_id":"`)
			text, _, _ = strings.Cut(text, `"`)
			groups <- text
		}()
	}
	sizes := map[string]int{}
	for range n {
		sizes[<-groups]++
	}
	for group, size := range sizes {
		if size != 2 || group == first.Group || group == "" {
			t.Errorf("%d sessions of group %q", size, group)
		}
	}
}

// A key may go to a session of the inference service, and of requests that give it away at
// once only one does at a time.
func TestKeysOfTheInferenceService(t *testing.T) {
	b := openAReaL(t)
	first := start(t, b, `{"task_id": "a"}`)
	body := fmt.Sprintf(`{"task_id": "b", "group_size": 1, "api_key": %q}`, first.Key)
	if second := start(t, b, body); second.Sessions[0].Key != first.Key {
		t.Errorf("%+v", second)
	}
	const n = 8
	made := make(chan string)
	for range n {
		go func() {
			status, text := b.Do(Key, "POST /rl/start_session", body)
			if status == 429 {
				text = ""
			}
			made <- text
		}()
	}
	var all []string
	for range n {
		if text := <-made; text != "" {
			all = append(all, Parse[begun](t, text).ID)
		}
	}
	b.Ask(first.Key, "/chat/completions", "?")
	live := 0
	for _, id := range append(all, first.ID) {
		if v := b.Want(200, Key, "GET /v1/sessions/"+id, ""); strings.Contains(v, `"state":"live"`) || strings.Contains(v, `"state":"created"`) {
			live++
		}
	}
	if live != 1 {
		t.Errorf("%d sessions go on, want that of the key alone", live)
	}
}
