package guest

import (
	"net/url"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/internal/settings"
)

func TestAddresses(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		why, text string
		want      Address
	}{
		{"a name of a registry", "textarena:GuessTheNumber-v0", Address{"textarena", "GuessTheNumber-v0", "", nil, 1}},
		{"a name has colons and slashes", "gem:game:Guess/It-v0", Address{"gem", "game:Guess/It-v0", "", nil, 1}},
		{"an @ belongs to the name", "verifiers:owner/name@1.2#user-sim?split=test", Address{"verifiers", "owner/name@1.2", "user-sim", url.Values{"split": {"test"}}, 1}},
		{"values are percent-encoded", "reasoning_gym:countdown?a=x%26y%3D%23&b=", Address{"reasoning_gym", "countdown", "", url.Values{"a": {"x&y=#"}, "b": {""}}, 1}},
		{"a weight of a mixture", "gem:a?weight=2.5", Address{"gem", "a", "", nil, 2.5}},
		{"a file and its task", "inspect:arc.py#easy", Address{"inspect", "arc.py", "easy", nil, 1}},
		{"a URL is whole", "openenv:http://127.0.0.1:8000/a?b=c", Address{"openenv", "http://127.0.0.1:8000/a?b=c", "", nil, 1}},
		{"a folder or package for its server", "openenv:./guess_env?port=1", Address{"openenv", "./guess_env", "", url.Values{"port": {"1"}}, 1}},
		{"a server of a wheel", "nemogym:environments/calendar?data=rows.jsonl", Address{"nemogym", "environments/calendar", "", url.Values{"data": {"rows.jsonl"}}, 1}},
		{"a command line is whole", `command:python "my env.py" #1 ?x`, Address{"command", `python "my env.py" #1 ?x`, "", nil, 1}},
		{"a URL alone", "https://host/play", Address{"http", "https://host/play", "", nil, 1}},
		{"a URL with its scheme", "http:http://host/play", Address{"http", "http://host/play", "", nil, 1}},
		{"a command of tools", "mcp:npx some-server --x=1", Address{"mcp", "npx some-server --x=1", "", nil, 1}},
		{"an address of tools", "mcp:https://tools.example/mcp", Address{"mcp", "https://tools.example/mcp", "", nil, 1}},
	} {
		got, err := Parse(test.text)
		if err != nil || !reflect.DeepEqual(got, test.want) {
			t.Errorf("%s: %s gives %+v, %v", test.why, test.text, got, err)
		}
	}
}

func TestAddressesThatAreRefused(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ why, text, want string }{
		{"no scheme", "GuessTheNumber-v0", "want SCHEME:NAME, such as textarena:GuessTheNumber-v0; the schemes are agent, command,"},
		{"a mistyped one", "textarea:x", `did you mean "textarena"?`},
		{"no name", "gem:", "names nothing, want an address like gem:game:"},
		{"blanks", "command: ", "names nothing, want an address like command:python my_env.py"},
		{"a part alone", "inspect:#easy", "names nothing"},
		{"a part behind the values", "inspect:a.py?x=1#easy", "the part stands before it, and in a value # is written %23"},
		{"a bad value", "gem:a?x=%zz", "not percent-encoded"},
		{"a value twice", "gem:a?x=1&x=2", `2 values for "x", want one`},
		{"no weight", "gem:a?weight=0", `the weight "0", want a number above 0`},
		{"a weight that is no number", "gem:a?weight=NaN", "want a number above 0"},
		{"a server without an address", "ors:127.0.0.1:8000", "want an address like ors:http://127.0.0.1:8000"},
		{"an open quotation", `command:python "x`, `a quotation mark, ", is not closed`},
	} {
		if _, err := Parse(test.text); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %s: error %v, want %s", test.why, test.text, err, test.want)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, text := range []string{"textarena:a", "verifiers:a/b@1#p?x=%41&weight=2", "http://h", "command:a 'b'", "openenv:http://h?x=1", "gem:%41#"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		a, err := Parse(text)
		if err != nil {
			return
		}
		again, err := Parse(a.String())
		if again.Weight = a.Weight; err != nil || !reflect.DeepEqual(a, again) {
			t.Errorf("%q: %+v is %q, which gives %+v, %v", text, a, a.String(), again, err)
		}
	})
}

