package chattemplate

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"
)

// vars parses the variables of a test.
func vars(t testing.TB, object string) Vars {
	t.Helper()
	v, err := ParseVars([]byte(object))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestErrorsSayWhere(t *testing.T) {
	for _, test := range []struct{ why, source, want string }{
		{"an end is missing", "a\n{% if x %}", "line 2, column 11: unexpected end of the template, want {% endif %}"},
		{"characters are counted, not bytes", "äöü {{ $ }}", "line 1, column 8: unexpected character '$'"},
		{"line ends of all kinds", "a\r\nb\rc {{ $ }}", "line 3, column 6: unexpected character '$'"},
		{"a bracket of another kind", "{{ [1) }}", "line 1, column 6: unexpected \")\""},
		{"a comment without an end", "x {# y", "line 1, column 3: the comment has no end, want #}"},
		{"an unknown filter", "{{ x|nope }}", "line 1, column 6: no filter named 'nope'"},
		{"an unknown test", "{{ x is nope }}", "line 1, column 9: no test named 'nope'"},
		{"an unsupported filter", "{% if x %}{{ x|random }}{% endif %}", "line 1, column 16: the filter random is not supported"},
		{"an unsupported function", "{{ lipsum() }}", "line 1, column 4: the function lipsum is not supported"},
		{"an unsupported tag", "\n{% include 'x' %}", "line 2, column 4: the tag 'include' is not supported"},
		{"an unknown tag", "{% do x %}", "line 1, column 4: unknown tag 'do'"},
		{"an expression is missing", "{{ 1 + }}", "line 1, column 8: unexpected }}, want an expression"},
		{"an undefined variable", "{{ x }}\n{{ x.y }}", "line 2, column 6: 'x' is undefined"},
		{"an attribute that does not exist", "{{ messages[0].role }}\n{{ messages[0].nope.more }}", "line 2, column 21: 'dict object' has no attribute 'nope'"},
		{"in a macro, where it happens", "{% macro m(a) %}\n{{ a + 1 }}{% endmacro %}{{ m('x') }}", "line 2, column 6: unsupported operand type(s) for +: 'str' and 'int'"},
		{"the template's own words", "{% for m in messages %}\n  {{ raise_exception('no ' ~ m.role) }}{% endfor %}", "line 2, column 21: the template refuses this: no user"},
		{"data stays as it is", "{% set _ = messages.append(1) %}", "line 1, column 27: access to attribute 'append' of 'list' object is unsafe"},
		{"no time", "{{ strftime_now('%Y') }}", "line 1, column 16: the template asks for the time, but none is given"},
	} {
		err := faultOf(test.source, vars(t, `{"messages": [{"role": "user"}]}`), Options{})
		var e *Error
		if !errors.As(err, &e) || err.Error() != test.want {
			t.Errorf("%s: error %v, want %s", test.why, err, test.want)
		} else if e.Raised != strings.Contains(test.want, "refuses") {
			t.Errorf("%s: Raised is %v", test.why, e.Raised)
		}
	}
}

// faultOf compiles and renders a template, and returns the error.
func faultOf(source string, vars Vars, o Options) error {
	template, err := Compile(source)
	if err != nil {
		return err
	}
	_, err = template.Render(vars, o)
	return err
}

func TestHostileTemplatesAreBounded(t *testing.T) {
	deep := func(open, middle, end string) string {
		return strings.Repeat(open, 10_000) + middle + strings.Repeat(end, 10_000)
	}
	double := "{% set ns = namespace(x='abcdefgh', l=[1], d=[1]) %}{% for i in range(99) %}"
	for _, test := range []struct{ why, source, want string }{
		{"endless loops", deep("{% for i in range(100000) %}", "x", "{% endfor %}"), "more than 100 deep"},
		{"long loops", strings.Repeat("{% for i in range(100000) %}", 3) + strings.Repeat("{% endfor %}", 3), "too many steps"},
		{"brackets", "{{ " + deep("(", "1", ")") + " }}", "more than 100 deep"},
		{"lists", "{{ " + deep("[", "1", "]") + " }}", "more than 100 deep"},
		{"signs", "{{ " + deep("-", "1", "") + " }}", "more than 100 deep"},
		{"negations", "{{ " + deep("not ", "1", "") + " }}", "more than 100 deep"},
		{"targets", "{% for " + deep("(", "x", ")") + " in y %}{% endfor %}", "more than 100 deep"},
		{"a macro that calls itself", "{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}", "more than 150 deep"},
		{"a loop that calls itself", "{% for x in [1] recursive %}{{ loop([1]) }}{% endfor %}", "more than 150 deep"},
		{"text that doubles", double + "{% set ns.x = ns.x ~ ns.x %}{% endfor %}", "bytes"},
		{"lists that double", double + "{% set ns.l = ns.l + ns.l %}{% endfor %}", "bytes"},
		{"a value of exponential size", double + "{% set ns.l = [ns.l, ns.l] %}{% endfor %}{{ ns.l }}", "bytes"},
		{"the same as JSON", double + "{% set ns.l = [ns.l, ns.l] %}{% endfor %}{{ ns.l|tojson }}", "bytes"},
		{"the same compared", double + "{% set ns.l = [ns.l, ns.l] %}{% set ns.d = [ns.d, ns.d] %}{% endfor %}{{ ns.l == ns.d }}", "too many steps"},
		{"a very deep value", "{% set ns = namespace(l=1) %}{% for i in range(9999) %}{% set ns.l = [ns.l] %}{% endfor %}{{ ns.l }}", "more than 500 deep"},
		{"a value that holds itself", "{% set ns = namespace() %}{% set ns.x = ns %}{{ ns }}", "more than 500 deep"},
		{"repetition", "{{ 'abc' * 10000000000 }}", "bytes"},
		{"repetition of a list", "{{ [1, 2] * 10000000000 }}", "items"},
		{"a width", "{{ 'x'.center(10000000000) }}", "bytes"},
		{"a format", "{{ '%1000000000d' % 1 }}", "want at most 100000"},
		{"an indentation", "{{ 'x'|indent(10000000000, true) }}", "bytes"},
		{"indented JSON", "{{ [1]|tojson(indent=10000000000) }}", "bytes"},
		{"replacement", "{{ ('a' * 1000000).replace('a', 'b' * 1000000) }}", "bytes"},
		{"joining", "{{ range(100000)|join('b' * 1000000) }}", "bytes"},
		{"a power", "{{ 10 ** (10 ** 10) }}", "bits"},
		{"a long integer as text", "{{ 10 ** 5000 }}", "4300 digits"},
		{"a long literal", "{{ " + strings.Repeat("9", 9999) + " }}", "too long"},
		{"a range", "{{ range(1000000000)|list }}", "want at most 100000"},
		{"a long template", strings.Repeat("x", maxSource+1), "want at most"},
	} {
		err := faultOf(test.source, Vars{}, Options{Steps: 2_000_000, Bytes: 1 << 20})
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: error %.300v, want %s", test.why, err, test.want)
		}
	}
}

