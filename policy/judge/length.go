package judge

import "fmt"

// enoughLengths is how many replies must show how scores depend on lengths before any is changed.
const enoughLengths = 200

// A slope is how scores change with lengths between the replies of one group, over many groups:
// that hard questions have long replies with low scores does not count.
type slope struct{ n, xx, xy float64 }

// add adds a group, by the differences of its replies from their means.
func (s *slope) add(lengths, scores []float64) {
	for i := range lengths {
		s.n++
		s.xx += float64(lengths[i] * lengths[i])
		s.xy += float64(lengths[i] * scores[i])
	}
}

// value returns the slope; 0: too little is known.
func (s *slope) value() float64 {
	if s.n < enoughLengths || s.xx == 0 {
		return 0
	}
	return s.xy / s.xx
}

// control takes out of the scores of a group what the lengths of its replies explain, by the
// groups so far. Scores of a rubric stay from 0 to 1, and those that are 0 for what a reply must
// not be stay so.
func (j *Judge) control(items []Item, results []Result) {
	var at []int
	var lengths, scores []float64
	for i, r := range results {
		if r.Err == nil && !r.Verdict.Malformed && !j.condemned(r.Verdict) {
			at = append(at, i)
			lengths = append(lengths, float64(len(items[i].shown(j.cfg.Rubric.View))))
			scores = append(scores, r.Verdict.Score)
		}
	}
	center(lengths)
	differences := append([]float64(nil), scores...)
	center(differences)
	j.mu.Lock()
	j.slope.add(lengths, differences)
	by := j.slope.value()
	j.mu.Unlock()
	if by == 0 {
		return
	}
	for k, i := range at {
		v := &results[i].Verdict
		v.Score = scores[k] - float64(by*lengths[k])
		if j.cfg.Rewards == nil {
			v.Score = min(1, max(0, v.Score))
		}
		v.Why += fmt.Sprintf("; %+.3g for its length", v.Score-scores[k])
	}
}

// condemned reports whether a criterion that must hold does not.
func (j *Judge) condemned(v Verdict) bool {
	for _, c := range j.cfg.Rubric.Criteria {
		if choice, has := v.Choices[c.Name]; has && c.Must && c.value(choice) == 0 {
			return true
		}
	}
	return false
}

// center subtracts from numbers their mean.
func center(numbers []float64) {
	sum := 0.0
	for _, x := range numbers {
		sum += x
	}
	for i := range numbers {
		numbers[i] -= sum / float64(len(numbers))
	}
}
