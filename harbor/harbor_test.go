package harbor_test

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/quintain-rl/quintain/harbor"
)

// write writes the files of a folder, by their names; a text that begins with "-> " is a link.
func write(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		at := filepath.Join(dir, name)
		err := os.MkdirAll(filepath.Dir(at), 0o755)
		if to, link := strings.CutPrefix(text, "-> "); link {
			err = errors.Join(err, os.Symlink(to, at))
		} else {
			err = errors.Join(err, os.WriteFile(at, []byte(text), 0o644))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// files are those of a small task, with changes.
func files(changes map[string]string) map[string]string {
	all := map[string]string{
		"task.toml": "version = \"1.0\"\n", "instruction.md": "Write `out.txt`.\n", "environment/Dockerfile": "FROM machine\n",
		"tests/test.sh": "grep -q x /app/out.txt && echo 1 > /logs/verifier/reward.txt\n", "solution/solve.sh": "echo x > out.txt\n",
	}
	for name, text := range changes {
		if all[name] = text; text == "" {
			delete(all, name)
		}
	}
	return all
}

// read reads a small task with changes.
func read(t *testing.T, changes map[string]string) (*harbor.Task, error) {
	t.Helper()
	dir := t.TempDir()
	write(t, dir, files(changes))
	return harbor.Read(dir, filepath.Base(dir))
}

func TestConfig(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		why, text string
		says      string // the error; with "refused: " before it, a [harbor.Refusal]
	}{
		{"the least", "", ""},
		{"as data sets have it", "version = \"1.0\"\n[metadata]\ndifficulty = \"easy\"\ntags = [\"a\"]\n[agent]\ntimeout_sec = 300.0\n[verifier]\ntimeout_sec = 120\n[environment]\nbuild_timeout_sec = 600.0\ncpus = 1\nmemory_mb = 4096\nstorage_mb = 10240\ngpus = 0\nallow_internet = true\nmcp_servers = []\n[verifier.env]\n[solution.env]\n", ""},
		{"a later version", "schema_version = \"1.9\"", ""},
		{"another version", "schema_version = \"2.0\"", "refused: task.toml: line 1: schema_version: is \"2.0\""},
		{"no TOML", "a = \n", "task.toml: line 1: "},
		{"a number that is a text", "[agent]\ntimeout_sec = \"30\"", ""},
		{"a text that is a number", "[environment]\ndocker_image = 3", "task.toml: line 2: environment.docker_image: is 3, want a text"},
		{"below 0", "[agent]\ntimeout_sec = -1", "task.toml: line 2: agent.timeout_sec: is -1, want a number of 0 or more"},
		{"nan", "[environment]\n\ncpus = nan", "task.toml: line 3: environment.cpus: is NaN"},
		{"inf", "[verifier]\ntimeout_sec = inf", "task.toml: line 2: verifier.timeout_sec: is +Inf"},
		{"no whole number", "[environment]\nmemory_mb = 1.5", "environment.memory_mb: is 1.5, want a whole number"},
		{"a table that is none", "agent = 3", "task.toml: line 1: agent: is 3, want a table"},
		{"a package without a name", "[task]\nversion = \"1\"", "task.name: is \"\", want ORG/NAME"},
		{"a package", "[task]\nname = \"org/name\"\nauthors = [{name = \"a\"}]\nkeywords = []", ""},
		{"a package of three parts", "[task]\nname = \"a/b/c\"", "task.name: is \"a/b/c\", want ORG/NAME"},
		{"an author without a name", "[task]\nname = \"a/b\"\nauthors = [{email = \"x\"}]", "task.authors: has map[email:x], want a table with name"},
		{"authors that are none", "[task]\nname = \"a/b\"\nauthors = 1", "task.authors: is 1, want a list"},
		{"a truth value as a word", "[environment]\nallow_internet = \"off\"", ""},
		{"no truth value", "[environment]\nallow_internet = 2", "environment.allow_internet: is 2, want true or false"},
		{"no hosts of a phase", "[agent]\nallowed_hosts = []\nnetwork_mode = \"public\"", ""},
		{"hosts of a phase without a list", "[agent]\nallowed_hosts = []", "agent.allowed_hosts: goes with"},
		{"a size in part", "[environment]\nmemory = \"1.5G\"", ""},
		{"a size without a unit", "[environment]\nmemory = \"4096\"", "environment.memory: is \"4096\", want a size"},
		{"an artifact that goes to the root", "artifacts = [{source = \"/a\", destination = \"/b\"}]", "artifacts: has map"},
		{"a variable that is a number", "[environment.env]\nA = 3", "environment.env.A: is 3, want a text"},
		{"both sizes, alike", "[environment]\nmemory = \"4G\"\nmemory_mb = 4096", ""},
		{"both sizes, unlike", "[environment]\nmemory = \"4G\"\nmemory_mb = 1", "environment.memory: is 4G, and memory_mb is 1: want one of them"},
		{"no size", "[environment]\nstorage = \"much\"", "environment.storage: is \"much\", want a size such as 4G"},
		{"hosts without a list", "[environment]\nallowed_hosts = [\"a.b\"]", "environment.allowed_hosts: goes with network_mode = \"allowlist\" only"},
		{"hosts", "[environment]\nnetwork_mode = \"allowlist\"\nallowed_hosts = [\"a.b\", \"*.c\", \"10.0.0.0/8\", \"::1\"]", ""},
		{"a URL as a host", "[environment]\nnetwork_mode = \"allowlist\"\nallowed_hosts = [\"https://a.b\"]", "has \"https://a.b\", want a host"},
		{"no network that there is", "[environment]\nnetwork_mode = \"some\"", "is \"some\", want one of public, no-network, allowlist"},
		{"a folder that is not whole", "[environment]\nworkdir = \"app\"", "environment.workdir: is \"app\""},
		{"artifacts", "artifacts = [\"/a\", {source = \"/b\"}]", ""},
		{"artifacts from above", "artifacts = [\"/a/../b\"]", "artifacts: has /a/../b"},
		{"root", "[agent]\nuser = \"root\"\n[verifier]\nuser = 0", ""},
		{"another user", "[agent]\nuser = \"agent\"", "refused: task.toml: line 2: agent.user: is agent"},
		{"Windows", "[environment]\nos = \"windows\"", "refused: task.toml: line 2: environment.os"},
		{"a GPU", "[environment]\ngpus = 1", "refused: task.toml: line 2: environment.gpus"},
		{"a TPU", "[environment.tpu]\ntype = \"v4\"", "refused: task.toml: line 1: environment.tpu"},
		{"servers of MCP", "[[environment.mcp_servers]]\nname = \"a\"", "refused: task.toml: line 1: environment.mcp_servers"},
		{"a health check", "[environment.healthcheck]\ncommand = \"true\"\nretries = 2", ""},
		{"a health check of nothing", "[environment.healthcheck]\nretries = 2", "task.toml: line 1: environment.healthcheck.command: want a command"},
		{"tests elsewhere", "[verifier]\nenvironment_mode = \"separate\"", "refused: task.toml: line 2: verifier.environment_mode"},
		{"an environment of tests", "[verifier.environment]\ncpus = 1", "refused: task.toml"},
		{"an environment of tests that share", "[verifier]\nenvironment_mode = \"shared\"\n[verifier.environment]\ncpus = 1", "verifier.environment: goes with"},
		{"commands that collect", "[[verifier.collect]]\ncommand = \"a\"", "refused: task.toml: line 1: verifier.collect"},
		{"steps", "[[steps]]\nname = \"a\"", "refused: task.toml: line 1: steps"},
	} {
		_, err := harbor.ReadConfig([]byte(test.text))
		says, refused := strings.CutPrefix(test.says, "refused: ")
		_, is := errors.AsType[*harbor.Refusal](err)
		if (err == nil) != (says == "") || is != refused || err != nil && !strings.Contains(err.Error(), says) {
			t.Errorf("%s: error %v, want %s", test.why, err, test.says)
		}
	}
}

func TestConfigValues(t *testing.T) {
	t.Parallel()
	c, err := harbor.ReadConfig([]byte("[agent]\ntimeout_sec = 1.5\nnetwork_mode = \"no-network\"\n[environment]\nmemory = \"2G\"\nallow_internet = false\nenv = {A = \"b\"}\n[metadata]\ndifficulty = \" Hard\"\n"))
	if err != nil {
		t.Fatal(err)
	}
	memory, storage := c.Sizes()
	if c.Agent.Timeout != 1500*time.Millisecond || c.Verifier.Timeout != 10*time.Minute || memory != 2<<30 || storage != 4<<30 ||
		c.Verifier.Network != harbor.NoNetwork || c.Agent.Network != harbor.NoNetwork || c.Env["A"] != "b" || c.Difficulty() != "hard" {
		t.Errorf("%+v", c)
	}
}

func TestUnknownFieldsAreNamed(t *testing.T) {
	t.Parallel()
	c, err := harbor.ReadConfig([]byte("extra = 1\n[agent]\n# a comment\ntimeout_secs = 3\n[environment]\nCPUs = 1\n"))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, n := range c.Unknown {
		got = append(got, n.Text)
	}
	want := []string{
		"task.toml: line 6: environment.CPUs is unknown, and ignored",
		`task.toml: line 4: agent.timeout_secs is unknown, and ignored; did you mean "timeout_sec"?`,
		"task.toml: line 1: extra is unknown, and ignored",
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestInstructionsLoseTheirCanary(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ why, text, want string }{
		{"none", "\nA\n", "\nA\n"},
		{"a comment", "<!-- harbor-canary GUID 1 -->\n\n\nA\n", "A\n"},
		{"another form, twice", "# CANARY\n# a canary string\nA", "A"},
		{"later lines stay", "A\n# canary\n", "A\n# canary\n"},
		{"nothing else", "# canary\n", ""},
	} {
		got, err := read(t, map[string]string{"instruction.md": test.text})
		if err != nil || got.Ask != test.want {
			t.Errorf("%s: %+v, error %v, want %q", test.why, got, err, test.want)
		}
	}
}

func TestWhatATaskMustHave(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		why     string
		changes map[string]string
		says    string
	}{
		{"all", nil, ""},
		{"no instruction", map[string]string{"instruction.md": ""}, "instruction.md: is missing"},
		{"no tests", map[string]string{"tests/test.sh": ""}, "tests/test.sh: is missing"},
		{"tests of Windows", map[string]string{"tests/test.sh": "", "tests/test.bat": "x"}, "Windows is not supported"},
		{"a conversation to go on with", map[string]string{"trajectory.json": "{}"}, "trajectory.json: the file: is not supported"},
		{"rules of files", map[string]string{"tests/.harborignore": "x"}, "tests/.harborignore: the file: is not supported"},
		{"a link within", map[string]string{"tests/data": "-> ../solution"}, ""},
		{"a link out", map[string]string{"tests/data": "-> /etc/passwd"}, "tests: data: is a link out of the task"},
		{"a link above", map[string]string{"tests/data": "-> ../.."}, "tests: data: is a link out of the task"},
		{"a link to the folder that it is in", map[string]string{"tests/a/b": "-> ../../tests"}, "is a link to a folder above it"},
		{"a link to nothing", map[string]string{"tests/data": "-> nothing"}, "no such file"},
	} {
		_, err := read(t, test.changes)
		if (err == nil) != (test.says == "") || err != nil && !strings.Contains(err.Error(), test.says) {
			t.Errorf("%s: error %v, want %s", test.why, err, test.says)
		}
	}
}

func TestFind(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, map[string]string{"b/task.toml": "", "a/c/task.toml": "", "b/tests/x/task.toml": "", ".git/task.toml": "", "d/readme": ""})
	got, err := harbor.Find(dir)
	if want := []string{"a/c", "b"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("%q, error %v, want %q", got, err, want)
	}
	if got, err = harbor.Find(filepath.Join(dir, "b")); err != nil || !slices.Equal(got, []string{"b"}) || harbor.At(filepath.Join(dir, "b"), "b") != filepath.Join(dir, "b") {
		t.Errorf("a task alone: %q, error %v", got, err)
	}
	if _, err = harbor.Find(filepath.Join(dir, "d")); err == nil {
		t.Error("a folder without tasks has some")
	}
}

