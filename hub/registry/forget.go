package registry

import (
	"slices"
	"time"
)

// Environments that are gone are forgotten as others register, so that a run may have any
// number of them one after another. Their groups stay.
const (
	keepEnvs     = 1000      // of so many none is forgotten
	keepSilent   = time.Hour // an environment that has not left may come back within this time
	forgetAtOnce = 4         // environments that are looked at when another registers
)

// forgettable looks at some environments, the next time at others, and returns those to
// be forgotten. The one with the highest ID is not: the next ID follows from it. g.mu is
// held.
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
