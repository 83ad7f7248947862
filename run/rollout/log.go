package rollout

import (
	"context"
	"log/slog"
	"strings"
)

// Log tells at the level debug which problem was chosen, and of each reply of its episodes
// which answer was found, whether that could be read, and what it earned, and why.
func (r *Result) Log(log *slog.Logger, attributes ...any) {
	if !log.Enabled(context.Background(), slog.LevelDebug) {
		return
	}
	p := &r.Job.Problem
	log.Debug("played", append([]any{"problem", p.ID(), "of", r.Job.Label}, attributes...)...)
	for i := range r.Trajectories {
		t := &r.Trajectories[i]
		for n, turn := range t.Turns {
			log.Debug("reply", "problem", p.ID(), "episode", i, "turn", n+1, "found", turn.Answer != "", "answer", shortened(turn.Answer),
				"readable", !turn.Malformed, "reward", turn.Reward, "right", turn.Right, "why", turn.Why, "finish", turn.Finish, "tokens", len(turn.Wrote))
		}
		log.Debug("episode", "problem", p.ID(), "episode", i, "outcome", t.Outcome, "end", t.End, "reward", t.Reward(), "err", t.Error)
	}
}

// shortened cuts an answer for the log.
func shortened(text string) string {
	const most = 200 // bytes
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "…"
}
