package stats

import "math"

// PassAt estimates the probability that at least one of k samples is right, given c right
// ones of n: the unbiased estimator 1 - C(n-c, k) / C(n, k) of Chen et al., "Evaluating
// Large Language Models Trained on Code" (2021), as a product of factors from 0 to 1,
// which neither overflows nor cancels. K is 1 to n, and c is 0 to n.
func PassAt(k, n, c int) float64 {
	if n-c < k {
		return 1
	}
	miss := 1.0
	for i := n - c + 1; i <= n; i++ {
		miss *= 1 - float64(k)/float64(i)
	}
	return 1 - miss
}

// MajorityAt returns the probability that the most frequent answer of k samples is right
// (the self-consistency of Wang et al., 2022): the mean over all choices of k of the
// samples. The first k samples alone would make it depend on their order. Equally
// frequent answers count alike. Empty answers have no vote; if there are no others, the
// vote is wrong. Samples with one answer are right or wrong together; otherwise their
// share counts. right has an entry for each answer, and k is 1 to their number.
//
// The cost is at most proportional to n·k² for n samples.
func MajorityAt(k int, answers []string, right []bool) float64 {
	p := poll{k: k, n: len(answers)}
	p.count(answers, right)
	likely := map[int]float64{} // the probability that an answer wins, by its number of samples
	total := 0.0
	for i, votes := range p.votes {
		if p.right[i] == 0 {
			continue
		}
		if _, known := likely[votes]; !known {
			likely[votes] = p.wins(i)
		}
		total += likely[votes] * p.right[i] / float64(votes)
	}
	return total
}

// A poll is a vote of k of n samples, with all choices equally likely. That is the same
// as drawing each sample by itself with probability k/n, given that k are drawn.
type poll struct {
	k, n  int
	votes []int     // samples of each answer
	right []float64 // those of them that are right
	blank int       // samples without an answer
}

// count counts the samples of each answer.
func (p *poll) count(answers []string, right []bool) {
	at := map[string]int{}
	for i, answer := range answers {
		if answer == "" {
			p.blank++
			continue
		}
		if _, known := at[answer]; !known {
			at[answer] = len(p.votes)
			p.votes, p.right = append(p.votes, 0), append(p.right, 0)
		}
		p.votes[at[answer]]++
		if right[i] {
			p.right[at[answer]]++
		}
	}
}

// wins returns the probability that answer i wins: the sum over its number of drawn
// samples, m, and over the number of other answers drawn equally often.
func (p *poll) wins(i int) float64 {
	total := 0.0
	for m := 1; m <= min(p.k, p.votes[i]); m++ {
		mine := p.drawn(p.votes[i], m)
		if mine == 0 {
			continue
		}
		for ties, likely := range p.others(i, m) {
			total += mine * likely / float64(ties+1)
		}
	}
	return total / p.drawn(p.n, p.k)
}

// others returns the probability that the other samples are drawn k-m times in all, no
// other answer more than m times, by the number of answers drawn exactly m times.
func (p *poll) others(i, m int) []float64 {
	rest := p.k - m
	table := [][]float64{make([]float64, rest+1)} // by ties, and by samples drawn so far
	for drawn := range table[0] {
		table[0][drawn] = p.drawn(p.blank, drawn)
	}
	for other, votes := range p.votes {
		if other == i {
			continue
		}
		rows := len(table)
		if votes >= m && rows*m <= rest {
			rows++
		}
		next := make([][]float64, rows)
		for ties := range next {
			next[ties] = make([]float64, rest+1)
			if ties > 0 {
				add(next[ties], table[ties-1], m, p.drawn(votes, m))
			}
			if ties == len(table) {
				continue
			}
			for more := range min(m, votes+1) {
				add(next[ties], table[ties], more, p.drawn(votes, more))
			}
		}
		table = next
	}
	likely := make([]float64, len(table))
	for ties := range table {
		likely[ties] = table[ties][rest]
	}
	return likely
}

// add adds from, shifted by more and multiplied by factor, to row.
func add(row, from []float64, more int, factor float64) {
	for drawn := more; drawn < len(row); drawn++ {
		row[drawn] += factor * from[drawn-more]
	}
}

// drawn returns the probability of drawing m of some samples, each with probability k/n.
func (p *poll) drawn(samples, m int) float64 {
	switch {
	case m > samples:
		return 0
	case p.k == p.n && m < samples:
		return 0
	case p.k == p.n:
		return 1
	}
	share := float64(p.k) / float64(p.n)
	return math.Exp(logChoose(samples, m) + float64(m)*math.Log(share) + float64(samples-m)*math.Log1p(-share))
}

// logChoose returns the natural logarithm of the binomial coefficient n over k.
func logChoose(n, k int) float64 {
	a, _ := math.Lgamma(float64(n + 1))
	b, _ := math.Lgamma(float64(k + 1))
	c, _ := math.Lgamma(float64(n - k + 1))
	return a - b - c
}
