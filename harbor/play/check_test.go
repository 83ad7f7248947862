package play

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/harbor/image"
	"github.com/quintain-rl/quintain/sandbox/box"
)

// earns returns tests that leave a text for nothing, and one for the solution; an empty text is none.
func earns(empty, oracle string) func(bool) (map[string]string, box.Result) {
	return func(solved bool) (map[string]string, box.Result) {
		text := map[bool]string{false: empty, true: oracle}[solved]
		if text == "" {
			return map[string]string{"test-stdout.txt": "a line\n"}, box.Result{}
		}
		return map[string]string{"reward.txt": text}, box.Result{}
	}
}

// check checks tasks on a fake machine.
func check(t *testing.T, c Check, on *fake, rest string) (rows []Row, err error) {
	t.Helper()
	c.How, c.Log = Default(), slog.New(slog.DiscardHandler)
	c.How.Scratch = t.TempDir()
	err = c.on(t.Context(), on, address(t, rest), func(r Row, _ int) error {
		rows = append(rows, r)
		return nil
	})
	if left, _ := os.ReadDir(c.How.Scratch); len(left) > 0 || on.open != 0 || on.held != 0 {
		t.Errorf("left are %v, %d trials, %d images", left, on.open, on.held)
	}
	return rows, err
}

func TestVerdicts(t *testing.T) {
	t.Parallel()
	flaky := 0
	for _, test := range []struct {
		why    string
		on     *fake
		more   map[string]string
		want   Verdict
		says   string
		earned string // for nothing, and by the solution
	}{
		{"good", &fake{tests: earns("0", "1")}, nil, Good, "", "0 1"},
		{"good in part for nothing", &fake{tests: earns("0.5", "1")}, nil, Good, "", "0.5 1"},
		{"vacuous", &fake{tests: earns("1", "1")}, nil, Vacuous, "pay 1 for nothing", "1 1"},
		{"vacuous, and why", &fake{tests: earns("1", "1"), agent: func(box.Command) (box.Result, error) {
			return box.Result{Exit: 2, Output: []byte("a\ncp: no such file\n")}, nil
		}},
			map[string]string{"instruction.md": "Write `out.py`.", "tests/test.sh": "python3 /app/t.py; echo 1 > /logs/verifier/reward.txt", "environment/t.py": "1"}, Vacuous,
			"nothing: none names out.py, which the instruction asks for; they use /app/t.py of the image, which the agent may edit; solve.sh ends with status 2: cp: no such file", "1 1"},
		{"vacuous without a solution", &fake{tests: earns("1", "")}, map[string]string{"solution/solve.sh": ""}, Vacuous, "pay 1 for nothing", "1 –"},
		{"broken", &fake{tests: earns("0", "0")}, nil, Broken, "the solution does not earn 1", "0 0"},
		{"broken, in part", &fake{tests: earns("0", "0.9")}, nil, Broken, "the solution does not earn 1", "0 0.9"},
		{"broken, for a module", &fake{tests: func(bool) (map[string]string, box.Result) {
			return map[string]string{"reward.txt": "0", "test-stdout.txt": "E  ModuleNotFoundError: No module named 'pandas'\n"}, box.Result{}
		}}, nil, Broken, "does not earn 1; the tests say: No module named 'pandas'", "0 0"},
		{"broken by a fault", &fake{tests: earns("0", "x")}, nil, Broken, "with the solution: reward_unreadable", "0 reward_unreadable"},
		{"inverted", &fake{tests: earns("1", "0")}, nil, Inverted, "nothing earns 1", "1 0"},
		{"untested", &fake{tests: earns("", "1")}, nil, Untested, "no_reward: the tests left no reward", "no_reward 1"},
		{"unknown", &fake{tests: earns("0", "")}, map[string]string{"solution/solve.sh": ""}, Unknown, "there is no solution", "0 –"},
		{"flaky", &fake{tests: func(bool) (map[string]string, box.Result) {
			flaky++
			return map[string]string{"reward.txt": fmt.Sprint(flaky % 3)}, box.Result{}
		}}, nil, Flaky, "repetitions differ", "1/0 2/1"},
		{"a solution that fails", &fake{tests: earns("0", "1"), agent: func(box.Command) (box.Result, error) { return box.Result{Exit: 2}, nil }}, nil, Good, "solve.sh ends with status 2", "0 1"},
		{"refused", &fake{}, map[string]string{"task.toml": "[[steps]]\n"}, Refused, "steps", "– –"},
		{"sick", &fake{tests: earns("0", "1"), agent: func(c box.Command) (box.Result, error) {
			return box.Result{Exit: map[bool]int{true: 1}[strings.Contains(strings.Join(c.Args, " "), "healthy")], Output: []byte("no answer\n")}, nil
		}}, map[string]string{"task.toml": "[environment]\nnetwork_mode = \"no-network\"\nhealthcheck = {command = \"healthy\", interval_sec = 0}\n"}, Failed, "the health check fails 3 times, with status 1: no answer", "0 none"},
		{"a folder of the machine", &fake{}, map[string]string{"environment/docker-compose.yaml": "services: {main: {volumes: [\"../..:/shared\"]}}"}, Refused, "harbor.bind_empty=/shared", "– –"},
		{"no image", &fake{noImage: fmt.Errorf("gcc: %w", image.ErrNotBuilt)}, nil, NoImage, "gcc", "– –"},
		{"the machine, once", &fake{tests: earns("0", "1"), lost: 1}, nil, Good, "", "0 1"},
		{"the machine, always", &fake{tests: earns("0", "1"), lost: 100}, nil, Failed, "there is no room", "none none"},
	} {
		rows, err := check(t, Check{Repeat: 2}, test.on, folder(t, map[string]map[string]string{"a": test.more}))
		if err != nil || len(rows) != 1 {
			t.Errorf("%s: %v, error %v", test.why, rows, err)
			continue
		}
		r := rows[0]
		if earned := Earned(r.Empty) + " " + Earned(r.Oracle); r.Verdict != test.want || !strings.Contains(r.Why, test.says) || (test.says == "") != (r.Why == "") || earned != test.earned {
			t.Errorf("%s: %s (%s), earned %s, want %s", test.why, r.Verdict, r.Why, earned, test.want)
		}
		if r.Sealed {
			t.Errorf("%s: the solution changes a system file", test.why)
		}
	}
}

