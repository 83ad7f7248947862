package gateway

import (
	"context"
	"fmt"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/quintain-rl/quintain"
)

// A cutter is a client that goes after so many bytes.
type cutter struct {
	*httptest.ResponseRecorder
	left  int
	leave context.CancelFunc
}

func (c *cutter) Write(b []byte) (int, error) {
	if c.left -= len(b); c.left < 0 {
		c.leave()
		n := len(b) + c.left
		_, _ = c.ResponseRecorder.Write(b[:max(0, n)])
		return max(0, n), context.Canceled
	}
	return c.ResponseRecorder.Write(b)
}

// A client that loses a reply at whatever byte, and asks again, gets the same reply, and there is
// one call.
func TestRepliesCutAtEachByte(t *testing.T) {
	for _, stream := range []bool{false, true} {
		b := open(t, nil)
		s := b.make(`{"name": "x", "of": 1, "limits": {"calls": 10000}}`).Sessions[0]
		of := b.gateway.sessions[s.ID]
		size := 1
		for at := 0; at < size; at++ {
			body := fmt.Sprintf(`{"stream": %v, "messages": [{"role": "user", "content": "%d"}]}`, stream, at)
			ctx, leave := context.WithCancel(t.Context())
			r := httptest.NewRequestWithContext(ctx, "POST", s.OpenAI+"/chat/completions", strings.NewReader(body))
			b.serve(&cutter{httptest.NewRecorder(), at, leave}, r)
			leave()
			r = httptest.NewRequestWithContext(t.Context(), "POST", s.OpenAI+"/chat/completions", strings.NewReader(body))
			r.Header.Set("X-Stainless-Retry-Count", "1")
			w := httptest.NewRecorder()
			b.serve(w, r)
			size = w.Body.Len()
			of.mu.Lock()
			nodes := of.tree.Nodes
			of.mu.Unlock()
			if last := nodes[len(nodes)-1]; len(nodes) != at+1 || !strings.Contains(w.Body.String(), fmt.Sprintf("reply %d", at+1)) || last.Lost {
				t.Fatalf("stream %v, cut at %d of %d: %d calls, lost %v: %s", stream, at, size, len(nodes), last.Lost, w.Body)
			}
		}
		if size < 200 {
			t.Errorf("the reply has %d bytes", size)
		}
	}
}

// 64 calls with one prompt at once are as many calls, of which one is used: which, the agent
// alone could tell, by going on from it.
func TestOnePromptAtOnce(t *testing.T) {
	for _, goesOn := range []bool{false, true} {
		b := open(t, nil)
		s := b.make(`{"name": "x", "of": 1}`).Sessions[0]
		b.gateway.sessions[s.ID].limits.Parallel = 64
		var all sync.WaitGroup
		for range 64 {
			all.Go(func() { b.chat(s, user("?")) })
		}
		all.Wait()
		if goesOn {
			b.chat(s, user("?"), says("reply 7"), user("on"))
		}
		b.want(200, "POST", "/v1/sessions/"+s.ID+"/reward", `{"reward": 1}`)
		b.want(200, "POST", "/v1/sessions/"+s.ID+"/end", "")
		r := b.result().Trajectories[0]
		var used []string
		for _, turn := range r.Turns {
			if turn.Used() {
				used = append(used, turn.Reply)
			}
		}
		want := []string{r.Turns[63].Reply}
		if goesOn {
			want = []string{"reply 7", "reply 65"}
		}
		if fmt.Sprint(used) != fmt.Sprint(want) || r.Outcome != quintain.Scored {
			t.Errorf("used %q, want %q", used, want)
		}
	}
}
