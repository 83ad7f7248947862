// Package guest names the environments that others made, by addresses such as
// textarena:GuessTheNumber-v0 or openenv:http://127.0.0.1:8000, with the settings for them. A scheme of a
// library is played by its Python package behind a host, a program of the protocol of
// docs/formats/scenario.md; schemes of servers by clients in packages of their own.
package guest

import (
	"errors"
	"fmt"

	"github.com/quintain-rl/quintain/internal/settings"
	"github.com/quintain-rl/quintain/scenario/external"
)

// Settings name environments, and how they are played. It is a value that nobody changes once it is
// read.
type Settings struct {
	Limits external.Settings // its program is chosen by the address

	Address  Addresses      // empty: none
	Args     map[string]any // the environment's own arguments
	Packages []string       // to install besides those of the scheme
	Python   string         // interpreter that has the packages; empty: one is made for them
	Isolate  string         // Sandbox, None, or empty: Sandbox where the scheme needs no network
	Keys     []string       // variables to pass on though they look like secrets
}

// The values of Settings.Isolate.
const (
	Sandbox = "sandbox"
	None    = "none"
)

// Default returns the settings without an environment.
func Default() Settings { return Settings{Limits: external.Default()} }

// Declare implements [settings.Declarer].
func (s *Settings) Declare(d *settings.Section) {
	d.Value(&s.Address, "address", "environment that plays instead of the scenario: textarena:NAME, openenv:URL, command:PROGRAM, agent:PROGRAM and others (docs/scenarios.md); repeatable").Flag("environment")
	d.Object(&s.Args, "args", "its own arguments")
	d.Texts(&s.Packages, "packages", "packages of Python to install besides those of its scheme, such as nltk==3.9")
	d.Text(&s.Python, "python", "interpreter of Python with its packages, in place of a virtual environment that is made for it")
	d.Text(&s.Isolate, "isolate", "sandbox: without network and with files of its own, the default of schemes that need no network; none: with your rights").OneOf("", Sandbox, None)
	d.Texts(&s.Keys, "keys", "variables to pass on to it though they look like keys or passwords")
	s.Limits.Declare(d)
}

// Check implements [settings.Checker].
func (s *Settings) Check() error {
	if len(s.Address) > 1 && s.agents() > 1 {
		return errors.New("address: there are two agents; choose one")
	}
	return nil
}

// agents counts the addresses of agents.
func (s *Settings) agents() (n int) {
	for _, a := range s.Address {
		if a.Scheme == agent {
			n++
		}
	}
	return n
}

// agent is the scheme of programs that call the model, and play the problems of another.
const agent = "agent"

// Agent returns the command line of the agent that plays the problems; empty: there is none.
func (s *Settings) Agent() string {
	for _, a := range s.Address {
		if a.Scheme == agent {
			return a.Name
		}
	}
	return ""
}

// Guests returns the addresses of all but agents.
func (s *Settings) Guests() (all []Address) {
	for _, a := range s.Address {
		if a.Scheme != agent {
			all = append(all, a)
		}
	}
	return all
}

// Set reports whether there is an environment that plays instead of the scenario.
func (s *Settings) Set() bool { return len(s.Guests()) > 0 }

// In returns what an error of an address says.
func (a Address) In(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("environment %s: %w", a, err)
}
