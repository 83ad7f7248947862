package scenariotest

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/strictjson"
	"github.com/quintain-rl/quintain/scenarios/games"
)

// Refused tests that a game does not play a record from elsewhere: one of its problems, at a level,
// with one piece of its JSON in place of another.
func Refused(t *testing.T, all []*games.Game, game string, level int, old, put string) {
	t.Helper()
	for _, g := range all {
		if g.Task.Info().Name != game {
			continue
		}
		p, err := g.Task.Problem(quintain.Draw{Seed: 1, Level: level})
		if err != nil {
			t.Fatal(err)
		}
		text, err := json.Marshal(p)
		if err != nil {
			t.Fatal(err)
		}
		changed := strings.ReplaceAll(string(text), old, put)
		var foreign quintain.Problem
		if err := strictjson.Unmarshal([]byte(changed), &foreign); err != nil || changed == string(text) {
			t.Fatalf("%s with %s: %v", text, put, err)
		}
		if answer, err := g.Task.Solve(foreign); err == nil {
			t.Errorf("%s with %s is solved by %q", game, put, answer)
		}
		return
	}
	t.Fatalf("there is no game %s", game)
}
