package watch

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/DataDog/datadog-agent/pkg/template/html"

	"github.com/quintain-rl/quintain/internal/web"
	"github.com/quintain-rl/quintain/run/watch/words"
)

// policy is the content security policy of all pages: scripts and styles are files of this
// server, and data goes nowhere else.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
	"base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

// guard sets the security headers of a reply.
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

// A view is a page in the layout.
type view struct {
	Title string
	Page  string // its name among the links
	Body  any
}

// A pageSet has the templates: each page within the layout, by name, and the exported page.
type pageSet struct {
	pages map[string]*template.Template
	alone *template.Template
}

// readPages parses the templates, once for all servers.
var readPages = sync.OnceValues(func() (all pageSet, err error) {
	layout, err := template.New("layout.html").Funcs(functions()).ParseFS(files, "pages/layout.html")
	if err != nil {
		return all, err
	}
	names, err := fs.Glob(files, "pages/*.html")
	if err != nil {
		return all, err
	}
	all.pages = map[string]*template.Template{}
	for _, name := range names {
		if name == "pages/layout.html" || name == "pages/export.html" {
			continue
		}
		one, err := layout.Clone()
		if err != nil {
			return all, fmt.Errorf("%s: %w", name, err)
		}
		if one, err = one.ParseFS(files, name); err != nil {
			return all, fmt.Errorf("%s: %w", name, err)
		}
		all.pages[strings.TrimSuffix(path.Base(name), ".html")] = one
	}
	alone, err := layout.Clone()
	if err != nil {
		return all, err
	}
	all.alone, err = alone.Funcs(template.FuncMap{"alone": func() bool { return true }}).ParseFS(files, "pages/*.html")
	return all, err
})

// functions are those of the templates: they write numbers, times and texts. All else is a field of the page, which
// its handler fills, so no page names a method: with one the linker would keep the methods of all types.
func functions() template.FuncMap {
	return template.FuncMap{
		"count":  words.Count,
		"number": words.Number,
		"exact":  func(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) },
		"score":  score,
		"plain":  plain,
		"when":   func(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05") },
		"share": func(part, whole int) string {
			return strconv.FormatFloat(100*float64(part)/float64(max(1, whole)), 'f', 1, 64) + " %"
		},
		"moment":   moment,
		"spoken":   words.Spoken,
		"where":    words.Where,
		"chance":   chance,
		"scoreBar": scoreBar,
		"alone":    func() bool { return false }, // true in an exported page
	}
}

// A link leads to a page.
type link struct{ Page, Name string }

// links lead to all pages that have something to show.
func links(s *Server) []link {
	if s.config.TasksOnly {
		return []link{{"tasks", "Tasks"}}
	}
	all := []link{{"run", "Run"}, {"groups", "Groups"}, {"faults", "Faults"}}
	if s.agents != nil {
		all = append(all, link{"sessions", "Sessions"})
	}
	all = append(all, link{"tasks", "Tasks"}, link{"evaluations", "Evaluations"})
	if s.fleet != nil {
		all = append(all, link{"workers", "Workers"})
	}
	return all
}

// moment writes a time that the page's script shows in the reader's own time; nothing for an
// unknown one.
func moment(t time.Time) template.HTML {
	if t.IsZero() {
		return ""
	}
	return template.HTML(t.UTC().Format(`<time datetime="2006-01-02T15:04:05Z">2006-01-02 15:04:05 UTC</time>`))
}

// score writes a score; nil: none.
func score(v *float64) string {
	if v == nil {
		return "none"
	}
	return strconv.FormatFloat(*v, 'f', 3, 64)
}

// missing answers for a page that does not exist.
func missing(*web.Call) error {
	return web.Errorf(http.StatusNotFound, "There is no such page: the links above lead to all that there are.")
}

// refuse shows the error of a page to a browser as a page.
func refuse(s *Server, c *web.Call, err error) error {
	wrong, ok := errors.AsType[*web.Error](err)
	if !ok || !strings.Contains(c.R.Header.Get("Accept"), "text/html") {
		return err
	}
	return show(s, c, wrong.Status, view{http.StatusText(wrong.Status), "error", wrong.Detail})
}

// show answers with a page.
func (s *Server) show(c *web.Call, v view) error { return show(s, c, http.StatusOK, v) }

// show answers with a page and a status.
func show(s *Server, c *web.Call, code int, v view) error {
	var b bytes.Buffer
	framed := struct {
		view
		Status status
		Links  []link
	}{v, s.status(), links(s)}
	if err := s.pages[v.Page].ExecuteTemplate(&b, "layout.html", framed); err != nil {
		s.config.Log.Error("a page cannot be made", "page", v.Page, "error", err)
		return web.Errorf(http.StatusInternalServerError, "the page cannot be made: %v", err)
	}
	guard(c)
	return c.Body(code, "text/html; charset=utf-8", b.Bytes())
}

// static answers with a static file. Browsers revalidate it each time.
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
		kind = "text/javascript; charset=utf-8" // some machines' MIME tables differ
	}
	return c.Body(http.StatusOK, kind, text)
}

// shortText bounds a text within a line, in characters.
const shortText = 300

// plain is text within a line: invisible characters become names, and it ends after
// [shortText] characters.
func plain(text string) string {
	var b strings.Builder
	pieces, left := words.Split(text, shortText)
	for _, p := range pieces {
		b.WriteString(p.Text)
	}
	if left > 0 {
		b.WriteString("…")
	}
	return b.String()
}
