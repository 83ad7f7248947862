package registry

import (
	"slices"
	"time"
)

// Gone environments are forgotten as others register, so a run may have any number of them one
// after another. Their groups stay.
const (
	keepEnvs     = 1000      // up to so many, none is forgotten
	keepSilent   = time.Hour // a silent environment may return within this time
	forgetAtOnce = 4         // environments to check when another registers
)

// forgettable checks the next environments in turn, and returns those to forget. The one
// with the highest ID stays, because the next ID follows from it. g.mu is held.
func (g *Registry) forgettable(look int) (gone []*Env) {
	now, others := time.Now(), len(g.envs)-1
	for range min(look, others) {
		if len(g.envs)-len(gone) <= min(keepEnvs, g.o.MaxEnvs-1) {
			break
		}
		g.turn++
		m := g.envs[g.turn%others]
		if silent := now.Sub(m.heard) > max(keepSilent, g.o.Timeout); silent || !m.Connected {
			gone = append(gone, m.Env)
		}
	}
	return gone
}

// leave forgets environments. g.mu is held.
func (g *Registry) leave(gone []*Env) {
	if len(gone) == 0 {
		return
	}
	ids := make(map[int32]bool, len(gone))
	for _, e := range gone {
		ids[e.ID] = true
		n := g.names[e.DesiredName]
		if n.known--; n.known > 0 {
			g.names[e.DesiredName] = n
		} else {
			delete(g.names, e.DesiredName)
		}
	}
	g.envs = slices.DeleteFunc(g.envs, func(m *member) bool { return ids[m.ID] })
}
