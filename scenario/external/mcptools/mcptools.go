// Package mcptools lets the policy call the tools of MCP servers in the episodes of any scenario that has
// none of its own. A server is a command behind pipes, or an address (streamable HTTP); an episode has a
// session of its own with each.
//
// It is the client of the protocol; messages.go holds those that package serve/mcp, a server, writes too.
// Servers are not trusted: sizes, times and forms are checked, and no fault of theirs becomes a reward.
package mcptools

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/httpclient"
	"github.com/quintain-rl/quintain/internal/strictjson"
	"github.com/quintain-rl/quintain/scenario"
)

// Name is the name of the scenarios with the tools.
const Name = "mcp_tools"

// Boxes are the servers of a run. Many goroutines may use them at once.
type Boxes struct {
	how   Settings
	all   []*box
	names []string // of the boxes, each once
}

// Open begins a session with each server. Those of commands get the variables that keys name, besides those
// that any program needs. What they write to their standard error goes to log. The caller must Close the
// boxes. The error names the server.
func Open(ctx context.Context, how Settings, keys []string, log *slog.Logger) (*Boxes, error) {
	b := &Boxes{how: how}
	all := config{how, keys, httpclient.New(httpclient.Config{Connections: 1024}), log}
	faults := make([]error, len(how.Servers))
	var starts sync.WaitGroup
	for i, server := range how.Servers {
		one := newBox(all, server)
		b.all = append(b.all, one)
		starts.Go(func() {
			if err := one.first(ctx); err != nil {
				faults[i] = fmt.Errorf("tools.servers: %s: %w", server, err)
			}
		})
	}
	starts.Wait()
	err := errors.Join(faults...)
	if err == nil {
		err = b.call()
	}
	if err != nil {
		b.Close()
		return nil, err
	}
	return b, nil
}

// call names the boxes, each otherwise than those before it, and tries the names of all tools.
func (b *Boxes) call() error {
	var lists [][]Tool
	for _, one := range b.all {
		lists = append(lists, one.tools)
		name := one.name
		for n := 2; slices.Contains(b.names, name); n++ {
			name = fmt.Sprintf("%s%d", one.name, n)
		}
		b.names = append(b.names, name)
	}
	_, err := named(b.names, lists)
	return err
}

// Close ends all servers and sessions. No episode may be open.
func (b *Boxes) Close() {
	var ends sync.WaitGroup
	for _, one := range b.all {
		ends.Go(one.close)
	}
	ends.Wait()
}

// Over returns a scenario with the tools. It is a [quintain.Solver] and
// [quintain.Finite] as that is. The error says why a scenario cannot have them.
func (b *Boxes) Over(of quintain.Scenario) (quintain.Scenario, error) {
	name := of.Info().Name
	if seated, can := of.(quintain.Seated); can && seated.Players() != nil {
		return nil, fmt.Errorf("tools.servers: scenario %s has several players, and tools are for one: leave them out", name)
	}
	if _, can := of.(quintain.Panel); can {
		return nil, fmt.Errorf("tools.servers: scenario %s judges single replies together, and one that calls a tool is not the last: leave the tools out", name)
	}
	if _, can := of.(quintain.Planner); can {
		return nil, fmt.Errorf("tools.servers: %w", own(name))
	}
	info := quintain.ScenarioInfo{
		Name: Name, Version: 1, Settings: b.settings(of.Info().ID()), Sandbox: of.Info().Sandbox, Mark: of.Info().Mark, Tags: of.Info().Tags,
		Doc:    "The policy may call tools of MCP servers before it answers; calls earn nothing. Another scenario asks and judges: " + name + ".",
		Source: "Servers of the Model Context Protocol.",
	}
	return scenario.Around(of, info, func(env quintain.Env, _ quintain.Problem) (quintain.Env, error) {
		if _, plays := env.(quintain.Agent); plays {
			return nil, errors.Join(fmt.Errorf("%w: %w", quintain.ErrStop, own(name)), env.Close())
		}
		return &episode{asks: env, boxes: b, scenario: name, desk: scenario.Desk{Most: b.how.Calls}}, nil
	}), nil
}

// own is the error of a scenario with tools of its own.
func own(name string) error {
	return fmt.Errorf("scenario %s has tools of its own: leave the MCP servers out", name)
}

// settings returns what makes the scenario's ID.
func (b *Boxes) settings(inner string) json.RawMessage {
	type server struct {
		Server  string `json:"server"`
		Version string `json:"version"`
		Tools   string `json:"tools"` // their hash
	}
	all := make([]server, len(b.all))
	for i, one := range b.all {
		all[i] = server{one.at.Name, one.about.Version, one.digest}
		if u, err := httpclient.ParseURL(one.at.Name); err == nil {
			all[i].Server = httpclient.Plain(u)
		}
	}
	text, err := strictjson.Canonical(struct {
		Scenario string   `json:"scenario"`
		Servers  []server `json:"servers"`
		Calls    int      `json:"calls"`
		Output   int      `json:"output"`
	}{inner, all, b.how.Calls, b.how.Output})
	if err != nil {
		panic("mcptools: " + err.Error()) // texts and numbers
	}
	return text
}
