package watch

import (
	"net/http"
	"strconv"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/web"
	"github.com/quintain-rl/quintain/policy/exact"
	"github.com/quintain-rl/quintain/text/tokenizer"
	"github.com/quintain-rl/quintain/tiny"
	"github.com/quintain-rl/quintain/trace"
)

// A tokenList is an episode's tokens in the form of the page's script. Its lists are as long
// as IDs, or empty if unknown.
type tokenList struct {
	Vocabulary string           `json:"vocabulary"`
	Version    int              `json:"version"` // of the policy at the group's end
	Texts      map[int32]string `json:"texts"`   // by token; missing: unknown
	IDs        []quintain.Token `json:"ids"`
	Sampled    []int            `json:"sampled"`    // 1: written by the policy, and trained on; 0: read, or not used by the agent
	Turns      []int            `json:"turns"`      // first token of each turn
	Drifts     []exact.Drift    `json:"drifts"`     // of each turn: how it continues the tokens before
	LogProbs   []*float32       `json:"logprobs"`   // null: not sampled, or unknown
	Versions   []int32          `json:"versions"`   // of the weights; -1: not sampled, or unknown
	Advantages []*float64       `json:"advantages"` // null: none
}

// tokens answers with the tokens of an episode.
func (s *Server) tokens(c *web.Call) error {
	r, _, err := s.trace.read(c)
	if err != nil {
		return err
	}
	i, err := strconv.Atoi(c.R.URL.Query().Get("episode"))
	if err != nil || i < 0 || i >= len(r.Episodes) {
		return web.Errorf(http.StatusNotFound, "the group has no such episode")
	}
	return s.json(c, s.tokensOf(r, i))
}

// tokensOf lists the tokens of episode i.
func (s *Server) tokensOf(r *trace.Record, i int) tokenList {
	e := &r.Episodes[i]
	l := tokenList{
		Vocabulary: e.Vocabulary, Version: r.Version, Texts: map[int32]string{},
		IDs: []quintain.Token{}, Sampled: []int{}, Turns: []int{}, Drifts: []exact.Drift{}, LogProbs: []*float32{}, Versions: []int32{},
	}
	for k := range e.Turns {
		t := &e.Turns[k]
		l.Turns, l.Drifts = append(l.Turns, len(l.IDs)), append(l.Drifts, driftOf(t))
		for _, id := range t.Read {
			l.IDs, l.Sampled, l.LogProbs, l.Versions = append(l.IDs, id), append(l.Sampled, 0), append(l.LogProbs, nil), append(l.Versions, -1)
		}
		used := 0
		if t.Used() {
			used = 1
		}
		for n, id := range t.Wrote {
			var logProb *float32
			version := int32(-1)
			if n < len(t.LogProbs) {
				logProb = &t.LogProbs[n]
			}
			if n < len(t.Versions) {
				version = t.Versions[n]
			}
			l.IDs, l.Sampled, l.LogProbs, l.Versions = append(l.IDs, id), append(l.Sampled, used), append(l.LogProbs, logProb), append(l.Versions, version)
		}
	}
	textOf := s.texts(e.Vocabulary)
	for _, id := range l.IDs {
		if text, known := textOf(id); known {
			l.Texts[int32(id)] = plain(text)
		}
	}
	l.Advantages = advantagesOf(r, i, len(l.IDs))
	return l
}

// driftOf tells how a turn continues the tokens before.
func driftOf(t *quintain.Turn) exact.Drift {
	switch {
	case t.Fork:
		return exact.Forked
	case t.Realigned:
		return exact.Realigned
	}
	return exact.Clean
}

// advantagesOf lists the advantages of episode i's n tokens if they are one training
// sequence, else nothing.
func advantagesOf(r *trace.Record, i, n int) []*float64 {
	rows := rowsOf(r, i)
	all := []*float64{}
	if len(rows) != 1 || len(rows[0]) != 1 && len(rows[0]) != n {
		return all
	}
	for k := range n {
		all = append(all, &rows[0][k%len(rows[0])])
	}
	return all
}

// rowsOf lists the advantages of episode i's training sequences.
func rowsOf(r *trace.Record, i int) (rows [][]float64) {
	for k, row := range r.Advantages {
		if sequenceOf(r, k) == i {
			rows = append(rows, row)
		}
	}
	return rows
}

// sequenceOf is the episode of row k of the advantages.
func sequenceOf(r *trace.Record, k int) int {
	if r.Sequences == nil {
		return k
	}
	if k < len(r.Sequences) {
		return int(r.Sequences[k])
	}
	return -1
}

// texts returns a function that decodes single tokens of a vocabulary.
func (s *Server) texts(vocabulary string) func(quintain.Token) (text string, known bool) {
	switch vocabulary {
	case quintain.UTF8:
		return func(id quintain.Token) (string, bool) { return string([]byte{byte(id)}), id >= 0 && id <= 0xff }
	case tiny.OwnName:
		return func(id quintain.Token) (string, bool) {
			text := tiny.Decode([]quintain.Token{id})
			return text, text != "" // role tokens have no text
		}
	}
	var t *tokenizer.Tokenizer
	if s.config.Tokenizer != nil {
		var err error
		if t, err = s.config.Tokenizer(); err != nil {
			s.config.Log.Warn("tokens are shown as numbers, because the tokenizer is unreadable", "error", err)
		}
	}
	return func(id quintain.Token) (string, bool) {
		if t == nil {
			return "", false
		}
		if text := t.Decode([]int32{int32(id)}, false); text != "" {
			return text, true
		}
		return t.Token(int32(id))
	}
}