func TestOptionsBoundTheWork(t *testing.T) {
	template, err := Compile("{% for x in range(100) %}{{ x }},{% endfor %}")
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		why     string
		options Options
		fault   string
	}{
		{"enough of both", Options{Steps: 1000, Bytes: 1000}, ""},
		{"too few steps", Options{Steps: 100}, "too many steps"},
		{"too few bytes", Options{Bytes: 100}, "more than 100 bytes"},
	} {
		_, err := template.Render(Vars{}, test.options)
		if (err == nil) != (test.fault == "") || err != nil && !strings.Contains(err.Error(), test.fault) {
			t.Errorf("%s: error %v, want %q", test.why, err, test.fault)
		}
	}
}

func TestTheTimeIsThatOfTheRender(t *testing.T) {
	template, err := Compile("{{ strftime_now('%d %b %Y, %-H:%M') }}")
	if err != nil {
		t.Fatal(err)
	}
	for _, now := range []time.Time{testNow, testNow.AddDate(1, 0, 0)} {
		r, err := template.Render(Vars{}, Options{Now: now})
		if want := now.Format("02 Jan 2006, 3:04"); err != nil || r.Text != want {
			t.Errorf("%q, error %v, want %q", r.Text, err, want)
		}
	}
}

// A render reads a generator once, and the next render can read it again.
func TestRendersShareNothing(t *testing.T) {
	template, err := Compile("{% set ns = namespace(n=0) %}{% set g = messages|map(attribute='content') %}{% for m in g %}{% set ns.n = ns.n + 1 %}{{ m }}{% endfor %}{{ ns.n }}{{ g|list }}")
	if err != nil {
		t.Fatal(err)
	}
	v := vars(t, `{"messages": [{"content": "a"}, {"content": "b"}]}`)
	var wait sync.WaitGroup
	for range 8 {
		wait.Go(func() {
			for range 100 {
				if r, err := template.Render(v, Options{}); err != nil || r.Text != "ab2[]" {
					t.Errorf("%q, error %v", r.Text, err)
				}
			}
		})
	}
	wait.Wait()
}

func TestSet(t *testing.T) {
	t.Parallel()
	var one, all Vars
	for name, to := range map[string]any{"role": "user", "content": "a\xff\xfeb", "n": []int{1, 2}} {
		if err := one.Set(name, to); err != nil {
			t.Fatal(err)
		}
	}
	all.SetList("messages", []Vars{one, {}})
	template, err := Compile(`{% for m in messages %}{{ m.role }}: {{ m.content }} {{ m.n }}; {% endfor %}`)
	if err != nil {
		t.Fatal(err)
	}
	r, err := template.Render(all, Options{})
	if want := "user: a\ufffd\ufffdb [1, 2]; :  ; "; err != nil || r.Text != want {
		t.Errorf("%q %v, want %q", r.Text, err, want)
	}
	if err := all.Set("f", func() {}); err == nil {
		t.Error("a function is accepted as a variable")
	}
}

