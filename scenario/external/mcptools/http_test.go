package mcptools_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/scenario/external/mcptools"
)

// A web is a trickster at an address. Each session has one of its own.
type web struct {
	mu       sync.Mutex
	sessions map[string]*trickster
	made     int
	ended    int
	strange  []string // requests without the headers that they need
	streams  bool     // answers are events, beside which other messages stand
}

func (w *web) ServeHTTP(to http.ResponseWriter, r *http.Request) {
	w.mu.Lock()
	defer w.mu.Unlock()
	id := r.Header.Get("Mcp-Session-Id")
	if r.Method == http.MethodDelete {
		w.ended++
		delete(w.sessions, id)
		return
	}
	body, _ := io.ReadAll(r.Body)
	if strings.Contains(string(body), `"initialize"`) {
		w.made++
		id = fmt.Sprint("s", w.made)
		w.sessions[id] = newTrickster(nil)
		to.Header().Set("Mcp-Session-Id", id)
	} else if r.Header.Get("Mcp-Protocol-Version") != "2025-11-25" || !strings.Contains(r.Header.Get("Accept"), "text/event-stream") {
		w.strange = append(w.strange, string(body))
	}
	t := w.sessions[id]
	if t == nil {
		to.WriteHeader(http.StatusNotFound)
		return
	}
	w.answer(to, t, string(body))
}

// answer answers a message, by an event if it can have others beside it.
func (w *web) answer(to http.ResponseWriter, t *trickster, body string) {
	var beside []string
	t.say, t.next = func(line string) { beside = append(beside, line) }, func() string { return `{"error":{"code":0}}` }
	t.die = func() { panic(http.ErrAbortHandler) }
	status := http.StatusAccepted
	t.hang = func() { status = http.StatusInternalServerError }
	t.quit = func() { clear(w.sessions) }
	answer := t.answer(body)
	switch {
	case strings.Contains(body, `"result"`) || strings.Contains(body, `"error"`), answer == "":
		to.WriteHeader(status)
		return
	}
	if !w.streams {
		to.Header().Set("Content-Type", "application/json")
		fmt.Fprint(to, answer)
		return
	}
	to.Header().Set("Content-Type", "text/event-stream")
	fmt.Fprint(to, ": nothing\n\nevent: message\ndata:\n\n")
	for _, text := range append(beside, answer) {
		fmt.Fprintf(to, "id: 1\nevent: message\ndata: %s\n\n", strings.TrimSuffix(text, "\n"))
	}
}

func newWeb(t *testing.T, streams bool) (*web, string) {
	w := &web{sessions: map[string]*trickster{}, streams: streams}
	s := httptest.NewServer(w)
	t.Cleanup(s.Close)
	return w, "mcp:" + s.URL + "/mcp"
}

func TestCallsOverHTTP(t *testing.T) {
	t.Parallel()
	for _, streams := range []bool{false, true} {
		w, address := newWeb(t, streams)
		b := open(t, how(address))
		table := []called{
			{"a call", "add", `{"a":1,"b":2}`, `{"sum":3}`},
			{"a tool that fails is told", "fail", ``, `Error: no luck`},
			{"bad parameters are told", "params", ``, `Error: so it is`},
			{"the connection breaks", "die", ``, broken + "…EOF"},
			{"status 500", "hang", ``, broken + "…status 500"},
			{"its answer is to another request", "silent", ``, broken + "…no answer"},
			{"it says that the connection is closed", "closed", ``, broken + "…-32000"},
			{"what it sends is no message", "half", ``, broken + "…no message"},
			{"it sends too much", "long", ``, broken},
			{"it forgot the session between two calls", "later,add", ``, lost + "…status 404"},
		}
		if streams {
			table = append(table, called{"a request of the server is refused", "sample", ``, "refused with 0"}, called{"a new tool can be called", "grow,extra", ``, `"new"`})
		}
		tries(t, b, table)
		b.Close()
		w.mu.Lock()
		if len(w.strange) > 0 || w.ended < len(table) {
			t.Errorf("%d sessions were ended; requests without the headers: %q", w.ended, w.strange)
		}
		w.mu.Unlock()
	}
}

func TestAServerThatIsAway(t *testing.T) {
	t.Parallel()
	w := &web{sessions: map[string]*trickster{}}
	server := httptest.NewServer(w)
	s := how("mcp:" + server.URL + "/mcp")
	s.Restarts = 0
	b := open(t, s)
	e, err := begin(t, b, question{name: "ask"})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	server.Close()
	_, _ = e.Step(t.Context(), calls("add", "")) // on a connection that closes just now
	if _, err := e.Step(t.Context(), calls("add", "")); err == nil || !strings.Contains(err.Error(), quintain.ErrLost.Error()) {
		t.Errorf("a call of a server that is gone: %v", err)
	}
	other, err := begin(t, b, question{name: "ask"})
	if err == nil || !strings.Contains(err.Error(), quintain.ErrStop.Error()) {
		t.Errorf("another episode, without restarts: %v", err)
	}
	other.Close()
}

func TestAServerThatBecomesAnother(t *testing.T) {
	t.Parallel()
	w, address := newWeb(t, false)
	b := open(t, how(address))
	e, err := begin(t, b, question{name: "ask"}) // takes the first session
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	w.mu.Lock()
	w.sessions = map[string]*trickster{}
	w.mu.Unlock()
	for _, name := range []string{"first", "second"} {
		other, err := begin(t, b, question{name: name})
		if err != nil {
			t.Errorf("an episode of the same server: %v", err)
		}
		other.Close()
	}
	if mcptools.Default().Share != 1 {
		t.Error("sessions are shared by default")
	}
}
