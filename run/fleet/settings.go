package fleet

import (
	"errors"
	"time"

	"github.com/quintain-rl/quintain/internal/settings"
)

// Settings are those of a coordinator.
type Settings struct {
	Lease    time.Duration // without a sign of life for so long, a worker loses what it holds
	Attempts int           // workers that a problem may lose before it is given up
	Workers  int           // most workers at once
	OwnSlots int           // episodes at once that the coordinator plays itself; 0: none
	Journal  int           // memory for the turns of episodes under way, in MB; 0: none are kept
}

// Defaults returns the usual settings.
func Defaults() Settings {
	return Settings{Lease: 15 * time.Second, Attempts: 3, Workers: 20_000, Journal: 1024}
}

// Declare implements [settings.Declarer].
func (s *Settings) Declare(d *settings.Section) {
	d.Duration(&s.Lease, "lease", "time without a sign of life after which a worker loses what it holds; it gives three signs in that time")
	d.Int(&s.Attempts, "attempts", "workers that a problem may lose before it is given up").AtLeast(1)
	d.Int(&s.Workers, "max_workers", "most workers at once").AtLeast(1)
	d.Int(&s.OwnSlots, "own_slots", "episodes at once that the run plays itself, beside its workers; 0: none").AtLeast(0)
	d.Int(&s.Journal, "journal", "memory for the turns of episodes under way, with which others go on when their worker dies, in MB; 0: none are kept").AtLeast(0)
}

// Check implements [settings.Checker].
func (s *Settings) Check() error {
	if s.Lease < time.Second {
		return errors.New("lease: want 1s or more")
	}
	return nil
}
