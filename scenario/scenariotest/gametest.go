package scenariotest

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/strictjson"
	"github.com/quintain-rl/quintain/scenarios/games"
	"github.com/quintain-rl/quintain/task/rng"
)

// A GameSize is how much a test plays.
type GameSize struct {
	Problems int     // of each level, played by the best moves
	Episodes int     // of each level, played by uniform legal moves
	Sigmas   float64 // by how many standard errors their mean may differ from the guess rate
}

// RunGames tests games: with few episodes, to guard a change, or with more in the heavy tests.
func RunGames(t *testing.T, all []*games.Game) {
	for _, g := range all {
		t.Run(g.Task.Info().Name, func(t *testing.T) {
			t.Parallel()
			s := suite{game: g, size: runSize}
			levels := g.Task.Info().Levels
			rated(t, g.Scenario.Info(), len(levels), len(g.Guess))
			for level := range levels {
				s.level = level
				t.Run(fmt.Sprint(level), s.played)
			}
		})
	}
}

// A suite tests one game at one level.
type suite struct {
	game  *games.Game
	size  GameSize
	level int
}

// rated checks the names, the texts, and the number of levels and of their guess rates.
func rated(t *testing.T, info quintain.ScenarioInfo, levels, rates int) {
	t.Helper()
	for _, text := range []string{info.Doc, info.Source} {
		if !strings.HasSuffix(text, ".") {
			t.Errorf("%q is not a sentence", text)
		}
	}
	if levels < 4 || rates != levels {
		t.Errorf("there are %d levels and %d guess rates; want 4 levels or more, each with its rate", levels, rates)
	}
	if info.Version < 1 || info.Tags || !info.Replayable {
		t.Errorf("version %d, tags %v, replayable %v", info.Version, info.Tags, info.Replayable)
	}
}

// played runs the tests of a level.
func (s suite) played(t *testing.T) {
	for _, reward := range []games.Reward{games.Outcome, games.Value, games.Shaped} {
		t.Run("the best play earns 1 by "+string(reward), func(t *testing.T) { s.best(t, reward) })
	}
	t.Run("the example of a reply is a legal move", s.example)
	t.Run("uniform play earns the guess rate", s.guessed)
	t.Run("only the best moves give nothing away", s.regret)
	t.Run("an episode is a function of the replies", s.replayed)
	t.Run("faults are told and never pay", s.faults)
	t.Run("the problem survives JSON", s.travels)
	t.Run("short prompts ask the same game", s.short)
	if s.game.Sided() {
		t.Run("both sides play", s.sides)
		t.Run("who gives up is not paid, nor is the other side", s.forfeits)
		t.Run("players of its own", s.players)
		t.Run("short prompts ask the same match", s.briefs)
	}
}

