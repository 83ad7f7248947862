package backend

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/quintain-rl/quintain/sandbox/command"
	"github.com/quintain-rl/quintain/sandbox/remote"
	"github.com/quintain-rl/quintain/settings"
)

// An Elsewhere says which other program or machine is the sandbox.
type Elsewhere struct {
	URLs     []string // of remote
	KeyFile  string   // of remote
	Trust    bool     // of remote
	InFlight int      // of remote

	Command    string // of command
	CommandEnd string // of command
}

// declare declares the settings.
func (e *Elsewhere) declare(d *settings.Section) {
	if e.InFlight == 0 {
		e.InFlight = 64
	}
	d.Texts(&e.URLs, "url", "addresses of quintain sandbox serve, or of SandboxFusion, for the sandbox remote").Flag("sandbox-url")
	d.Text(&e.KeyFile, "key_file", "file with the key of these servers").Flag("sandbox-key-file")
	d.Bool(&e.Trust, "trust", "run programs on servers that do not say what holds there, as SandboxFusion does not").Flag("sandbox-trust")
	d.Int(&e.InFlight, "in_flight", "jobs at the same time on each of these servers").AtLeast(1).Flag("sandbox-in-flight")
	d.Text(&e.Command, "command", "command of the sandbox command, with {dir} and {argv}; or one of "+strings.Join(command.Presets(), ", ")+", with more words for it").Flag("sandbox-command")
	d.Text(&e.CommandEnd, "command_end", "command that ends what a job of the sandbox command left, with {id}; empty: as the preset has it").Flag("sandbox-command-end")
}

// check refuses settings of a sandbox that is not chosen.
func (e *Elsewhere) check(kind string) error {
	switch {
	case kind != remote.Name && len(e.URLs) > 0:
		return fmt.Errorf("url: is for --sandbox %s, and the sandbox is %s", remote.Name, kind)
	case kind == remote.Name && len(e.URLs) == 0:
		return errors.New("url: the sandbox remote needs an address, --sandbox-url http://HOST:PORT")
	case kind != command.Name && e.Command != "":
		return fmt.Errorf("command: is for --sandbox %s, and the sandbox is %s", command.Name, kind)
	case kind == command.Name && e.Command == "":
		return fmt.Errorf("command: the sandbox command needs one, such as --sandbox-command %s", command.Presets()[0])
	}
	return nil
}

// open opens the sandbox elsewhere.
func (e *Elsewhere) open(kind string) (Box, error) {
	if kind == command.Name {
		return kept(command.New(command.Config{Line: e.Command, End: e.CommandEnd}))
	}
	c := remote.Config{URLs: e.URLs, Trust: e.Trust, InFlight: e.InFlight}
	if e.KeyFile != "" {
		text, err := os.ReadFile(e.KeyFile)
		if err != nil {
			return nil, fmt.Errorf("key_file: %w", err)
		}
		if c.Key = strings.TrimSpace(string(text)); c.Key == "" {
			return nil, fmt.Errorf("key_file: %s is empty", e.KeyFile)
		}
	}
	return kept(remote.New(c))
}

// kept returns a box, or nil after an error.
func kept[B Box](box B, err error) (Box, error) {
	if err != nil {
		return nil, err
	}
	return box, nil
}
