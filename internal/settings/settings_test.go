package settings_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/quintain-rl/quintain/internal/settings"
)

// A level is a type of text.
type level string

// all has a setting of each type.
type all struct {
	Name  string
	Count int
	Large int64
	Seed  uint64
	Rate  float64
	On    bool
	Wait  time.Duration
	List  []string
	Extra map[string]any
	Level level
	Below below
}

func (a *all) Declare(d *settings.Section) {
	d.Text(&a.Name, "name", "what it is called").Given("a name")
	d.Int(&a.Count, "count", "how many").AtLeast(1)
	d.Int64(&a.Large, "large", "how many, at most").Flag("")
	d.Uint64(&a.Seed, "seed", "of chance")
	d.Float(&a.Rate, "rate", "share of them").Between(0, 1)
	d.Bool(&a.On, "on", "whether it is")
	d.Section(&a.Below, "below", "what is below")
}

// below is a section within another.
type below struct {
	wait  time.Duration
	list  []string
	extra map[string]any
	level level
	few   int
	many  int
}

func (b *below) Declare(d *settings.Section) {
	d.Duration(&b.wait, "wait_for", "how long").Above(0)
	d.Texts(&b.list, "list", "some words")
	d.Object(&b.extra, "extra", "anything").Flag("more")
	settings.Word(d, &b.level, "level", "how loud").OneOf("low", "high")
	d.Int(&b.few, "few", "less than many")
	d.Int(&b.many, "many", "more than few")
}

func (b *below) Check() error {
	if b.few > b.many {
		return fmt.Errorf("few: is %d, want %d, which is many, or less", b.few, b.many)
	}
	return nil
}

func defaults() *all {
	return &all{Name: "n", Count: 1, Below: below{wait: time.Second, level: "low", many: 5}}
}