func TestVars(t *testing.T) {
	for _, test := range []struct{ why, object, fault string }{
		{"no JSON", "{", "the JSON ends too early"},
		{"no object", "[1]", "is a list, want an object"},
		{"two values", "{} {}", "more after the end"},
		{"deep values", strings.Repeat(`{"a":`, 1000) + "1" + strings.Repeat("}", 1000), "more than 400 deep"},
		{"a long number", `{"a":` + strings.Repeat("9", 5000) + "}", "want at most 4300"},
	} {
		if _, err := ParseVars([]byte(test.object)); err == nil || !strings.Contains(err.Error(), test.fault) {
			t.Errorf("%s: error %.200v, want %s", test.why, err, test.fault)
		}
	}
	v := vars(t, `{"z": 1, "a": {"y": 1, "x": [1.0, 1e2, 12345678901234567890, "\ud800"]}, "z": 2}`)
	if err := v.Set("new", struct{ B, A any }{1, "<"}); err != nil {
		t.Error(err)
	}
	if err := v.Set("bad", func() {}); err == nil || !strings.Contains(err.Error(), "variable bad") {
		t.Errorf("a function: error %v", err)
	}
	r, err := render("{{ z }} {{ a }} {{ new }}", v)
	if want := "2 {'y': 1, 'x': [1.0, 100.0, 12345678901234567890, '\uFFFD']} {'B': 1, 'A': '<'}"; err != nil || r.Text != want {
		t.Errorf("%q, error %v, want %q", r.Text, err, want)
	}
}

func TestConfig(t *testing.T) {
	const two = `"chat_template": [{"name": "default", "template": "D{{ bos_token }}{{ tools }}"}, {"name": "tool_use", "template": "T{{ tools|length }}"}]`
	for _, test := range []struct{ why, config, name, vars, want string }{
		{"one template", `{"chat_template": "{{ messages[0] }}{{ tools }}{{ documents }}{{ add_generation_prompt }}"}`, "", `{"messages": ["m"]}`, "mNoneNoneFalse"},
		{"tokens as text and as objects", `{"bos_token": "<s>", "eos_token": {"content": "</s>"}, "pad_token": null, "additional_special_tokens": ["a", {"content": "b"}], "chat_template": "{{ bos_token ~ eos_token }}{{ pad_token is defined }}{{ additional_special_tokens }}"}`,
			"", `{"messages": []}`, "<s></s>False['a', 'b']"},
		{"variables go before tokens", `{"bos_token": "<s>", "chat_template": "{{ bos_token }}"}`, "", `{"messages": [], "bos_token": "own"}`, "own"},
		{"the template without tools", `{"bos_token": "<s>", ` + two + `}`, "", `{"messages": []}`, "D<s>None"},
		{"the template for tools", `{` + two + `}`, "", `{"messages": [], "tools": [1, 2]}`, "T2"},
		{"a template by its name", `{` + two + `}`, "default", `{"messages": [], "tools": []}`, "D[]"},
		{"no messages", `{` + two + `}`, "", `{"messages": "hi"}`, "error: messages: want a list of messages"},
		{"an unknown name", `{` + two + `}`, "rag", ``, `error: there is no chat template "rag", want default or tool_use`},
		{"no template", `{}`, "", ``, "error: tokenizer_config: chat_template is missing; give the template as a file of its own"},
		{"an invalid template", `{"chat_template": "{{"}`, "", ``, "error: chat template default: line 1, column 3: unexpected end of the template, want an expression"},
		{"a template of another kind", `{"chat_template": 5}`, "", ``, `error: tokenizer_config: chat_template: want a string or a list of {"name", "template"}: json: cannot unmarshal number into Go value of type []chattemplate.NamedTemplate`},
		{"tokens of this model alone", `{"image_token": "<img>", "boi_token": {"content": "<b>"}, "add_bos_token": true, "extra_special_tokens": {"image_token": "<no>", "audio_token": "<a>", "n": 5}, "chat_template": "{{ image_token ~ boi_token ~ audio_token }}{{ add_bos_token is defined }}{{ n is defined }}"}`,
			"", `{"messages": []}`, "<img><b><a>FalseFalse"},
		{"tokens of this model alone, as transformers 5 saves them", `{"extra_special_tokens": ["<x>"], "model_specific_special_tokens": {"image_token": "<img>"}, "chat_template": "{{ image_token }}"}`, "", `{"messages": []}`, "<img>"},
		{"a token of another kind", `{"bos_token": 5}`, "", ``, "error: tokenizer_config: bos_token: is int, want a string or an object with the string content"},
	} {
		if got := renderConfig(test.config, test.name, test.vars); got != test.want {
			t.Errorf("%s: %s, want %s", test.why, got, test.want)
		}
	}
}

