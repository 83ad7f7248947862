// Package ors implements the Open Reward Standard over HTTP. Each task is an environment
// with the tool submit, which judges an answer, or a reply in a scenario, and with the tools of
// the scenario. docs/serve.md has the details.
//
// The forms are those of the standard (General Reasoning); the code is our own.
package ors

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/strictjson"
	"github.com/quintain-rl/quintain/internal/web"
	"github.com/quintain-rl/quintain/internal/wire"
	"github.com/quintain-rl/quintain/serve/names"
	"github.com/quintain-rl/quintain/serve/sessions"
	"github.com/quintain-rl/quintain/tasks/list"
)

// A server answers clients. Many goroutines may use it at once.
type server struct {
	book     *names.Book
	sessions *sessions.Table[*session]
}

// Routes returns the routes of the standard, except for its GET /health, and their sessions.
func Routes(book *names.Book, limits sessions.Limits) ([]web.Route, sessions.AnyTable) {
	s := &server{book: book, sessions: sessions.NewSerial[*session](limits)}
	routes := []web.Route{
		{Method: "GET", Path: "/list_environments", Serve: s.list},
		{Method: "POST", Path: "/create_session", Serve: s.name},
		{Method: "POST", Path: "/create", Serve: s.create},
		{Method: "POST", Path: "/ping", Serve: s.ping},
		{Method: "POST", Path: "/delete", Serve: s.end},
		{Method: "POST", Path: "/delete_session", Serve: s.end},
	}
	for _, r := range []web.Route{
		{Method: "GET", Path: "/tools", Serve: s.tools},
		{Method: "GET", Path: "/splits", Serve: s.splits},
		{Method: "POST", Path: "/tasks", Serve: s.tasks(all)},
		{Method: "POST", Path: "/num_tasks", Serve: s.tasks(count)},
		{Method: "POST", Path: "/task", Serve: s.tasks(one)},
		{Method: "POST", Path: "/task_range", Serve: s.tasks(some)},
		{Method: "GET", Path: "/task_tools", Serve: s.tools},
		{Method: "GET", Path: "/prompt", Serve: s.prompt},
		{Method: "GET", Path: "/messages", Serve: s.messages},
		{Method: "POST", Path: "/call", Serve: s.call},
	} {
		routes = append(routes, r) // of the usual environment, and of the session's
		r.Path = "/{env}" + r.Path
		routes = append(routes, r)
	}
	for i := range routes {
		routes[i].For = web.AnyKey
	}
	return routes, s.sessions
}

// maxBody limits the bytes of a request.
const maxBody = 4 << 20

// answer answers a request with reply's result for its body, and status 200.
func answer(c *web.Call, reply func(body []byte) (any, error)) error {
	c.MaxBody = maxBody
	return c.Answer(func(body []byte) ([]byte, error) {
		value, err := reply(body)
		if err != nil {
			return nil, err
		}
		return json.Marshal(value)
	})
}

// decode reads the body of a request.
func decode(body []byte, into any) error {
	if err := strictjson.Unmarshal(body, into); err != nil {
		return web.Errorf(http.StatusUnprocessableEntity, "the body cannot be read: %v", strictjson.Explain(err))
	}
	return nil
}

// list names the environments. The first is the usual one.
func (s *server) list(c *web.Call) error {
	return answer(c, func([]byte) (any, error) {
		first := s.book.Usual(list.Composite)
		names := []string{first}
		for _, t := range s.book.Tasks().All() {
			if name := t.Info().Name; name != first {
				names = append(names, name)
			}
		}
		return names, nil
	})
}

// environment returns the name of a call's environment.
func (s *server) environment(name string) (string, error) {
	if name == "" {
		name = s.book.Usual(list.Composite)
	}
	if _, err := s.book.Tasks().Get(name); err != nil {
		return "", web.Errorf(http.StatusNotFound, "environment: %v", err)
	}
	return name, nil
}

// splitNames are the splits of every environment. Their index is the seed of their
// problems.
var splitNames = []string{"train", "test"}

// splits lists the splits.
func (s *server) splits(c *web.Call) error {
	return answer(c, func([]byte) (any, error) {
		if _, err := s.environment(c.Param("env")); err != nil {
			return nil, err
		}
		var list []wire.ORSSplit
		for _, name := range splitNames {
			list = append(list, wire.ORSSplit{Name: name, Type: name})
		}
		return list, nil
	})
}

// splitSize is the number of problems in a split, of all its levels in turn; one level may have fewer.
const splitSize = 10_000

// A spec names a problem, like [names.Draw].
type spec struct {
	Task  string `json:"task"`
	Seed  string `json:"seed"`
	Level int    `json:"level"`
	Index int    `json:"index"`
}

