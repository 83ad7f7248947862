// Package games plays games of several turns in which every reward follows from an exact value.
//
// A game is a [Spec]: parameters for each level, and a Make that draws the [Start] of an
// episode. A Start begins a [Match], which knows the rules and the value of every position.
// All else is here: the form of a move, what happens to one that is unreadable or illegal, the
// limit of replies, and the ways to count the reward.
package games

import (
	"fmt"
	"strings"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/scenario"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/rng"
)

// A Start is how an episode begins. It is a plain value, which travels as JSON with the problem
// and is never shown.
type Start interface {
	// Rules tells the rules and what a move looks like, in one of three wordings, 0 to 2. They
	// give no advice.
	Rules(wording int) string

	// Example is the text of a move, for the form of a reply. If it is not legal in the opening,
	// the form has the first of Allowed.
	Example() string

	// Turns is the most replies of an episode, 1 or more.
	Turns() int

	// Canonical names the position up to the symmetries of the game; see [task.Canonicalizer].
	Canonical() string

	// Match begins an episode. All matches of a Start with the same luck go the same way with
	// the same moves. Tables are those of the game.
	Match(Luck, *Tables) Match
}

// A Match is a game under way. One goroutine uses it.
type Match interface {
	// Show describes the position with all that the policy may know of it.
	Show() string

	// Move makes the policy's move, then those of chance and of the opponent, and tells what
	// happened. why says which rule forbids the move; then nothing has changed.
	Move(text string) (told, why string)

	// Over reports whether the match has ended, and what it is worth as it went, 0 to 1.
	Over() (worth float64, over bool)

	// Value is what the best play from here on is worth, luck apart, 0 to 1: 1 in the
	// beginning, and lower by what each move has given away.
	Value() float64

	// Best lists the moves that give nothing away, and Allowed all moves or, if they are too
	// many, some of them, each as likely in uniform play.
	Best() []string
	Allowed() []string
}

// A Briefer is a [Match] that can describe the position in a few characters, for short prompts;
// others use Show.
type Briefer interface {
	// Brief describes the position and, if they differ between problems, the rules: all that the
	// best move depends on and the policy may know.
	Brief() string
}

// Luck is the chance of a problem. It falls by name: the same for all episodes of a problem,
// whatever their moves.
type Luck struct{ seed uint64 }

// At returns the stream of one use, such as "chance" or "opponent", at a turn.
func (l Luck) At(use string, turn int) *rng.Rand {
	return rng.New(l.seed, "games", use, fmt.Sprint(turn))
}

// A Spec defines a game with its task and its scenario, which share its name.
type Spec[P any, S Start] struct {
	Name    string // unique, snake_case; also the name of the file
	Doc     string // one sentence, then anything else worth knowing
	Source  string // origin of the rules
	Version int    // raised whenever a text, a position or a reward changes

	Levels []P // parameters of each level, easiest first, at least four
	Make   func(P, *rng.Rand) (S, error)

	Reward Reward    // the default
	Guess  []float64 // by level: the mean that uniform legal play earns by default

	// Constant is, by level, the mean that the best single move earns that is made again and again;
	// without it nothing. Openings counts, by level, the different openings, 0 for 1,000 and more.
	Constant []float64
	Openings []int
}

// A Game is what a Spec makes.
type Game struct {
	Task     quintain.Task
	Scenario scenario.Spec
	Guess    []float64 // see [Spec], as of the next two
	Constant []float64
	Openings []int

	sided  bool // the policy can play on both sides
	tables Tables
	deal   func(quintain.Problem) (dealt, error)
}

// Sided reports whether the policy can play the game on both sides.
func (g *Game) Sided() bool { return g.sided }

// A dealt is an instance of any game.
type dealt interface {
	start() (Start, Luck, int)
}

// Game returns the game; it keeps s.
func (s *Spec[P, S]) Game() *Game {
	made := &task.Spec[P, instance[S]]{
		Name: s.Name, Category: "games", Doc: s.Doc, Source: s.Source, Version: s.Version, Default: s.Levels[0], Levels: s.Levels, Many: true,
		Make: func(p P, r *rng.Rand) (i instance[S], err error) {
			i.Luck, i.Wording = r.Uint64()>>11, r.Between(0, wordings-1) // JSON numbers of 53 bits
			i.Start, err = s.Make(p, r)
			return i, err
		},
	}
	read := made.Reader()
	g := &Game{Task: made.Task(), Guess: s.Guess, Constant: s.Constant, Openings: s.Openings, deal: func(p quintain.Problem) (dealt, error) { return read(p) }}
	_, g.sided = any(*new(S)).(Sided)
	g.Scenario = scenario.Spec{
		Name: s.Name, Doc: s.Doc, Source: s.Source, Version: s.Version, Untagged: true,
		New: func() scenario.Play {
			p := &play{game: g, Reward: s.Reward}
			p.Own = scenario.Own{Name: s.Name, Begin: p.begin}
			return p
		},
	}
	return g
}

// An instance is the record of a problem.
type instance[S Start] struct {
	Start   S      `json:"start"`
	Luck    uint64 `json:"luck"`
	Wording int    `json:"wording" want:"0 to 2"`
}

func (i instance[S]) start() (Start, Luck, int) { return i.Start, Luck{i.Luck}, i.Wording }

// Check refuses a record that is no start of the game, if the game can tell.
func (i instance[S]) Check() error { return task.Check(i.Start) }

// Prompt implements [task.Instance]: the rules and the first position.
func (i instance[S]) Prompt() string {
	return i.Start.Rules(i.Wording) + "\n\n" + i.Start.Match(Luck{i.Luck}, new(Tables)).Show()
}

// Canonical implements [task.Canonicalizer].
func (i instance[S]) Canonical() string { return i.Start.Canonical() }

// Solve implements [task.Instance]: the moves of the best play, a line each.
func (i instance[S]) Solve() string {
	m := i.Start.Match(Luck{i.Luck}, new(Tables))
	var moves []string
	for range i.Start.Turns() {
		if _, over := m.Over(); over {
			break
		}
		best := m.Best()[0]
		moves = append(moves, best)
		m.Move(best)
	}
	return strings.Join(moves, "\n")
}

// Score implements [task.Instance]: what moves are worth that were written down in advance.
func (i instance[S]) Score(answer string) quintain.Verdict {
	m := i.Start.Match(Luck{i.Luck}, new(Tables))
	turns := 0
	for line := range strings.Lines(answer) {
		if _, over := m.Over(); over || turns == i.Start.Turns() {
			return quintain.Verdict{Reason: "there are moves after the end"}
		}
		if _, why := m.Move(strings.TrimSpace(line)); why != "" {
			return quintain.Verdict{Reason: "illegal move: " + why}
		}
		turns++
	}
	if _, over := m.Over(); !over {
		return quintain.Verdict{Reason: "the match is not over"}
	}
	return quintain.Verdict{Score: m.Value()}
}
