package dataset

import (
	"encoding/json"
	"slices"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/strictjson"
)

// Meta is the metadata of a row, by column: texts, numbers and truth values that are neither
// its name nor its question or answer. Values are texts, bools, and numbers as [json.Number],
// float32 or float64; from the JSON of a problem, numbers are float64.
type Meta map[string]any

// mostMeta is the longest text kept as metadata, in bytes: longer ones are solutions and the
// like. Of the columns that a conversation needs (scenario talk) it is mostTold.
const (
	mostMeta = 256
	mostTold = 8 << 10
)

// told are these columns.
var told = []string{"goal", "instructions"}

// About returns the name of a file's problem and the metadata of its row, which the caller
// must not change. It reports whether p is from a file.
func About(p quintain.Problem) (id string, meta Meta, ok bool) {
	var params struct {
		Hash string `json:"sha256"`
	}
	if p.Level != quintain.OwnParams || strictjson.Unmarshal(p.Params, &params) != nil || params.Hash == "" {
		return "", nil, false
	}
	r, err := readRecord(p)
	return r.ID, r.Meta, err == nil
}

// meta returns the metadata of a row; nil: it has none.
func (c *Columns) meta(fields map[string]any) (all Meta) {
	used := slices.Concat([]string{c.ID, c.Question, c.Answer}, idNames, questionNames, answerNames)
	for name, v := range fields {
		if slices.ContainsFunc(used, func(u string) bool { return slices.Contains(spellings(u), name) }) || !scalar(name, v) {
			continue
		}
		if all == nil {
			all = Meta{}
		}
		all[name] = v
	}
	return all
}

// scalar reports whether v, of a column, is a text that is not too long, a number or a truth value.
func scalar(name string, v any) bool {
	switch v := v.(type) {
	case string:
		return len(v) <= mostMeta || slices.Contains(told, name) && len(v) <= mostTold
	case bool, json.Number, float32, float64:
		return true
	}
	return false
}