func TestLoadFile(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ why, file, want string }{
		{"nothing", "", ""},
		{"comments alone", "# count: 2\n", ""},
		{"a key without a value leaves the default", "count:\nbelow:\n", ""},
		{"all types", "name: x\ncount: 0x10\nlarge: 9000000000\nseed: 18446744073709551615\nrate: 1e-4\non: true\nbelow: {wait_for: 1m, list: [a, b], extra: {k: [1, {l: ~}]}, level: high}\n", ""},
		{"a whole number written with a point", "count: 2.0\n", ""},
		{"a number that is a fraction", "count: 4.5\n", `f.yaml:1:8: count: is 4.5, want a whole number`},
		{"a word for a number", "below:\n  few: four\n", `f.yaml:2:8: below.few: is "four", want a whole number`},
		{"a number for a time", "below:\n  wait_for: 30\n", `f.yaml:2:13: below.wait_for: is 30, want a time with its unit, such as 500ms, 30s or 5m`},
		{"below the limit", "count: 0\n", `f.yaml:1:8: count: is 0, want 1 or more`},
		{"above the limit", "rate: 1.5\n", `f.yaml:1:7: rate: is 1.5, want 0 to 1`},
		{"a number that is none", "rate: .nan\n", `f.yaml:1:7: nan is not allowed here`},
		{"a time that must not be nothing", "below: {wait_for: 0}\n", `below.wait_for: is 0s, want more than 0s`},
		{"none of the words", "below:\n  level: medium\n", `f.yaml:2:10: below.level: is medium, want low or high`},
		{"an empty text", `name: ""`, `f.yaml:1:7: name: is "", want a name`},
		{"a number for a text", "name: 5\n", `f.yaml:1:7: name: is 5, want a text (in quotes if necessary)`},
		{"a text for a truth", "on: maybe\n", `f.yaml:1:5: on: is "maybe", want true or false`},
		{"a list of other things", "below:\n  list:\n  - a\n  - [b]\n", `f.yaml:4:5: below.list[1]: is a list, want a text`},
		{"too large", "seed: -1\n", `f.yaml:1:7: seed: is -1, want a whole number from 0`},
		{"an unknown key", "cuont: 1\n", `f.yaml:1:1: cuont: there is no such setting; did you mean "count"?`},
		{"a key that belongs in a section", "wait_for: 2s\n", `wait_for: there is no such setting; did you mean "below.wait_for"?`},
		{"an unknown key in a section", "below:\n  leval: low\n", `f.yaml:2:3: below.leval: there is no such setting; did you mean "below.level"?`},
		{"a section that is none", "below: 5\n", `f.yaml:1:8: below: is 5, want a group of settings`},
		{"a group where a value is wanted", "count: {a: 1}\n", `count: is a group of settings, want a whole number`},
		{"no settings at all", "- a\n", `f.yaml:1:1: the file: is a list, want a group of settings`},
		{"a second document", "count: 2\n---\ncount: 3\n", `f.yaml:3:1: a second document begins here`},
		{"a key twice", "count: 1\ncount: 2\n", `f.yaml:2:1: is a key that stands above already: want each once`},
		{"a list without an end", "count: [\n", `f.yaml:1:8: is no YAML: want [ and ] around a list`},
		{"a list without a comma", "count: [1\nseed: 2\n", `f.yaml:2:1: is no YAML: want [ and ] around a list`},
		{"a map without an end", "below: {few: 1\nseed: 2", `f.yaml:2:1: is no YAML: want { and } around a map`},
		{"a tab", "below: \n\tfew: 1\n", `is a tab: want spaces before a key`},
		{"a tab within a text", "name: b\n\tc: d\n", `f.yaml:2:1: is a tab: want spaces before a key`},
		{"quotes without an end", "name: 'x\n", `f.yaml:1:7: is a text without an end: want quotes at both ends`},
		{"a sign that begins no text", "name: @x\n", `f.yaml:1:7: begins no text: want quotes around it`},
		{"two colons", "name: b: c\n", `f.yaml:1:7: is a second colon in a line`},
		{"keys of other indents", "below:\n  few: 3\n many: 4\n", `f.yaml:3:2: is no YAML: want KEY: VALUE`},
		{"an anchor", "below: {few: &n 3, many: *n}\n", ""},
		{"a merge", "below:\n  <<: {few: 1}\n", `is not a name`},
		{"an alias of nothing", "count: *n\n", `there is no anchor n`},
		{"a word that may be a truth, in an object whose values nobody checks", "below:\n  extra: {a: [{think: no}]}\n", `f.yaml:2:16: below.extra.a[0].think: is no, which may be true, false or a text: write true or false, or the text in quotes`},
		{"the same in capitals", "below:\n  extra:\n    think: Off\n", `f.yaml:3:5: below.extra.think: is Off, which may be`},
		{"the same in quotes", "below: {extra: {a: 'no', b: \"off\", c: none}}\n", ""},
		{"such a word where a text is wanted", "name: no\n", ""},
		{"a number with a 0 before it", "below:\n  extra: {seed: 010}\n", `f.yaml:2:17: 010 is a number in base 8 to some readers of YAML, and in base 10 to others: write it without the first 0, or in quotes`},
		{"a setting with a 0 before it", "count: 08\n", `f.yaml:1:8: `},
		{"numbers with a 0", "count: 0o10\nrate: 0.5\nlarge: 0\nbelow: {extra: {a: -0, b: '010', c: 0.10}}\n", ""},
		{"values that contradict each other", "below: {few: 9}\n", `below.few: is 9, want 5, which is many, or less`},
	} {
		err := settings.New(defaults()).Load(settings.Sources{File: "f.yaml", Data: []byte(test.file)})
		if test.want == "" && err != nil || !strings.Contains(fmt.Sprint(err), test.want) {
			t.Errorf("%s: error %v, want %q", test.why, err, test.want)
		}
	}
}

