package rollout

import (
	"slices"

	"github.com/quintain-rl/quintain"
)

// Sequences says how to cut an episode into training sequences.
type Sequences string

// The ways to cut an episode into sequences. In each, every sampled token is trained on
// in exactly one sequence.
const (
	// WholeEpisodes makes one sequence of an episode, up to its last sampled token, and
	// begins another wherever the policy's server rewrote the conversation (see
	// [quintain.Turn]).
	WholeEpisodes Sequences = "episode"

	// EachTurn makes a sequence of each turn, with everything before it as its prompt.
	EachTurn Sequences = "turn"
)

// A sequence is a run of turns of an episode in which each turn's tokens continue the
// preceding turn's. The turns before first are only read, not trained on.
type sequence struct {
	played  *quintain.Trajectory
	episode int // number of the trajectory in its group
	begin   int // first turn of the tokens
	first   int // first trained turn
	last    int // last turn
}

// of cuts all trajectories of a group into sequences.
func (how Sequences) of(played []quintain.Trajectory) (all []sequence) {
	for episode := range played {
		t := &played[episode]
		begin := 0
		for k := range t.Turns {
			if t.Turns[k].Fork {
				begin = k
			}
			switch continues := k > begin && how != EachTurn; {
			case !continues:
				all = append(all, sequence{played: t, episode: episode, begin: begin, first: k, last: k})
			case len(t.Turns[k].Wrote) > 0: // else there is nothing to train on
				all[len(all)-1].last = k
			}
		}
	}
	return all
}

// each calls f for every turn of s. trained reports whether its reply is trained on.
func (s *sequence) each(f func(turn int, trained bool)) {
	for k := s.begin; k <= s.last; k++ {
		f(k, k >= s.first)
	}
}

// size returns the numbers of tokens and of trainable tokens in s.
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

// messages returns the conversation up to the last turn of s.
func (s *sequence) messages() []quintain.Message {
	upTo := quintain.Trajectory{Turns: s.played.Turns[:s.last+1]}
	return upTo.Messages()
}

// appendTo adds s to g: its tokens, masks, log-probabilities and versions. The
// log-probabilities are empty if a trained turn lacks them.
func (s *sequence) appendTo(g *quintain.Group, left *Memory) {
	length, _ := s.size()
	tokens, masks := row(&left.tokens, length), row(&left.masks, length)
	logProbs, versions := row(&left.logProbs, length), row(&left.versions, length)
	known := true
	s.each(func(k int, trained bool) {
		turn := &s.played.Turns[k]
		tokens = append(append(tokens, turn.Read...), turn.Wrote...)
		read := len(turn.Read)
		if !trained { // part of the prompt
			read += len(turn.Wrote)
		}
		masks, logProbs, versions = repeated(masks, quintain.Untrained, read), repeated(logProbs, 1, read), repeated(versions, -1, read)
		if !trained {
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
		logProbs = []float64{}
	}
	g.Tokens, g.Masks = append(g.Tokens, tokens), append(g.Masks, masks)
	g.LogProbs, g.Versions = append(g.LogProbs, logProbs), append(g.Versions, versions)
}

// repeated appends value to list n times.
func repeated[E any](list []E, value E, n int) []E {
	at := len(list)
	list = slices.Grow(list, n)[:at+n]
	for i := range list[at:] {
		list[at+i] = value
	}
	return list
}
