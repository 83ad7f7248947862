// Package routes has the routes of a gateway: its own, those of AReaL's proxy if the settings want
// them, and for agents those of the Model Context Protocol.
package routes

import (
	"slices"

	"github.com/quintain-rl/quintain/gateway"
	"github.com/quintain-rl/quintain/internal/web"
)

// Planes are the routes of a gateway on two ports.
type Planes struct {
	Main   []web.Route
	Agents []web.Route // none: their routes are among Main
	Ready  func() bool // whether they answer; nil: they do
}

// Of returns the routes of a gateway; a nil gateway has none.
func Of(g *gateway.Gateway, s gateway.Settings) (p Planes) {
	if g == nil {
		return p
	}
	p.Ready = g.Ready
	door, all := gateway.NewDoor(g), g.Routes()
	if s.AReaL {
		all = append(all, arealRoutes(door)...)
	}
	if s.Port == 0 {
		p.Main = slices.Concat(all, mcpRoutes(door))
		return p
	}
	for _, r := range all {
		health := r.Path == door.Health().Path // of both
		if r.For != web.Anyone || health {
			p.Main = append(p.Main, r)
		}
		if r.For == web.Anyone {
			p.Agents = append(p.Agents, r)
		}
	}
	p.Agents = append(p.Agents, mcpRoutes(door)...)
	return p
}