func TestTheHashIsOfWhatDecides(t *testing.T) {
	t.Parallel()
	hash := func(changes map[string]string) string {
		task, err := read(t, changes)
		if err != nil {
			t.Fatal(err)
		}
		return task.Hash
	}
	same := hash(nil)
	if hash(map[string]string{"README.md": "x"}) != same || hash(nil) != same {
		t.Error("the hash changes with nothing")
	}
	for _, name := range []string{"instruction.md", "tests/more", "solution/more", "environment/more"} {
		if hash(map[string]string{name: "other"}) == same {
			t.Errorf("the hash does not change with %s", name)
		}
	}
}

func TestCopies(t *testing.T) {
	t.Parallel()
	task, err := read(t, map[string]string{"tests/lib/a.txt": "a", "tests/link": "-> lib", "tests/run": "#!/bin/sh\n"})
	if err != nil {
		t.Fatal(err)
	}
	to := filepath.Join(t.TempDir(), "copy")
	if err := task.Copy(harbor.Tests, to); err != nil {
		t.Fatal(err)
	}
	modes := map[string]string{}
	err = filepath.Walk(to, func(at string, info os.FileInfo, err error) error {
		if name, _ := filepath.Rel(to, at); err == nil && !info.IsDir() {
			modes[name] = info.Mode().String()
		}
		return err
	})
	want := map[string]string{"lib/a.txt": "-rw-r--r--", "link/a.txt": "-rw-r--r--", "run": "-rwxr-xr-x", "test.sh": "-rwxr-xr-x"}
	if err != nil || !reflect.DeepEqual(modes, want) {
		t.Errorf("%v, error %v, want %v", modes, err, want)
	}
}

