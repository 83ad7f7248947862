// Package rllm answers programs that were written for the model gateway of rLLM: they change
// an address, and their sessions are those of the gateway. docs/gateway-aliases.md lists the
// routes and what differs.
package rllm

import (
	"cmp"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"sync"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/gateway"
	"github.com/quintain-rl/quintain/internal/compiled"
	"github.com/quintain-rl/quintain/internal/jsonform"
	"github.com/quintain-rl/quintain/internal/web"
)

// A table answers the routes.
type table struct {
	gateway.Door
	named sync.Mutex // one session of a name is made at a time
}

// Routes are the routes of rLLM's gateway; that of model calls is among the gateway's own.
func Routes(d gateway.Door) []web.Route {
	t := &table{Door: d}
	return []web.Route{
		d.Health(),
		d.Caller("POST", "/sessions", t.create),
		d.Caller("GET", "/sessions", t.list),
		d.Caller("GET", "/sessions/{session}", t.info),
		d.Caller("DELETE", "/sessions/{session}", t.remove),
		d.Caller("GET", "/sessions/{session}/traces", t.traces),
		d.Caller("GET", "/traces/{trace}", t.trace),
		d.Caller("POST", "/admin/flush", t.flush),
		d.Caller("GET", "/admin/workers", t.workers),
		d.Caller("POST", "/admin/workers", t.addWorker),
		d.Caller("GET", "/admin/weight_version", t.version),
		d.Caller("POST", "/admin/weight_version", t.version),
	}
}

// A creating is the body of POST /sessions.
type creating struct {
	ID       string          `json:"session_id"`
	Metadata json.RawMessage `json:"metadata"`
}

// idForm is the form of a caller's own ID of a session, which stands in addresses.
var idForm = compiled.Regexp(`^[A-Za-z0-9._:~-]{1,200}$`)

// spec is what the gateway makes of it: metadata.name is the name of a question. Sessions of
// one name are a group that is trained on, others only leave traces.
func (in *creating) spec() (gateway.Spec, error) {
	if in.ID != "" && !idForm().MatchString(in.ID) {
		return gateway.Spec{}, web.Errorf(http.StatusUnprocessableEntity, "session_id: is %.60q, want letters, digits and . _ : ~ -, 200 at most", in.ID)
	}
	var known struct {
		Name string `json:"name"`
	}
	if len(in.Metadata) > 0 {
		if err := jsonform.Unmarshal(in.Metadata, &known); err != nil {
			return gateway.Spec{}, web.Errorf(http.StatusUnprocessableEntity, "metadata: %v", jsonform.Explain(err))
		}
	}
	s := gateway.Spec{Name: known.Name, Metadata: in.Metadata, As: in.ID}
	if s.Name == "" {
		s.Name, s.Of, s.Count, s.Mode = "rllm", 1, 1, gateway.Exam
	} else {
		s.Join = "rllm " + s.Name
	}
	return s, nil
}

// create makes a session, or returns the live one of its ID.
func (t *table) create(c *web.Call) error {
	in, err := gateway.Decode[creating](c)
	if err != nil {
		return err
	}
	spec, err := in.spec()
	if err != nil {
		return err
	}
	if in.ID != "" {
		t.named.Lock()
		defer t.named.Unlock()
		l, err := t.Look(in.ID)
		switch {
		case err != nil: // it is new
		case l.ID == in.ID:
			return web.Errorf(http.StatusConflict, "session_id: another session has %.60q", in.ID)
		case !l.Over:
			return t.made(c, l.As, t.Key(l.ID))
		}
	}
	out, err := t.Start(c, spec)
	if err != nil {
		return err
	}
	return t.made(c, cmp.Or(in.ID, out.Sessions[0].ID), out.Sessions[0].Key)
}

// made answers with a session. Its agent needs the key if the server has a key file.
func (t *table) made(c *web.Call, id, key string) error {
	return gateway.Answer(c, http.StatusOK, map[string]string{"session_id": id, "url": t.Elsewhere(c) + "/sessions/" + id + "/v1", "api_key": key})
}

// A session is what rLLM says of one.
type session struct {
	ID       string          `json:"session_id"`
	Traces   int             `json:"trace_count"`
	Created  float64         `json:"created_at"` // seconds since 1970
	Metadata json.RawMessage `json:"metadata"`
}

func shown(l *gateway.Look) session {
	s := session{cmp.Or(l.As, l.ID), l.Replies, float64(l.Created.UnixMicro()) / 1e6, l.Metadata}
	if len(s.Metadata) == 0 {
		s.Metadata = []byte("{}")
	}
	return s
}

// A part is which of many a request wants.
type part struct {
	since float64 // seconds since 1970
	limit int     // 0: all
}

func partOf(c *web.Call) (p part, err error) {
	q := c.R.URL.Query()
	if text := q.Get("since"); text != "" {
		if p.since, err = strconv.ParseFloat(text, 64); err != nil {
			return p, web.Errorf(http.StatusUnprocessableEntity, "since: is %.40q, want seconds since 1970", text)
		}
	}
	if text := q.Get("limit"); text != "" {
		if p.limit, err = strconv.Atoi(text); err != nil || p.limit < 1 {
			return p, web.Errorf(http.StatusUnprocessableEntity, "limit: is %.40q, want a number above 0", text)
		}
	}
	return p, nil
}

// takes reports whether the part takes one more, of a time, after so many.
func (p part) takes(at float64, taken int) bool {
	return at >= p.since && (p.limit == 0 || taken < p.limit)
}