func TestLoadTellsAllFaults(t *testing.T) {
	t.Parallel()
	err := settings.New(defaults()).Load(settings.Sources{
		File: "f.yaml", Data: []byte("count: 0\nrate: 7\n"),
		Environ: []string{"QUINTAIN_ON=perhaps"}, Flags: map[string]settings.Given{"seed": {Text: "x", By: "--seed"}},
	})
	if n := strings.Count(fmt.Sprint(err), "\n") + 1; n != 4 {
		t.Errorf("%d faults, want 4:\n%v", n, err)
	}
}

func TestPrecedence(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		why  string
		from settings.Sources
		want int
	}{
		{"the default", settings.Sources{}, 1},
		{"the file", settings.Sources{Data: []byte("count: 2")}, 2},
		{"the file of another over the default", settings.Sources{Base: &settings.Sources{Data: []byte("count: 5")}}, 5},
		{"the file over that of another", settings.Sources{Data: []byte("count: 2"), Base: &settings.Sources{Data: []byte("count: 5")}}, 2},
		{"the environment over the file", settings.Sources{Data: []byte("count: 2"), Environ: []string{"QUINTAIN_COUNT=3", "COUNT=9"}}, 3},
		{"a variable that is empty says nothing", settings.Sources{Data: []byte("count: 2"), Environ: []string{"QUINTAIN_COUNT="}}, 2},
		{"the flag over all", settings.Sources{Data: []byte("count: 2"), Environ: []string{"QUINTAIN_COUNT=3"}, Flags: map[string]settings.Given{"count": {Text: "4", By: "--count"}}}, 4},
	} {
		a := defaults()
		if err := settings.New(a).Load(test.from); err != nil || a.Count != test.want {
			t.Errorf("%s: %d, error %v, want %d", test.why, a.Count, err, test.want)
		}
	}
}

func TestEnvironment(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ entry, want string }{
		{"QUINTAIN_BELOW_WAIT_FOR=2s", ""},
		{"QUINTAIN_CONFIG=x", ""},
		{"PATH=x", ""},
		{"QUINTAIN_BELOW_WAIT=2s", `QUINTAIN_BELOW_WAIT: there is no such setting`},
		{"QUINTAIN_WAIT_FOR=2s", `QUINTAIN_WAIT_FOR: there is no such setting; did you mean "QUINTAIN_BELOW_WAIT_FOR"?`},
		{"QUINTAIN_CUONT=2", `did you mean "QUINTAIN_COUNT"?`},
		{"QUINTAIN_COUNT=x", `QUINTAIN_COUNT: is "x", want a whole number`},
		{"QUINTAIN_BELOW_EXTRA=[]", `QUINTAIN_BELOW_EXTRA: is "[]", want a JSON object`},
	} {
		err := settings.New(defaults()).Load(settings.Sources{Environ: []string{test.entry}, Others: []string{"QUINTAIN_CONFIG"}})
		if test.want == "" && err != nil || !strings.Contains(fmt.Sprint(err), test.want) {
			t.Errorf("%s: error %v, want %q", test.entry, err, test.want)
		}
	}
}

func TestUse(t *testing.T) {
	t.Parallel()
	a := defaults()
	verb := settings.New(a).Use("count", "below.wait_for")
	if n := len(verb.Settings()); n != 2 {
		t.Errorf("the verb has %d settings, want 2", n)
	}
	err := verb.Load(settings.Sources{
		File: "f.yaml", Data: []byte("count: 3\nbelow: {few: 9}\n"), // few does not fit many, and is not used
		Environ: []string{"QUINTAIN_NAME=other", "QUINTAIN_BELOW_WAIT_FOR=5s"},
	})
	if err != nil || a.Count != 3 || a.Name != "n" || a.Below.wait != 5*time.Second {
		t.Errorf("error %v, count %d, name %q, wait %v", err, a.Count, a.Name, a.Below.wait)
	}
	if n := len(settings.New(a).Use("below", "-below.few").Settings()); n != 5 {
		t.Errorf("a section without one of its settings has %d, want 5", n)
	}
	err = verb.Load(settings.Sources{File: "f.yaml", Data: []byte("rate: fast\n")})
	if err == nil {
		t.Error("an invalid value in the file is accepted, because this verb does not use it")
	}
}

