// Package environment is Atropos' ReasoningGym environment: its settings, under the
// names of its YAML files and its command line (docs/atropos.md lists them), and the run that they
// describe: tasks, servers, rules, and the hub or file for the groups. A [Link] sends groups to a hub
// elsewhere.
package environment

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/quintain-rl/quintain/internal/settings"
	"github.com/quintain-rl/quintain/internal/stats"
)

// Settings holds all settings: the form of the YAML file.
type Settings struct {
	Env     Env
	Servers Servers // "openai"
	Slurm   bool
	Testing bool

	unneeded unneeded
}

// Default returns the initial settings of Atropos' command: those of config_init over those
// of its class.
func Default() *Settings { return &Settings{Env: defaultEnv(), Servers: Servers{defaultServer()}} }

// Declare implements [settings.Declarer].
func (s *Settings) Declare(d *settings.Section) {
	d.Section(&s.Env, "env", "the environment")
	d.Value(&s.Servers, "openai", "inference servers of one model: an object, or a list of objects").Null()
	d.Value(truth{&s.Slurm}, "slurm", "find the servers by Slurm; not here")
	d.Value(truth{&s.Testing}, "testing", "play without servers; not here")
	s.unneeded.declare(d, "max_n_completions", "proxy_url")
}

// Check implements [settings.Checker].
func (s *Settings) Check() error {
	switch {
	case s.Slurm:
		return errors.New("slurm: is true, but nothing here asks Slurm: name the servers in a list below openai")
	case s.Testing:
		return errors.New("testing: is true, but nothing plays here without a server: quintain policy fake is one without a model")
	}
	return s.Servers.check()
}

// Load sets the settings in the file and the flags. A flag is the path of its setting, such
// as "env.group_size"; flags below "openai" are for the only server. The error reports all
// faults, one per line, those of the file with line and column.
func (s *Settings) Load(from settings.Sources) error {
	return errors.Join(settings.New(s).Load(from), s.loadServer(from.Flags))
}

// loadServer sets the only server's settings in the flags.
func (s *Settings) loadServer(flags map[string]settings.Given) error {
	if !slices.ContainsFunc(slices.Collect(maps.Keys(flags)), func(path string) bool { return strings.HasPrefix(path, "openai.") }) {
		return nil
	}
	if len(s.Servers) != 1 {
		return fmt.Errorf("--openai.…: the file names %s, but a flag needs exactly one", stats.Count(len(s.Servers), "server"))
	}
	return settings.New(onlyServer{&s.Servers[0]}).Load(settings.Sources{Flags: flags})
}

// Flags lists the settings with a flag, which is the path, in the order of their declarations.
func Flags() (all []*settings.Setting) {
	server := defaultServer()
	for _, s := range append(settings.New(Default()).Settings(), settings.New(onlyServer{&server}).Settings()...) {
		if s.Path() != "openai" {
			all = append(all, s.Flag(s.Path()))
		}
	}
	return all
}

// Unneeded lists the given settings that have no effect here, each once.
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
