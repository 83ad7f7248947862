package task

import "github.com/quintain-rl/quintain"

// Lessons are the sizes of a measurement: how many problems guessers learn by heart, and
// how many test them. Apart splits the level as evaluations do ([quintain.Key.HeldOut]): the guessers
// learn from nine tenths of the questions, and the others test them.
type Lessons struct {
	Learned, Asked int
	Apart          bool
}

// LearnedRate measures what knowing other problems of a level of t by heart earns, without
// solving any: the mean score of the best guesser, partial credit included. A guesser gives
// the answer of the nearest known prompt: by words and pairs of words, by sequences of
// three characters, or by the counts of each character. Some also recognize a known
// question in any wording, by its key. The rate is 0 if no problem of the level is held out.
func LearnedRate(t quintain.Task, level int, of Lessons) (best Surface, err error) {
	learned, err := drawSide(t, quintain.Draw{Seed: blindSeed, Level: level}, side{of.Learned, of.Apart, false})
	if err != nil {
		return best, err
	}
	asked, err := drawSide(t, quintain.Draw{Seed: askedSeed, Level: level}, side{of.Asked, of.Apart, true})
	if err != nil || len(asked.problems) == 0 {
		return best, err
	}
	marks := newMarks(t, asked.problems)
	for _, near := range lessonsOf(t, learned.sample).neighbors() {
		answers := make([]string, len(asked.problems))
		for i, p := range asked.problems {
			answers[i] = near.guess(lookAt(p.Prompt))
		}
		for _, again := range []bool{false, true} {
			if again {
				recall(answers, learned, asked)
			}
			mean, err := marks.mean(func(i int) string { return answers[i] })
			if err != nil {
				return best, err
			}
			if mean > best.Rate {
				best = Surface{mean, near.name}
			}
		}
	}
	return best, nil
}

// recall replaces the answers to learned questions by the learned ones.
func recall(answers []string, learned, asked keyed) {
	known := map[quintain.Key]string{}
	for i, key := range learned.keys {
		known[key] = learned.solutions[i]
	}
	for i, key := range asked.keys {
		if answer, again := known[key]; again {
			answers[i] = answer
		}
	}
}

// A side asks for n problems: of one side of the split if apart is set.
type side struct {
	n              int
	apart, heldOut bool
}

// mostTries limits the draws for each problem of one side: one in ten is held out.
const mostTries = 40

// A keyed sample also has the key of each problem.
type keyed struct {
	sample
	keys []quintain.Key
}

// drawSide draws problems of a level, in order. It may find fewer if a level has few.
func drawSide(t quintain.Task, d quintain.Draw, s side) (found keyed, err error) {
	for ; len(found.problems) < s.n && d.Index < mostTries*s.n; d.Index++ {
		p, err := t.Problem(d)
		if err != nil {
			return found, err
		}
		key, err := quintain.KeyOf(t, p)
		if err != nil {
			return found, err
		}
		if s.apart && s.heldOut != key.HeldOut() {
			continue
		}
		solution, err := t.Solve(p)
		if err != nil {
			return found, err
		}
		found.problems = append(found.problems, p)
		found.solutions = append(found.solutions, solution)
		found.keys = append(found.keys, key)
	}
	return found, nil
}

// neighbors returns guessers that copy the answer of the nearest prompt.
func (l *lessons) neighbors() []guesser {
	return []guesser{
		{"the prompt with the nearest words", l.nearestWords(rare)},
		{"the prompt with the nearest counts of words", l.nearestWords(plain)},
		{"the prompt with most in common", l.nearest()},
		{"the prompt with the nearest counts of characters", l.nearestCounts()},
	}
}

// nearestCounts copies the answer to the prompt with the least sum of differences between
// the counts of each byte.
func (l *lessons) nearestCounts() func(look) string {
	count := func(seen look) (n [256]int) {
		for i := range len(seen.prompt) {
			n[seen.prompt[i]]++
		}
		return n
	}
	var counts [][256]int
	for _, seen := range l.looks {
		counts = append(counts, count(seen))
	}
	return func(seen look) string {
		mine, best, least := count(seen), 0, len(seen.prompt)+1<<30
		for i := range counts {
			sum := 0
			for c, n := range counts[i] {
				sum += max(n-mine[c], mine[c]-n)
			}
			if sum < least {
				best, least = i, sum
			}
		}
		return l.answers[best]
	}
}
