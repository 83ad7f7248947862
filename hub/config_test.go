package hub

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/quintain-rl/quintain/internal/settings"
)

func TestSettings(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		why, file string
		change    func(*Settings)
		fault     string
	}{
		{"the defaults", "", func(*Settings) {}, ""},
		{"all", "lease: 1m\nenv_timeout: 2s\nmax_groups: 3\nmax_sequences: 4\nmax_tokens: 5\nmax_batch: 7\nmax_waiting: 6\nmax_runs: 8\nmax_envs: 9\nwhen_full: drop-oldest\nmax_concurrent_rollouts: 10\nmax_head_offpolicyness: 11\nrollout_batch: 12\nrollout_timeout: 13s\n",
			func(s *Settings) {
				*s = Settings{time.Minute, 2 * time.Second, 3, 4, 5, 7, 6, 8, 9, DropOldest, 10, 11, 12, 13 * time.Second}
			}, ""},
		{"no way when full", "when_full: maybe", nil, "when_full: is maybe, want refuse or drop-oldest"},
		{"more groups than a queue takes", "max_groups: 5000", nil, "max_groups: is 5000, want 1 to 1000"},
		{"no lease", "lease: 0s", nil, "lease: is 0s, want more than 0s"},
		{"less than none", "max_waiting: -1", nil, "max_waiting: is -1, want 0 or more"},
	} {
		got, want := Default(), Default()
		err := settings.New(&got).Load(settings.Sources{File: "f", Data: []byte(test.file)})
		if test.fault != "" {
			if !strings.Contains(fmt.Sprint(err), test.fault) {
				t.Errorf("%s: error %v, want %q", test.why, err, test.fault)
			}
			continue
		}
		if test.change(&want); err != nil || got != want {
			t.Errorf("%s: %+v, error %v, want %+v", test.why, got, err, want)
		}
	}
	if got := (Config{}).withDefaults().Settings; got != Default() {
		t.Errorf("zeros stand for %+v, want %+v", got, Default())
	}
}