func TestACheckGoesOn(t *testing.T) {
	t.Parallel()
	dir := folder(t, map[string]map[string]string{"a": nil, "b": {"instruction.md": "b"}, "c": {"instruction.md": "c"}})
	c := Check{Results: filepath.Join(t.TempDir(), "results"), Workers: 2}
	on := &fake{tests: earns("0", "1")}
	played := func() int { n := len(on.trials); on.trials = nil; return n }
	rows, err := check(t, c, on, dir+"?select=a")
	if n := played(); err != nil || len(rows) != 1 || rows[0].Kept || n != 2 {
		t.Fatalf("%+v, %d trials, error %v", rows, n, err)
	}
	// A kill cuts off a line.
	text, err := os.ReadFile(c.Results)
	if err == nil {
		err = os.WriteFile(c.Results, append(text, text[:len(text)/2]...), 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
	rows, err = check(t, c, on, dir)
	if n := played(); err != nil || len(rows) != 3 || n != 4 {
		t.Errorf("%+v, %d trials, error %v", rows, n, err)
	}
	rows, err = check(t, c, on, dir)
	kept := slices.DeleteFunc(rows, func(r Row) bool { return !r.Kept || r.Verdict != Good })
	if n := played(); err != nil || len(kept) != 3 || n != 0 {
		t.Errorf("%+v, %d trials, error %v", kept, n, err)
	}
	if err := os.WriteFile(filepath.Join(dir, "b/tests/more"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	rows, err = check(t, c, on, dir)
	if n := played(); err != nil || len(rows) != 3 || n != 2 {
		t.Errorf("after a change: %+v, %d trials, error %v", rows, n, err)
	}
	c.Repeat = 2
	if _, err = check(t, c, on, dir+"?select=a"); err != nil || played() != 4 {
		t.Errorf("with repetitions: error %v", err)
	}
}

func TestACheckThatIsStoppedKeepsWhatIsDone(t *testing.T) {
	t.Parallel()
	dir := folder(t, map[string]map[string]string{"a": {"instruction.md": "a"}, "b": {"instruction.md": "b"}, "c": nil})
	ctx, stop := context.WithCancelCause(t.Context())
	on := &fake{tests: earns("0", "1")}
	c := Check{How: Default(), Log: slog.New(slog.DiscardHandler), Results: filepath.Join(t.TempDir(), "results")}
	c.How.Scratch = t.TempDir()
	why := errors.New("stopped")
	err := c.on(ctx, on, address(t, dir), func(Row, int) error {
		stop(why)
		return nil
	})
	if !errors.Is(err, why) {
		t.Errorf("error %v", err)
	}
	on.trials = nil
	rows, err := check(t, c, on, dir)
	if err != nil || len(rows) != 3 || !rows[0].Kept || len(on.trials) > 4 {
		t.Errorf("%+v, %d trials, error %v", rows, len(on.trials), err)
	}
}
