package watch

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"strings"
	"time"

	"github.com/DataDog/datadog-agent/pkg/template/html"
	"github.com/quintain-rl/quintain/trace"
)

// Bounds on an exported page.
const (
	exportGroups  = 50        // newest groups
	exportText    = 2_000_000 // characters of text
	exportTokens  = 200_000   // tokens with details
	exportColumns = 12_000    // points of all lines
)

// ErrNothing says that there is nothing to show in a folder.
var ErrNothing = errors.New("it has neither a trace nor numbers of a run")

// An exportPage is the content of an exported page.
type exportPage struct {
	Title       string
	Made        time.Time
	Guard       template.HTML // its content security policy
	Style       template.CSS
	Drawing     template.JS // uPlot
	Scripts     []template.JS
	Series      template.JS // chart lines, as JSON
	Run         runPage
	Evaluations evaluationsPage
	Faults      faultsPage
	Tasks       tasksPage
	Groups      []groupPage
	All         int // groups of the trace
	Tokens      int // bound of tokens with details
	Text        int // bound of characters
}

// Export writes a self-contained page: the run's numbers, faults and tasks, and the newest
// groups with their tokens, within bounds that the page states. The error is [ErrNothing] if
// there is nothing, and the cause of ctx if that ends first.
func (s *Server) Export(ctx context.Context, to io.Writer) error {
	for s.refresh() && ctx.Err() == nil {
		continue
	}
	p := exportPage{Made: time.Now(), Run: s.runPage(), All: s.trace.len(), Tokens: exportTokens, Text: exportText}
	if p.All == 0 && s.numbers.Len() == 0 {
		return ErrNothing
	}
	p.Title = p.Run.title()
	p.Evaluations.fill(s.heldOuts(), "")
	err := s.fillExport(ctx, &p)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err != nil {
		return err
	}
	p.dress()
	return s.alone.ExecuteTemplate(to, "export.html", &p)
}

// fillExport fills in the faults, tasks, groups and series of an exported page.
func (s *Server) fillExport(ctx context.Context, p *exportPage) (err error) {
	if p.Faults, err = s.faultsPage(ctx); err != nil {
		return err
	}
	if p.Tasks, err = s.tasksPage(); err != nil {
		return err
	}
	if p.Groups, err = s.newestGroups(ctx); err != nil {
		return err
	}
	p.Series, err = s.lines(&p.Run)
	return err
}

// newestGroups lays out the newest groups within the bounds, but at least one.
func (s *Server) newestGroups(ctx context.Context) (all []groupPage, err error) {
	text, tokens := exportText, exportTokens
	for _, e := range s.trace.find(trace.Query{Newest: true, Limit: exportGroups}) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if text <= 0 || tokens <= 0 {
			break
		}
		r, err := s.trace.now().Read(e.Ref)
		if errors.Is(err, trace.ErrDamaged) || errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		w := &pen{at: e.Ref.Text(), room: min(mostOnPage, text), level: e.Level}
		text -= w.room
		p := newGroupPage(w, r, 0)
		p.regrade(s.trace.now().Graded(r))
		text += w.room
		p.Given = map[int]template.JS{}
		for i := range r.Episodes[:min(len(r.Episodes), mostEpisodes)] {
			list := s.tokensOf(r, i)
			if tokens -= len(list.IDs); tokens < 0 {
				break
			}
			if given, err := json.Marshal(list); err == nil && len(list.IDs) > 0 { // it escapes </script>
				p.Given[i] = template.JS(given)
			}
		}
		p.link(len(r.Episodes))
		all = append(all, p)
	}
	return all, nil
}

// lines are the lines of a page's charts, over steps and over time, as JSON.
func (s *Server) lines(p *runPage) (template.JS, error) {
	names := p.seriesOf()
	columns := min(defaultColumns, max(50, exportColumns/max(1, len(names))))
	all := map[string][]line{"step": {}, "time": {}}
	for _, name := range names {
		all["step"] = append(all["step"], s.numbers.Line(name, false, columns))
		all["time"] = append(all["time"], s.numbers.Line(name, true, columns))
	}
	text, err := json.Marshal(all)
	return template.JS(text), err
}

// dress embeds the styles and scripts, and forbids all others.
func (p *exportPage) dress() {
	var scripts []string
	read := func(name string) (text string) {
		data, err := files.ReadFile("static/" + name)
		if err != nil {
			panic(err) // cannot happen: embedded
		}
		return string(data)
	}
	style := read("watch.css") + read("uPlot.min.css")
	for _, name := range []string{"uPlot.iife.min.js", "charts.js", "tokens.js"} {
		scripts = append(scripts, read(name))
	}
	p.Style, p.Drawing = template.CSS(style), template.JS(scripts[0])
	for _, text := range scripts[1:] {
		p.Scripts = append(p.Scripts, template.JS(text))
	}
	var allowed strings.Builder
	for _, text := range scripts {
		allowed.WriteString(" " + hashOf(text))
	}
	p.Guard = template.HTML(`<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src` + allowed.String() +
		`; style-src ` + hashOf(style) + `; img-src data:; base-uri 'none'; form-action 'none'">`)
}

// hashOf is the hash of a text for a content security policy.
func hashOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}
