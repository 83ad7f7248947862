package task

import (
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/grid"
)

// A Prompter is an Instance that writes its question itself, in place of [Spec.Ask]: the whole
// prompt, with the form of the answer.
type Prompter interface{ Prompt() string }

// A Filler is an Instance that knows the text of gaps in its wordings that are not among its fields ([Spec.Ask]).
type Filler interface{ Fill(gap string) string }

// A Scorer is an Instance that grades an answer, which may be any text, in place of [Spec.Match]. Score never panics
// and never runs any part of answer, and len(answer) bounds its cost. Other forms of a right answer, such
// as 84,084 in bold, have already passed through [answer.Readings].
type Scorer interface {
	Score(answer string) quintain.Verdict
}

// Scored is an Instance that is a [Scorer].
type Scored interface {
	Instance
	Scorer
}

// texts are what a Spec says about the instances that do not say it themselves.
type texts struct {
	ask         []string
	form, short string
	match       func(got, want string) quintain.Verdict
}

// A frame is texts that were read for a type of instances.
type frame struct {
	texts
	asks     []template
	short    *template
	phrasing []int // the field of the record that chooses a wording
}

// newFrame reads the texts of a Spec. record is the type of its instances.
func newFrame(record reflect.Type, of texts) *frame {
	f := &frame{texts: of}
	for _, text := range of.ask {
		f.asks = append(f.asks, newTemplate(text+of.form, record))
	}
	if of.short != "" {
		t := newTemplate(of.short, record)
		f.short = &t
	}
	if of.ask != nil {
		f.phrasing = fieldNamed(record, "phrasing")
	}
	return f
}

// bounds are those of a record's tags, and of its wording.
func (f *frame) bounds(record reflect.Type) []bound {
	all := boundsOf(record, nil)
	if f.phrasing != nil {
		all = append(all, bound{name: "phrasing", at: f.phrasing, want: readLimits("0 to "+strconv.Itoa(len(f.asks)-1), nil)})
	}
	return all
}

// prompt returns the question of inst.
func (f *frame) prompt(inst Instance) string {
	if p, ok := inst.(Prompter); ok {
		return p.Prompt()
	}
	of, wording := reflect.ValueOf(inst), 0
	if f.phrasing != nil {
		wording = int(of.FieldByIndex(f.phrasing).Int())
	}
	return f.asks[wording].fill(inst, of)
}

// shortened returns the question in a few characters, or nothing if the task has no such form of it.
func (f *frame) shortened(inst Instance) string {
	switch s, ok := inst.(Shortener); {
	case ok:
		return s.Short()
	case f.short != nil:
		return f.short.fill(inst, reflect.ValueOf(inst))
	}
	return ""
}

// score grades answer.
func (f *frame) score(inst Instance, answer string) quintain.Verdict {
	if s, ok := inst.(Scorer); ok {
		return s.Score(answer)
	}
	return f.match(answer, inst.Solve())
}

// A template is a text with gaps: a piece before each gap, and one after the last.
type template struct {
	pieces []string
	gaps   []gap
}

// A gap stands for a value of an instance.
type gap struct {
	name, between string
	at            []int // of the field; nil: the instance fills it
}

// gapRE is the syntax of a gap. Braces of JSON are none.
var gapRE = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\{([a-z_0-9.]+)(?::([^}]+))?\}`) })

// newTemplate finds the gaps in text.
func newTemplate(text string, record reflect.Type) (t template) {
	from := 0
	for _, at := range gapRE().FindAllStringSubmatchIndex(text, -1) {
		g := gap{name: text[at[2]:at[3]]}
		if at[4] >= 0 {
			g.between = text[at[4]:at[5]]
		}
		g.at = fieldNamed(record, g.name)
		t.pieces, t.gaps = append(t.pieces, text[from:at[0]]), append(t.gaps, g)
		from = at[1]
	}
	t.pieces = append(t.pieces, text[from:])
	return t
}

// fieldNamed returns the place of the field with a name in JSON, which a point parts from that of the struct around it,
// or nil.
func fieldNamed(record reflect.Type, name string) []int {
	name, within, nested := strings.Cut(name, ".")
	if record.Kind() != reflect.Struct {
		return nil
	}
	for _, f := range reflect.VisibleFields(record) {
		if nameOf(f) != name {
			continue
		}
		if inner := fieldNamed(f.Type, within); nested && inner != nil {
			return append(slices.Clone(f.Index), inner...)
		}
		return f.Index
	}
	return nil
}

// fill writes the values of inst into the gaps; of is inst.
func (t *template) fill(inst Instance, of reflect.Value) string {
	b := make([]byte, 0, PromptRoom)
	for i, g := range t.gaps {
		b = append(b, t.pieces[i]...)
		if g.at == nil {
			b = append(b, inst.(Filler).Fill(g.name)...)
		} else {
			b = appendValue(b, of.FieldByIndex(g.at), g.between)
		}
	}
	return string(append(b, t.pieces[len(t.gaps)]...))
}

// solid writes a text without its spaces.
const solid = "solid"

// appendValue writes a text, a number, a grid, a list or anything that writes itself.
func appendValue(b []byte, v reflect.Value, between string) []byte {
	switch v.Kind() {
	case reflect.String:
		if between == solid {
			return append(b, strings.ReplaceAll(v.String(), " ", "")...)
		}
		return append(b, v.String()...)
	case reflect.Int, reflect.Int64:
		return strconv.AppendInt(b, v.Int(), 10)
	case reflect.Slice:
		if g, ok := reflect.TypeAssert[grid.Grid[int]](v); ok {
			return grid.AppendInts(b, g)
		}
		for i := range v.Len() {
			switch {
			case i == 0:
			case between != "and":
				b = append(b, between...)
			case i == v.Len()-1:
				b = append(b, " and "...)
			default:
				b = append(b, ", "...)
			}
			b = appendValue(b, v.Index(i), " ")
		}
		return b
	}
	return fmt.Append(b, v.Interface())
}