func TestYAMLComesBack(t *testing.T) {
	t.Parallel()
	a := defaults()
	a.Name, a.Seed, a.Rate, a.On = "yes: #no", 1<<64-1, 0.25, true
	a.Below.list, a.Below.extra = []string{"a b", "1"}, map[string]any{"k": []any{int64(1), nil, "x"}}
	text, err := settings.New(a).YAML()
	if err != nil {
		t.Fatal(err)
	}
	b := defaults()
	if err := settings.New(b).Load(settings.Sources{File: "out", Data: []byte(text)}); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	if fmt.Sprint(*a) != fmt.Sprint(*b) {
		t.Errorf("%+v comes back as %+v\n%s", *a, *b, text)
	}
	if !strings.Contains(text, "# what is below\nbelow:\n  wait_for: 1s # how long (more than 0s)\n") {
		t.Errorf("printed as\n%s", text)
	}
}

func TestJSON(t *testing.T) {
	t.Parallel()
	b := &below{wait: time.Second, level: "low", many: 5}
	text, err := settings.JSON(b)
	const want = `{"wait_for":"1s","list":[],"extra":null,"level":"low","few":0,"many":5}`
	if err != nil || string(text) != want {
		t.Fatalf("%s, error %v, want %s", text, err, want)
	}
	if err := settings.ReadJSON(b, []byte(`{"few":3,"wait_for":"2s"}`)); err != nil || b.few != 3 || b.wait != 2*time.Second {
		t.Errorf("error %v, read %+v", err, b)
	}
	for _, test := range []struct{ text, want string }{
		{`{"few":1.5}`, "few: is 1.5, want a whole number"},
		{`{"fw":1}`, `fw: there is no such setting`},
		{`{"few":9}`, "few: is 9"},
		{`{"few":1}{}`, "more than one"},
		{`{"few":`, "ends too early"},
		{`5`, "want a group of settings"},
		{`{"few":99999999999999999999999}`, "want a whole number"},
	} {
		if err := settings.ReadJSON(&below{level: "low", wait: 1, many: 5}, []byte(test.text)); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: error %v, want %q", test.text, err, test.want)
		}
	}
	tree, err := settings.Tree(defaults())
	const all = `{"name":"n","count":1,"large":0,"seed":0,"rate":0,"on":false,"below":{"wait_for":"1s","list":[],"extra":null,"level":"low","few":0,"many":5}}`
	if err != nil || string(tree) != all {
		t.Errorf("tree %s, error %v, want %s", tree, err, all)
	}
	if _, err := settings.JSON(defaults()); err == nil {
		t.Error("settings in sections are written flat")
	}
}

// A named group's flags are its paths, and it takes null on request.
type named struct{ A, B string }

func (n *named) Declare(d *settings.Section) {
	d.Text(&n.A, "some_name", "a name")
	d.Value(nullable{&n.B}, "other", "a name, or null").Null()
}

// nullable is a text that may be null, stored as "null".
type nullable struct{ p *string }

func (n nullable) Set(text string) error { *n.p = text; return nil }
func (n nullable) Take(v any) error {
	if *n.p = "null"; v != nil {
		*n.p = fmt.Sprint(v)
	}
	return nil
}
func (n nullable) Give() any      { return *n.p }
func (n nullable) String() string { return *n.p }
func (n nullable) Type() string   { return "text" }

type outer struct{ In named }

func (o *outer) Declare(d *settings.Section) { d.Section(&o.In, "in", "a group") }

func TestNull(t *testing.T) {
	t.Parallel()
	o := outer{named{"a", "b"}}
	form := settings.New(&o)
	err := form.Load(settings.Sources{Data: []byte("in: {some_name: null, other: null}")})
	if err != nil || o.In != (named{"a", "null"}) {
		t.Errorf("read %+v, error %v", o.In, err)
	}
}

