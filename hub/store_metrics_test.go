package hub

import (
	"strings"
	"testing"
	"time"

	"github.com/quintain-rl/quintain/queue"
)

// A worn store reports damage.
type worn struct{ *queue.Memory }

func (worn) Condition() queue.Condition {
	c := queue.Condition{Damaged: 3, Cut: 1, Syncs: queue.SyncTimes{Sum: 4 * time.Second}}
	c.Syncs.Counts[0], c.Syncs.Counts[3], c.Syncs.Counts[len(queue.SyncBounds())] = 5, 2, 1
	return c
}

// TestStoreMetrics finds the store's health in the metrics.
func TestStoreMetrics(t *testing.T) {
	f := newFixture(t, worn{queue.NewMemory()}, Config{})
	text := f.do("GET", "/metrics", "").Body.String()
	for _, want := range []string{
		`quintain_hub_store_damaged_total{run="default"} 3`,
		`quintain_hub_store_cut_total{run="default"} 1`,
		`quintain_hub_store_sync_seconds_bucket{run="default",le="0.0001"} 5`,
		`quintain_hub_store_sync_seconds_bucket{run="default",le="0.0005"} 5`,
		`quintain_hub_store_sync_seconds_bucket{run="default",le="0.001"} 7`,
		`quintain_hub_store_sync_seconds_bucket{run="default",le="2.5"} 7`,
		`quintain_hub_store_sync_seconds_bucket{run="default",le="+Inf"} 8`,
		`quintain_hub_store_sync_seconds_sum{run="default"} 4`,
		`quintain_hub_store_sync_seconds_count{run="default"} 8`,
	} {
		if !strings.Contains(text, want+"\n") {
			t.Errorf("no %s in %s", want, text)
		}
	}
}

// TestFaultsAreCounted counts failed posts by route.
func TestFaultsAreCounted(t *testing.T) {
	store := &badStore{Memory: queue.NewMemory(), full: queue.ErrUnreachable}
	f := newFixture(t, store, Config{})
	for range 3 {
		f.do("POST", "/scored_data", group(1, 1, -1))
	}
	if text, want := f.do("GET", "/metrics", "").Body.String(), `quintain_hub_http_faults_total{route="/scored_data",status="503"} 3`; !strings.Contains(text, want+"\n") {
		t.Errorf("no %s in %s", want, text)
	}
}
