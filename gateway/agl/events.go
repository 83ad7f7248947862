package agl

import (
	"cmp"
	"encoding/json"
	"net/http"
	"slices"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/gateway"
	"github.com/quintain-rl/quintain/gateway/dialect"
	"github.com/quintain-rl/quintain/internal/jsonform"
	"github.com/quintain-rl/quintain/internal/web"
)

// The events that mean something; all others are kept as they come.
const (
	modelRequest = "model_request"
	rewardEvent  = "reward"
)

// An eventForm is an event of a rollout.
type eventForm struct {
	Type    string          `json:"event_type"`
	Rollout string          `json:"rollout_id"`
	Attempt string          `json:"attempt_id"`
	Time    float64         `json:"timestamp"` // seconds since 1970
	Data    json.RawMessage `json:"data"`
}

// event takes an event of an attempt. A reward is that of its session; the last one counts.
func (t *table) event(c *web.Call) error {
	r, err := t.of(c)
	if err != nil {
		return err
	}
	in, err := gateway.Decode[eventForm](c)
	if err != nil {
		return err
	}
	if in.Type == "" || in.Type == modelRequest {
		return web.Errorf(http.StatusUnprocessableEntity, "event_type: is %.40q, want reward or one of your own", in.Type)
	}
	session, err := t.attempt(c, r)
	if err != nil {
		return err
	}
	if in.Type == rewardEvent {
		if err := t.reward(c, session, in.Data); err != nil {
			return err
		}
	}
	in.Rollout, in.Attempt, in.Time = r.ID, c.Param("attempt"), now()
	if len(in.Data) == 0 {
		in.Data = []byte("{}")
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(r.events) >= mostEvents {
		return web.Errorf(http.StatusConflict, "the rollout has %d events, as many as are kept", mostEvents)
	}
	r.events = append(r.events, in)
	return gateway.Answer(c, http.StatusOK, in)
}

// reward rewards a session with the data of an event.
func (t *table) reward(c *web.Call, session string, data json.RawMessage) error {
	var in struct {
		Value   *float64 `json:"value"`
		Message string   `json:"message"`
		Reason  string   `json:"reason"`
	}
	if len(data) > 0 {
		if err := jsonform.Unmarshal(data, &in); err != nil {
			return web.Errorf(http.StatusUnprocessableEntity, "data: %v", jsonform.Explain(err))
		}
	}
	if in.Value == nil {
		return web.Errorf(http.StatusUnprocessableEntity, "data.value: want a number: what has no reward is not a 0")
	}
	why := in.Reason
	if why == "" {
		why = in.Message
	}
	return t.Reward(c.Context(), session, gateway.Reward{Reward: *in.Value, Why: why})
}

// events lists the model calls of a rollout's last attempt, and what was sent of it.
func (t *table) events(c *web.Call) error {
	r, err := t.of(c)
	if err != nil {
		return err
	}
	t.mu.Lock()
	session, attempt, all := r.session, "", slices.Clone(r.events)
	if n := len(r.attempts); n > 0 {
		attempt = r.attempts[n-1]
	}
	t.mu.Unlock()
	calls, err := t.Calls(session)
	if err != nil {
		return err
	}
	played, err := t.Played(session)
	if err != nil {
		return err
	}
	for k := range calls { // since then, turns may have been added
		data, err := jsonform.Marshal(t.request(&played, k))
		if err != nil {
			return err
		}
		all = append(all, eventForm{modelRequest, r.ID, attempt, float64(calls[k].At.UnixMicro()) / 1e6, data})
	}
	slices.SortStableFunc(all, func(a, b eventForm) int { return cmp.Compare(a.Time, b.Time) })
	only := c.R.URL.Query().Get("event_type")
	all = slices.DeleteFunc(all, func(e eventForm) bool { return only != "" && e.Type != only || attempt != "" && e.Attempt != attempt })
	return gateway.Answer(c, http.StatusOK, append([]eventForm{}, all...))
}

// request is the data of a model call: what was asked, and a reply of chat completions with
// its tokens.
func (t *table) request(played *quintain.Trajectory, k int) map[string]any {
	turn, talk := &played.Turns[k], played.Talk(played.Path(k))
	prompt := played.Prompt(k)
	finish := string(turn.Finish)
	if len(turn.ToolCalls) > 0 {
		finish = "tool_calls"
	}
	probs := make([]map[string]any, len(turn.LogProbs))
	for i, p := range turn.LogProbs {
		probs[i] = map[string]any{"token": "", "logprob": p, "top_logprobs": []string{}}
	}
	usage := map[string]int{"prompt_tokens": len(prompt), "completion_tokens": len(turn.Wrote), "total_tokens": len(prompt) + len(turn.Wrote)}
	choice := map[string]any{
		"index": 0, "message": turn.Message(), "finish_reason": finish, "token_ids": turn.Wrote, "logprobs": map[string]any{"content": probs},
	}
	data := map[string]any{
		"model": t.ModelName(), "model_version": nil, "latency_ms": nil, "http_status": http.StatusOK, "status": "ok", "retry_count": 0,
		"usage": usage, "finish_reason": finish,
		"request": map[string]any{"model": t.ModelName(), "messages": talk[:len(talk)-1]},
		"response": map[string]any{
			"id": dialect.CompletionID(turn.Call.ID), "object": "chat.completion", "model": t.ModelName(), "prompt_token_ids": prompt,
			"choices": []any{choice}, "usage": usage,
		},
	}
	if n := len(turn.Versions); n > 0 && turn.Versions[n-1] >= 0 {
		data["model_version"] = turn.Versions[n-1]
	}
	return data
}
