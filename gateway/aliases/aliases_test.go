package aliases_test

import (
	"slices"
	"testing"

	"github.com/quintain-rl/quintain/gateway"
	"github.com/quintain-rl/quintain/gateway/aliases"
	"github.com/quintain-rl/quintain/internal/web"
)

// All projects at once have no route twice, and each adds some.
func TestProjectsGoTogether(t *testing.T) {
	g, err := gateway.New(gateway.Config{Settings: gateway.Defaults(), Secret: []byte("s")})
	if err != nil {
		t.Fatal(err)
	}
	before := 0
	for _, names := range [][]string{nil, {"agl"}, {"agl", "rllm"}, {"agl", "rllm", "areal", "agl"}, {"uni-agent", "agl", "rllm", "areal"}} {
		planes, err := aliases.Routes(g, gateway.Settings{Dialects: names})
		all := planes.Main
		if err != nil || len(all) <= before || planes.Agents != nil {
			t.Fatalf("%v: %d routes after %d: %v", names, len(all), before, err)
		}
		before = len(all)
		if _, err := web.New(web.Config{Name: "test", Routes: all}); err != nil {
			t.Errorf("%v: %v", names, err)
		}
	}
	if all, err := aliases.Routes(nil, gateway.Settings{Dialects: []string{"areal"}}); all.Main != nil || err != nil {
		t.Errorf("no gateway has %d routes: %v", len(all.Main), err)
	}
}

func TestUnknownProjects(t *testing.T) {
	g, err := gateway.New(gateway.Config{Settings: gateway.Defaults(), Secret: []byte("s")})
	if err != nil {
		t.Fatal(err)
	}
	_, err = aliases.Routes(g, gateway.Settings{Dialects: []string{"rllm", "nobody"}})
	if err == nil || err.Error() != `gateway.dialects: no dialect "nobody", want some of areal, rllm, agl, uni-agent` {
		t.Errorf("the error is %v", err)
	}
}

// With a port of their own, the routes of agents are there alone: they are those without a role.
func TestPlanes(t *testing.T) {
	g, err := gateway.New(gateway.Config{Settings: gateway.Defaults(), Secret: []byte("s")})
	if err != nil {
		t.Fatal(err)
	}
	names := []string{"agl", "rllm", "areal"}
	one, err := aliases.Routes(g, gateway.Settings{Dialects: names})
	if err != nil {
		t.Fatal(err)
	}
	two, err := aliases.Routes(g, gateway.Settings{Dialects: names, Port: 8001})
	if err != nil {
		t.Fatal(err)
	}
	at := func(all []web.Route, path string) bool {
		return slices.ContainsFunc(all, func(r web.Route) bool { return r.Method+" "+r.Path == path })
	}
	for path, want := range map[string][2]bool{
		"POST /sessions/{session}/v1/chat/completions": {false, true}, "POST /v1/messages": {false, true}, "POST /sessions/{session}/reward": {false, true},
		"POST /rl/set_reward": {false, true}, "GET /health": {true, true},
		"POST /v1/sessions": {true, false}, "POST /v1/sessions/{session}/reward": {true, false}, "POST /rl/start_session": {true, false}, "GET /sessions/{session}/traces": {true, false},
	} {
		if got := [2]bool{at(two.Main, path), at(two.Agents, path)}; got != want || !at(one.Main, path) {
			t.Errorf("%s is on the main port, and on that of agents: %v, want %v", path, got, want)
		}
	}
	if len(two.Main)+len(two.Agents) != len(one.Main)+1 {
		t.Errorf("%d and %d routes on two ports, %d on one", len(two.Main), len(two.Agents), len(one.Main))
	}
}
