// Package list describes tasks and scenarios to people: what a table, a page or a document
// says about each.
package list

import (
	_ "embed"
	"fmt"
	"strings"
	"sync"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/strictjson"
	"github.com/quintain-rl/quintain/task"
)

// Facts are measurements of a task: which answers earn partial credit, and how hard its
// levels are. `make docs` measures changed tasks; `make surfaces` adds missing surface
// rates.
type Facts struct {
	Name    string       `json:"name"`
	Version int          `json:"version"` // the task's version when measured
	Credit  task.Credit  `json:"credit"`
	Levels  []LevelFacts `json:"levels"`
}

// LevelFacts are measurements of one level.
type LevelFacts struct {
	GuessRate   float64  `json:"guess_rate"` // see [task.GuessRate]
	task.Space           // number of problems
	SurfaceRate *float64 `json:"surface_rate,omitempty"` // see [task.SurfaceRate]; nil: not measured
}

//go:embed facts.json
var factsJSON []byte

// allFacts returns all facts by task name.
var allFacts = sync.OnceValue(func() map[string]Facts {
	var list []Facts
	if err := strictjson.Unmarshal(factsJSON, &list); err != nil {
		panic(fmt.Sprintf("list: facts.json: %v", err)) // a test checks the file
	}
	byName := make(map[string]Facts, len(list))
	for _, f := range list {
		byName[f.Name] = f
	}
	return byName
})

// FactsOf returns the facts of the task that info describes. It reports false if the task
// was never measured, or has changed since.
func FactsOf(info quintain.Info) (Facts, bool) {
	f := allFacts()[info.Name]
	return f, f.of(info)
}

// of reports whether f was measured on the current version of the task.
func (f Facts) of(info quintain.Info) bool {
	return f.Version == info.Version && len(f.Levels) == len(info.Levels) && len(f.Levels) > 0
}

// Blind is what the best answer without a look at the problem earns: of the draws (the guess rate), or of the
// different problems, if one answer is right for more of them.
func (l LevelFacts) Blind() float64 { return max(l.GuessRate, l.Constants) }

// MostGuess is the highest Blind of any level.
func (f Facts) MostGuess() float64 {
	most := 0.
	for _, l := range f.Levels {
		most = max(most, l.Blind())
	}
	return most
}

// Surface returns the surface rate with three decimals, or "?" if it was not measured.
func (l LevelFacts) Surface() string {
	if l.SurfaceRate == nil {
		return "?"
	}
	return fmt.Sprintf("%.3f", *l.SurfaceRate)
}

// Size returns the number of problems of a level in a few characters: an estimate has two
// digits, and a lower bound begins with ≥.
func (l LevelFacts) Size() string {
	digits := fmt.Sprintf("%.0f", l.Problems)
	if len(digits) > 4 {
		digits = strings.NewReplacer("e+0", "e", "e+", "e").Replace(fmt.Sprintf("%.1e", l.Problems))
	}
	if l.AtLeast {
		return "≥ " + digits
	}
	return digits
}
