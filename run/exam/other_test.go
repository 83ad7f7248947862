package exam_test

import (
	"maps"
	"testing"
	"time"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/run/exam"
)

// What a user or a judge wrote is in the results of a problem, and counted once for a match.
func TestWhatOthersWrote(t *testing.T) {
	t.Parallel()
	user := []quintain.Talk{{Seat: 1, Replies: 3, Tokens: 40, Took: time.Second}}
	judge := []quintain.Talk{{Player: "server:judge", Replies: 1, Tokens: 5, Took: time.Second}}
	match := func(seat int, players ...string) *quintain.Match {
		return &quintain.Match{Seat: seat, Players: players, Others: user}
	}
	played := []quintain.Trajectory{
		{Outcome: quintain.Scored, Took: 4 * time.Second, Match: match(0, "policy", "server:user")},
		{Outcome: quintain.EnvFailed, Took: 4 * time.Second, Match: match(0, "policy", "server:user"), Helpers: judge},
		{Outcome: quintain.Scored, Took: 4 * time.Second, Match: match(2, "policy", "server:user", "policy")}, // the first seat tells it
		{Outcome: quintain.Scored},
	}
	var sum map[string]exam.Other
	for _, e := range exam.NewProblem("p", played).Episodes {
		sum = exam.AddOthers(sum, e.Others)
	}
	want := map[string]exam.Other{"server:user": {Replies: 6, Tokens: 80, Seconds: 2, Of: 8}, "server:judge": {Replies: 1, Tokens: 5, Seconds: 1, Of: 4}}
	if !maps.Equal(sum, want) || sum["server:user"].Share() != 0.25 {
		t.Errorf("%v, want %v", sum, want)
	}
}