// example: the move in the form of a reply is legal in the opening.
func (s suite) example(t *testing.T) {
	of := s.over(t, games.Value)
	for i := range s.size.Problems {
		p := s.problem(t, of, i)
		env, err := of.Env(p)
		if err != nil {
			t.Fatal(err)
		}
		opening, err := env.Open(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		_, form, _ := strings.Cut(opening[0].Content, "<move>")
		if strings.HasPrefix(form, " and </move>") {
			_, form, _ = strings.Cut(form, "<move>")
		}
		move, _, _ := strings.Cut(form, "</move>")
		if step, err := env.Step(t.Context(), quintain.Reply{Text: "<move>" + move + "</move>", Finish: quintain.Stop}); step.Illegal || step.Malformed || err != nil {
			t.Errorf("%s: the example %q gets %q, error %v", p.ID(), move, step.Why, err)
		}
		env.Close()
	}
}

// over returns the scenario with a reward.
func (s suite) over(t *testing.T, reward games.Reward) quintain.Scenario {
	t.Helper()
	of, err := s.game.Scenario.Over(s.game.Task, []byte(fmt.Sprintf(`{"reward":%q}`, reward)))
	if err != nil {
		t.Fatal(err)
	}
	return of
}

// problem makes a problem.
func (s suite) problem(t *testing.T, of quintain.Scenario, index int) quintain.Problem {
	t.Helper()
	p, err := of.Problem(quintain.Draw{Seed: 1, Level: s.level, Index: index})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// An episode is one that was played.
type episode struct {
	opening []quintain.Message
	steps   []quintain.Step
}

// earned is the sum of the rewards.
func (e episode) earned() (sum float64) {
	for _, s := range e.steps {
		sum += s.Reward
	}
	return sum
}

// last is the last step.
func (e episode) last() quintain.Step { return e.steps[len(e.steps)-1] }

// play plays an episode to its end, and checks every step.
func play(t *testing.T, of quintain.Scenario, p quintain.Problem, say func(quintain.Advice) string) (e episode) {
	t.Helper()
	env, err := of.Env(p)
	if err != nil {
		t.Fatal(err)
	}
	defer env.Close()
	if e.opening, err = env.Open(t.Context()); err != nil {
		t.Fatal(err)
	}
	value := 1.0
	for end := quintain.Going; end == quintain.Going; end = e.last().End {
		step, err := env.Step(t.Context(), quintain.Reply{Text: say(env.(interface{ Advice() quintain.Advice }).Advice()), Finish: quintain.Stop})
		if err != nil {
			t.Fatal(err)
		}
		e.steps = append(e.steps, step)
		if step.Value == nil || !(*step.Value >= 0 && *step.Value <= value) {
			t.Fatalf("%s: step %d has the value %v after %v", p.ID(), len(e.steps), step.Value, value)
		}
		value = *step.Value
		for _, m := range step.Observe {
			if len(m.Content) > 1500 {
				t.Fatalf("%s: an observation has %d bytes, want 1,500 at most", p.ID(), len(m.Content))
			}
		}
		if len(e.steps) > 1000 {
			t.Fatalf("%s: an endless episode", p.ID())
		}
	}
	return e
}

// best checks that the best play is worth 1, whichever of the best moves it takes. By outcome,
// luck may spoil it.
func (s suite) best(t *testing.T, reward games.Reward) {
	of := s.over(t, reward)
	for index := range s.size.Problems {
		p := s.problem(t, of, index)
		r := rng.New(uint64(index), "best")
		e := play(t, of, p, func(a quintain.Advice) string { return rng.Pick(r, a.Best) })
		if got := e.earned(); reward != games.Outcome && math.Abs(got-1) > 1e-9 || got < 0 || got > 1+1e-9 {
			t.Fatalf("%s earns %v: %+v", p.ID(), got, e.steps)
		}
		if reward == games.Shaped {
			partly(t, p, e)
		}
		if e.last().End != quintain.Terminated {
			t.Fatalf("%s ends as %q: %+v", p.ID(), e.last().End, e.steps)
		}
	}
}

// partly checks that each reply of an episode pays what it gave away, and that the end earns 1.
func partly(t *testing.T, p quintain.Problem, e episode) {
	t.Helper()
	before := 1.0
	for i, step := range e.steps {
		want := *step.Value - before
		if step.End != quintain.Going {
			want++
		}
		if math.Abs(step.Reward-want) > 1e-9 {
			t.Fatalf("%s: reply %d takes the value from %v to %v and earns %v, want %v", p.ID(), i+1, before, *step.Value, step.Reward, want)
		}
		before = *step.Value
	}
}

// guessed checks the guess rate, and that shaped rewards add up to those by value.
func (s suite) guessed(t *testing.T) {
	byValue, shaped, usual := s.over(t, games.Value), s.over(t, games.Shaped), s.usual(t)
	var sum, squares float64
	for index := range s.size.Episodes {
		uniform := func() func(quintain.Advice) string {
			r := rng.New(uint64(index), "uniform")
			return func(a quintain.Advice) string { return rng.Pick(r, a.Allowed) }
		}
		got := play(t, usual, s.problem(t, usual, index), uniform()).earned()
		sum, squares = sum+got, squares+got*got
		if index >= s.size.Problems {
			continue
		}
		atEnd := play(t, byValue, s.problem(t, byValue, index), uniform()).earned()
		parts := play(t, shaped, s.problem(t, shaped, index), uniform())
		if math.Abs(parts.earned()-atEnd) > 1e-9 {
			t.Fatalf("index %d earns %v by its parts and %v in the end", index, parts.earned(), atEnd)
		}
		partly(t, s.problem(t, shaped, index), parts)
	}
	n := float64(s.size.Episodes)
	mean := sum / n
	off := math.Sqrt(max(squares/n-mean*mean, 1/n) / n)
	t.Logf("uniform play earns %.4f ± %.4f, and the guess rate is %.4f", mean, off, s.game.Guess[s.level])
	if math.Abs(mean-s.game.Guess[s.level]) > s.size.Sigmas*off {
		t.Errorf("that differs by more than %.1f standard errors", s.size.Sigmas)
	}
}

// usual returns the scenario with its default settings.
func (s suite) usual(t *testing.T) quintain.Scenario {
	t.Helper()
	of, err := s.game.Scenario.Over(s.game.Task, nil)
	if err != nil {
		t.Fatal(err)
	}
	return of
}

// regret checks, along episodes of uniform play, that the value falls after exactly those moves
// that are not among the best.
func (s suite) regret(t *testing.T) {
	of := s.over(t, games.Value)
	for index := range max(s.size.Problems/4, 3) {
		p := s.problem(t, of, index)
		r := rng.New(uint64(index), "regret")
		var said []string
		play(t, of, p, func(a quintain.Advice) string {
			if len(said) < 6 {
				s.tryAll(t, of, p, said, a)
			}
			said = append(said, rng.Pick(r, slices.Concat(a.Allowed, a.Best)))
			return said[len(said)-1]
		})
	}
}

// tryAll tries the moves after some replies, a few if there are many.
func (s suite) tryAll(t *testing.T, of quintain.Scenario, p quintain.Problem, said []string, a quintain.Advice) {
	t.Helper()
	const most = 12
	r := rng.New(uint64(len(said)), "moves")
	moves := slices.Clone(a.Allowed)
	rng.Shuffle(r, moves)
	for _, move := range slices.Concat(a.Best, moves[:min(most, len(moves))]) {
		values := s.values(t, of, p, append(slices.Clone(said), move))
		before, after := values[len(values)-2], values[len(values)-1]
		if best := slices.Contains(a.Best, move); best != (after == before) && before > 0 {
			t.Fatalf("%s: after %q, the move %q takes the value from %v to %v; it is one of the best: %v", p.ID(), said, move, before, after, best)
		}
	}
}

// values returns the value in the beginning and after each reply.
func (s suite) values(t *testing.T, of quintain.Scenario, p quintain.Problem, said []string) []float64 {
	t.Helper()
	env, err := of.Env(p)
	if err != nil {
		t.Fatal(err)
	}
	defer env.Close()
	values := []float64{1}
	for _, text := range said {
		step, err := env.Step(t.Context(), quintain.Reply{Text: text, Finish: quintain.Stop})
		if err != nil || step.Illegal || step.Malformed {
			t.Fatalf("%s: %q gets %+v, error %v", p.ID(), text, step, err)
		}
		values = append(values, *step.Value)
	}
	return values
}

// replayed checks that the same replies get the same bytes.
func (s suite) replayed(t *testing.T) {
	of := s.usual(t)
	for index := range min(s.size.Problems/2, 5) {
		p := s.problem(t, of, index)
		r := rng.New(uint64(index), "replay")
		var said []string
		first := play(t, of, p, func(a quintain.Advice) string {
			said = append(said, anyMove(r, a))
			return said[len(said)-1]
		})
		for n := range said {
			turn := 0
			again := play(t, of, p, func(a quintain.Advice) string {
				turn++
				if turn > n && turn > len(said) {
					return anyMove(r, a)
				}
				return said[turn-1]
			})
			one, errOne := json.Marshal(first.steps)
			two, errTwo := json.Marshal(again.steps)
			if errOne != nil || errTwo != nil || string(one) != string(two) {
				t.Fatalf("%s: the replies %q get %s (%v), and again %s (%v)", p.ID(), said, one, errOne, two, errTwo)
			}
		}
	}
}

// anyMove draws a reply, seldom one without a legal move.
func anyMove(r *rng.Rand, a quintain.Advice) string {
	if r.Chance(0.1) {
		return rng.Pick(r, hostile)
	}
	return rng.Pick(r, a.Allowed)
}

// hostile are replies without a legal move of any game.
var hostile = []string{
	"", " ", "I give up.", "<move></move>", "<move>", "</move><move>", "<move>a</move> or <move>b</move>", "<think><move>down</move></think>",
	"<move>\x00\xff</move>", "<move>-1</move>", "<move>NaN</move>", "<move>１</move>", "<move>" + strings.Repeat("9", 300) + "</move>",
	strings.Repeat("<move>", 200_000), `<move>{"move":"a","move":"b"}</move>`, "<move>" + strings.Repeat("[", 150) + "</move>",
}

// faults checks what replies without a legal move get: the first is told, and changes nothing; the
// second ends the episode without a reward.
func (s suite) faults(t *testing.T) {
	for _, reward := range []games.Reward{games.Outcome, games.Value, games.Shaped} {
		of := s.over(t, reward)
		p := s.problem(t, of, 0)
		for _, text := range hostile {
			e := play(t, of, p, func(quintain.Advice) string { return text })
			last := e.last()
			if len(e.steps) > 2 || math.Abs(e.earned()) > 1e-12 || last.Right || !last.Malformed && !last.Illegal || last.Why == "" {
				t.Fatalf("%s: %.40q gets %+v", p.ID(), text, e.steps)
			}
		}
		turn := 0
		e := play(t, of, p, func(a quintain.Advice) string {
			if turn++; turn == 1 {
				return "What?"
			}
			return a.Best[0]
		})
		if first := e.steps[0]; !first.Malformed || first.End != quintain.Going || first.Reward != 0 {
			t.Fatalf("%s: a first reply without a move gets %+v", p.ID(), first)
		}
	}
}

// travels checks that a problem read from JSON is played alike.
func (s suite) travels(t *testing.T) {
	of := s.usual(t)
	p := s.problem(t, of, 1)
	data, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	var read quintain.Problem
	if err := strictjson.Unmarshal(data, &read); err != nil {
		t.Fatal(err)
	}
	best := func(a quintain.Advice) string { return a.Best[0] }
	one, errOne := json.Marshal(play(t, of, p, best).steps)
	two, errTwo := json.Marshal(play(t, of, read, best).steps)
	if errOne != nil || errTwo != nil || string(one) != string(two) {
		t.Fatalf("%s is played as %s (%v), and read from JSON as %s (%v)", p.ID(), one, errOne, two, errTwo)
	}
	if key, err := of.Key(read); err != nil || key == (quintain.Key{}) {
		t.Errorf("%s: key %x, error %v", p.ID(), key, err)
	}
}