func TestStatic(t *testing.T) {
	t.Parallel()
	const long = "a text that is long enough to mean something\n"
	for _, test := range []struct {
		why     string
		changes map[string]string
		mark    harbor.Mark
		says    string
	}{
		{"a field", map[string]string{"task.toml": "extra = 1"}, harbor.UnknownField, "extra is unknown"},
		{"no reward", map[string]string{"tests/test.sh": "out.txt"}, harbor.RewardFile, "no file of tests/ names"},
		{"reward.json", map[string]string{"tests/test.sh": "out.txt > reward.json"}, harbor.RewardFile, "the tests write reward.json"},
		{"both", map[string]string{"tests/a": "out.txt > reward.json"}, harbor.RewardFile, "name reward.txt and reward.json"},
		{"tests in the image", map[string]string{"tests/a": long, "environment/b/c": long}, harbor.TestsInImage, "tests/a stands in environment/b/c"},
		{"the answer in the image", map[string]string{"solution/a": long, "environment/c": long}, harbor.GoldInImage, "solution/a stands in environment/c"},
		{"an image without a version", map[string]string{"environment/Dockerfile": "from --platform=linux gcc AS x\nFROM x\n"}, harbor.FloatingTag, "gcc may be another image tomorrow"},
		{"the latest", map[string]string{"environment/Dockerfile": "FROM docker.io/a/gcc:latest"}, harbor.FloatingTag, "gcc:latest may be another"},
		{"a version", map[string]string{"environment/Dockerfile": "FROM host:5000/gcc:14"}, harbor.FloatingTag, ""},
		{"a digest", map[string]string{"environment/Dockerfile": "FROM gcc@sha256:12"}, harbor.FloatingTag, ""},
		{"small files are alike by chance", map[string]string{"solution/a": "\n", "environment/c": "\n"}, harbor.GoldInImage, ""},
		{"a file that is asked for and not tested", map[string]string{"instruction.md": "Write /app/data/answer.csv."}, harbor.NotNamed, "the instruction names answer.csv, and no test does"},
		{"one that is tested", nil, harbor.NotNamed, ""},
		{"paths of the tests", map[string]string{"tests/test.sh": "cat /usr/bin/x /app/tests/a.py \"/app/b.txt\" /tests/c.py > /logs/verifier/reward.txt", "environment/tests/a.py": "1"}, harbor.TestsName, "the tests name /app/tests/a.py, /app/b.txt"},
		{"a network", nil, harbor.WantsNetwork, "network_mode is public"},
		{"no network", map[string]string{"task.toml": "[environment]\nnetwork_mode = \"no-network\""}, harbor.WantsNetwork, ""},
	} {
		task, err := read(t, test.changes)
		if err != nil {
			t.Fatalf("%s: %v", test.why, err)
		}
		got, err := task.Static()
		said := ""
		for _, n := range got.Notes {
			if n.Mark == test.mark {
				said += n.Text
			}
		}
		if err != nil || !strings.Contains(said, test.says) || (said == "") != (test.says == "") {
			t.Errorf("%s: %q, error %v, want %q", test.why, said, err, test.says)
		}
		if got.NamesBoth != (test.why == "both") {
			t.Errorf("%s: names both: %t", test.why, got.NamesBoth)
		}
	}
}

