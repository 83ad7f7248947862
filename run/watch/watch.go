// Package watch shows a run in a browser: its numbers as they grow, its groups with every
// token, and its failures. It only reads the run's data folder, so it shows running runs,
// finished ones and copied folders in the same way, and costs the run nothing.
//
// It treats model output as hostile: pages run no scripts but their own files, text is never
// markup, and invisible characters become visible.
package watch

import (
	"context"
	"embed"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/hub"
	"github.com/quintain-rl/quintain/internal/datadir"
	"github.com/quintain-rl/quintain/internal/web"
	"github.com/quintain-rl/quintain/text/tokenizer"
	"github.com/quintain-rl/quintain/trace"
)

// Home is the path of the first page.
const Home = "/watch/run"

// Tasks is the path of the page that lists the tasks.
const Tasks = "/watch/tasks"

// A Config names the data to show.
type Config struct {
	Data   string   // data folder of a run, or the folder of a trace
	Files  []string // that Data was made of, to show in its place; nil: none
	Others []string // further data folders of the run, whose processes took it over
	Log    *slog.Logger

	Evaluations []string // folders or reports of evaluations

	// Tokenizer returns, on first use, the tokenizer of vocabularies other than this program's
	// own. If it or its result is nil, those tokens are shown as numbers.
	Tokenizer func() (*tokenizer.Tokenizer, error)

	Tasks   func() []quintain.Task                 // those with a page; nil: none
	Adviser func(scenario string) quintain.Adviser // who knows the best moves in a scenario, named as in problems; nil: nobody

	TasksOnly bool // there is no data: show the pages of tasks alone
}

// A Server serves the pages. Many goroutines may use it at once.
type Server struct {
	config  Config
	trace   *liveTrace
	numbers *runNumbers
	playing lastPlayed
	state   progress
	held    heldOuts
	hub     func() *hub.RunStats // nil: none
	machine *machineMeter        // nil: not shown
	agents  Agents               // nil: none
	fleet   Fleet                // nil: none

	searchTime time.Duration
	grown      web.EventLog
	ready      func() // waits for the first read of the folder
	pageSet
}

//go:embed pages static
var files embed.FS

// New returns a server of a folder, which need not exist yet.
func New(c Config) (*Server, error) {
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	if c.Tasks == nil {
		c.Tasks = func() []quintain.Task { return nil }
	}
	folders := append([]string{c.Data}, c.Others...)
	s := &Server{
		config: c, trace: &liveTrace{}, numbers: newRunNumbers(within(folders, datadir.Metrics)...),
		held: heldOuts{files: tails(within(folders, datadir.Evaluations))}, state: progress{Folders: folders}, searchTime: searchTime,
	}
	for _, folder := range folders {
		s.trace.sources = append(s.trace.sources, trace.OfRun(folder))
	}
	s.ready = sync.OnceFunc(func() { s.refresh() })
	var err error
	if s.pageSet, err = readPages(); c.TasksOnly {
		s.ready = func() {}
	}
	return s, err
}

// within returns the path of a file in each folder.
func within(folders []string, file string) (paths []string) {
	for _, folder := range folders {
		paths = append(paths, filepath.Join(folder, file))
	}
	return paths
}

// Routes are the routes of the pages. [Home] leads to all others, [Tasks] to those of tasks.
func (s *Server) Routes() []web.Route {
	all := []web.Route{
		{Path: Home, Serve: s.run},
		{Path: "/watch/series", Serve: s.series},
		{Path: "/watch/groups", Serve: s.groups},
		{Path: "/watch/group", Serve: s.group},
		{Path: "/watch/step", Serve: boardPages{s}.step},
		{Path: "/watch/tokens", Serve: s.tokens},
		{Path: "/watch/text", Serve: s.text},
		{Path: "/watch/faults", Serve: s.faults},
		{Path: "/watch/sessions", Serve: agentPages{s}.sessions},
		{Path: "/watch/session", Serve: agentPages{s}.session},
		{Path: "/watch/workers", Serve: workerPages{s}.workers},
		{Path: Tasks, Serve: s.tasks},
		{Path: "/watch/task", Serve: s.task},
		{Path: "/watch/evaluations", Serve: s.evaluations},
		{Path: "/watch/events", Serve: s.grown.Stream},
		{Path: "/watch/static/{name}", Serve: s.static},
		{Path: "/watch/{page}", Serve: missing},
	}
	if s.config.TasksOnly {
		all = []web.Route{{Path: Tasks, Serve: s.tasks}, {Path: "/watch/task", Serve: s.task}, {Path: "/watch/static/{name}", Serve: s.static}, {Path: "/watch/{page}", Serve: missing}}
	}
	for i, r := range all {
		all[i].Serve = func(c *web.Call) error {
			s.ready()
			return refuse(s, c, r.Serve(c))
		}
		all[i].Method, all[i].For, all[i].Page = "GET", web.AnyKey, true
	}
	return all
}

// Front is the root route of a server of nothing but the pages.
func Front() web.Route {
	return web.Route{Method: "GET", Path: "/", Serve: redirect, Page: true}
}

// redirect sends a browser to [Home].
func redirect(c *web.Call) error {
	c.W.Header().Set("Location", strings.TrimPrefix(Home, "/"))
	c.W.WriteHeader(http.StatusSeeOther)
	return nil
}

// ShowHub adds a hub's statistics to the page of the run. Call it before the first request.
func (s *Server) ShowHub(stats func() *hub.RunStats) { s.hub = stats }

// refreshEvery is how often to read the folder.
const refreshEvery = time.Second

// Run follows the folder until ctx ends, and tells open pages when it has grown.
func (s *Server) Run(ctx context.Context) error {
	s.ready()
	tick := time.NewTicker(refreshEvery)
	defer tick.Stop()
	last, held := s.status(), ""
	for {
		for s.refresh() && ctx.Err() == nil {
			continue // ten million numbers take a few seconds
		}
		now, h := s.status(), s.hubNow()+workersNow(s.fleet)
		if now != last || h != held {
			last, held = now, h
			s.grown.Add("grown", now.event())
		}
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}

// hubNow is the hub's statistics as text, to notice changes.
func (s *Server) hubNow() string {
	if s.hub == nil {
		return ""
	}
	text, err := json.Marshal(s.hub())
	if err != nil {
		return "" // cannot happen: numbers and names
	}
	return string(text)
}

// refresh reads additions to the folder, and reports whether there are more numbers to read.
func (s *Server) refresh() (more bool) {
	more, failed := s.numbers.Refresh()
	if err := errors.Join(s.trace.refresh(), failed); err != nil {
		s.config.Log.Warn("the data folder cannot be read", "error", err)
	}
	return more
}
