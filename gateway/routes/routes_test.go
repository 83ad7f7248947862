package routes

import (
	"slices"
	"testing"

	"github.com/quintain-rl/quintain/gateway"
	"github.com/quintain-rl/quintain/internal/web"
)

// With a port of their own, the routes of agents are there alone: they are those without a role.
func TestPlanes(t *testing.T) {
	g, err := gateway.New(gateway.Config{Settings: gateway.Defaults(), Secret: []byte("s")})
	if err != nil {
		t.Fatal(err)
	}
	one, two := Of(g, gateway.Settings{AReaL: true}), Of(g, gateway.Settings{AReaL: true, Port: 8001})
	if _, err := web.New(web.Config{Name: "test", Routes: one.Main}); err != nil {
		t.Errorf("a route is there twice: %v", err)
	}
	at := func(all []web.Route, path string) bool {
		return slices.ContainsFunc(all, func(r web.Route) bool { return r.Method+" "+r.Path == path })
	}
	for path, want := range map[string][2]bool{
		"POST /sessions/{session}/v1/chat/completions": {false, true}, "POST /v1/messages": {false, true}, "POST /sessions/{session}/reward": {false, true},
		"POST /rl/set_reward": {false, true}, "GET /health": {true, true},
		"POST /v1/sessions": {true, false}, "POST /v1/sessions/{session}/reward": {true, false}, "POST /rl/start_session": {true, false},
		"POST /mcp": {false, true}, "POST /sessions/{session}/mcp": {false, true},
	} {
		if got := [2]bool{at(two.Main, path), at(two.Agents, path)}; got != want || !at(one.Main, path) {
			t.Errorf("%s is on the main port, and on that of agents: %v, want %v", path, got, want)
		}
	}
	if len(two.Main)+len(two.Agents) != len(one.Main)+1 {
		t.Errorf("%d and %d routes on two ports, %d on one", len(two.Main), len(two.Agents), len(one.Main))
	}
	if at(Of(g, gateway.Settings{}).Main, "POST /rl/set_reward") {
		t.Error("AReaL's routes are answered unasked")
	}
	if none := Of(nil, gateway.Settings{AReaL: true}); none.Main != nil {
		t.Errorf("no gateway has %d routes", len(none.Main))
	}
}
