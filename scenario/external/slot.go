package external

import (
	"context"
	"fmt"
	"reflect"
	"time"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/pause"
	"github.com/quintain-rl/quintain/internal/stats"
)

// pauses are those before a program is started again.
var pauses = pause.Backoff{First: 100 * time.Millisecond, Most: 10 * time.Second}

// A slot holds a link, and replaces it when it is gone.
type slot struct {
	episodes int           // open ones; guarded by the program's mu
	starting chan struct{} // a lock of link, faults and last
	link     link          // nil: none could be made
	faults   int           // consecutive failures
	last     error         // the last failure
}

// take returns the slot with the fewest episodes, plus one.
func (p *Program) take() (*slot, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	best := p.slots[0]
	for _, s := range p.slots[1:] {
		if s.episodes < best.episodes {
			best = s
		}
	}
	if best.episodes == p.how.Episodes {
		return nil, fmt.Errorf("%w: scenario %s has its most open episodes in each process, %d: raise environment.episodes or "+
			"environment.processes, or play fewer at once", quintain.ErrStop, p.name(), best.episodes)
	}
	best.episodes++
	return best, nil
}

// leave gives back the place of an episode.
func (p *Program) leave(s *slot) {
	p.mu.Lock()
	defer p.mu.Unlock()
	s.episodes--
}

// reach returns the link of a slot. If the link is gone, it makes another after a pause.
// After too many failures, the error is [quintain.ErrStop].
func (p *Program) reach(ctx context.Context, s *slot) (link, error) {
	select {
	case s.starting <- struct{}{}:
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	defer func() { <-s.starting }()
	for {
		if s.link != nil {
			played, fault := s.link.gone()
			if fault == nil {
				return s.link, nil
			}
			p.drop(s, played, fault)
		}
		if s.faults > p.how.Restarts {
			return nil, fmt.Errorf("%w: scenario %s failed %s in a row: %w", quintain.ErrStop, p.name(), stats.Count(s.faults, "time"), s.last)
		}
		if s.last != nil && !pause.For(ctx, pauses.After(s.faults+1)) {
			return nil, context.Cause(ctx)
		}
		l, said, err := p.connect(ctx)
		switch {
		case ctx.Err() != nil && err != nil:
			return nil, context.Cause(ctx)
		case err != nil:
			s.faults, s.last = s.faults+1, err
		case !reflect.DeepEqual(said, p.hello):
			l.close()
			return nil, fmt.Errorf("%w: scenario %s is another after its restart: its hello differs", quintain.ErrStop, p.id())
		default:
			s.link = l
		}
	}
}

// drop ends the link of a slot after a fault.
func (p *Program) drop(s *slot, played bool, fault error) {
	p.log.Warn("the program of the scenario failed, and is restarted", "scenario", p.name(), "fault", fault)
	s.link.close()
	s.link, s.last = nil, fault
	if s.faults++; played {
		s.faults = 0
	}
}