// A wish asks for tasks of a split.
type wish struct {
	Split string `json:"split"`
	Index int    `json:"index"`
	Start int    `json:"start"`
	Stop  *int   `json:"stop"`
}

// A split is a split of an environment.
type split struct {
	task   string
	seed   int
	levels []int // in turn
	size   int
}

// at returns the spec of an index.
func (s split) at(index int) spec {
	return spec{s.task, fmt.Sprint(s.seed), s.levels[index%len(s.levels)], index / len(s.levels)}
}

// between returns the specs from start to before stop.
func (s split) between(start, stop int) (any, error) {
	if start < 0 || stop > s.size || start > stop {
		return nil, web.Errorf(http.StatusBadRequest, "the range is %d to %d, want 0 to %d", start, stop, s.size)
	}
	list := make([]spec, 0, stop-start)
	for i := start; i < stop; i++ {
		list = append(list, s.at(i))
	}
	return map[string]any{"tasks": list, "env_name": s.task}, nil
}

// all, count, one and some are the possible requests.
func all(s split, _ wish) (any, error)   { return s.between(0, s.size) }
func count(s split, _ wish) (any, error) { return map[string]int{"num_tasks": s.size}, nil }
func some(s split, w wish) (any, error)  { return s.between(w.Start, orElse(w.Stop, s.size)) }
func one(s split, w wish) (any, error) {
	if w.Index < 0 || w.Index >= s.size {
		return nil, web.Errorf(http.StatusBadRequest, "index: is %d, want 0 to %d", w.Index, s.size-1)
	}
	return map[string]any{"task": s.at(w.Index), "env_name": s.task}, nil
}

// orElse returns the value at p, or a default.
func orElse(p *int, n int) int {
	if p != nil {
		return *p
	}
	return n
}

// tasks answers a call with give's result for the split in the request.
func (s *server) tasks(give func(split, wish) (any, error)) func(*web.Call) error {
	return func(c *web.Call) error {
		return answer(c, func(body []byte) (any, error) {
			var w wish
			if err := decode(body, &w); err != nil {
				return nil, err
			}
			of, err := s.split(c.Param("env"), w.Split)
			if err != nil {
				return nil, err
			}
			return give(of, w)
		})
	}
}

// split returns the split of an environment.
func (s *server) split(environment, name string) (split, error) {
	task, err := s.environment(environment)
	if err != nil {
		return split{}, err
	}
	seed := slices.Index(splitNames, name)
	if seed < 0 {
		return split{}, web.Errorf(http.StatusBadRequest, "split: is %q, want train or test", name)
	}
	t, err := s.book.Tasks().Get(task)
	if err != nil {
		return split{}, err
	}
	of := split{task, seed, nil, splitSize}
	for level := range t.Info().Levels {
		of.levels = append(of.levels, level)
	}
	if trained, held := s.book.Sides(task); held != nil {
		of.levels = [][]int{trained, held}[seed]
	}
	if f, is := t.(quintain.Finite); is && len(of.levels) == 1 && f.Size(of.levels[0]) > 0 {
		of.size = min(splitSize, f.Size(of.levels[0]))
	}
	return of, nil
}

// submit is the tool of every environment.
const submit = "submit"

// tools lists the tools: those of the session or, before it has an environment, of the task.
func (s *server) tools(c *web.Call) error {
	return answer(c, func([]byte) (any, error) {
		all := []wire.ORSTool{{Name: submit, Description: "Judges the answer. In a scenario it is the whole reply, and there may be several.",
			Input: json.RawMessage(`{"type":"object","properties":{"answer":{"type":"string"}},"required":["answer"],"additionalProperties":false}`)}}
		more, err := s.offered(c)
		if err != nil {
			return nil, err
		}
		for _, t := range more {
			all = append(all, wire.ORSTool{Name: t.Name, Description: t.Doc, Input: t.Params})
		}
		return wire.ORSTools{Tools: all, Blocks: []string{wire.ORSText}}, nil
	})
}

// offered returns the tools of a scenario that a call is about.
func (s *server) offered(c *web.Call) ([]quintain.Tool, error) {
	if of, ok := s.sessions.Get(c.R.Header.Get("X-Session-ID"), c.Owner); ok {
		return of.tools, nil
	}
	task, err := s.environment(c.Param("env"))
	if err != nil {
		return nil, err
	}
	return s.book.Tools(c.Context(), task)
}

// name names a session. The session begins when its environment is created.
func (s *server) name(c *web.Call) error {
	c.MaxBody = maxBody
	c.SkipBody()
	return stream(c, rand.Text(), nil)
}
