package cards

import "slices"

// A member is what an opponent of matrix_duel may be.
type member struct {
	Kind    string `json:"kind"`              // of kinds
	Move    int    `json:"move"`              // the one that repeats, or the first one
	Percent []int  `json:"percent,omitempty"` // of a mix: the chance of each move
}

// kinds are those of members: repeats plays the same move again and again, cycles all in turn;
// copies plays the policy's last move, follows the one after it, and answers the best response to
// it; mix draws each move.
var kinds = []string{"repeats", "cycles", "copies", "follows", "answers", "mix"}

// reacts reports whether the policy's moves change those of a member.
func (m member) reacts() bool {
	return m.Kind == "copies" || m.Kind == "follows" || m.Kind == "answers"
}

// A belief is all that the past of a match tells of what is to come. Beliefs with the same future
// are equal.
type belief struct {
	round  int8    // from 0
	last   int8    // the policy's last move, if it matters
	alive  uint8   // the members that may be the opponent, a bit each
	counts [5]int8 // the opponent's moves so far, if they matter
}

// An outlook is what the policy may expect from a belief to the end.
type outlook struct {
	of    []float64 // by its next move, if the best play follows
	best  float64   // the most of it
	blind float64   // by uniform play
}

// A foresight is the dynamic program over the beliefs of a match.
type foresight struct {
	pay     [][]int
	members []member
	rounds  int
	known   map[belief]outlook
}

func newForesight(pay [][]int, members []member, rounds int) *foresight {
	return &foresight{pay: pay, members: members, rounds: rounds, known: map[belief]outlook{}}
}

// opening is the belief before the first round.
func (f *foresight) opening() belief { return belief{alive: 1<<len(f.members) - 1} }

// chance is the chance that a member makes a move.
func (f *foresight) chance(m member, b belief, move int) float64 {
	n := len(f.pay)
	sure := m.Move
	switch {
	case m.Kind == "mix":
		return float64(m.Percent[move]) / 100
	case m.Kind == "cycles":
		sure = (m.Move + int(b.round)) % n
	case b.round == 0 || m.Kind == "repeats":
	case m.Kind == "copies":
		sure = int(b.last)
	case m.Kind == "follows":
		sure = (int(b.last) + 1) % n
	default:
		sure = slices.Index(f.pay[b.last], slices.Min(f.pay[b.last]))
	}
	if move == sure {
		return 1
	}
	return 0
}

// chances returns the chance of each move of the opponent.
func (f *foresight) chances(b belief) []float64 {
	of := make([]float64, len(f.pay))
	sum := 0.0
	for i, m := range f.members {
		if b.alive>>i&1 == 0 {
			continue
		}
		weight := m.likelihood(b)
		sum += weight
		for move := range of {
			of[move] += float64(weight * f.chance(m, b, move)) // the same on processors that would fuse them
		}
	}
	for move := range of {
		of[move] /= sum
	}
	return of
}

// likelihood is how likely a member that is alive made its moves so far.
func (m member) likelihood(b belief) float64 {
	weight := 1.0
	for move, percent := range m.Percent {
		for range b.counts[move] {
			weight *= float64(percent) / 100
		}
	}
	return weight
}

// after is the belief after a round.
func (f *foresight) after(b belief, mine, theirs int) belief {
	next, reacts := f.narrowed(b, theirs)
	if reacts {
		next.last = int8(mine)
	}
	return next
}

// narrowed is the belief after a move of the opponent, and whether its next one may depend on the
// policy's.
func (f *foresight) narrowed(b belief, theirs int) (next belief, reacts bool) {
	next = belief{round: b.round + 1, counts: b.counts}
	next.counts[theirs]++
	members, mixes := 0, 0
	for i, m := range f.members {
		if b.alive>>i&1 == 0 || f.chance(m, b, theirs) == 0 {
			continue
		}
		next.alive |= 1 << i
		members++
		reacts = reacts || m.reacts()
		if m.Kind == "mix" {
			mixes++
		}
	}
	if members == 1 || mixes == 0 {
		next.counts = [5]int8{}
	}
	return next, reacts
}

// look returns the outlook from a belief.
func (f *foresight) look(b belief) outlook {
	if int(b.round) == f.rounds {
		return outlook{}
	}
	if o, seen := f.known[b]; seen {
		return o
	}
	o := outlook{of: make([]float64, len(f.pay))}
	for theirs, chance := range f.chances(b) {
		if chance == 0 {
			continue
		}
		belief, reacts := f.narrowed(b, theirs)
		next := f.look(belief)
		for mine := range f.pay {
			if reacts {
				belief.last = int8(mine)
				next = f.look(belief)
			}
			won := float64(f.pay[mine][theirs])
			o.of[mine] += float64(chance * (won + next.best))
			o.blind += float64(chance * (won + next.blind) / float64(len(f.pay)))
		}
	}
	o.best = slices.Max(o.of)
	f.known[b] = o
	return o
}
