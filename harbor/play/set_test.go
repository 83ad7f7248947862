package play

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/harbor"
	"github.com/quintain-rl/quintain/harbor/image"
	"github.com/quintain-rl/quintain/internal/settings"
	"github.com/quintain-rl/quintain/scenario/external/guest"
)

// hard is a task.toml that says so.
const hard = "[metadata]\ndifficulty = \"hard\"\n"

func TestChoose(t *testing.T) {
	t.Parallel()
	dir := folder(t, map[string]map[string]string{"x/cpp_0": nil, "x/go_0": nil, "y/cpp_1": nil})
	list := filepath.Join(t.TempDir(), "good.txt")
	if err := os.WriteFile(list, []byte("x/go_0\ny/cpp_1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ why, rest, want, says string }{
		{"all", "", "x/cpp_0 x/go_0 y/cpp_1", ""},
		{"one", "#go_0", "x/go_0", ""},
		{"one by its whole name", "#y/cpp_1", "y/cpp_1", ""},
		{"none", "#y/cpp_2", "", `#y/cpp_2 names 0 tasks of 3; did you mean "y/cpp_1"?`},
		{"a glob of names", "?select=cpp_*", "x/cpp_0 y/cpp_1", ""},
		{"a glob of paths", "?select=x/*", "x/cpp_0 x/go_0", ""},
		{"a glob of nothing", "?select=java*", "", "select=java* chooses none of the 3 tasks"},
		{"a broken glob", "?select=[", "", "syntax error"},
		{"a list", "?select=@" + list, "x/go_0 y/cpp_1", ""},
		{"another value", "?split=test", "", `has the value "split"; there are select and difficulty`},
	} {
		a, err := guest.Parse("harbor:" + dir + test.rest)
		if err != nil {
			t.Fatalf("%s: %v", test.why, err)
		}
		got, err := choose(a)
		if strings.Join(got, " ") != test.want || (err == nil) != (test.says == "") || err != nil && !strings.Contains(err.Error(), test.says) {
			t.Errorf("%s: %q, error %v, want %q", test.why, got, err, test.want)
		}
	}
}

func TestLevelsAreDifficulties(t *testing.T) {
	t.Parallel()
	dir := folder(t, map[string]map[string]string{
		"a": {"task.toml": hard}, "b": {"task.toml": "[metadata]\ndifficulty = \"Easy\"\n"}, "c": {"task.toml": "[metadata]\ndifficulty = \"odd\"\n"}, "d": {"task.toml": hard, "instruction.md": "d"},
	})
	s := set(t, &fake{tests: pays("1")}, Default(), dir)
	var got []string
	for _, l := range s.TaskInfo().Levels {
		got = append(got, string(l))
	}
	if want := []string{`{"difficulty":"easy"}`, `{"difficulty":"hard"}`, `{"difficulty":"odd"}`}; !slices.Equal(got, want) || s.Size(1) != 2 {
		t.Errorf("%q, want %q", got, want)
	}
	only := set(t, &fake{tests: pays("1")}, Default(), dir+"?difficulty=hard")
	if len(only.levels) != 1 || only.Size(0) != 2 {
		t.Errorf("%+v", only.levels)
	}
	seen := map[quintain.Key]bool{}
	for index := range 4 { // two passes
		p, err := only.Problem(quintain.Draw{Seed: 3, Index: index})
		if err != nil {
			t.Fatal(err)
		}
		key, err := only.Key(p)
		if err != nil || (index >= 2) != seen[key] {
			t.Errorf("problem %d: %v, error %v", index, p, err)
		}
		seen[key] = true
	}
	if _, err := s.Problem(quintain.Draw{Level: 3}); err == nil {
		t.Error("there is a level too many")
	}
}

func TestTheIDFollowsFilesImagesAndSettings(t *testing.T) {
	t.Parallel()
	dir := folder(t, map[string]map[string]string{"a": nil})
	id := func(how Settings) string {
		info := set(t, &fake{tests: pays("1")}, how, dir).Info()
		if !strings.HasSuffix(info.Mark, " and image sha256:1") {
			t.Errorf("the mark is %s, and names no image", info.Mark)
		}
		return info.ID()
	}
	same := id(Default())
	other, unseen := Default(), Default()
	other.Calls, unseen.Jobs = 7, 3
	if id(unseen) != same || id(other) == same {
		t.Error("the ID does not follow the settings that decide")
	}
	if err := os.WriteFile(filepath.Join(dir, "a/tests/more"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if id(Default()) == same {
		t.Error("the ID does not follow the tests")
	}
}

func TestWhatCannotBePlayedIsRefused(t *testing.T) {
	t.Parallel()
	dir := folder(t, map[string]map[string]string{"a": nil, "b": {"task.toml": "[[steps]]\n"}, "c": {"task.toml": "[verifier]\nenv = {A = \"${SECRET}\"}\n"}})
	how := Default()
	how.Scratch = t.TempDir()
	_, err := open(t.Context(), address(t, dir), &Set{how: how, log: slog.New(slog.DiscardHandler), on: &fake{}})
	if err == nil || !strings.Contains(err.Error(), "2 tasks cannot be played") || !strings.Contains(err.Error(), "b: task.toml: line 1: steps: ") || !strings.Contains(err.Error(), "name it in harbor.variables") {
		t.Errorf("error %v", err)
	}
	how.SkipRefused = true
	if s := set(t, &fake{tests: pays("1")}, how, dir); s.Size(0) != 1 {
		t.Errorf("%d tasks are left", s.Size(0))
	}
}

func TestSettings(t *testing.T) {
	t.Parallel()
	for says, change := range map[string]func(*Settings){
		"": func(*Settings) {}, "network: proxy is not there yet": func(s *Settings) { s.Network = "proxy" }, "processes: keep is not there yet": func(s *Settings) { s.Processes = "keep" },
	} {
		how := Default()
		change(&how)
		if err := settings.Check(&how); (err == nil) != (says == "") || err != nil && !strings.Contains(err.Error(), says) {
			t.Errorf("error %v, want %q", err, says)
		}
	}
}

func TestAnImageOfAnotherUserIsRefused(t *testing.T) {
	t.Parallel()
	how := Default()
	how.Scratch = t.TempDir()
	s := &Set{how: how, log: slog.New(slog.DiscardHandler), on: user{&fake{}}}
	if _, err := open(t.Context(), address(t, folder(t, map[string]map[string]string{"a": nil})), s); err == nil || !strings.Contains(err.Error(), "USER: is agent") {
		t.Errorf("error %v", err)
	}
}

// A user is a machine whose images have another user.
type user struct{ *fake }

func (u user) image(ctx context.Context, t *harbor.Task) (image.Image, error) {
	img, err := u.fake.image(ctx, t)
	img.User = "agent"
	return img, err
}
