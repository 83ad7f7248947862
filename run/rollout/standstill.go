package rollout

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/stats"
)

// What tells that play leads nowhere.
const (
	standGroups = 512 // dropped in a row, none of them kept
	standReads  = 200 // episodes in a row without a readable answer
	standText   = 300 // of the last reply, in bytes
)

// A Standstill watches for groups of which none is ever kept, and for replies that nobody can read. The
// zero value has seen none. Many goroutines may use it.
type Standstill struct {
	mu      sync.Mutex
	kept    bool         // a group, ever
	row     int          // dropped groups since the last kept one
	dropped map[Drop]int // the same, by the reason; nil: none
	fault   string       // the last of an environment

	unread int    // episodes in a row without a readable answer
	cut    int    // of these, by a limit on their length
	last   string // the last reply of these
	told   bool   // that nobody can read them
}

// Played counts a played group. Failures of a server count for nothing: it may come back. Nor do
// equal scores after a kept group: what is learned teaches nothing any more.
func (s *Standstill) Played(of Result, drop Drop) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range of.Trajectories {
		s.read(&of.Trajectories[i])
	}
	switch drop {
	case "":
		s.kept, s.row, s.dropped = true, 0, nil
		return
	case DropEqual, DropRate:
		if s.kept {
			return
		}
	case DropEnvFailed, DropPrompt, DropFewTokens, DropTooLong, DropMixedVocab:
	default:
		return
	}
	if s.dropped == nil {
		s.dropped = map[Drop]int{}
	}
	s.row++
	s.dropped[drop]++
}

// read counts an episode. s.mu is held.
func (s *Standstill) read(t *quintain.Trajectory) {
	switch {
	case t.Outcome == quintain.EnvFailed:
		s.fault = t.Error
	case t.Outcome == quintain.Scored:
		s.unread, s.cut = 0, 0
	case t.Outcome == quintain.ModelFailed && len(t.Turns) > 0:
		last := &t.Turns[t.Last()]
		s.unread, s.last = s.unread+1, fmt.Sprintf("%.*q", standText, last.Reply)
		if last.Finish == quintain.Length {
			s.cut++
		}
	}
}

// Stands returns why no step can be made; nil: one can, as far as is known.
func (s *Standstill) Stands() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.row < standGroups {
		return nil
	}
	why := Commonest(s.dropped)
	text := fmt.Sprintf("%s in a row were dropped, and without a kept one the run makes no step: %s, %s", stats.Count(s.row, "group"), why, stats.Count(s.dropped[why], "time"))
	switch setting := why.Setting(); {
	case why == DropEqual:
		text += fmt.Sprintf("; all replies to a problem have the same score: choose easier or harder ones (--tasks), more replies to each (--group-size), or keep such groups (%s)", setting)
	case why == DropEnvFailed:
		text += "; the last failure: " + s.fault
	case setting != "":
		text += "; what decides: " + setting
	}
	return errors.New(text)
}

// Unreadable says once that nobody can read the policy's replies; empty: it was said, or is not so.
func (s *Standstill) Unreadable() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.told || s.unread < standReads {
		return ""
	}
	s.told = true
	text := fmt.Sprintf("warning: none of the last %d replies has a readable answer, and %d were cut; the last one: %s", s.unread, s.cut, s.last)
	if 2*s.cut >= s.unread {
		return text + "; raise --max-tokens"
	}
	return text + "; look at the chat template (policy.chat_template), the model (--model) and --max-tokens"
}

// Commonest returns the commonest of reasons; empty: there is none.
func Commonest(of map[Drop]int) (most Drop) {
	for _, why := range slices.Sorted(maps.Keys(of)) {
		if of[why] > of[most] {
			most = why
		}
	}
	return most
}
