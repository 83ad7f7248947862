package hub

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/quintain-rl/quintain/queue"
)

// tellStore reports the health of a run's store.
func tellStore(to chan<- prometheus.Metric, run string, c queue.Condition) {
	desc := func(name, help string) *prometheus.Desc {
		return prometheus.NewDesc("quintain_hub_store_"+name, help, []string{"run"}, nil)
	}
	count := func(name, help string, v uint64) {
		to <- prometheus.MustNewConstMetric(desc(name, help), prometheus.CounterValue, float64(v), run)
	}
	count("damaged_total", "Damaged places found in the store's files.", c.Damaged)
	count("cut_total", "Unfinished writes of a crash that were cut off.", c.Cut)
	buckets, sum := make(map[float64]uint64), uint64(0)
	for i, bound := range queue.SyncBounds() {
		sum += c.Syncs.Counts[i]
		buckets[bound.Seconds()] = sum
	}
	sum += c.Syncs.Counts[len(queue.SyncBounds())]
	to <- prometheus.MustNewConstHistogram(desc("sync_seconds", "Time to make a write durable."), sum, c.Syncs.Sum.Seconds(), buckets, run)
}
