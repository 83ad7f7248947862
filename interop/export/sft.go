package export

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"sync"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/strictjson"
	"github.com/quintain-rl/quintain/trace"
)

// SFT is a [Sink] of episodes for supervised fine-tuning. It writes each in one call, as a
// line of JSON:
//
//	{"messages": [{"role": …, "content": …}, …], "tools": "[…]", "score": 1}
//
// Tools are those of the conversation, a JSON list as a text: so lines with other tools fit into one
// table, and TRL reads it. Metrics of the environment are a JSON object as a text. What there is not is left out.
//
// Set the fields before the first Write and do not change them afterwards.
type SFT struct {
	Out      io.Writer
	MinScore float64 // least score of an episode
	MaxScore float64 // largest score of an episode; 0: no limit
	Gap      float64 // minimum score gap, episode to the worst of its group
	Best     int     // most episodes per group, best first; 0: no limit
	Shaping          // tells which episodes are not trained on

	mu   sync.Mutex
	seen seen // written conversations
}

type sftLine struct {
	Messages []quintain.Message `json:"messages"`
	Tools    string             `json:"tools,omitempty"`
	Score    float64            `json:"score"`
	Metrics  string             `json:"metrics,omitempty"`
}

// Write implements [Sink]. A conversation is written once, however often it was played.
func (s *SFT) Write(r *trace.Record) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	left := s.Best
	order := s.ranked(r)
	for _, i := range order {
		if s.MaxScore != 0 && r.Scores[i] > s.MaxScore {
			continue
		}
		apart := r.Scores[i] - r.Scores[order[len(order)-1]]
		if r.Scores[i] < s.MinScore || apart < s.Gap || s.Best > 0 && left == 0 {
			break
		}
		fresh, err := s.write(&r.Episodes[i], r.Scores[i])
		if err != nil {
			return fmt.Errorf("sft: group %s: %w", r.Group(), err)
		}
		if fresh {
			left--
		}
	}
	return nil
}

// write writes the conversations of an episode, of a tree each branch, unless they were
// written before. Fresh says whether it wrote one.
func (s *SFT) write(t *quintain.Trajectory, score float64) (fresh bool, err error) {
	for _, branch := range t.Branches() {
		talk := t.Talk(branch.Path)
		added, err := s.seen.add(talk)
		if added {
			fresh, err = true, strictjson.WriteLegible(s.Out, sftLine{talk, string(t.Offered(branch.Path)), score, metricsOf(t)})
		}
		if err != nil {
			return false, err
		}
	}
	return fresh, nil
}

// A seen is a set of values, by hashes of their JSON.
type seen map[[16]byte]bool

// add adds a value, and reports whether it is new.
func (s *seen) add(value any) (fresh bool, err error) {
	text, err := json.Marshal(value)
	if err != nil {
		return false, err
	}
	sum := sha256.Sum256(text)
	key := [16]byte(sum[:])
	if *s == nil {
		*s = seen{}
	}
	fresh = !(*s)[key]
	(*s)[key] = true
	return fresh, nil
}
