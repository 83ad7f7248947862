package office

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/scenarios/toolbox"
	"github.com/quintain-rl/quintain/task/rng"
)

// TestTreesAreThoseOfCoreutils makes the same calls in a tree and, by the programs of the same names, in
// a folder, and compares results and files.
func TestTreesAreThoseOfCoreutils(t *testing.T) {
	t.Parallel()
	const sequences, length = 60, 12
	r := rng.New(1, "coreutils")
	for range sequences {
		sandbox, all := t.TempDir(), tree{}
		done := 0
		for i := range length {
			name, args := drawUse(r)
			if i < 2 {
				name, args = "mkdir", [][]string{{"a"}, {"c d"}}[i]
			}
			got, refused := use(t, all, name, args)
			want, failed := coreutil(t, sandbox, name, args)
			if refused != failed || !refused && got != want {
				t.Fatalf("%s %q gives %q (refused: %v), and the program %q (failed: %v); the tree is %v", name, args, got, refused, want, failed, all.state())
			}
			if !refused {
				done++
			}
		}
		if diff := toolbox.FirstDifference(all.state(), onDisk(t, sandbox)); diff != "" || done < 2 {
			t.Fatalf("%s, after %d calls", diff, done)
		}
	}
}

// drawUse draws a call.
func drawUse(r *rng.Rand) (name string, args []string) {
	paths := []string{"a", "b", "c d", "a/a", "a/b", "b/a", "a/a/b", "c d/e f"}
	texts := []string{"", "one\n", "one\ntwo words\n", "no end", "one two\n\nthree\n"}
	where := func() string { return rng.Pick(r, paths) }
	switch name = rng.Pick(r, []string{"ls", "cat", "write", "write", "write", "mv", "cp", "rm", "mkdir", "mkdir", "grep", "wc"}); name {
	case "write":
		return name, []string{where(), rng.Pick(r, texts)}
	case "mv", "cp":
		return name, []string{where(), rng.Pick(r, append(paths, "."))}
	case "grep":
		return name, []string{rng.Pick(r, []string{"one", "o", "two w"}), rng.Pick(r, append(paths, "."))}
	case "ls":
		return name, []string{rng.Pick(r, append(paths, "."))}
	}
	return name, []string{where()}
}

// use makes a call in a tree.
func use(t *testing.T, of tree, name string, args []string) (text string, refused bool) {
	t.Helper()
	names := map[string][]string{"write": {"path", "text"}, "mv": {"from", "to"}, "cp": {"from", "to"}, "grep": {"text", "path"}}[name]
	if names == nil {
		names = []string{"path"}
	}
	var in []string
	for i, arg := range args {
		in = append(in, names[i], arg)
	}
	m, err := of.kit().Answer(t.Context(), call(name, in...))
	if err != nil {
		t.Fatal(err)
	}
	if strings.HasPrefix(m.Content, "Error: ") {
		return m.Content, true
	}
	switch {
	case slices.Contains([]string{"Written.", "Moved.", "Copied.", "Removed.", "Made."}, m.Content), m.Content == "No line has it.", m.Content == "The folder is empty.":
		return "", false
	}
	return m.Content, false
}

// coreutil runs the program of a call in a folder.
func coreutil(t *testing.T, in, name string, args []string) (text string, failed bool) {
	t.Helper()
	switch name {
	case "write":
		return "", os.WriteFile(filepath.Join(in, args[0]), []byte(args[1]), 0o644) != nil
	case "ls":
		args = append([]string{"-1p", "--"}, args...)
	case "rm":
		args = append([]string{"-r", "--"}, args...)
	case "grep":
		args = []string{"-rnHF", "--", args[0], args[1]}
	}
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Dir, cmd.Env = in, append(os.Environ(), "LC_ALL=C")
	out, err := cmd.Output()
	exit, _ := err.(*exec.ExitError)
	if failed = err != nil && !(name == "grep" && exit != nil && exit.ExitCode() == 1); failed {
		return string(out), true
	}
	switch name {
	case "cat":
		return string(out), false
	case "wc":
		var lines, words, size int
		if _, err := fmt.Sscan(string(bytes.TrimSpace(out)), &lines, &words, &size); err != nil {
			t.Fatal(err)
		}
		return fmt.Sprintf("%d lines, %d words, %d bytes", lines, words, size), false
	case "grep": // it reads folders in any order
		lines := strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
		for i := range lines {
			lines[i] = strings.TrimPrefix(lines[i], "./")
		}
		slices.SortStableFunc(lines, func(a, b string) int {
			before, _, _ := strings.Cut(a, ":")
			after, _, _ := strings.Cut(b, ":")
			return strings.Compare(before, after)
		})
		return strings.Join(lines, "\n"), false
	}
	return strings.TrimSuffix(string(out), "\n"), false
}

// onDisk reads a folder as a tree has it.
func onDisk(t *testing.T, folder string) toolbox.State {
	t.Helper()
	s := toolbox.State{}
	err := filepath.WalkDir(folder, func(p string, d os.DirEntry, err error) error {
		if err != nil || p == folder {
			return err
		}
		name, err := filepath.Rel(folder, p)
		if err != nil || d.IsDir() {
			s[name+"/"] = ""
			return err
		}
		text, err := os.ReadFile(p)
		s[name] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return s
}
