package starter

import (
	"context"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/tiny"
)

// A talk is a scenario of two turns, whose best reply is b, and a is allowed too. It has the name of a game, and is
// its own episode.
type talk struct {
	saying
	turns *int
}

func (talk) Info() quintain.ScenarioInfo { return quintain.ScenarioInfo{Name: "slippery_grid"} }
func (k talk) Env(quintain.Problem) (quintain.Env, error) {
	return talk{turns: new(int)}, nil
}
func (talk) Advise(context.Context, quintain.Problem, []quintain.Reply) (quintain.Advice, error) {
	return quintain.Advice{Best: []string{"<answer>b</answer>"}, Allowed: []string{"<answer>a</answer>"}}, nil
}
func (k talk) Step(context.Context, quintain.Reply) (step quintain.Step, err error) {
	if *k.turns++; *k.turns == 2 {
		return quintain.Step{End: quintain.Terminated}, nil
	}
	return quintain.Step{Observe: []quintain.Message{{Role: quintain.RoleUser, Content: "say c"}}}, nil
}

// An episode to imitate reads all messages and trains on all replies, of which the best have the game's share.
func TestEpisodesToImitate(t *testing.T) {
	best, replies := 0, 0
	for index := range 2000 {
		q, err := Episode(t.Context(), talk{}, talk{}, quintain.Problem{Index: index})
		if err != nil {
			t.Fatal(err)
		}
		text := tiny.Decode(q.Tokens)
		if plain := strings.ReplaceAll(text, "a</", "b</"); plain != "say b<answer>b</answer>say c<answer>b</answer>" {
			t.Fatalf("episode %d reads %q", index, text)
		}
		var trained []quintain.Token
		for i, mask := range q.Masks {
			if mask != quintain.Untrained {
				trained = append(trained, q.Tokens[i])
			}
		}
		if said := tiny.Decode(trained); said != strings.NewReplacer("say b", "", "say c", "").Replace(text) || len(trained) != 8 {
			t.Fatalf("episode %d trains on %s", index, strconv.Quote(said))
		}
		best += strings.Count(text, ">b<")
		replies += 2
	}
	if share := float64(best) / float64(replies); math.Abs(share-games["slippery_grid"].skill) > 0.03 {
		t.Errorf("the best replies have a share of %.3f, want %v", share, games["slippery_grid"].skill)
	}
}

// The warm-up of a game shows fewer levels than its ladder has, and leaves some for the run to teach.
func TestLessonsOfGames(t *testing.T) {
	for _, game := range Games() {
		lessons, ladder := Lessons(game), Ladder(game)
		shown := map[string]bool{}
		for _, c := range lessons {
			shown[string(c.Params)] = true
		}
		fresh := 0
		for _, c := range ladder {
			if !shown[string(c.Params)] {
				fresh++
			}
		}
		if len(lessons) == 0 || len(lessons) >= len(ladder) || fresh < 3 {
			t.Errorf("%s has %d lessons and %d levels, of which %d are not in the lessons", game, len(lessons), len(ladder), fresh)
		}
		for _, c := range append(lessons, ladder...) {
			if c.Task != game {
				t.Errorf("%s plays task %s", game, c.Task)
			}
		}
	}
}
