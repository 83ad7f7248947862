//go:build ignore

// Plays games of several turns and prints a line of JSON for each episode: its record, the opening, and
// of each turn the moves that the game advises and allows, the reply, and what Step told. Half of the
// replies are the best moves, others any legal move, and some a move of another position. Scenarios with
// tools are played by calls, as tools_rows.go says.
// conformance/games.py explains all of it by other programs.
//
//	go run conformance/games_rows.go conformance/tools_rows.go -game pawn_race -steps 2000
//	go run conformance/games_rows.go conformance/tools_rows.go -leduc
//
// With -leduc, the output is the strategy of the opponent that plays an equilibrium of Leduc hold'em.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"os"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/grade/codegrade/tables"
	"github.com/quintain-rl/quintain/internal/strictjson"
	"github.com/quintain-rl/quintain/scenario"
	"github.com/quintain-rl/quintain/scenarios/games/cards"
	"github.com/quintain-rl/quintain/task/rng"
	"github.com/quintain-rl/quintain/tasks/catalog"
)

func main() {
	name := flag.String("game", "", "game")
	steps := flag.Int("steps", 1000, "replies, of all levels in turn")
	seed := flag.Uint64("seed", 1, "seed")
	leduc := flag.Bool("leduc", false, "tell the strategy of an equilibrium of Leduc hold'em")
	flag.Parse()
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	if *leduc {
		if err := json.NewEncoder(out).Encode(cards.LeducEquilibrium()); err != nil {
			log.Fatal(err)
		}
		return
	}
	task, of := find(*name)
	levels := len(task.Info().Levels)
	var heard memory
	for n, made := 0, 0; made < *steps; n++ {
		p, err := of.Problem(quintain.Draw{Seed: *seed, Level: n % levels, Index: n / levels})
		if err != nil {
			log.Fatal(err)
		}
		e, err := heard.play(task, of, p, rng.New(*seed, "conformance", fmt.Sprint(n)))
		if err != nil {
			log.Fatal(err)
		}
		made += len(e.Turns)
		if err := json.NewEncoder(out).Encode(e); err != nil {
			log.Fatal(err)
		}
	}
}

// find returns a game, or a scenario with tools.
func find(name string) (quintain.Task, quintain.Scenario) {
	spec, err := catalog.Scenario(name)
	if err != nil {
		log.Fatal(err)
	}
	task := catalog.TasksOf(name)[0]
	of, err := spec.Over(task, nil)
	if err != nil {
		log.Fatal(err)
	}
	return task, of
}

// A memory has what fits elsewhere.
type memory struct {
	moves []string
	calls []quintain.ToolCall
}

// An episode is one as it was played.
type episode struct {
	Level   int             `json:"level"`
	Record  json.RawMessage `json:"record"`
	Opening []string        `json:"opening"`
	Turns   []turn          `json:"turns"`

	Plan     []call          `json:"plan,omitempty"`     // of the scenario tables
	Fillings []tables.Sample `json:"fillings,omitempty"` // of the same
}

// A turn is one of its replies.
type turn struct {
	Best    []string `json:"best"`
	Allowed []string `json:"allowed"`
	Reply   string   `json:"reply"`
	Illegal bool     `json:"illegal"`
	Why     string   `json:"why"`
	Observe string   `json:"observe"`
	Value   float64  `json:"value"`
	Reward  float64  `json:"reward"`
	End     string   `json:"end"`

	Calls   []call   `json:"calls,omitempty"` // of tools
	Results []string `json:"results,omitempty"`
}

// play plays an episode.
func (m *memory) play(task quintain.Task, of quintain.Scenario, p quintain.Problem, r *rng.Rand) (e episode, err error) {
	text, err := json.Marshal(p)
	if err != nil {
		return e, err
	}
	var read struct {
		Level    int             `json:"level"`
		Instance json.RawMessage `json:"instance"`
	}
	if err := strictjson.Unmarshal(text, &read); err != nil {
		return e, err
	}
	e.Level, e.Record = read.Level, read.Instance
	env, err := of.Env(p)
	if err != nil {
		return e, err
	}
	defer env.Close()
	opening, err := env.Open(context.Background())
	if err != nil {
		return e, err
	}
	for _, message := range opening {
		e.Opening = append(e.Opening, message.Content)
	}
	if _, tools := env.(quintain.Tooled); tools {
		plan, err := planOf(task, p)
		if err != nil {
			return e, err
		}
		if of.Info().Name == "tables" {
			if err := e.fill(plan); err != nil {
				return e, err
			}
		}
		return e, e.callTools(env, plan, &m.calls, r)
	}
	for end := quintain.Going; end == quintain.Going; {
		t := choose(env.(scenario.Advised).Advice(), &m.moves, r)
		step, err := env.Step(context.Background(), quintain.Reply{Text: t.Reply, Finish: quintain.Stop})
		if err != nil {
			return e, err
		}
		t.Illegal, t.Why, t.Value, t.Reward, t.End = step.Illegal, step.Why, *step.Value, step.Reward, string(step.End)
		for _, message := range step.Observe {
			t.Observe += message.Content
		}
		e.Turns = append(e.Turns, t)
		end = step.End
	}
	return e, nil
}

// choose chooses a reply.
func choose(a quintain.Advice, heard *[]string, r *rng.Rand) turn {
	t := turn{Best: a.Best, Allowed: a.Allowed}
	const remembered = 1000
	for _, move := range a.Allowed {
		if len(*heard) < remembered {
			*heard = append(*heard, move)
		} else {
			(*heard)[r.Between(0, remembered-1)] = move
		}
	}
	from := a.Best
	switch x := r.Float(); {
	case x < 0.08:
		from = *heard
	case x < 0.5:
		from = a.Allowed
	}
	t.Reply = rng.Pick(r, from)
	return t
}
