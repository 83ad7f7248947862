package office

import (
	"fmt"
	"maps"
	"path"
	"strconv"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/scenarios/toolbox"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/rng"
)

// What the plan makes with the tools is what the task says, worked out without them.
func TestPlansOfTreesDoTheTask(t *testing.T) {
	t.Parallel()
	kinds := map[string]int{}
	for level, p := range fileTree.Levels {
		for i := range 60 {
			f, err := makeFolders(p, rng.New(uint64(i), fmt.Sprint(level)))
			if err != nil {
				t.Fatal(err)
			}
			kinds[f.Kind]++
			d := f.World().(*desk)
			want, answer := done(f, maps.Clone(d.before))
			if diff := toolbox.FirstDifference(d.wanted(), want); diff != "" {
				t.Fatalf("%s, level %d, %d: %s", f.Kind, level, i, diff)
			}
			if got := f.count(f.begin()); got != answer {
				t.Errorf("%s, level %d, %d: the answer is %d, want %d", f.Kind, level, i, got, answer)
			}
		}
	}
	if len(kinds) != 4 {
		t.Errorf("kinds %v", kinds)
	}
}

// done returns the state that a task wants, and the answer.
func done(f folders, s toolbox.State) (toolbox.State, int) {
	answer := 0
	switch f.Kind {
	case findFact:
		all := "\n" + strings.Join(mapValues(s), "\n")
		at := f.From
		for range f.Steps {
			_, after, _ := strings.Cut(all, "\n"+at+" works for ")
			at, _, _ = strings.Cut(after, "\n")
		}
		_, after, _ := strings.Cut(all, "\n"+at+" sits in room ")
		room, _, _ := strings.Cut(after, "\n")
		answer, _ = strconv.Atoi(room)
	case sortFiles:
		for p, text := range maps.Clone(s) {
			head, _, _ := strings.Cut(text, "\n")
			topic, ok := strings.CutPrefix(head, "topic: ")
			name, within := strings.CutPrefix(p, f.From+"/")
			if ok && within {
				answer++
				delete(s, p)
				s[f.To+"/"], s[path.Join(f.To, topic)+"/"], s[path.Join(f.To, topic, name)] = "", "", text
			}
		}
	case renameFile:
		for p, text := range s {
			old := "\nsee: " + f.From + "\n"
			answer += strings.Count("\n"+text, old)
			s[p] = strings.ReplaceAll("\n"+text, old, "\nsee: "+f.To+"\n")[1:]
		}
		s[f.To] = s[f.From]
		delete(s, f.From)
	case removeCopies:
		for p, text := range maps.Clone(s) {
			for other, same := range s {
				if strings.HasPrefix(p, f.From+"/") && strings.HasPrefix(other, f.From+"/") && text == same && text != "" && path.Base(other)[:10] < path.Base(p)[:10] {
					answer++
					delete(s, p)
					break
				}
			}
		}
	}
	return s, answer
}

func mapValues(s toolbox.State) (all []string) {
	for _, text := range s {
		all = append(all, text)
	}
	return all
}

func TestTreesAreJudged(t *testing.T) {
	t.Parallel()
	f := folders{Kind: sortFiles, From: "in", To: "out", Files: []textFile{{"in/a", "topic: x\n"}, {"in/b", "topics\n"}, {"k/c", "topic: x\n"}}}
	if err := task.Check(f); err != nil {
		t.Fatal(err)
	}
	plan := f.Plan()
	plan = plan[:len(plan)-1]
	for _, test := range []struct {
		why, answer   string
		calls         []string // of the tools, with arguments in turn
		state, judged bool
	}{
		{"the plan", "1", nil, true, true},
		{"a wrong answer", "2", nil, true, false},
		{"an answer in words", "one", nil, true, false},
		{"a file more", "1", []string{"write", "path", "answer.txt", "text", "1"}, false, true},
		{"a folder more", "1", []string{"mkdir", "path", "out/y"}, false, true},
		{"all removed", "1", []string{"rm", "path", "out"}, false, true},
		{"another text", "1", []string{"write", "path", "out/x/a", "text", "topic: x"}, false, true},
	} {
		calls := plan
		if test.calls != nil {
			calls = append(calls, call(test.calls[0], test.calls[1:]...))
		}
		w, said := made(t, f, calls...)
		if j := w.Judge(test.answer); (j.State == "") != test.state || (j.Answer == "") != test.judged || strings.HasPrefix(said, "Error") {
			t.Errorf("%s: %+v after %q", test.why, j, said)
		}
	}
}