func (t *table) list(c *web.Call) error {
	p, err := partOf(c)
	if err != nil {
		return err
	}
	all := []session{}
	for _, l := range t.Looks("") {
		if s := shown(&l); p.takes(s.Created, len(all)) {
			all = append(all, s)
		}
	}
	return gateway.Answer(c, http.StatusOK, all)
}

func (t *table) info(c *web.Call) error {
	l, err := t.Look(c.Param("session"))
	if err != nil {
		return err
	}
	return gateway.Answer(c, http.StatusOK, shown(&l))
}

// remove ends a session: one without a reward is cancelled.
func (t *table) remove(c *web.Call) error {
	l, err := t.Look(c.Param("session"))
	if err != nil {
		return gateway.Answer(c, http.StatusOK, map[string]int{"deleted": 0})
	}
	end := gateway.End{}
	if !l.Rewarded {
		end = gateway.End{Failed: "cancelled", Why: "its caller deleted it"}
	}
	if err := t.End(c.Context(), l.ID, end); err != nil {
		return err
	}
	return gateway.Answer(c, http.StatusOK, map[string]int{"deleted": l.Replies})
}

// flush has nothing to do: a reply leaves once it is kept.
func (t *table) flush(c *web.Call) error {
	c.SkipBody()
	return gateway.Answer(c, http.StatusOK, map[string]string{"status": "flushed"})
}

// workers lists the policy as the one server.
func (t *table) workers(c *web.Call) error {
	return gateway.Answer(c, http.StatusOK, []map[string]any{{
		"worker_id": "policy", "url": "", "api_path": "/v1", "model_name": t.ModelName(), "weight": 1, "healthy": true, "active_requests": 0,
	}})
}

func (t *table) addWorker(c *web.Call) error {
	c.SkipBody()
	return web.Errorf(http.StatusConflict, "the servers of the policy are in the settings: --url of quintain gateway")
}

// version answers with the newest version of the weights that sampled a token of a session.
// The servers tell versions, so telling one changes nothing.
func (t *table) version(c *web.Call) error {
	c.SkipBody()
	return gateway.Answer(c, http.StatusOK, map[string]int32{"weight_version": t.Version()})
}

// A record is a model call, as rLLM keeps it.
type record struct {
	ID       string             `json:"trace_id"`
	Session  string             `json:"session_id"`
	Model    string             `json:"model"`
	Messages []quintain.Message `json:"messages"`
	Prompt   []quintain.Token   `json:"prompt_token_ids"`
	Reply    quintain.Message   `json:"response_message"`
	Tokens   []quintain.Token   `json:"completion_token_ids"`
	LogProbs []float32          `json:"logprobs"`
	Matrices json.RawMessage    `json:"routing_matrices"` // null: unknown
	Finish   string             `json:"finish_reason"`
	Version  *int32             `json:"weight_version"` // of the last token; null: unknown
	Latency  float64            `json:"latency_ms"`     // 0: unknown
	Counts   map[string]int     `json:"token_counts"`
	Time     float64            `json:"timestamp"` // seconds since 1970, at its end
	Metadata struct{}           `json:"metadata"`
}

// recordsOf returns the calls of a session.
func (t *table) recordsOf(l *gateway.Look) ([]record, error) {
	calls, err := t.Calls(l.ID)
	if err != nil {
		return nil, err
	}
	played, err := t.Played(l.ID)
	if err != nil {
		return nil, err
	}
	all := []record{}
	for k := range calls { // since then, turns may have been added
		turn, talk := &played.Turns[k], played.Talk(played.Path(k))
		r := record{
			ID: l.ID + "." + turn.Call.ID, Session: cmp.Or(l.As, l.ID), Model: t.ModelName(), Messages: talk[:len(talk)-1], Reply: talk[len(talk)-1],
			Prompt: played.Prompt(k), Tokens: turn.Wrote, LogProbs: turn.LogProbs, Finish: string(turn.Finish),
			Time: float64(calls[k].At.UnixMicro()) / 1e6,
		}
		r.Counts = map[string]int{"prompt": len(r.Prompt), "completion": len(r.Tokens)}
		if len(turn.ToolCalls) > 0 {
			r.Finish = "tool_calls"
		}
		if n := len(turn.Versions); n > 0 && turn.Versions[n-1] >= 0 {
			r.Version = &turn.Versions[n-1]
		}
		all = append(all, r)
	}
	return all, nil
}

func (t *table) traces(c *web.Call) error {
	p, err := partOf(c)
	if err != nil {
		return err
	}
	some := []record{}
	l, err := t.Look(c.Param("session"))
	if err != nil {
		return gateway.Answer(c, http.StatusOK, some)
	}
	all, err := t.recordsOf(&l)
	if err != nil {
		return err
	}
	for _, r := range all {
		if p.takes(r.Time, len(some)) {
			some = append(some, r)
		}
	}
	return gateway.Answer(c, http.StatusOK, some)
}

func (t *table) trace(c *web.Call) error {
	id := c.Param("trace")
	session, _, _ := strings.Cut(id, ".")
	missing := web.Errorf(http.StatusNotFound, "there is no trace %.60q", id)
	l, err := t.Look(session)
	if err != nil {
		return missing
	}
	all, err := t.recordsOf(&l)
	if err != nil {
		return err
	}
	for _, r := range all {
		if r.ID == id {
			return gateway.Answer(c, http.StatusOK, r)
		}
	}
	return missing
}
