package exam

import (
	"slices"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/stats"
	"github.com/quintain-rl/quintain/task/rng"
)

// A Summary has the results of a policy on the problems of one or several rows. Each mean
// is the mean over rows, so every row has the same weight; the mean of a row is the mean
// over its problems, and the mean of a problem is over its episodes. Only scored episodes
// count, except in Episodes and Failed.
type Summary struct {
	Scored    int                      `json:"scored"`             // problems with a scored episode; 0: no means
	Mean      *float64                 `json:"mean_score"`         // of the scores
	Within    *stats.Interval          `json:"interval,omitempty"` // of Mean, with 95 % confidence, over problems; see [stats.Estimate]
	At        []At                     `json:"at,omitempty"`       // by k, ascending
	Malformed float64                  `json:"malformed"`          // share of the episodes without a readable answer in the last reply
	Lengths   *Lengths                 `json:"lengths,omitempty"`
	Episodes  map[quintain.Outcome]int `json:"episodes"`
	Failed    int                      `json:"failed"`          // episodes without a score
	Play      *MeanRegrets             `json:"moves,omitempty"` // over the scored episodes of games whose exact values are known; nil: there is none

	Metrics map[string]float64 `json:"metrics,omitempty"` // means of the environments' further numbers, each over the episodes that have it
	Others  map[string]Other   `json:"others,omitempty"`  // by player, what other policies wrote
	Harbor  *HarborMean        `json:"as_harbor_counts,omitempty"`
}

// HarborMetric names the metric of an episode that has what Harbor reads from its tests: of several rewards the first.
const HarborMetric = "harbor_reward"

// A HarborMean is the mean that Harbor tells: over all trials alike, in which one without a reward earns 0.
type HarborMean struct {
	Mean   float64 `json:"mean"`
	Trials int     `json:"trials"`
}

// At has pass@k and majority@k over the problems with at least k scored episodes.
type At struct {
	K        int     `json:"k"`
	Pass     float64 `json:"pass"`     // pass@k; see [stats.PassAt]
	Majority float64 `json:"majority"` // majority@k; see [stats.MajorityAt]
}

// Lengths are the numbers of tokens that the policy sampled in an episode, in its own
// vocabulary: bytes if its server gives no tokens.
type Lengths struct {
	Mean   float64 `json:"mean"`
	Median float64 `json:"median"`
	P95    float64 `json:"p95"` // 95 of 100 episodes have no more
	Most   float64 `json:"most"`
	Cut    float64 `json:"cut"` // share of the episodes in which a reply used up its tokens
}

// Ks lists the values of k for pass@k and majority@k: the powers of two below the number of
// samples, and that number.
func (r *Report) Ks() (all []int) {
	for k := 1; k < r.Samples; k *= 2 {
		all = append(all, k)
	}
	return append(all, max(1, r.Samples))
}

// summary summarises rows of finished problems.
func summary(ks []int, rows ...*Row) Summary {
	s := Summary{Episodes: map[quintain.Outcome]int{}}
	for _, row := range rows {
		s.count(row)
		for _, p := range row.Problems {
			for i := range p.Episodes {
				s.Others = AddOthers(s.Others, p.Episodes[i].Others)
			}
		}
	}
	s.Harbor = asHarbor(rows)
	scores := over(rows, func(p *Problem) (float64, bool) { return p.mean(), len(p.scored) > 0 })
	if scores == nil {
		return s
	}
	mean, within := estimate(scores, stats.Interval{Low: 0, High: 1})
	s.Mean, s.Within = &mean, &within
	s.Malformed = meanOf(over(rows, func(p *Problem) (float64, bool) {
		return float64(p.broken) / float64(len(p.scored)), len(p.scored) > 0
	}))
	for i, k := range ks {
		pass := over(rows, func(p *Problem) (float64, bool) { return at(p.pass, i) })
		majority := over(rows, func(p *Problem) (float64, bool) { return at(p.majority, i) })
		if pass != nil {
			s.At = append(s.At, At{k, meanOf(pass), meanOf(majority)})
		}
	}
	s.Lengths, s.Metrics = lengths(rows), metrics(rows)
	return s
}

