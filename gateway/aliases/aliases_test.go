package aliases_test

import (
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
	for _, names := range [][]string{nil, {"agl"}, {"agl", "rllm"}, {"agl", "rllm", "areal", "agl"}} {
		all, err := aliases.Routes(g, names)
		if err != nil || len(all) <= before {
			t.Fatalf("%v: %d routes after %d: %v", names, len(all), before, err)
		}
		before = len(all)
		if _, err := web.New(web.Config{Name: "test", Routes: all}); err != nil {
			t.Errorf("%v: %v", names, err)
		}
	}
	if all, err := aliases.Routes(nil, []string{"areal"}); all != nil || err != nil {
		t.Errorf("no gateway has %d routes: %v", len(all), err)
	}
}

func TestUnknownProjects(t *testing.T) {
	g, err := gateway.New(gateway.Config{Settings: gateway.Defaults(), Secret: []byte("s")})
	if err != nil {
		t.Fatal(err)
	}
	_, err = aliases.Routes(g, []string{"rllm", "nobody"})
	if err == nil || err.Error() != `gateway.dialects: no dialect "nobody", want some of areal, rllm, agl` {
		t.Errorf("the error is %v", err)
	}
}
