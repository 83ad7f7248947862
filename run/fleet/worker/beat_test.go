package worker_test

import (
	"testing"
	"testing/synctest"
	"time"
)

// A worker without a lease gives half as many signs of life, since it waits for one.
func TestIdleWorkersBeatHalfAsOften(t *testing.T) {
	for why, test := range map[string]struct{ problems, beats int }{"idle": {0, 6}, "busy": {1000, 12}} {
		synctest.Test(t, func(t *testing.T) {
			c := newCoordinator(t, test.problems)
			p := c.start(nil)
			<-time.After(61 * time.Second)
			synctest.Wait()
			beats := 0
			c.mu.Lock()
			for _, call := range c.calls {
				if call == "POST beat" {
					beats++
				}
			}
			c.mu.Unlock()
			if beats != test.beats {
				t.Errorf("%s: %d beats in a minute, want %d", why, beats, test.beats)
			}
			if err := p.end(); err != nil {
				t.Error(err)
			}
		})
	}
}