func TestToolsOfTreesRefuse(t *testing.T) {
	t.Parallel()
	begin := func() tree {
		return tree{"a": {folder: true}, "a/f": {text: "x\n"}, "g": {text: "y"}, "b": {folder: true}, "b/f": {folder: true}, "b/f/h": {}}
	}
	for _, test := range []struct {
		why  string
		name string
		args []string
		says string
	}{
		{"no file", "cat", []string{"path", "x"}, `Error: argument path: there is no "x"`},
		{"a folder", "cat", []string{"path", "a"}, `Error: argument path: "a" is a folder`},
		{"beyond the top", "cat", []string{"path", "../a"}, "Error: argument path: .. is not allowed"},
		{"another way to write a path", "cat", []string{"path", "/./a//f"}, "x\n"},
		{"a full-width name", "cat", []string{"path", "ａ/f"}, `Error: argument path: there is no "ａ/f"`},
		{"no folder", "write", []string{"path", "c/f", "text", ""}, `Error: argument path: there is no folder "c"`},
		{"a long text", "write", []string{"path", "f", "text", strings.Repeat("x", maxText+1)}, "Error: argument text: has 1201 bytes"},
		{"a control character", "write", []string{"path", "f", "text", "\x1b"}, "Error: argument text: "},
		{"a long name", "mkdir", []string{"path", strings.Repeat("x", maxName+1)}, "Error: argument path: the name"},
		{"too deep", "mkdir", []string{"path", strings.Repeat("a/", maxLevels+1)}, "Error: argument path: has 11 names"},
		{"there", "mkdir", []string{"path", "g"}, `Error: argument path: there is a "g" already`},
		{"within itself", "mv", []string{"from", "a", "to", "a"}, `Error: argument to: "a" is within from`},
		{"onto itself", "cp", []string{"from", "g", "to", "."}, `Error: argument to: "." is the same as from`},
		{"onto a folder", "mv", []string{"from", "a/f", "to", "b"}, `Error: argument to: "b/f" is a folder`},
		{"onto a file", "mv", []string{"from", "a", "to", "g"}, `Error: argument to: "g" is a file`},
		{"onto a folder with files", "mv", []string{"from", "b/f", "to", "b/f"}, `Error: argument to: "b/f" is within from`},
		{"a folder cannot be copied", "cp", []string{"from", "a", "to", "c"}, `Error: argument from: "a" is a folder`},
		{"the top stays", "rm", []string{"path", "."}, "Error: argument path: the folder of all"},
		{"nothing to find", "grep", []string{"text", "", "path", "."}, "Error: argument text: is empty"},
		{"not found", "grep", []string{"text", "q", "path", "."}, "No line has it."},
	} {
		m, err := begin().kit().Answer(t.Context(), call(test.name, test.args...))
		if err != nil || !strings.HasPrefix(m.Content, test.says) {
			t.Errorf("%s: %q, %v, want %q", test.why, m.Content, err, test.says)
		}
	}
}

// A result has a limit, whatever is in the tree.
func TestLongResultsAreCut(t *testing.T) {
	t.Parallel()
	all := tree{}
	for i := range maxEntries {
		all[fmt.Sprintf("%060d", i)] = entry{text: "one\n"}
	}
	for _, c := range []string{"ls", "grep"} {
		m, err := all.kit().Answer(t.Context(), call(c, []string{"path", ".", "text", "one"}[:map[string]int{"ls": 2, "grep": 4}[c]]...))
		if err != nil || len(m.Content) > 1500 || !strings.HasSuffix(m.Content, "more lines)") {
			t.Errorf("%s: %d bytes, %v", c, len(m.Content), err)
		}
	}
	if m, err := all.kit().Answer(t.Context(), call("mkdir", "path", "x")); err != nil || !strings.HasPrefix(m.Content, "Error: argument path: there are 300") {
		t.Errorf("beyond the limit: %q, %v", m.Content, err)
	}
}
