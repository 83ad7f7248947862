// Package environment holds the settings of Atropos' ReasoningGym environment, by the names
// that its YAML files and its command line have. docs/atropos.md lists them.
package environment

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/quintain-rl/quintain/settings"
)

// Settings are all settings: the form of the YAML file.
type Settings struct {
	Env     Env
	Servers Servers // "openai"
	Slurm   bool
	Testing bool

	unneeded unneeded
}

// Default returns the settings with which the environment's command begins there: those of
// its config_init over those of its class.
func Default() *Settings { return &Settings{Env: defaultEnv(), Servers: Servers{defaultServer()}} }

// Declare implements [settings.Declarer].
func (s *Settings) Declare(d *settings.Section) {
	d.Dotted(&s.Env, "env", "the environment")
	d.Value(&s.Servers, "openai", "inference servers of one model: an object, or a list of them").Flag("").Null()
	d.Value(truth{&s.Slurm}, "slurm", "find the servers by Slurm; not here")
	d.Value(truth{&s.Testing}, "testing", "play without servers; not here")
	s.unneeded.declare(d, "max_n_completions", "proxy_url")
}

// Check implements [settings.Checker].
func (s *Settings) Check() error {
	switch {
	case s.Slurm:
		return errors.New("slurm: is true, and nothing here asks Slurm: name the servers in a list below openai")
	case s.Testing:
		return errors.New("testing: is true, and nothing is played here without a server: quintain fake-server is one without a model")
	}
	return s.Servers.check()
}

// Load sets what the file and the flags name. Flags have the paths of their settings, such
// as "env.group_size"; those below "openai" are for the only server. The error tells
// everything that is wrong, one per line, in the file with line and column.
func (s *Settings) Load(from settings.Sources) error {
	errs := []error{settings.New(s).Load(from)}
	switch {
	case !slices.ContainsFunc(slices.Collect(maps.Keys(from.Flags)), func(path string) bool { return strings.HasPrefix(path, "openai.") }):
	case len(s.Servers) != 1:
		errs = append(errs, fmt.Errorf("--openai.…: the file names %d servers, and a flag is for one alone", len(s.Servers)))
	default:
		errs = append(errs, settings.New(onlyServer{&s.Servers[0]}).Load(settings.Sources{Flags: from.Flags}))
	}
	return errors.Join(errs...)
}

// Flags lists the settings that have a flag, in the order of their declarations.
func Flags() []*settings.Setting {
	server := defaultServer()
	all := append(settings.New(Default()).Settings(), settings.New(onlyServer{&server}).Settings()...)
	return slices.DeleteFunc(all, func(s *settings.Setting) bool { return s.FlagName() == "" })
}

// Unneeded lists the settings that were given and change nothing here, each once.
func (s *Settings) Unneeded() []string {
	var all []string
	for name := range s.unneeded {
		all = append(all, name)
	}
	for name := range s.Env.unneeded {
		all = append(all, "env."+name)
	}
	for _, one := range s.Servers {
		for name := range one.unneeded {
			all = append(all, "openai."+name)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}
