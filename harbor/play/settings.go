package play

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/quintain-rl/quintain/internal/settings"
)

// Settings say how tasks are played. It is a value that nobody changes once it is read.
type Settings struct {
	Prompt  string // after the instruction; empty: one that says what there is
	Calls   int    // most of an episode
	Seconds int    // most of a call
	Output  int    // most characters of a call's output

	Clock      string // what counts toward the agent's time
	TimeFactor float64
	TestsWall  float64 // wall time of the tests, over their processor time
	Variables  []string
	BindEmpty  []string // folders of trials

	RightAt     float64
	RewardKey   string
	TimeoutPays string // what tests that reach a limit of the trial pay: off or 0
	DropChanged bool

	Network   string
	Processes string
	System    string
	Tests     string
	Trace     string

	SkipRefused  bool
	Jobs         int    // commands and tests at once; 0: as many as processors
	Scratch      string // folder of the trials; empty: the system's for temporary files
	Agent        string // folder that the agent finds as /agent; empty: none
	AgentCommand string // of an agent that lives in the trials; empty: the policy calls bash
	Keep         string // which trials' files are kept
	KeepIn       string // folder with one for each
}

// The values of settings.
const (
	clockCommands, clockWall, clockOff = "commands", "wall", "off"
	pristine                           = "pristine"
	writable                           = "writable"
	allowed                            = "allowed"
)

// Default returns the settings that nobody set.
func Default() Settings {
	return Settings{
		Calls: 50, Seconds: 600, Output: 10_000, Clock: clockCommands, TimeFactor: 1, TestsWall: 3, RightAt: 1,
		Network: "none", Processes: "kill", System: "agent", Tests: "read-only", Trace: "refused", TimeoutPays: "off",
		Keep: keepOff, KeepIn: "kept",
	}
}

// Declare implements [settings.Declarer].
func (s *Settings) Declare(d *settings.Section) {
	s.declarePlay(d)
	d.Text(&s.Network, "network", "none: a trial has its own loopback alone; proxy and host are not there yet").OneOf("none", "proxy", "host")
	d.Text(&s.Processes, "processes", "kill: all that the agent started ends before the tests; keep is not there yet").OneOf("kill", "keep")
	d.Bool(&s.SkipRefused, "skip_refused", "leave out tasks that cannot be played, and name them, in place of refusing all")
	d.Int(&s.Jobs, "jobs", "commands and tests that run at once; 0: as many as there are processors").AtLeast(0)
	d.Text(&s.AgentCommand, "agent_command", "an agent of yours that plays inside the trial, in place of the tool bash, such as python3 /agent/run.py; it asks its model at OPENAI_BASE_URL or ANTHROPIC_BASE_URL")
	d.Text(&s.Agent, "agent", "folder that the agent finds as /agent, to read")
	d.Text(&s.Keep, "keep", "trials whose changed files, logs and artifacts are kept: off, none; failed, those that are not right; all").OneOf(keepOff, keepFailed, keepAll)
	d.Text(&s.KeepIn, "keep_in", "folder in which each kept trial has one of its own")
	d.Text(&s.Scratch, "scratch", "folder for the files of trials, on a disk with overlays; empty: the system's for temporary files")
}

// declarePlay declares what the scenario's ID depends on.
func (s *Settings) declarePlay(d *settings.Section) {
	d.Text(&s.Prompt, "prompt", "text after the instruction; empty: one that names tool, working folder and limits")
	d.Int(&s.Calls, "calls", "most calls of an episode; then the tests run").AtLeast(1)
	d.Int(&s.Seconds, "seconds", "most seconds of a call").AtLeast(1)
	d.Int(&s.Output, "output", "most characters of a call's output, which is cut in its middle").AtLeast(100)
	d.Text(&s.Clock, "agent_clock", "what counts toward agent.timeout_sec: commands, the time in which a command runs; wall, the model's time, too; off").OneOf(clockCommands, clockWall, clockOff)
	d.Float(&s.TimeFactor, "time_factor", "factor of all time limits of tasks").Above(0)
	d.Float(&s.TestsWall, "tests_wall", "wall time of tests, over verifier.timeout_sec, which limits their processor time").AtLeast(1)
	d.Texts(&s.Variables, "variables", "variables of this machine that tasks may use as ${NAME}")
	d.Texts(&s.BindEmpty, "bind_empty", "folders, such as /shared, at which a compose file wants a folder of the machine, and tasks get an empty one")
	d.Float(&s.RightAt, "right_at", "reward from which an episode is right")
	d.Text(&s.RewardKey, "reward_key", "name of the reward in a reward.json with several numbers; empty: reward")
	d.Text(&s.TimeoutPays, "timeout_reward", "what tests pay that reach the trial's own limit of processor time or memory: 0, or nothing, since they are env_failed").OneOf("off", "0")
	d.Bool(&s.DropChanged, "drop_changed", "an episode that changed a system file is env_failed")
	d.Text(&s.System, "system", "system folders in the tests' phase: agent, as the agent left them; pristine, those of the image").OneOf("agent", pristine)
	d.Text(&s.Tests, "tests", "the folder /tests: read-only or writable").OneOf("read-only", writable)
	d.Text(&s.Trace, "trace", "ptrace in the tests' phase: refused or allowed").OneOf("refused", allowed)
}

// Check implements [settings.Checker].
func (s *Settings) Check() error {
	switch {
	case s.Network != "none":
		return fmt.Errorf("network: %s is not there yet: want none", s.Network)
	case s.Processes != "kill":
		return errors.New("processes: keep is not there yet: want kill")
	}
	return nil
}

// A played is the settings that the scenario's ID depends on.
type played Settings

// Declare implements [settings.Declarer].
func (p *played) Declare(d *settings.Section) { (*Settings)(p).declarePlay(d) }

// id returns the settings that the scenario's ID depends on, and whether they are the defaults.
func (s Settings) id() (text json.RawMessage, usual bool, err error) {
	given, was := played(s), played(Default())
	if text, err = settings.JSON(&given); err != nil {
		return nil, false, err
	}
	before, err := settings.JSON(&was)
	if err != nil {
		return nil, false, err
	}
	return text, string(text) == string(before), nil
}