// asHarbor returns the mean over the rows of Harbor's tasks; nil: there is none.
func asHarbor(rows []*Row) *HarborMean {
	sum, trials := 0.0, 0
	for _, row := range rows {
		if !slices.ContainsFunc(row.Problems, func(p *Problem) bool { return slices.ContainsFunc(p.Episodes, ofHarbor) }) {
			continue
		}
		for _, p := range row.Problems {
			trials += len(p.Episodes)
			for _, reward := range p.metrics[HarborMetric] {
				sum += reward
			}
		}
	}
	if trials == 0 {
		return nil
	}
	return &HarborMean{sum / float64(trials), trials}
}

// ofHarbor reports whether an episode is a trial of Harbor that came to its tests.
func ofHarbor(e Episode) bool {
	_, is := e.Metrics[HarborMetric]
	return is
}

// metrics returns the mean of each metric; nil: there is none.
func metrics(rows []*Row) map[string]float64 {
	means := map[string]float64{}
	for _, row := range rows {
		for _, p := range row.Problems {
			for name := range p.metrics {
				means[name] = 0
			}
		}
	}
	if len(means) == 0 {
		return nil
	}
	for name := range means {
		means[name] = meanOf(over(rows, func(p *Problem) (float64, bool) { return stats.Mean(p.metrics[name]), p.metrics[name] != nil }))
	}
	return means
}

// count counts the problems and episodes of a row.
func (s *Summary) count(row *Row) {
	for _, p := range row.Problems {
		if len(p.scored) > 0 {
			s.Scored++
		}
		for _, e := range p.Episodes {
			s.Episodes[e.Outcome]++
			s.play(e.Play)
		}
		s.Failed += len(p.Episodes) - len(p.scored)
	}
}

// play counts the moves of an episode, if their values are known.
func (s *Summary) play(p *PlayRegret) {
	if p == nil {
		return
	}
	if s.Play == nil {
		s.Play = &MeanRegrets{}
	}
	*s.Play = s.Play.With(*p)
}

// at is the value at an index, if there is one.
func at(values []float64, i int) (float64, bool) {
	if i >= len(values) {
		return 0, false
	}
	return values[i], true
}

// over returns, for each row, the values of the problems that have one, without empty rows.
func over(rows []*Row, value func(*Problem) (v float64, has bool)) (strata [][]float64) {
	for _, row := range rows {
		var values []float64
		for _, p := range row.Problems {
			if v, has := value(p); has {
				values = append(values, v)
			}
		}
		if values != nil {
			strata = append(strata, values)
		}
	}
	return strata
}

// meanOf is the mean of the means of strata.
func meanOf(strata [][]float64) float64 {
	means := make([]float64, len(strata))
	for i, values := range strata {
		means[i] = stats.Mean(values)
	}
	return stats.Mean(means)
}

// estimate is [stats.Estimate] with fixed resamples.
func estimate(strata [][]float64, span stats.Interval) (mean float64, within stats.Interval) {
	r := rng.New(Seed, "bootstrap")
	return stats.Estimate(func(n int) int { return r.Between(0, n-1) }, span, strata...)
}

// lengths returns the lengths of the scored episodes, 1 or more.
func lengths(rows []*Row) *Lengths {
	var tokens []float64
	cut := 0
	for _, row := range rows {
		for _, p := range row.Problems {
			tokens = append(tokens, p.tokens...)
			cut += p.cut
		}
	}
	slices.Sort(tokens)
	return &Lengths{
		Mean: stats.Mean(tokens), Median: stats.Quantile(tokens, 0.5), P95: stats.Quantile(tokens, 0.95),
		Most: tokens[len(tokens)-1], Cut: float64(cut) / float64(len(tokens)),
	}
}
