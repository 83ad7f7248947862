// Package nemogym is a resources server for NeMo Gym: it judges the reports of its agents,
// and plays scenarios of several turns with them. docs/serve.md describes the rows.
//
// The forms are those of NeMo Gym (NVIDIA, Apache-2.0); the code is our own.
package nemogym

import (
	"net/http"
	"sync"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/web"
	"github.com/quintain-rl/quintain/interop/pipe"
	"github.com/quintain-rl/quintain/serve/names"
	"github.com/quintain-rl/quintain/serve/sessions"
)

// A server answers agents. Many goroutines may use it at once.
type server struct {
	book     *names.Book
	sessions *sessions.Table[quintain.Env]
	readers  sync.Pool // of *reader
	ask      Ask
}

// Ask has the server's judge grade a reply to a problem. An error of package web keeps its status.
type Ask func(c *web.Call, p quintain.Problem, reply string) (pipe.Verdict, error)

// byJudge stands for a scenario in a row: the server's judge grades the reply.
const byJudge = "judge"

// Routes returns the routes of a resources server, and its sessions. Ask grades the rows whose
// scenario is judge.
func Routes(book *names.Book, limits sessions.Limits, ask Ask) ([]web.Route, sessions.AnyTable) {
	s := &server{book: book, ask: ask, sessions: sessions.NewSerial[quintain.Env](limits), readers: sync.Pool{New: func() any { return newReader() }}}
	return []web.Route{
		{Method: "POST", Path: "/seed_session", For: web.AnyKey, Serve: s.seed},
		{Method: "POST", Path: "/verify", For: web.AnyKey, Serve: s.verify},
		{Method: "POST", Path: "/aggregate_metrics", For: web.AnyKey, Serve: aggregate},
		{Method: "GET", Path: "/reverify_mode", For: web.AnyKey, Serve: func(c *web.Call) error { return c.JSON(http.StatusOK, []byte(`"stateless"`)) }},
		{Method: "POST", Path: "/reset", For: web.AnyKey, Serve: s.reset},
		{Method: "POST", Path: "/step", For: web.AnyKey, Serve: s.step},
		{Method: "POST", Path: "/close", For: web.AnyKey, Serve: s.close},
		{Method: "POST", Path: "/{tool}", For: web.AnyKey, Serve: s.call},
	}, s.sessions
}

// maxBody limits the bytes of a row with its response.
const maxBody = 32 << 20

// answerBody answers the body of a request.
func answerBody(c *web.Call, reply func(body []byte) ([]byte, error)) error {
	c.MaxBody, c.Plain = maxBody, true
	text, err := web.ReadBody(c, reply)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, text)
}

// invalid returns the error of a request for something that does not exist.
func invalid(err error) error { return web.Errorf(http.StatusUnprocessableEntity, "%v", err) }
