package toolcall

import (
	"strings"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/strictjson"
)

// A tagged form writes each argument between tags of its own.
type tagged struct {
	after string // the tag behind a value
	next  string // the beginning of another argument
	named string // the end of its name
	end   string // of the call
	open  string // of the next call: no value reaches beyond it
}

// value reads the text up to the tag behind it. A text may hold that tag: the first one
// counts behind which the call goes on or ends. Without one, the text ends at another parameter of
// the tool than key that o has not got.
func (t tagged) value(r *reader, o *object, key string) (text string, closed bool) {
	from, last := r.at, r.ends(t.open)
	for r.at < last {
		next := r.ends(t.next)
		if r.at = r.ends(t.next, t.after); r.at >= last {
			break
		}
		text = r.text[from:r.at]
		if r.at == next {
			if name, _, ok := strings.Cut(r.text[next+len(t.next):min(len(r.text), next+len(t.next)+longestName)], t.named); ok && trim(name) != key && o.lacks(trim(name)) {
				r.fault("want %s at byte %d of the reply", t.after, r.at)
				return text, true
			}
			r.at += len(t.next)
			continue
		}
		r.at += len(t.after)
		then := skipSpace(r.text, r.at)
		if rest := r.text[then:]; rest == "" || strings.HasPrefix(rest, t.next) || strings.HasPrefix(rest, t.end) {
			r.worked(then - r.at)
			r.at = then
			return text, true
		}
	}
	r.at = from
	return "", false
}

// longestName is the most bytes of the name of a parameter that a missing tag may stand before.
const longestName = 256

// until reads the text before a mark, and moves behind the mark. It is a name if it is
// not empty and holds no tag.
func (r *reader) until(mark string) (name string, named bool) {
	end := r.ends(mark)
	if end == len(r.text) {
		return "", false
	}
	name = trim(r.text[r.at:end])
	if name == "" || strings.Contains(name, "<") {
		return name, false
	}
	r.at = end + len(mark)
	return name, true
}

func (r *reader) callOf(name string, args *object) {
	r.call(quintain.ToolCall{Name: name, Arguments: args.text()})
}

// A broken call of tags has a name, and arguments that begin somewhere.
type broken struct {
	name string
	from int
	why  string
}

// brokenTags takes a call whose arguments are passed on as they were written: up to its
// end, or to where another begins.
func (r *reader) brokenTags(b broken, closing, open string) bool {
	r.fault("%s", b.why)
	end := r.ends(closing, open)
	r.call(quintain.ToolCall{Name: b.name, Arguments: trim(r.text[b.from:end])})
	r.at = end
	r.skip(closing)
	return true
}

// An object collects the arguments of a call one by one, in their order.
type object struct {
	types  map[string][]string // of the parameters
	names  []string
	values map[string]string
}

func (r *reader) newObject(tool string) *object {
	if r.tools == nil {
		r.tools = readSchemas(r.in.Tools)
	}
	return &object{types: r.tools[tool], values: map[string]string{}}
}

// lacks reports whether name is a parameter of the tool that has no argument yet.
func (o *object) lacks(name string) bool {
	_, known := o.types[name]
	_, given := o.values[name]
	return known && !given
}

// set adds an argument, and reports false if there is one of that name.
func (o *object) set(name, literal string) bool {
	if _, again := o.values[name]; again {
		return false
	}
	o.names = append(o.names, name)
	o.values[name] = literal
	return true
}

// argument adds an argument that was written as text between tags, and reports false if
// there is one of that name.
func (r *reader) argument(o *object, name, text string) bool {
	types := o.types[name]
	literal, fits := typed(text, types)
	if !fits {
		r.fault("argument %s is not of type %s", name, strings.Join(types, " or "))
	}
	return o.set(name, literal)
}

// text writes the arguments as json.dumps and tojson do.
func (o *object) text() string {
	out := []byte{'{'}
	for i, name := range o.names {
		if i > 0 {
			out = append(out, ", "...)
		}
		out = append(strictjson.AppendLegible(out, name), ": "...)
		out = append(out, o.values[name]...)
	}
	return string(append(out, '}'))
}