func TestAddressesAsASetting(t *testing.T) {
	t.Parallel()
	listed := []any{"gem:a?x=1", map[string]any{"address": "openenv:http://h", "weight": 3.0}}
	for _, test := range []struct {
		why    string
		value  any
		given  []any
		text   string
		refuse string
	}{
		{"a text", "gem:a?weight=2&x=1", []any{map[string]any{"address": "gem:a?x=1", "weight": 2.0}}, "gem:a?x=1&weight=2", ""},
		{"lines of flags", "gem:a\nhttp://h", []any{"gem:a", "http:http://h"}, "gem:a\nhttp:http://h", ""},
		{"a list", listed, listed, "gem:a?x=1\nopenenv:http://h", ""},
		{"nothing", []any{}, []any{}, "", ""},
		{"the same twice", "gem:a\ngem:a?weight=2", nil, "", "gem:a is named twice: name it once, with a weight"},
		{"a mistake in a list", []any{"gem:a", "gem"}, nil, "", "[1]: is \"gem\""},
		{"no address", []any{map[string]any{"weight": 1.0}}, nil, "", "want an address"},
		{"a weight beyond all", []any{map[string]any{"address": "gem:a?weight=1e8", "weight": 100.0}}, nil, "", "want a number above 0"},
		{"a number", int64(3), nil, "", "want an address, such as"},
	} {
		var l Addresses
		err := l.Take(test.value)
		switch {
		case test.refuse != "":
			if err == nil || !strings.Contains(err.Error(), test.refuse) {
				t.Errorf("%s: error %v", test.why, err)
			}
		case err != nil || !reflect.DeepEqual(l.Give(), any(test.given)) || l.String() != test.text:
			t.Errorf("%s: %v, %q, %v", test.why, l.Give(), l.String(), err)
		}
	}
}

func TestSettings(t *testing.T) {
	t.Parallel()
	s := Default()
	form := settings.New(&s)
	if err := form.Preset(map[string]string{"address": "agent:a b\ncommand:c", "start_time": "1s", "args": `{"x": 1}`}); err != nil {
		t.Fatal(err)
	}
	if got := s.Guests(); s.Agent() != "a b" || len(got) != 1 || got[0].Name != "c" || !s.Set() {
		t.Errorf("the agent is %q, the others are %v", s.Agent(), got)
	}
	given, err := s.Given(Address{Part: "p", Query: url.Values{"k": {"v"}}})
	if want := `{"args":{"x":1},"part":"p","query":{"k":"v"}}`; err != nil || given != want {
		t.Errorf("%s, %v, want %s", given, err, want)
	}
	for text, want := range map[string]string{"agent:a\nagent:b": "two agents"} {
		s.Address = nil
		if err := s.Address.Set(text); err != nil {
			t.Fatal(err)
		}
		if err := settings.Check(&s); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v", text, err)
		}
	}
}

func TestHost(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	s := Default()
	a := Address{Scheme: "gem", Name: "a"}
	if _, _, err := Host(t.Context(), a, s); err == nil || !strings.Contains(err.Error(), "gem is not installed here: quintain environments install gem:a") {
		t.Errorf("without a Python, the error is %v", err)
	}
	s.Python = filepath.Join(t.TempDir(), "py")
	said := "#!/bin/sh\necho '[\"/x/python\", \"/x\", \"/usr\", \"3.11.2\"]'\n"
	if err := os.WriteFile(s.Python, []byte(said), 0o700); err != nil { //nolint:gosec // it is to be run
		t.Fatal(err)
	}
	words, env, err := Host(t.Context(), a, s)
	if err != nil || len(words) != 5 || words[0] != "/x/python" || !strings.HasSuffix(words[1], "host.py") || words[2] != "gem" || len(env) == 0 {
		t.Errorf("%v, %v", words, err)
	}
}
