package hub

import (
	"context"
	"net/http"
	"slices"
	"strings"

	"github.com/quintain-rl/quintain/internal/web"
)

// runsPath comes before the name of a run.
const runsPath = "/v1/runs/"

// routes are all routes: those of the whole hub, and those of runs, from the tables below.
func (s *Server) routes() []web.Route {
	all := []web.Route{
		{Method: "GET", Path: "/", Serve: s.root, Page: true},
		{Method: "GET", Path: "/healthz", Serve: s.healthz},
		{Method: "GET", Path: "/readyz", Serve: s.readyz},
		{Method: "GET", Path: "/metrics", For: web.AnyKey, Serve: func(c *web.Call) error { return s.web.Metrics(c) }},
		{Method: "GET", Path: "/openapi.json", Serve: s.openAPI},
		{Method: "GET", Path: "/v1/openapi.json", Serve: s.openAPI},
		{Method: "POST", Path: "/v1/drain", For: web.Admin, Serve: s.drain},
		{Method: "DELETE", Path: "/v1/drain", For: web.Admin, Serve: s.undrain},
		{Method: "POST", Path: "/v1/math/verify", For: web.AnyKey, Serve: s.verifyMath},
		{Method: "GET", Path: "/v1/runs", For: web.AnyKey, Serve: s.listRuns},
		{Method: "PUT", Path: runsPath + "{run}", For: web.Admin, Serve: s.putRun},
		{Method: "DELETE", Path: runsPath + "{run}", For: web.Admin, Serve: s.deleteRun},
	}
	for i, r := range all {
		all[i].Serve = func(c *web.Call) error { return s.main.explain(c, r.Serve(c)) }
	}
	for _, r := range atroposRoutes() {
		serve := s.onRun(func(on *Run, c *web.Call) error { return r.serve(atroposAPI{on}, c) })
		all = append(all, web.Route{Method: r.method, Path: r.path, For: r.role, Serve: serve},
			web.Route{Method: r.method, Path: runsPath + "{run}" + r.path, For: r.role, Serve: serve})
	}
	for _, r := range arealRoutes() {
		serve := s.onRun(func(on *Run, c *web.Call) error { return r.serve(arealAPI{on}, c) })
		all = append(all, web.Route{Method: r.method, Path: r.path, For: r.role, Serve: serve},
			web.Route{Method: r.method, Path: runsPath + "{run}" + r.path, For: r.role, Serve: serve})
	}
	for _, r := range v1Routes() {
		serve := s.onRun(func(on *Run, c *web.Call) error { return r.serve(v1API{on}, c) })
		all = append(all, web.Route{Method: r.method, Path: runsPath + "{run}" + r.path, For: r.role, Serve: serve})
	}
	return all
}

// A runRoute is a route of a run, below the run's path.
type runRoute[API any] struct {
	method, path string
	role         web.Role
	serve        func(API, *web.Call) error
}

// atroposRoutes are the routes of Atropos' API, at the root for the default run, and below
// the path of every run.
func atroposRoutes() []runRoute[atroposAPI] {
	return []runRoute[atroposAPI]{
		{"POST", "/register", Trainer, atroposAPI.register},
		{"GET", "/wandb_info", web.AnyKey, atroposAPI.wandbInfo},
		{"GET", "/info", web.AnyKey, atroposAPI.info},
		{"GET", "/batch", Trainer, atroposAPI.batch},
		{"GET", "/status", web.AnyKey, atroposAPI.status},
		{"GET", "/reset_data", web.Admin, atroposAPI.reset},
		{"POST", "/register-env", Producer, atroposAPI.registerEnv},
		{"POST", "/disconnect-env", Producer, atroposAPI.disconnectEnv},
		{"GET", "/status-env", web.AnyKey, atroposAPI.statusEnv},
		{"POST", "/scored_data", Producer, atroposAPI.scoredData},
		{"POST", "/scored_data_list", Producer, atroposAPI.scoredDataList},
		{"GET", "/latest_example", web.AnyKey, atroposAPI.latestExample},
	}
}

// arealRoutes are the routes of AReaL's manager that admit rollouts, at the root and below
// the path of every run.
func arealRoutes() []runRoute[arealAPI] {
	return []runRoute[arealAPI]{
		{"POST", "/allocate_rollout", Producer, arealAPI.allocate},
		{"POST", "/finish_rollout", Producer, arealAPI.finish},
		{"POST", "/get_model_version", web.AnyKey, arealAPI.modelVersion},
	}
}

// v1Routes are the hub's own routes below the path of a run.
func v1Routes() []runRoute[v1API] {
	return []runRoute[v1API]{
		{"GET", "", web.AnyKey, v1API.stats},
		{"GET", "/stats", web.AnyKey, v1API.stats},
		{"POST", "/groups", Producer, v1API.postGroups},
		{"GET", "/groups", web.AnyKey, v1API.followGroups},
		{"POST", "/shares", Producer, v1API.dealShares},
		{"POST", "/batches", Trainer, v1API.takeBatch},
		{"POST", "/batches/{id}/ack", Trainer, v1API.ackBatch},
		{"POST", "/batches/{id}/nack", Trainer, v1API.nackBatch},
		{"POST", "/batches/{id}/extend", Trainer, v1API.extendBatch},
		{"GET", "/version", web.AnyKey, v1API.version},
		{"POST", "/version", Trainer, v1API.tellVersion},
		{"GET", "/events", web.AnyKey, v1API.streamEvents},
	}
}

// onRun returns a route function that finds the run of a call: the one in the path, or the
// default one.
func (s *Server) onRun(serve func(*Run, *web.Call) error) func(*web.Call) error {
	return func(c *web.Call) error {
		r := s.main
		if strings.HasPrefix(c.Route, runsPath) {
			var err error
			if r, err = s.run(context.WithoutCancel(c.Context()), c.Param("run")); err != nil {
				return s.main.explain(c, err)
			}
		}
		return r.explain(c, serve(r, c))
	}
}

// root names the API, and sends browsers to the pages.
func (s *Server) root(c *web.Call) error {
	page := slices.IndexFunc(s.config.Routes, func(r web.Route) bool { return r.Page })
	if page >= 0 && c.SendBrowser(s.config.Routes[page].Path) {
		return nil
	}
	return c.JSON(http.StatusOK, []byte(`{"message":"AtroposLib API"}`))
}
