package exam

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/quintain-rl/quintain/internal/strictjson"
)

// A Plan is everything that the results of an evaluation depend on.
type Plan struct {
	Program  string                     `json:"program"` // and version that began the evaluation
	Samples  int                        `json:"samples"` // episodes of each problem
	Settings map[string]json.RawMessage `json:"settings"`
	Sets     []PlanSet                  `json:"sets"`
}

// A PlanSet names a set of problems.
type PlanSet struct {
	Label    string `json:"label"`
	Problems int    `json:"problems"`
	Digest   string `json:"digest"` // of their IDs, in hex
}

// NewPlan returns the plan of an evaluation. Settings are by name; only those that change
// results belong in it.
func NewPlan(program string, samples int, settings map[string]json.RawMessage, sets []Set) *Plan {
	p := &Plan{Program: program, Samples: samples, Settings: settings}
	for i := range sets {
		hash := sha256.New()
		for _, problem := range sets[i].Problems {
			fmt.Fprintln(hash, problem.ID())
		}
		p.Sets = append(p.Sets, PlanSet{sets[i].Label, len(sets[i].Problems), fmt.Sprintf("%.16x", hash.Sum(nil))})
	}
	return p
}

// same reports the first difference between p and the plan of an existing folder. The
// programs may differ.
func (p *Plan) same(there *Plan) error {
	p.normalize()
	there.normalize()
	names := slices.Concat(slices.Collect(maps.Keys(p.Settings)), slices.Collect(maps.Keys(there.Settings)))
	slices.Sort(names)
	for _, name := range names {
		if is, was := compact(p.Settings[name]), compact(there.Settings[name]); is != was {
			return fmt.Errorf("it holds another evaluation, with %s %s, and this one has %s: choose another folder, or examine as there", name, was, is)
		}
	}
	if p.Samples != there.Samples || !slices.Equal(p.Sets, there.Sets) {
		return fmt.Errorf("it holds an evaluation with other problems, made by %s: choose another folder", there.Program)
	}
	return nil
}

// normalize gives settings that had other names in earlier programs those of today, and leaves out those of an
// environment and of tools that there are not.
func (p *Plan) normalize() {
	for name, value := range maps.Clone(p.Settings) {
		key, old := strings.CutPrefix(name, "program.")
		if !old {
			continue
		}
		delete(p.Settings, name)
		scheme, of := map[string]string{"command": "command", "url": "http"}[key]
		var text string
		switch {
		case !of:
			p.Settings["environment."+key] = value
		case strictjson.Unmarshal(value, &text) == nil && text != "":
			p.Settings["environment.address"], _ = json.Marshal([]string{scheme + ":" + text}) // a text always encodes
		}
	}
	without := func(section string) {
		maps.DeleteFunc(p.Settings, func(name string, _ json.RawMessage) bool { return strings.HasPrefix(name, section) })
	}
	addresses := compact(p.Settings["environment.address"])
	if addresses == nothing {
		without("environment.")
	}
	if !strings.Contains(addresses, `"harbor:`) {
		without("harbor.")
	}
	if compact(p.Settings["tools.servers"]) == nothing {
		without("tools.")
	}
}

// nothing stands for a setting that is not there, or has no value.
const nothing = "nothing"

// compact is a value as JSON without spaces; "nothing" if there is none or it is empty or false, as a
// setting is in a plan of before there was that setting.
func compact(value json.RawMessage) string {
	var b bytes.Buffer
	if len(value) == 0 || json.Compact(&b, value) != nil {
		return nothing
	}
	switch text := b.String(); text {
	case `""`, "false", "null", "[]", "{}":
		return nothing
	default:
		return text
	}
}
