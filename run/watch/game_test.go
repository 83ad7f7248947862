package watch

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/scenarios/games/alone"
	"github.com/quintain-rl/quintain/trace"
)

func TestABoardIsTakenOutOfAText(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ why, text, rest, board string }{
		{"rows alone", "You go up.\n\n```\n# @\n. -\n```\nLeft: 3.", "You go up.\n\nLeft: 3.", "[[# @] [. -]]"},
		{"names of columns above", "```\n  a b\n1 x o\n2 . .\n```", "\n\n", "[[ a b] [1 x o] [2 . .]]"},
		{"names of columns below", "```\n2 x o\n1 . .\n  a b\n```", "\n\n", "[[2 x o] [1 . .] [ a b]]"},
		{"the last of two", "```\nno board\n```\nthen\n```\n1 2\n```", "```\nno board\n```\nthen\n\n", "[[1 2]]"},
		{"words of different lengths are none", "```\nthis is a text\nin two lines\nand more, in three\n```", "", "[]"},
		{"a column is none", "```\na\nb\n```", "", "[]"},
		{"an open block is none", "```\n1 2\n", "", "[]"},
		{"no block", "a b\nc d", "", "[]"},
		{"too wide", "```\n" + strings.Repeat("x ", 41) + "\n```", "", "[]"},
		{"too high", "```\n" + strings.Repeat("x x\n", 41) + "\n```", "", "[]"},
	} {
		rest, got := cutBoards(test.text)
		if test.board == "[]" {
			test.rest = test.text
		}
		if rest != test.rest || fmt.Sprint(got) != test.board {
			t.Errorf("%s: %q and %v, want %q and %s", test.why, rest, got, test.rest, test.board)
		}
	}
}

// Any text is laid out, and what is no board stays as it is.
func FuzzCut(f *testing.F) {
	for _, text := range []string{"```\n# @\n. -\n```", "```", "``````", "```\n\n```", "a```\n 1 2\n1 x o\n```b", "\xff```\u2028```"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		rest, rows := cutBoards(text)
		if rows == nil && rest != text || rows != nil && len(rest) > len(text)+2 {
			t.Fatalf("%q is cut to %q and %v", text, rest, rows)
		}
		for _, row := range rows {
			if len(row) != len(rows[0]) {
				t.Fatalf("%q has the rows %v", text, rows)
			}
		}
	})
}

// record is a played game, with its scenario: a reply without a move, then the moves that pick
// chooses.
func record(t *testing.T, name string, pick func(quintain.Advice) string) (*trace.Record, quintain.Adviser) {
	t.Helper()
	for _, g := range alone.Games() {
		if g.Task.Info().Name != name {
			continue
		}
		of, err := g.Scenario.Over(g.Task, []byte(`{"reward":"shaped"}`))
		if err != nil {
			t.Fatal(err)
		}
		p, err := of.Problem(quintain.Draw{Seed: 1, Index: 3})
		if err != nil {
			t.Fatal(err)
		}
		env, err := of.Env(p)
		if err != nil {
			t.Fatal(err)
		}
		defer env.Close()
		told, err := env.Open(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		episode := quintain.Trajectory{Problem: p, Outcome: quintain.Scored}
		for reply := "What?"; ; reply = pick(env.(interface{ Advice() quintain.Advice }).Advice()) {
			step, err := env.Step(t.Context(), quintain.Reply{Text: reply, Finish: quintain.Stop})
			if err != nil {
				t.Fatal(err)
			}
			episode.Turns = append(episode.Turns, quintain.Turn{Observed: told, Reply: reply, Answer: step.Answer, Finish: quintain.Stop, Malformed: step.Malformed, Value: step.Value})
			if told = step.Observe; step.End != quintain.Going {
				return &trace.Record{Problem: p, Episodes: []quintain.Trajectory{episode}}, of.(quintain.Adviser)
			}
		}
	}
	t.Fatal("there is no game " + name)
	return nil, nil
}

func TestAGameIsLaidOutMoveByMove(t *testing.T) {
	t.Parallel()
	r, by := record(t, "sokoban_play", func(a quintain.Advice) string { return a.Best[0] })
	last := len(r.Episodes[0].Turns) - 1
	s, there := boardOf(r, 0, last)
	if !there || len(s.Board) != 6 || len(s.Board[0]) != 6 || !strings.Contains(s.Told, "Steps made") || strings.Contains(s.Told, "# #") {
		t.Errorf("turn %d is laid out as %+v", last, s)
	}
	best := bestMoves(t.Context(), by, r.Problem, r.Episodes[0].Turns[:last])
	if now := s.At(); !slices.Contains(best, now.Answer) || now.Lost == nil || now.Lost.Regret != 0 || now.Note() != "" || now.Name() != last+1 {
		t.Errorf("the best moves are %q, and %q was played: %+v, %s", best, now.Answer, now.Lost, now.Note())
	}
	if first := s.Turns[0]; first.Note() != "without a move" || !strings.HasPrefix(s.Summary, "regret 0 in ") {
		t.Errorf("the first turn has the note %q; in all, %s", first.Note(), s.Summary)
	}
	for _, at := range [][2]int{{0, -1}, {0, last + 1}, {-1, 0}, {1, 0}} {
		if _, there := boardOf(r, at[0], at[1]); there {
			t.Errorf("there is a turn %v", at)
		}
	}
}

// Nobody knows the best moves of a record that was changed, or of a scenario without an adviser.
func TestBestMovesAreOfTheGameThatWasPlayed(t *testing.T) {
	t.Parallel()
	r, by := record(t, "slippery_grid", func(a quintain.Advice) string { return a.Allowed[0] })
	before := r.Episodes[0].Turns[:1]
	if len(bestMoves(t.Context(), by, r.Problem, before)) == 0 {
		t.Fatalf("the best moves of %s are not known", r.Problem.ID())
	}
	if best := bestMoves(t.Context(), nil, r.Problem, before); len(best) > 0 {
		t.Errorf("without an adviser, the best moves are %q", best)
	}
	r.Problem.Instance = quintain.Record{}
	if best := bestMoves(t.Context(), by, r.Problem, before); len(best) > 0 {
		t.Errorf("with another instance, the best moves are %q", best)
	}
}
