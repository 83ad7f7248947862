package worker

import (
	"cmp"
	"errors"
	"os"
	"time"

	"github.com/quintain-rl/quintain/internal/settings"
	"github.com/quintain-rl/quintain/policy/remote"
)

// Settings say for which run a worker plays.
type Settings struct {
	Coordinator string // address, or @ and the name of a file with it
	KeyFile     string // with the key; empty: none
	Run         string
	Name        string // for people; empty: the host's
	Slots       int    // episodes at once; 0: as many as the run

	GiveUp  time.Duration // ends the worker after so long without an answer of the coordinator; 0: never
	Journal time.Duration // how often turns of a lease go to the coordinator; 0: never
}

// Defaults returns the default settings.
func Defaults() Settings {
	return Settings{Run: "default", GiveUp: 30 * time.Minute, Journal: time.Minute}
}

// Declare implements [settings.Declarer].
func (s *Settings) Declare(d *settings.Section) {
	d.Text(&s.Coordinator, "coordinator", "address of the run with workers, such as http://coordinator:8000; @FILE: of a file with the address, read again after each failure").Flag("coordinator")
	d.Text(&s.KeyFile, "key_file", "file with the key of the coordinator, of the role worker").Flag("coordinator-key-file")
	d.Text(&s.Run, "run", "name of the run at the coordinator").Given("a name")
	d.Text(&s.Name, "name", "name of the worker, for people; empty: the host's")
	d.Duration(&s.GiveUp, "give_up", "the worker ends with an error after so long without an answer of the coordinator; 0: never").AtLeast(0)
	d.Duration(&s.Journal, "journal", "how often the turns of episodes under way go to the coordinator, so that other workers go on with them if this one dies; "+
		"a group that is played in less time sends none; 0: never").AtLeast(0)
	d.Int(&s.Slots, "slots", "episodes at once; 0: as many as run.parallel of the run").AtLeast(0).Flag("slots")
}

// Client returns the client of the settings' coordinator.
func (s Settings) Client() (*Client, error) {
	if s.Coordinator == "" {
		return nil, errors.New("worker.coordinator: is missing; want the address of a run that was started with --workers (--coordinator http://HOST:8000)")
	}
	key := ""
	if s.KeyFile != "" {
		var err error
		if key, err = remote.ReadKey(s.KeyFile); err != nil {
			return nil, err
		}
	}
	return NewClient(s, key, nil)
}

// name returns the name of the worker.
func (s Settings) name() string {
	host, _ := os.Hostname() // the name is for people
	return cmp.Or(s.Name, host, "worker")
}
