package watch

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"html/template"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"strconv"
	"strings"
	"time"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/web"
)

// policy is the content security policy of all pages: scripts and styles are files of
// this server, and nothing goes anywhere else.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
	"base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

// guard sets the headers of everything that this package answers.
func guard(c *web.Call) {
	h := c.W.Header()
	h.Set("Content-Security-Policy", policy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	if h.Get("Cache-Control") == "" {
		h.Set("Cache-Control", "no-store")
	}
}

// A view is what every page is made of.
type view struct {
	Title string
	Page  string // the name of the page among the links
	Body  any
}

// readPages reads the templates: each within the layout, and that of a page on its own.
func readPages() (pages map[string]*template.Template, alone *template.Template, err error) {
	layout, err := template.New("layout.html").Funcs(functions()).ParseFS(files, "pages/layout.html")
	if err != nil {
		return nil, nil, err
	}
	names, err := fs.Glob(files, "pages/*.html")
	if err != nil {
		return nil, nil, err
	}
	pages = map[string]*template.Template{}
	for _, name := range names {
		if name == "pages/layout.html" || name == "pages/export.html" {
			continue
		}
		one, err := layout.Clone()
		if err == nil {
			one, err = one.ParseFS(files, name)
		}
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", name, err)
		}
		pages[strings.TrimSuffix(path.Base(name), ".html")] = one
	}
	alone, err = layout.Clone()
	if err == nil {
		alone, err = alone.Funcs(template.FuncMap{"alone": func() bool { return true }}).ParseFS(files, "pages/*.html")
	}
	return pages, alone, err
}

// functions are those of the templates.
func functions() template.FuncMap {
	return template.FuncMap{
		"count":  count,
		"number": number,
		"exact":  func(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) },
		"score":  score,
		"plain":  plain,
		"when":   func(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05") },
		"share": func(part, whole int) string {
			return strconv.FormatFloat(100*float64(part)/float64(max(1, whole)), 'f', 1, 64) + " %"
		},
		"ref":   formatRef,
		"links": links,
		"where": where,
		"alone": func() bool { return false }, // there are no other pages
	}
}

// A link leads to a page.
type link struct{ Page, Name string }

// links lead to the pages that have no other link.
func links() []link {
	return []link{{"run", "Run"}, {"groups", "Groups"}, {"failures", "Failures"}, {"tasks", "Tasks"}, {"evaluations", "Evaluations"}}
}

// where says where to look when episodes end so.
func where(o quintain.Outcome) string {
	switch o {
	case quintain.EnvFailed:
		return "The environment failed: look at the task's or scenario's own log, and at the problem of the group."
	case quintain.InfraFailed:
		return "The policy's server failed, or something between it and the run: look at the server's log at this time, and ask it by quintain policy probe."
	case quintain.TimedOut:
		return "Replies took longer than they may: look at the length of replies and at the load of the server."
	}
	return "The episode was stopped before its end, as when a run ends."
}

// count writes a number with commas.
func count(n int) string {
	text := strconv.Itoa(n)
	for i := len(text) - 3; i > 0 && text[i-1] != '-'; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

// number writes a number in four digits.
func number(v float64) string { return strconv.FormatFloat(v, 'g', 4, 64) }

// score writes a score; nil: there is none.
func score(v *float64) string {
	if v == nil {
		return "none"
	}
	return strconv.FormatFloat(*v, 'f', 3, 64)
}

// show answers with a page.
func (s *Server) show(c *web.Call, v view) error {
	var b bytes.Buffer
	if err := s.pages[v.Page].ExecuteTemplate(&b, "layout.html", v); err != nil {
		s.config.Log.Error("a page cannot be made", "page", v.Page, "error", err)
		return web.Errorf(http.StatusInternalServerError, "the page cannot be made: %v", err)
	}
	guard(c)
	return c.Body(http.StatusOK, "text/html; charset=utf-8", b.Bytes())
}

// static answers with a file. Browsers ask each time whether it is still the same.
func (s *Server) static(c *web.Call) error {
	name := c.Param("name")
	text, err := files.ReadFile("static/" + name)
	if err != nil {
		return web.Errorf(http.StatusNotFound, "Not Found")
	}
	sum := sha256.Sum256(text)
	tag := `"` + hex.EncodeToString(sum[:8]) + `"`
	h := c.W.Header()
	h.Set("Cache-Control", "no-cache")
	h.Set("ETag", tag)
	guard(c)
	if c.R.Header.Get("If-None-Match") == tag {
		c.W.WriteHeader(http.StatusNotModified)
		return nil
	}
	kind := mime.TypeByExtension(path.Ext(name))
	if path.Ext(name) == ".js" {
		kind = "text/javascript; charset=utf-8" // some machines' tables say otherwise
	}
	return c.Body(http.StatusOK, kind, text)
}
