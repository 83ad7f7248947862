package watch_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/gateway"
	"github.com/quintain-rl/quintain/gateway/tree"
	"github.com/quintain-rl/quintain/internal/web"
	"github.com/quintain-rl/quintain/run/watch"
)

// desks are sessions of agents.
type desks struct{}

func (desks) Views() []gateway.View {
	return []gateway.View{{ID: "one", Group: "g<1>", State: gateway.Live, Calls: 2, Tokens: 7, Drift: map[string]int{"forked": 1}}}
}

func (d desks) Session(id string) (gateway.View, quintain.Trajectory, error) {
	if id != "one" {
		return gateway.View{}, quintain.Trajectory{}, web.Errorf(http.StatusNotFound, "there is no session")
	}
	turn := func(call quintain.Call, asked, reply string) quintain.Turn {
		return quintain.Turn{Observed: []quintain.Message{{Role: "user", Content: asked}}, Reply: reply, Wrote: []quintain.Token{1}, Call: &call}
	}
	return d.Views()[0], quintain.Trajectory{Turns: []quintain.Turn{
		turn(quintain.Call{ID: "a", Parent: -1, Class: tree.Root}, "<script>", "first"),
		turn(quintain.Call{ID: "b", Parent: -1, Class: tree.Root, Branch: tree.Subagent}, "sub?", "second"),
		turn(quintain.Call{ID: "c", Parent: 0, Class: tree.Extends, Unused: tree.Undelivered}, "more?", "third"),
	}}, nil
}

// The pages of sessions show what agents do while they do it; without agents they say so.
func TestSessions(t *testing.T) {
	for _, test := range []struct {
		path   string
		agents bool
		status int
		says   []string
	}{
		{"/watch/sessions", true, 200, []string{"1 of 1 sessions are live", "g&lt;1&gt;", `href="session?id=one"`, "live"}},
		{"/watch/sessions", false, 404, []string{"this run plays its problems itself: with quintain gateway"}},
		{"/watch/session?id=one", true, 200, []string{"&lt;script&gt;", "Call 2, begins a conversation, root, branch <strong>subagent</strong>", "Not trained: the reply was not used, undelivered."}},
		{"/watch/session?id=two", true, 404, []string{"no session"}},
		{"/watch/session?id=one", false, 404, []string{"this run plays its problems itself"}},
		{"/watch/run", true, 200, []string{">Sessions</a>"}},
		{"/watch/run", false, 200, nil},
	} {
		pages, err := watch.New(watch.Config{Data: t.TempDir()})
		if err != nil {
			t.Fatal(err)
		}
		if test.agents {
			pages.ShowAgents(desks{})
		}
		server, err := web.New(web.Config{Name: "test", Routes: pages.Routes()})
		if err != nil {
			t.Fatal(err)
		}
		status, body, _ := get(t, serveOn(t, server), test.path)
		if status != test.status {
			t.Errorf("%s: status %d, want %d", test.path, status, test.status)
		}
		for _, text := range test.says {
			if !strings.Contains(body, text) {
				t.Errorf("%s: no %q in\n%s", test.path, text, body)
			}
		}
	}
}
