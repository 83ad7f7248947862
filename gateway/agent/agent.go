// Package agent plays the problems of a scenario with a program: an agent, which this process
// starts for each episode. The program calls its model through the interface of OpenAI or
// Anthropic, at an address of its own on loopback, and its calls are the turns of the episode.
//
// The program is not trusted: its time, calls, output and files are bounded, its keys are
// worth nothing elsewhere, and no fault of it becomes a reward.
package agent

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/quintain-rl/quintain/gateway"
	"github.com/quintain-rl/quintain/internal/command"
	"github.com/quintain-rl/quintain/internal/settings"
)

// Settings name the program and its limits.
type Settings struct {
	gateway.SessionRules

	Command   string        // with its arguments; empty: none
	Processes int           // at once
	Pass      []string      // environment variables that look like secrets, and are passed on all the same
	Leave     time.Duration // for the program to end once its session is over
}

// Default returns the settings without a program.
func Default() Settings {
	return Settings{SessionRules: gateway.Defaults().SessionRules, Processes: 64, Leave: 5 * time.Second}
}

// Declare implements [settings.Declarer]. The sessions have a section of their own, and the command is an
// address of an environment.
func (s *Settings) Declare(d *settings.Section) {
	d.Int(&s.Processes, "processes", "most programs at once; more episodes wait").AtLeast(1)
	d.Texts(&s.Pass, "pass", "environment variables to pass on though they look like keys or passwords, such as SEARCH_API_KEY")
	d.Duration(&s.Leave, "leave", "time for a program to end after its last call was refused, because the episode is at a limit").AtLeast(0)
}

// Set reports whether a program is set.
func (s *Settings) Set() bool { return s.Command != "" }

// session returns the settings of the sessions of the program.
func (s *Settings) session() gateway.Settings {
	of := gateway.Defaults()
	of.SessionRules = s.SessionRules
	return of
}

// A Program is an agent's program. Many goroutines may use it at once.
type Program struct {
	how   Settings
	words []string      // of the command; the paths in it are absolute
	free  chan struct{} // filled for each program that runs
}

// New returns the program of settings. It fails if there is no such program.
func New(how Settings) (*Program, error) {
	words, err := command.Fields(how.Command)
	if err != nil {
		return nil, fmt.Errorf("command: %w", err)
	}
	if words, err = rooted(words); err != nil {
		return nil, fmt.Errorf("command: %w", err)
	}
	session := how.session()
	if _, err := session.Player(nil, nil); err != nil {
		return nil, err
	}
	return &Program{how, words, make(chan struct{}, how.Processes)}, nil
}

// rooted makes the names of files in a command absolute: the program has a working folder of
// its own.
func rooted(words []string) (all []string, err error) {
	program, err := exec.LookPath(words[0])
	if err != nil && !errors.Is(err, exec.ErrDot) {
		return nil, err
	}
	if program, err = filepath.Abs(program); err != nil {
		return nil, err
	}
	all = append(all, program)
	for _, word := range words[1:] {
		if file, err := os.Stat(word); err == nil && file.Mode().IsRegular() {
			if word, err = filepath.Abs(word); err != nil {
				return nil, err
			}
		}
		all = append(all, word)
	}
	return all, nil
}
