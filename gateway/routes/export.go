package routes

import (
	"encoding/json"
	"net/http"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/gateway"
	"github.com/quintain-rl/quintain/gateway/dialect"
	"github.com/quintain-rl/quintain/internal/strictjson"
	"github.com/quintain-rl/quintain/internal/web"
	form "github.com/quintain-rl/quintain/interop/areal"
)

// An exporting is the body of export_trajectories: with session_ids that of the inference
// service, else of the proxy.
type exporting struct {
	Session  string   `json:"session_id"`
	Sessions []string `json:"session_ids"`
	Discount *float64 `json:"discount"`
	Style    string   `json:"style"`
}

// The styles.
const (
	individual = "individual" // a row for each reply
	concat     = "concat"     // a row for each branch
)

// most bounds the sessions of an export.
const most = 1024

func (e *exporting) check() error {
	switch {
	case e.Session == "" && len(e.Sessions) == 0:
		return web.Errorf(http.StatusBadRequest, "want session_id, or session_ids")
	case len(e.Sessions) > most:
		return web.Errorf(http.StatusBadRequest, "session_ids: has %d, want at most %d", len(e.Sessions), most)
	case e.Style != "" && e.Style != individual && e.Style != concat:
		return web.Errorf(http.StatusUnprocessableEntity, "style: is %.40q, want individual or concat", e.Style)
	}
	return nil
}

// export answers with the replies of sessions as tensors. Of one session it waits for the
// end; of several it leaves out those that have not ended.
func (t *table) export(c *web.Call) error {
	in, err := gateway.Decode[exporting](c)
	if err != nil {
		return err
	}
	if err := in.check(); err != nil {
		return err
	}
	c.Waits = true
	ids, discount := in.Sessions, 1.0
	if in.Session != "" {
		ids = []string{in.Session}
	}
	if in.Discount != nil {
		discount = *in.Discount
	}
	out := []byte(`{"interactions":{`)
	for _, id := range ids {
		l, err := t.Look(id)
		if in.Session == "" && (err != nil || !l.Over) {
			continue
		}
		if err != nil {
			return err
		}
		if err := t.Await(c.Context(), l.ID); err != nil {
			return err
		}
		played, err := t.Played(l.ID)
		if err != nil {
			return err
		}
		e := exported{t: &played, out: out, rewards: discounted(&played, discount)}
		if in.Style == concat {
			err = e.branches()
		} else {
			err = e.turns()
		}
		if err != nil {
			return err
		}
		out = e.out
	}
	return c.JSON(http.StatusOK, append(out, "}}"...))
}

// discounted returns the reward of each turn as AReaL hands it on: from the last to the
// first, each with the discounted sum of the later ones. Nil: the session has no reward.
func discounted(t *quintain.Trajectory, discount float64) []float64 {
	if !t.Outcome.Rewarded() {
		return nil
	}
	all, sum := make([]float64, len(t.Turns)), 0.0
	for k := len(t.Turns) - 1; k >= 0; k-- {
		if t.Turns[k].Used() {
			sum = float64(sum*discount) + t.Turns[k].Reward
		}
		all[k] = sum
	}
	return all
}

// An exported writes the interactions of a session as members of a JSON object.
type exported struct {
	t       *quintain.Trajectory
	rewards []float64 // of each turn; nil: none
	out     []byte
}

// turns writes an interaction for each reply that the agent used.
func (e *exported) turns() error {
	for k := range e.t.Turns {
		if !e.t.Turns[k].Used() {
			continue
		}
		if err := e.write(k, e.t.Path(k), func(at int) bool { return at == k }); err != nil {
			return err
		}
	}
	return nil
}

// branches writes an interaction for each branch, and for each part of one after which the
// policy's server rewrote the conversation. What an earlier branch trains on is only read.
func (e *exported) branches() error {
	for _, b := range e.t.Branches() {
		own := map[int]bool{}
		for _, k := range b.Path[b.First:] {
			own[k] = true
		}
		for i, k := range b.Path {
			last := i == len(b.Path)-1 || e.t.Turns[b.Path[i+1]].Fork
			if !last || !own[k] {
				continue
			}
			if err := e.write(k, b.Path[:i+1], func(at int) bool { return own[at] }); err != nil {
				return err
			}
		}
	}
	return nil
}

// An item is an interaction.
type item struct {
	Tensors json.RawMessage    `json:"tensor_dict,omitempty"`
	Asked   []quintain.Message `json:"messages,omitempty"` // if there are no tensors
	Said    []quintain.Message `json:"output_message_list,omitempty"`
	Reward  *float64           `json:"reward"` // null: none, which is not 0
	ID      string             `json:"interaction_id"`
}

// write writes the interaction that ends with turn k of a path.
func (e *exported) write(k int, path []int, trained func(int) bool) (err error) {
	turn := &e.t.Turns[k]
	one := item{ID: dialect.CompletionID(turn.Call.ID)}
	if e.rewards != nil {
		one.Reward = &e.rewards[k]
	}
	if row := e.row(path, trained); row != nil {
		if one.Tensors, err = tensors(row, one.Reward); err != nil {
			return err
		}
	} else {
		talk := e.t.Talk(path)
		one.Asked, one.Said = talk[:len(talk)-1], talk[len(talk)-1:]
	}
	body, err := json.Marshal(one)
	if err != nil {
		return err
	}
	if e.out[len(e.out)-1] != '{' {
		e.out = append(e.out, ',')
	}
	e.out = append(strictjson.AppendLegible(e.out, one.ID), ':')
	e.out = append(e.out, body...)
	return nil
}

// row returns the tokens of a path since the conversation was last rewritten. Nil: the
// policy did not say all that training needs.
func (e *exported) row(path []int, trained func(int) bool) *form.Row {
	r := &form.Row{}
	for _, k := range path {
		turn := &e.t.Turns[k]
		if turn.Fork {
			r = &form.Row{}
		}
		if trained(k) && (turn.LogProbs == nil || len(turn.Wrote) == 0) {
			return nil
		}
		add(r, turn.Read, nil)
		if trained(k) {
			add(r, turn.Wrote, turn)
		} else {
			add(r, turn.Wrote, nil)
		}
	}
	return r
}

// add adds tokens: those sampled in a turn, or those that are only read.
func add(r *form.Row, tokens []quintain.Token, sampled *quintain.Turn) {
	for i, token := range tokens {
		p, version := float32(0), int32(-1)
		if sampled != nil {
			p, version = sampled.LogProbs[i], sampled.Versions[i]
		}
		r.Tokens, r.Trained = append(r.Tokens, token), append(r.Trained, sampled != nil)
		r.LogProbs, r.Versions = append(r.LogProbs, p), append(r.Versions, version)
	}
}

// tensors writes a row, without the tensor of rewards if it has none.
func tensors(r *form.Row, reward *float64) (json.RawMessage, error) {
	if reward != nil {
		r.Reward = float32(*reward)
	}
	body, err := form.Batch{r}.MarshalJSON()
	if err != nil || reward != nil {
		return body, err
	}
	var all map[string]json.RawMessage
	if err := strictjson.Unmarshal(body, &all); err != nil {
		return nil, err
	}
	delete(all, "rewards")
	return json.Marshal(all)
}
