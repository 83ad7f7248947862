package external

import (
	"errors"
	"fmt"
	"time"

	"github.com/quintain-rl/quintain/internal/command"
	"github.com/quintain-rl/quintain/internal/httpclient"
	"github.com/quintain-rl/quintain/internal/settings"
)

// Settings names the program and its limits.
type Settings struct {
	Command string // with its arguments; empty: none
	URL     string // address of a server; empty: none

	Processes  int           // of the command
	Episodes   int           // most open episodes per process or server
	MaxTurns   int           // most replies of an episode, then it is cut
	AnswerTime time.Duration // time limit of an answer, from the program's receipt of the request
	MaxBytes   int           // of an answer
	Restarts   int           // consecutive failures before it has played anything
}

// Default returns the settings without a program.
func Default() Settings {
	return Settings{Processes: 1, Episodes: 16384, MaxTurns: 100, AnswerTime: time.Minute, MaxBytes: 16 << 20, Restarts: 5}
}

// Declare implements [settings.Declarer].
func (s *Settings) Declare(d *settings.Section) {
	d.Text(&s.Command, "command", "command line of a program that plays instead of the scenario, such as python my_env.py; each process runs it once").Flag("scenario-command")
	d.Text(&s.URL, "url", "address of a server that plays instead of the scenario").Flag("scenario-url")
	d.Int(&s.Processes, "processes", "processes of the command; episodes are spread over them").AtLeast(1)
	d.Int(&s.Episodes, "episodes", "most open episodes per process or server; more end the run").AtLeast(1)
	d.Int(&s.MaxTurns, "max_turns", "most replies of an episode, then it is truncated").AtLeast(1)
	d.Duration(&s.AnswerTime, "answer_time", "time limit of an answer; then the process is killed").Above(0)
	d.Int(&s.MaxBytes, "max_bytes", "largest answer, in bytes").AtLeast(1024)
	d.Int(&s.Restarts, "restarts", "consecutive restarts before the program has played anything; more end the run").AtLeast(0)
}

// Check implements [settings.Checker].
func (s *Settings) Check() error {
	if s.Command != "" && s.URL != "" {
		return errors.New("url: there is a command too; choose one")
	}
	if s.Command != "" {
		if _, err := command.Fields(s.Command); err != nil {
			return fmt.Errorf("command: %w", err)
		}
		return nil
	}
	if s.URL == "" {
		return nil
	}
	if _, err := httpclient.ParseURL(s.URL); err != nil {
		return fmt.Errorf("url: %w", err)
	}
	return nil
}

// Set reports whether a program is set.
func (s *Settings) Set() bool { return s.Command != "" || s.URL != "" }
