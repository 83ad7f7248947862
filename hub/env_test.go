package hub

import (
	"testing"
	"testing/synctest"
	"time"
)

// TestGoneEnvironment silences an environment with a minimum.
func TestGoneEnvironment(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t, nil, Config{Settings: Settings{EnvTimeout: time.Minute}})
		f.begin(4)
		f.env(4, "0.5")
		f.put(group(1, 4, -1), group(2, 4, -1))
		time.Sleep(50 * time.Second)
		f.do("GET", "/status-env", `{"env_id":0}`)
		time.Sleep(50 * time.Second)
		if got := f.batch(); got != "null" {
			t.Errorf("batch %s, want none: the environment spoke 50 s ago", got)
		}
		time.Sleep(20 * time.Second)
		if got := f.batch(); got != "1" {
			t.Errorf("batch %s, want 1: the environment has been silent for 70 s", got)
		}
		f.do("POST", "/scored_data", group(3, 2, 0))
		if got := f.batch(); got != "null" {
			t.Errorf("batch %s, want none: the environment is back", got)
		}
		time.Sleep(2 * time.Minute)
		f.restart()
		if got := f.batch(); got != "null" {
			t.Errorf("batch %s, want none: after a restart of the hub it has its time", got)
		}
		time.Sleep(2 * time.Minute)
		if got := f.batch(); got != "2" {
			t.Errorf("batch %s, want 2", got)
		}
	})
}
