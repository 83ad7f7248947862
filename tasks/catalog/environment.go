package catalog

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/gateway/agent"
	"github.com/quintain-rl/quintain/harbor/play"
	"github.com/quintain-rl/quintain/run/rollout"
	"github.com/quintain-rl/quintain/scenario/external"
	"github.com/quintain-rl/quintain/scenario/external/guest"
	"github.com/quintain-rl/quintain/scenario/external/nemogym"
	"github.com/quintain-rl/quintain/scenario/external/openenv"
	"github.com/quintain-rl/quintain/scenario/external/ors"
	"github.com/quintain-rl/quintain/scenario/external/venv"
	"github.com/quintain-rl/quintain/serve/names"
)

// An opener opens the client of an environment on a server.
type opener func(context.Context, guest.Address, guest.Settings, *slog.Logger) (external.Guest, error)

// clients returns the openers of schemes whose servers a client of this program plays.
func clients() map[string]opener {
	return map[string]opener{"nemogym": nemogym.Open, "openenv": openenv.Open, "ors": ors.Open}
}

// OpenEnvironment opens the environment of an address. What it says goes to log, line by line. The
// caller must close it.
func OpenEnvironment(ctx context.Context, a guest.Address, s guest.Settings, log *slog.Logger) (*external.Program, error) {
	p, err := openAddress(ctx, a, s, log)
	return p, a.In(err)
}

func openAddress(ctx context.Context, a guest.Address, s guest.Settings, log *slog.Logger) (_ *external.Program, err error) {
	how := s.Limits
	switch a.Scheme {
	case "command":
		how.Command = a.Name
	case "http":
		how.URL = a.Name
	case "gem", "gymnasium", "inspect", "reasoning_gym", "textarena", "verifiers":
		if how, err = guest.Program(ctx, a, s, log); err != nil {
			return nil, err
		}
	default:
		open := clients()[a.Scheme]
		if open == nil {
			return nil, fmt.Errorf("this version does not play %s: yet", a.Scheme)
		}
		client, err := open(ctx, a, s, log)
		if err != nil {
			return nil, err
		}
		return external.OpenGuest(ctx, client, how, log)
	}
	return external.Open(ctx, how, log)
}

// A player is an open environment: an [external.Program] or a [play.Set].
type player interface {
	Info() quintain.ScenarioInfo
	Hello() external.Hello
	Own() quintain.Scenario
	Over(t quintain.Task) (quintain.Scenario, error)
	Splits() []external.Split
	Close()
}

// A weighted environment is one of those that play.
type weighted struct {
	player
	weight float64           // of all its levels
	own    quintain.Scenario // of its own problems; nil: it plays tasks
	drives bool              // it asks the model itself
}

// openAny opens the environment of an address, which the caller must close.
func (s *ScenarioChoice) openAny(ctx context.Context, a guest.Address, log *slog.Logger) (player, error) {
	if a.Scheme == harborScheme {
		set, err := play.Open(ctx, a, s.Harbor, log)
		if err != nil {
			return nil, a.In(err)
		}
		return set, nil
	}
	p, err := OpenEnvironment(ctx, a, s.Environment, log)
	if err != nil {
		return nil, err
	}
	return p, nil
}

// harborScheme is the scheme of folders of tasks in the format of Harbor.
const harborScheme = "harbor"

// weigh returns an environment that plays in this choice.
func (s *ScenarioChoice) weigh(p player, weight float64) (w weighted, err error) {
	program, is := p.(*external.Program)
	w = weighted{p, weight, p.Own(), is && program.Drives()}
	switch {
	case is && s.Harbor.AgentCommand != "":
		err = errors.New("it has no trials in which harbor.agent_command could run: leave that out")
	case !w.drives:
	case s.agents != nil:
		err = errors.New("it asks the model itself, and so does the agent: choose one")
	default:
		w.own, err = agent.Drive(program, s.Agent)
	}
	return w, err
}

// startEnvironments opens the environments of the settings, and refuses those that cannot play together.
func (s *ScenarioChoice) startEnvironments(ctx context.Context, log *slog.Logger) error {
	all := s.Environment.Guests()
	named := map[string]guest.Address{}
	for _, a := range all {
		p, err := s.openAny(ctx, a, log)
		if missing, ok := errors.AsType[*venv.MissingError](err); ok && s.Missing != nil {
			if err = s.Missing(ctx, missing); err == nil {
				p, err = s.openAny(ctx, a, log)
			}
		}
		if err != nil {
			return err
		}
		w, err := s.weigh(p, a.Weight)
		s.programs = append(s.programs, w)
		if err != nil {
			return a.In(err)
		}
		name := p.Info().Name
		other, twice := named[name]
		named[name] = a
		switch {
		case ours(name):
			return a.In(fmt.Errorf("it is called %s, as a scenario of ours: give it another name", name))
		case twice:
			return a.In(fmt.Errorf("it is called %s, and so is %s: give one of them another name", name, other))
		case len(all) > 1 && w.own == nil:
			return a.In(errors.New("it plays tasks, and no environment with problems of its own can play beside it: name it alone"))
		}
	}
	return nil
}

// Served is [ScenarioChoice.Start] for a server: it returns the environments that clients can play. One that asks the model itself is refused.
func (s *ScenarioChoice) Served(ctx context.Context, log *slog.Logger) (all []names.Guest, err error) {
	if s.HasAgent() {
		return nil, fmt.Errorf("environment agent:%s: an agent asks a model, and a server has none: leave it out", s.Environment.Agent())
	}
	if err := s.Start(ctx, log); err != nil {
		return nil, err
	}
	for i, p := range s.programs {
		if p.drives {
			return nil, s.Environment.Guests()[i].In(errors.New("it asks a model itself, and a server has none: clients can play environments that wait for their replies"))
		}
		all = append(all, p.player)
	}
	return all, nil
}

// Hellos returns what the started environments say of themselves.
func (s *ScenarioChoice) Hellos() (all []external.Hello) {
	for _, p := range s.programs {
		all = append(all, p.Hello())
	}
	return all
}

// Locks returns the virtual environments of the started environments that have a lock.
func (s *ScenarioChoice) Locks(ctx context.Context) (all []venv.Env) {
	for _, a := range s.Environment.Guests() {
		if _, err := venv.Find(a.Scheme); err != nil || a.Remote() {
			continue
		}
		if e, err := guest.Installed(ctx, a, s.Environment); err == nil && len(e.Locked) > 0 {
			all = append(all, e)
		}
	}
	return all
}

// Streams returns the streams of environments that bring their own problems, one for each
// level, or nil without such an environment. Those that are held out stand behind the others.
func (s *ScenarioChoice) Streams(seed uint64) (streams []rollout.Stream) {
	var kept []rollout.Stream
	for _, p := range s.programs {
		if p.own == nil {
			return nil
		}
		played, err := s.played(p.own)
		if err != nil {
			panic("catalog: " + err.Error()) // it has neither tables nor plans
		}
		levels, weight := len(played.TaskInfo().Levels), 1.0
		if len(s.programs) > 1 {
			weight = p.weight / float64(levels)
		}
		for level := range levels {
			of := rollout.Stream{Scenario: played, Seed: seed, Level: level, Weight: weight}
			if splits := p.Splits(); splits != nil {
				of.Course = fmt.Sprintf("%s/%s", played.TaskInfo().Name, splits[level].Name)
				of.Label, of.HeldOut = of.Course, splits[level].HeldOut
			}
			if of.HeldOut {
				kept = append(kept, of)
			} else {
				streams = append(streams, of)
			}
		}
	}
	return append(streams, kept...)
}
