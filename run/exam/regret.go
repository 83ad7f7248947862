package exam

import (
	"fmt"
	"strings"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/stats"
)

// Blunder is the least regret of a turn that is a blunder: a tenth of all that there is to win.
const Blunder = 0.1

// A TurnRegret is a turn of known value.
type TurnRegret struct {
	Value  float64 // what the best play from here on earns in all
	Regret float64 // how much less that is than before the reply
}

// String writes both.
func (t *TurnRegret) String() string {
	return fmt.Sprintf("value %.3g, regret %.3g", t.Value, t.Regret)
}

// IsBlunder reports whether the turn gives away as much as a [Blunder].
func (t *TurnRegret) IsBlunder() bool { return t.Regret >= Blunder-1e-9 }

// An EpisodeRegret has the turns of an episode.
type EpisodeRegret struct {
	Turns   []*TurnRegret // by number; nil: the value before or after it is unknown
	Blunder int           // the first turn with the regret of a [Blunder] or more; -1: there is none
	Play    *PlayRegret   // nil: no value is known
}

// A PlayRegret sums up an episode.
type PlayRegret struct {
	Turns   int     `json:"turns"`
	Illegal int     `json:"illegal"` // turns with a move against the rules
	Regret  float64 `json:"regret"`  // of all turns
}

// RegretOf returns the regret of an episode. Before the first reply, the value is 1.
func RegretOf(t *quintain.Trajectory) EpisodeRegret {
	e := EpisodeRegret{Turns: make([]*TurnRegret, len(t.Turns)), Blunder: -1}
	p := PlayRegret{Turns: len(t.Turns)}
	for k := range t.Turns {
		if t.Turns[k].Illegal {
			p.Illegal++
		}
		before := new(1.0)
		if parent := t.Parent(k); parent >= 0 {
			before = t.Turns[parent].Value
		}
		value := t.Turns[k].Value
		if before == nil || value == nil {
			continue
		}
		e.Turns[k], e.Play = &TurnRegret{*value, *before - *value}, &p
		p.Regret += e.Turns[k].Regret
		if e.Blunder < 0 && e.Turns[k].IsBlunder() {
			e.Blunder = k
		}
	}
	return e
}

// String tells the regret of an episode of known value.
func (e *EpisodeRegret) String() string {
	turns := "1 turn"
	if e.Play.Turns != 1 {
		turns = fmt.Sprintf("%s, %d of them illegal", stats.Count(e.Play.Turns, "turn"), e.Play.Illegal)
	} else if e.Play.Illegal == 1 {
		turns = "1 turn, an illegal one"
	}
	text := fmt.Sprintf("regret %.3g in %s", e.Play.Regret, turns)
	if e.Blunder >= 0 {
		return fmt.Sprintf("%s; the first blunder is turn %d, which gives away %.3g", text, e.Blunder+1, e.Turns[e.Blunder].Regret)
	}
	return text + "; no blunder"
}

// MeanRegrets are over episodes of known value.
type MeanRegrets struct {
	Episodes int     `json:"episodes"`
	Regret   float64 `json:"regret"`       // of an episode
	Illegal  float64 `json:"illegal_rate"` // share of the turns
	Turns    float64 `json:"turns"`        // of an episode
}

// With returns the means with one more episode.
func (m MeanRegrets) With(p PlayRegret) MeanRegrets {
	n := float64(m.Episodes)
	turns := m.Turns*n + float64(p.Turns)
	out := MeanRegrets{Episodes: m.Episodes + 1, Regret: (m.Regret*n + p.Regret) / (n + 1), Turns: turns / (n + 1)}
	if turns > 0 {
		out.Illegal = (m.Illegal*m.Turns*n + float64(p.Illegal)) / turns
	}
	return out
}

// String writes the means.
func (m MeanRegrets) String() string {
	return fmt.Sprintf("regret %.3f, %.1f %% of the moves illegal, %.1f turns an episode", m.Regret, 100*m.Illegal, m.Turns)
}

// RegretByScenario has means by the name of the scenario, of those whose values are known.
type RegretByScenario map[string]MeanRegrets

// Add adds an episode, if it has a score and its values are known.
func (b RegretByScenario) Add(t *quintain.Trajectory) {
	if e := RegretOf(t); e.Play != nil && t.Outcome.Rewarded() {
		name, _, _ := strings.Cut(t.Problem.Scenario, ".")
		b[name] = b[name].With(*e.Play)
	}
}
