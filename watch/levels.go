package watch

import (
	"fmt"
	"strings"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/trace"
)

// levelOf names the level of a group's problem.
func levelOf(r *trace.Record) string {
	if r.Problem.Level == quintain.OwnParams {
		return "settings of its own"
	}
	return fmt.Sprintf("level %d", r.Problem.Level)
}

// A levelNames has the levels of problems with settings of their own, by their paramsOf.
type levelNames map[string]string

// levelNames finds the levels of a run whose streams are steps of a ladder: its evaluations
// keep a problem of each label.
func (s *Server) levelNames() levelNames {
	names := levelNames{}
	all := s.heldOuts()
	if len(all) == 0 {
		return names
	}
	for i := range all[0].Examples {
		e := &all[0].Examples[i]
		_, numbers := labelParts(e.Label)
		names[paramsOf(e.ID)] = fmt.Sprintf("level %d", max(1, numbers[1]))
	}
	return names
}

// of names the level of a group's problem; empty: unknown.
func (n levelNames) of(r *trace.Record) string {
	if r.Problem.Level == quintain.OwnParams {
		return n[paramsOf(r.Group())]
	}
	return levelOf(r)
}

// paramsOf is the part of a problem's ID that says its task and settings: all but the
// scenario, the seed and the index. It ends in ".sSEED.lPARAMS.INDEX".
func paramsOf(id string) string {
	parts := strings.Split(id[strings.LastIndexByte(id, '/')+1:], ".")
	if n := len(parts); n > 3 {
		return strings.Join(parts[:n-3], ".") + "." + parts[n-2]
	}
	return id
}
