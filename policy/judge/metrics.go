package judge

import "github.com/prometheus/client_golang/prometheus"

// Describe implements [prometheus.Collector].
func (j *Jury) Describe(to chan<- *prometheus.Desc) { prometheus.DescribeByCollect(j, to) }

// Collect implements [prometheus.Collector]: it reports what the judge did.
func (j *Jury) Collect(to chan<- prometheus.Metric) {
	s := j.Judge.Stats()
	for _, m := range []struct {
		name, help string
		n          int64
	}{
		{"judged", "Replies with a verdict.", s.Judged},
		{"ungraded", "Replies and pairs without a verdict.", s.Ungraded},
		{"calls", "Calls to the judge.", s.Calls},
		{"cached", "Votes from the judge's cache.", s.Cached},
		{"failed", "Calls to the judge that failed after all retries.", s.Failed},
		{"unreadable", "Answers of the judge without a verdict.", s.Unread},
		{"disagreed", "Replies and pairs whose votes were split.", s.Disagreed},
		{"pairs", "Pairs shown in both orders.", s.Pairs},
		{"swapped", "Pairs whose verdict turned with the order.", s.Swapped},
		{"prompt_tokens", "Tokens of prompts to the judge; without a tokenizer, a quarter of the bytes.", s.TokensIn},
		{"reply_tokens", "Tokens of the judge's answers, the same way.", s.TokensOut},
	} {
		desc := prometheus.NewDesc("quintain_judge_"+m.name, m.help, nil, nil)
		to <- prometheus.MustNewConstMetric(desc, prometheus.CounterValue, float64(m.n))
	}
	gauge := func(name, help string, v float64) {
		to <- prometheus.MustNewConstMetric(prometheus.NewDesc("quintain_judge_"+name, help, nil, nil), prometheus.GaugeValue, v)
	}
	gauge("length_correlation", "Correlation of scores with lengths of replies.", s.Length)
	if t := j.trial.results(); t != nil && t.Held > 0 {
		gauge("accuracy", "Share of known verdicts that the judge gave when it was last checked.", t.Accuracy)
		gauge("agreement", "Share of known replies on which it agreed with itself.", t.Agreement)
		gauge("injections_worked", "Injections that earned more than the same answer alone.", float64(len(t.Worked)))
	}
}
