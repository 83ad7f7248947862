package web

import (
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// A Route answers the requests of one method for one path.
type Route struct {
	Method string
	Path   string // such as "/things/{id}/parts"; {id} stands for any one part, see [Call.Param]
	For    Role   // a key needs it

	// Serve answers a call, or returns an error, which the server turns into the reply: an
	// [*Error] into its own, any other into that of a fault of the server. An error after the
	// reply has begun cuts the connection.
	Serve func(*Call) error

	// Page marks a page for browsers: it changes nothing, it answers HEAD too, links from anywhere may lead to it,
	// and the browser prompts for the key as a password.
	Page bool
}

// A node is one part of a path in the tree of routes.
type node struct {
	path    string // the route's path, with parameter names; empty: no route ends here
	methods map[string]Route
	parts   map[string]*node // by the next part
	any     *node            // a parameter as the next part
	names   []string         // parameters of path
}

// newRoutes returns the tree of routes.
func newRoutes(routes []Route) (*node, error) {
	root := &node{}
	for _, r := range routes {
		n, names := root.place(r.Path)
		if n.methods == nil {
			n.path, n.names, n.methods = r.Path, names, make(map[string]Route)
		}
		if _, twice := n.methods[r.Method]; twice || n.path != r.Path {
			return nil, fmt.Errorf("the route %s %s is declared twice, or differs from %s in names only", r.Method, r.Path, n.path)
		}
		n.methods[r.Method] = r
	}
	return root, nil
}

// place returns the node of a path, made if need be, and the path's parameter names.
func (n *node) place(path string) (at *node, names []string) {
	for part := range strings.SplitSeq(strings.Trim(path, "/"), "/") {
		if part == "" {
			continue
		}
		if part[0] == '{' {
			names = append(names, strings.Trim(part, "{}"))
		}
		n = n.below(part)
	}
	return n, names
}

// below returns the node of the next part, made if need be.
func (n *node) below(part string) *node {
	if part[0] == '{' {
		if n.any == nil {
			n.any = &node{}
		}
		return n.any
	}
	if n.parts == nil {
		n.parts = make(map[string]*node)
	}
	if n.parts[part] == nil {
		n.parts[part] = &node{}
	}
	return n.parts[part]
}

// find returns the node of a path with its parameter values, or nil.
func (n *node) find(path string) (found *node, values []string) {
	rest, ok := strings.CutPrefix(path, "/")
	if !ok {
		return nil, nil
	}
	for more := rest != ""; more; {
		var part string
		part, rest, more = strings.Cut(rest, "/")
		next := n.parts[part]
		if next == nil && n.any != nil && part != "" {
			next, values = n.any, append(values, part)
		}
		if next == nil {
			return nil, nil
		}
		n = next
	}
	if n.path == "" {
		return nil, nil
	}
	return n, values
}

// dispatch hands a call to its route.
func (s *Server) dispatch(c *Call) {
	at, values := s.routes.find(c.R.URL.Path)
	var to Route
	fits := false
	if at != nil {
		if to, fits = at.methods[c.R.Method]; !fits && c.R.Method == http.MethodHead {
			to = at.methods[http.MethodGet]
			fits = to.Page // net/http leaves out the body
		}
	}
	if !fits && at != nil && strings.Count(at.path, "/{") == 1 && strings.LastIndexByte(at.path, '/') == 0 {
		at = nil // a route such as /{id} says nothing of other methods
	}
	if !s.letsIn(c, to.Page) || s.crossOrigin(c) {
		return
	}
	if _, err := url.ParseQuery(c.R.URL.RawQuery); err != nil {
		c.detail(http.StatusBadRequest, "invalid query: "+err.Error())
		return
	}
	if !fits && s.config.Rest != nil {
		if err := s.config.Rest(c); err != nil {
			c.fail(err)
		}
		return
	}
	if at == nil {
		short := strings.TrimRight(c.R.URL.Path, "/")
		if there, _ := s.routes.find(short); there != nil && short != c.R.URL.Path {
			c.redirect(short)
			return
		}
		c.notFound()
		return
	}
	if !fits {
		c.W.Header().Set("Allow", strings.Join(slices.Sorted(maps.Keys(at.methods)), ", "))
		c.detail(http.StatusMethodNotAllowed, "Method Not Allowed")
		return
	}
	c.Route, c.names, c.values = at.path, at.names, values
	if !s.admits(c, to) {
		return
	}
	if err := to.Serve(c); err != nil {
		c.fail(err)
	}
}

// SendBrowser sends a browser from the root to a page, by a relative address, and reports
// whether it did; other clients want JSON there.
func (c *Call) SendBrowser(path string) bool {
	c.W.Header().Add("Vary", "Accept")
	if !strings.Contains(c.R.Header.Get("Accept"), "text/html") {
		return false
	}
	c.W.Header().Set("Location", strings.TrimPrefix(path, "/"))
	c.W.WriteHeader(http.StatusSeeOther)
	return true
}

// notFound says that there is no route: to a browser on a page.
func (c *Call) notFound() {
	if c.R.Method == http.MethodGet && strings.Contains(c.R.Header.Get("Accept"), "text/html") {
		_ = c.Body(http.StatusNotFound, "text/html; charset=utf-8", []byte(`<!doctype html><title>Not Found</title><p>There is no such page. <a href="/">Begin at the first one</a>.`))
		return
	}
	c.detail(http.StatusNotFound, "Not Found")
}

// redirect sends the client to another path of this server.
func (c *Call) redirect(path string) {
	to := url.URL{Path: path, RawQuery: c.R.URL.RawQuery}
	c.W.Header().Set("Location", to.String())
	c.W.WriteHeader(http.StatusTemporaryRedirect)
}
