package sandbox_test

import (
	"fmt"
	"testing"

	"github.com/quintain-rl/quintain/sandbox"
)

func TestMarksTellVerdictsApart(t *testing.T) {
	t.Parallel()
	made := func(change func(*sandbox.Setup)) *sandbox.Setup {
		s := &sandbox.Setup{
			Backend:      "native",
			Layers:       []sandbox.Layer{{Name: "landlock", Holds: true, Floor: true, Note: "version 7"}, {Name: "pid namespace", Holds: true}},
			Interpreters: []sandbox.Interpreter{{Language: "python", Version: "cpython 3.11.2", Path: "/usr/bin/python3"}},
		}
		change(s)
		return s
	}
	first := made(func(*sandbox.Setup) {})
	for _, test := range []struct {
		why    string
		change func(*sandbox.Setup)
		same   bool
	}{
		{"another kernel", func(s *sandbox.Setup) { s.Layers[0].Note = "version 4" }, true},
		{"a layer beyond the floor that is missing", func(s *sandbox.Setup) { s.Layers[1].Holds = false }, true},
		{"a faster machine", func(s *sandbox.Setup) { s.Speed = 2 }, true},
		{"another path", func(s *sandbox.Setup) { s.Interpreters[0].Path = "/opt/python3" }, true},
		{"another order", func(s *sandbox.Setup) { s.Layers[0], s.Layers[1] = s.Layers[1], s.Layers[0] }, true},
		{"a patch of the interpreter", func(s *sandbox.Setup) { s.Interpreters[0].Version = "cpython 3.11.4" }, false},
		{"an interpreter that is missing", func(s *sandbox.Setup) { s.Interpreters[0].Version = "" }, false},
		{"one language more", func(s *sandbox.Setup) {
			s.Interpreters = append(s.Interpreters, sandbox.Interpreter{Language: "c", Version: "12.2.0"})
		}, false},
		{"another back end", func(s *sandbox.Setup) { s.Backend = "remote" }, false},
		{"a floor of other layers", func(s *sandbox.Setup) { s.Layers[1].Floor = true }, false},
	} {
		other := made(test.change)
		if (other.Mark() == first.Mark()) != test.same {
			t.Errorf("%s: the marks are %q and %q", test.why, first.Mark(), other.Mark())
		}
	}
}

func TestDescribedSetupsAreListedOnce(t *testing.T) {
	t.Parallel()
	var all []*sandbox.Setup
	for _, text := range []string{`{"backend":"native","layers":null}`, `{"backend":"native"}`, `{"backend":"remote"}`, `[]`} {
		all = sandbox.Described(all, []byte(text))
	}
	if all = sandbox.Described(all, nil); len(all) != 2 || all[0].Backend != "native" || all[1].Backend != "remote" {
		t.Errorf("%d setups are listed, want 2", len(all))
	}
}

func ExampleSetup_String() {
	s := &sandbox.Setup{
		Backend:      "native",
		Layers:       []sandbox.Layer{{Name: "landlock", Holds: true, Floor: true}, {Name: "pid namespace"}, {Name: "seccomp", Holds: true, Floor: true}},
		Interpreters: []sandbox.Interpreter{{Language: "python", Version: "cpython 3.11.2"}, {Language: "javascript"}},
	}
	fmt.Println(s)
	s.Speed = 0.5
	fmt.Println(s)
	// Output:
	// native, javascript missing, python cpython 3.11.2; it holds by landlock, seccomp
	// native, javascript missing, python cpython 3.11.2, limits of time times 2.00; it holds by landlock, seccomp
}