// renderConfig renders variables by a configuration; it returns a fault as text.
func renderConfig(config, name, variables string) string {
	c, err := ParseConfig([]byte(config))
	if err != nil {
		return fmt.Sprint("error: ", err)
	}
	chat, err := c.Chat(name)
	if err != nil {
		return fmt.Sprint("error: ", err)
	}
	v, err := ParseVars([]byte(variables))
	if err != nil {
		return fmt.Sprint("error: ", err)
	}
	r, err := chat.Render(v, Options{})
	if err != nil {
		return fmt.Sprint("error: ", err)
	}
	return r.Text
}

// FuzzRender renders any text as a template. It ends soon and never panics.
func FuzzRender(f *testing.F) {
	for _, source := range []string{
		"{% for m in messages %}{{ m['role'] }}: {{ m.content|trim }}\n{% endfor %}{% if add_generation_prompt %}A:{% endif %}",
		"{% macro f(a, b=1) %}{{ a ~ b }}{{ caller() }}{% endmacro %}{% call f('x') %}y{% endcall %}",
		"{% set ns = namespace(x=[1,2]) %}{{ ns.x[::-1]|map('string')|join(',')|indent(2) }}{{ '%5.2f' % 1.5 }}",
		"{{ {'a': 1, 'b': [none, 2 ** 70]}|tojson(indent=2) }}{{ 7 // 2 % 3 }}{{ 'é'.center(9, '*') }}",
		"{%- raw -%}{{ x }}{% endraw %}{# c #}{% filter upper %}x{% endfilter %}{% generation %}{{ 1 if x else 2 }}{% endgeneration %}",
		"{% for k, v in {'b': 1}.items() recursive %}{{ loop.index }}{{ loop([]) }}{% else %}{{ messages|groupby('role') }}{% endfor %}",
	} {
		f.Add(source)
	}
	v := vars(f, `{"messages": [{"role": "user", "content": " hi "}, {"role": "assistant", "content": "é"}], "x": 2.5, "add_generation_prompt": true}`)
	f.Fuzz(func(t *testing.T, source string) {
		template, err := Compile(source)
		if err != nil {
			return
		}
		r, err := template.Render(v, Options{Now: testNow, Steps: 200_000, Bytes: 1 << 20})
		if len(r.Text) > 1<<20 {
			t.Errorf("%q gives %d bytes, error %v", source, len(r.Text), err)
		}
		for _, s := range r.Generated {
			if s.Start < 0 || s.End < s.Start || s.End > len(r.Text) {
				t.Errorf("%q has the span %v in %d bytes", source, s, len(r.Text))
			}
		}
	})
}

// chat is a typical template.
const chat = `{{- bos_token }}
{%- if tools %}
    {{- '<|system|>\n' }}{% for tool in tools %}{{ tool | tojson }}{{ '\n' }}{% endfor %}
{%- endif %}
{%- for message in messages %}
    {%- if message.role not in ['system', 'user', 'assistant', 'tool'] %}
        {{- raise_exception('unknown role ' ~ message.role) }}
    {%- endif %}
    {%- set content = message.content if message.content is string else '' %}
    {%- if message.role == 'assistant' and '</think>' in content %}
        {%- set content = content.split('</think>')[-1].lstrip('\n') %}
    {%- endif %}
    {{- '<|' + message['role'] + '|>\n' + content | trim + '<|end|>\n' }}
{%- endfor %}
{%- if add_generation_prompt %}
    {{- '<|assistant|>\n' }}
{%- endif %}`

func BenchmarkRender(b *testing.B) {
	template, err := Compile(chat)
	if err != nil {
		b.Fatal(err)
	}
	v := vars(b, `{"bos_token": "<s>", "add_generation_prompt": true, "tools": [{"type": "function", "function": {"name": "f", "parameters": {"type": "object"}}}],
		"messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Hello!"}, {"role": "assistant", "content": "<think>a</think>\nHi."}, {"role": "user", "content": "Why?"}]}`)
	for b.Loop() {
		if _, err := template.Render(v, Options{}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkParseVars(b *testing.B) {
	text := []byte(`{"messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Hello!"}, {"role": "assistant", "content": "Hi."}, {"role": "user", "content": "Why?"}]}`)
	for b.Loop() {
		if _, err := ParseVars(text); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkCompile(b *testing.B) {
	for b.Loop() {
		if _, err := Compile(chat); err != nil {
			b.Fatal(err)
		}
	}
}