func TestMarkdown(t *testing.T) {
	t.Parallel()
	text := settings.New(defaults()).Markdown(func(path string) []string { return []string{"run", "eval"}[:len(path)%2+1] })
	for _, want := range []string{
		"| `count` |  | `QUINTAIN_COUNT` | `1` | how many (1 or more) | run, eval |\n",
		"| `large` |  | `QUINTAIN_LARGE` |", "\n## `below`\n\nWhat is below.\n\n| key |", "| `below.extra` | `--more` |",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in\n%s", want, text)
		}
	}
}

// twice declares a key twice.
type twice struct{ a, b int }

func (w *twice) Declare(d *settings.Section) {
	d.Int(&w.a, "a", "one")
	d.Int(&w.b, "a", "other")
}

func TestFaultsOfTheProgramPanic(t *testing.T) {
	t.Parallel()
	for name, f := range map[string]func(){
		"a key twice":          func() { settings.New(&twice{}) },
		"a verb of no key":     func() { settings.New(defaults()).Use("belw") },
		"a limit of no number": func() { settings.New(&limitless{}) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			f()
		}()
	}
}

// limitless gives a text a limit of numbers.
type limitless struct{ a string }

func (l *limitless) Declare(d *settings.Section) { d.Text(&l.a, "a", "text").AtLeast(1) }

// pick is a value of its own type.
type pick struct{ names []string }

func (p *pick) Set(s string) error {
	p.names = strings.Split(s, "+")
	return nil
}

func (p *pick) Take(v any) error {
	for i, one := range v.([]any) {
		name, ok := one.(map[string]any)["name"].(string)
		if !ok {
			return &settings.Fault{Place: []any{i, "name"}, Err: errors.New("is missing")}
		}
		p.names = append(p.names, name)
	}
	return nil
}

func (p *pick) Give() any      { return p.names }
func (p *pick) String() string { return strings.Join(p.names, "+") }
func (p *pick) Type() string   { return "NAME+…" }

// picks has one.
type picks struct{ Pick pick }

func (p *picks) Declare(d *settings.Section) { d.Value(&p.Pick, "picks", "of names") }

func TestOwnValue(t *testing.T) {
	t.Parallel()
	p := &picks{}
	if err := settings.New(p).Load(settings.Sources{File: "f", Data: []byte("picks:\n- name: a\n- name: b\n")}); err != nil || p.Pick.String() != "a+b" {
		t.Errorf("error %v, picks %v", err, p.Pick)
	}
	err := settings.New(p).Load(settings.Sources{File: "f", Data: []byte("picks:\n- name: a\n- name: 5\n")})
	if fmt.Sprint(err) != "f:3:3: picks[1].name: is missing" {
		t.Errorf("error %v", err)
	}
}

func FuzzLoad(f *testing.F) {
	f.Add("count: 2\nbelow: {few: &a 1, many: *a}\n")
	f.Add("a: &a [*a]\n")
	f.Add("below:\n  extra: {a: [1, 2.5, ~, x]}\n---\n")
	f.Fuzz(func(t *testing.T, text string) {
		a := defaults()
		if settings.New(a).Load(settings.Sources{File: "f", Data: []byte(text)}) != nil {
			return
		}
		out, err := settings.New(a).YAML()
		if err != nil {
			t.Fatal(err)
		}
		b := defaults()
		if err := settings.New(b).Load(settings.Sources{File: "out", Data: []byte(out)}); err != nil {
			t.Fatalf("%q is printed as\n%s\nwhich is refused: %v", text, out, err)
		}
	})
}

func ExampleForm_Load() {
	b := &below{wait: time.Second, level: "low", many: 5}
	err := settings.New(b).Load(settings.Sources{File: "quintain.yaml", Data: []byte("few: four\nmay: 7\n")})
	fmt.Println(err)
	// Output:
	// quintain.yaml:1:6: few: is "four", want a whole number
	// quintain.yaml:2:1: may: there is no such setting; did you mean "many"?
}