func TestVariablesOfTheMachine(t *testing.T) {
	t.Setenv("QHARBOR_SET", "value")
	for _, test := range []struct{ why, text, want, says string }{
		{"none", "a$b ${", "A=a$b ${", ""},
		{"allowed", "x ${QHARBOR_SET}", "A=x value", ""},
		{"allowed, with a default", "${QHARBOR_SET:-y}", "A=value", ""},
		{"missing, with a default", "${QHARBOR_NONE:-y}", "A=y", ""},
		{"missing", "${QHARBOR_NONE}", "", "variable A: QHARBOR_NONE is not set on this machine"},
		{"not allowed", "${HOME}", "", "variable A: wants HOME of this machine: name it in harbor.variables"},
	} {
		got, err := harbor.Expand(map[string]string{"A": test.text}, []string{"QHARBOR_SET", "QHARBOR_NONE"})
		if test.says == "" && (err != nil || !slices.Equal(got, []string{test.want})) || test.says != "" && (err == nil || err.Error() != test.says) {
			t.Errorf("%s: %q, error %v", test.why, got, err)
		}
	}
}

// FuzzConfig reads any text without a panic, and without a time or size below 0.
func FuzzConfig(f *testing.F) {
	f.Add("version = \"1.0\"\n[agent]\ntimeout_sec = 3\n[environment]\nmemory = \"4G\"\n")
	f.Add("[[steps]]\n[verifier.environment]\n")
	f.Add("artifacts = [{source = \"a\"}]\na.b.c = 1\n")
	f.Fuzz(func(t *testing.T, text string) {
		c, err := harbor.ReadConfig([]byte(text))
		if err != nil {
			return
		}
		memory, storage := c.Sizes()
		if memory <= 0 || storage <= 0 || c.Agent.Timeout < 0 || c.Verifier.Timeout < 0 {
			t.Fatalf("%q: %+v", text, c)
		}
	})
}
