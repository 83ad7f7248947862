package external

import (
	"strings"
	"time"

	"github.com/quintain-rl/quintain/internal/command"
	"github.com/quintain-rl/quintain/internal/settings"
)

// Settings names the program and its limits.
type Settings struct {
	Command string   // with its arguments; empty: none
	Words   []string // in place of Command: the program and its arguments
	Env     []string // variables of the command; nil: those of this process
	URL     string   // address of a server; empty: none
	Starter Starter  // of the command's processes, which the program closes; nil: [Plain]
	Mark    string   // see [quintain.ScenarioInfo]

	Processes  int           // of the command
	StartTime  time.Duration // time limit of the hello, from the start of a process
	Episodes   int           // most open episodes per process or server
	MaxTurns   int           // most replies of an episode, then it is cut
	AnswerTime time.Duration // time limit of an answer, from the program's receipt of the request
	MaxBytes   int           // of an answer
	Restarts   int           // consecutive failures before it has played anything
}

// Default returns the settings without a program.
func Default() Settings {
	return Settings{Processes: 1, StartTime: 5 * time.Minute, Episodes: 16384, MaxTurns: 100, AnswerTime: time.Minute, MaxBytes: 16 << 20, Restarts: 5}
}

// Declare implements [settings.Declarer]. Whoever declares the limits chooses the program.
func (s *Settings) Declare(d *settings.Section) {
	d.Int(&s.Processes, "processes", "processes of a command or a host; episodes are spread over them").AtLeast(1)
	d.Duration(&s.StartTime, "start_time", "time limit of its start; then the process is killed").Above(0)
	d.Int(&s.Episodes, "episodes", "most open episodes per process or server; more end the run").AtLeast(1)
	d.Int(&s.MaxTurns, "max_turns", "most replies of an episode, then it is truncated").AtLeast(1)
	d.Duration(&s.AnswerTime, "answer_time", "time limit of an answer; then the process is killed").Above(0)
	d.Int(&s.MaxBytes, "max_bytes", "largest answer, in bytes").AtLeast(1024)
	d.Int(&s.Restarts, "restarts", "consecutive restarts before the program has played anything; more end the run").AtLeast(0)
}

// words returns the program and its arguments.
func (s *Settings) words() ([]string, error) {
	if len(s.Words) > 0 {
		return s.Words, nil
	}
	return command.Fields(s.Command)
}

// starter returns what starts processes.
func (s *Settings) starter() Starter {
	if s.Starter == nil {
		return Plain{}
	}
	return s.Starter
}

// name names the program for people, before its hello.
func (s *Settings) name() string {
	if len(s.Words) > 0 {
		return strings.Join(s.Words, " ")
	}
	return s.Command + s.URL
}

// limit returns the time limit of a request.
func (s *Settings) limit(r *Request) time.Duration {
	switch {
	case r.Hello != nil:
		return s.StartTime
	case r.Play != nil:
		return unlimited
	}
	return s.AnswerTime
}
