// Package aliases has the routes that a gateway answers beside its own: those of other projects,
// and for agents the Model Context Protocol.
package aliases

import (
	"fmt"
	"slices"
	"strings"

	"github.com/quintain-rl/quintain/gateway"
	"github.com/quintain-rl/quintain/gateway/agl"
	"github.com/quintain-rl/quintain/gateway/areal"
	"github.com/quintain-rl/quintain/gateway/rllm"
	"github.com/quintain-rl/quintain/internal/web"
)

// A project has routes.
type project struct {
	name   string
	routes func(gateway.Door) []web.Route
}

func projects() []project {
	return []project{{"areal", areal.Routes}, {"rllm", rllm.Routes}, {"agl", agl.Routes}, {"uni-agent", uniagentRoutes}}
}

// Planes are the routes of a gateway on two ports.
type Planes struct {
	Main   []web.Route
	Agents []web.Route // none: their routes are among Main
	Ready  func() bool // whether they answer; nil: they do
}

// Routes returns the routes of a gateway, those of the projects that its settings name, and for
// agents those of the Model Context Protocol; a nil gateway has none. Several projects may have the same route; the first has it. The
// error names an unknown project.
func Routes(g *gateway.Gateway, s gateway.Settings) (p Planes, err error) {
	if g == nil {
		return p, nil
	}
	p.Ready = g.Ready
	all, err := routes(g, s.Dialects)
	forAgents := mcpRoutes(gateway.NewDoor(g))
	if err != nil || s.Port == 0 {
		p.Main = slices.Concat(all, forAgents)
		return p, err
	}
	for _, r := range all {
		health := r.Path == gateway.NewDoor(g).Health().Path // of both
		if r.For != web.Anyone || health {
			p.Main = append(p.Main, r)
		}
		if r.For == web.Anyone {
			p.Agents = append(p.Agents, r)
		}
	}
	p.Agents = append(p.Agents, forAgents...)
	return p, nil
}

// routes returns the routes of a gateway and of projects.
func routes(g *gateway.Gateway, names []string) ([]web.Route, error) {
	door, all := gateway.NewDoor(g), g.Routes()
	for _, name := range names {
		routes, err := routesOf(name)
		if err != nil {
			return nil, err
		}
		for _, r := range routes(door) {
			if !slices.ContainsFunc(all, func(old web.Route) bool { return old.Method == r.Method && old.Path == r.Path }) {
				all = append(all, r)
			}
		}
	}
	return all, nil
}

// routesOf returns the routes of a project.
func routesOf(name string) (func(gateway.Door) []web.Route, error) {
	var known []string
	for _, p := range projects() {
		if p.name == name {
			return p.routes, nil
		}
		known = append(known, p.name)
	}
	return nil, fmt.Errorf("gateway.dialects: no dialect %q, want some of %s", name, strings.Join(known, ", "))
}
