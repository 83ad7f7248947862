package rollout

import "github.com/quintain-rl/quintain"

// Sequences say what of an episode becomes a training sequence of its own.
type Sequences string

// The ways to cut an episode into sequences. In each, every sampled token is trained on
// in exactly one sequence.
const (
	// WholeEpisodes makes one sequence of an episode, and another one wherever the
	// policy's server rewrote what came before (see [quintain.Turn]).
	WholeEpisodes Sequences = "episode"

	// EachTurn makes a sequence of each turn, with all that came before as its prompt.
	EachTurn Sequences = "turn"
)

// A sequence is some turns of an episode whose tokens continue each other. The turns
// before first are read only.
type sequence struct {
	played  *quintain.Trajectory
	episode int // number of the trajectory in its group
	begin   int // the turn with which the tokens begin
	first   int // the first turn that is trained on
	last    int // the last turn
}

// of cuts all trajectories of a group.
func (how Sequences) of(played []quintain.Trajectory) (all []sequence) {
	for episode := range played {
		t := &played[episode]
		begin := 0
		for k := range t.Turns {
			if t.Turns[k].Fork {
				begin = k
			}
			if k > begin && how != EachTurn {
				all[len(all)-1].last = k
				continue
			}
			all = append(all, sequence{played: t, episode: episode, begin: begin, first: k, last: k})
		}
	}
	return all
}

// each calls f with every turn of s, and tells whether its reply is trained on.
func (s *sequence) each(f func(turn int, trained bool)) {
	for k := s.begin; k <= s.last; k++ {
		f(k, k >= s.first)
	}
}

// size counts the tokens of s, and those of them that are trained on.
func (s *sequence) size() (length, trainable int) {
	s.each(func(turn int, trained bool) {
		wrote := len(s.played.Turns[turn].Wrote)
		length += len(s.played.Turns[turn].Read) + wrote
		if trained {
			trainable += wrote
		}
	})
	return length, trainable
}

// messages is the conversation up to the last turn of s.
func (s *sequence) messages() []quintain.Message {
	upTo := quintain.Trajectory{Turns: s.played.Turns[:s.last+1]}
	return upTo.Messages()
}

// appendTo adds s to g: its tokens, masks, log-probabilities and versions. The
// log-probabilities are nil where those of a turn are not known.
func (s *sequence) appendTo(g *quintain.Group) {
	length, _ := s.size()
	tokens, masks := make([]quintain.Token, 0, length), make([]int32, 0, length)
	logProbs, versions := make([]float64, 0, length), make([]int32, 0, length)
	known := true
	s.each(func(k int, trained bool) {
		turn := &s.played.Turns[k]
		tokens = append(append(tokens, turn.Read...), turn.Wrote...)
		for range turn.Read {
			masks, logProbs, versions = append(masks, quintain.Untrained), append(logProbs, 1), append(versions, -1)
		}
		if !trained { // it is prompt to what follows
			for range turn.Wrote {
				masks, logProbs, versions = append(masks, quintain.Untrained), append(logProbs, 1), append(versions, -1)
			}
			return
		}
		known = known && (turn.LogProbs != nil || len(turn.Wrote) == 0)
		versions = append(versions, turn.Versions...)
		for _, token := range turn.Wrote {
			masks = append(masks, int32(token))
		}
		for _, p := range turn.LogProbs {
			logProbs = append(logProbs, float64(p))
		}
	})
	if !known {
		logProbs = nil
	}
	g.Tokens, g.Masks = append(g.Tokens, tokens), append(g.Masks, masks)
	g.LogProbs, g.Versions = append(g.LogProbs, logProbs), append(g.Versions, versions)
}
