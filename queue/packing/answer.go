package packing

import (
	"encoding/json"

	"github.com/quintain-rl/quintain/internal/strictjson"
)

// Answer answers a question in JSON, and appends the answer to dst: the fields of a [Plan],
// or a target with the sizes of groups. The answer is {"picked": […]}: places of groups,
// or none.
func Answer(dst, question []byte) ([]byte, error) {
	var q struct {
		Plan
		Sizes  []int `json:"sizes"`  // of groups that are too small; with Target
		Target *int  `json:"target"` // sequences that some of these groups should add up to
	}
	if err := strictjson.Unmarshal(question, &q); err != nil {
		return dst, err
	}
	var picked []int
	if q.Target != nil {
		picked = Completing(q.Sizes, *q.Target)
	} else {
		picked = q.Plan.Pack()
	}
	text, err := json.Marshal(map[string][]int{"picked": picked})
	return append(dst, text...), err
}
