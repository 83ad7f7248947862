package main

import (
	"bytes"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/quintain-rl/quintain/policy/fake"
	"github.com/quintain-rl/quintain/policy/policytest"
)

// TestCommandsOfTheDocumentsRun plays a reader who types every command that stands on a line
// of its own, in order and in one folder. Commands of this program run to their end, or until
// the next one that never ends; curl asks the running hub. Other commands, and those within a
// text, only have to name existing things.
func TestCommandsOfTheDocumentsRun(t *testing.T) {
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	pages := []struct {
		name   string
		before []string // earlier commands of the reader
	}{
		{name: "README.md"}, {name: "docs/run.md"}, {name: "docs/reasoning-gym.md"}, {name: "CONTRIBUTING.md"}, {name: "docs/ARCHITECTURE.md"}, {name: "docs/hub.md"}, {name: "docs/evaluation.md"},
		{name: "docs/serve.md"}, {name: "docs/mixtures.md"},
		{"docs/watch.md", []string{
			"quintain run --policy script --steps 1",
			"quintain run --policy script --steps 1 --data successor",
			"quintain eval --policy script --tasks chain_sum:1 --count 4 --out before",
			"quintain eval --policy script --tasks chain_sum:1 --count 4 --out after",
		}},
	}
	for _, doc := range pages[:min(pagesPlayed, len(pages))] {
		t.Run(doc.name, func(t *testing.T) {
			text, err := os.ReadFile(filepath.Join(root, doc.name))
			if err != nil {
				t.Fatal(err)
			}
			t.Chdir(t.TempDir())
			r := newReader(t, root)
			typed, named := commandsOf(string(text))
			for _, command := range append(doc.before, typed...) {
				r.types(command)
			}
			r.stop()
			for _, command := range named {
				r.looksUp(words(command))
			}
		})
	}
}

var (
	inlineCode = regexp.MustCompile("`([^`]+)`")
	isCommand  = regexp.MustCompile(`^(quintain|go|make|curl|conformance/\w+|\.ci/run)( |$)`)
)

// commandsOf returns the commands of a document: those on indented lines, joined
// if a quotation continues, and those in the middle of a text.
func commandsOf(text string) (typed, named []string) {
	command := ""
	for line := range strings.Lines(text) {
		code, indented := strings.CutPrefix(strings.TrimRight(line, "\n"), "    ")
		if indented {
			command += strings.TrimSpace(code)
			if strings.Count(command, "'")%2 == 0 {
				if isCommand.MatchString(command) {
					typed = append(typed, command)
				}
				command = ""
			}
			continue
		}
		for _, code := range inlineCode.FindAllStringSubmatch(line, -1) {
			if isCommand.MatchString(code[1]) {
				named = append(named, code[1])
			}
		}
	}
	return typed, named
}

// words splits a command as a shell does, without its comment. It knows single
// quotation marks, which hold whole words.
func words(command string) []string {
	var all []string
	for i, part := range strings.Split(command, "'") {
		if i%2 == 1 {
			all = append(all, part)
			continue
		}
		code, _, comment := strings.Cut(part, " #")
		for _, word := range strings.Fields(code) {
			all = append(all, placeholders.Replace(word))
		}
		if comment {
			break
		}
	}
	return all
}

// placeholders gives the words that stand for something a meaning.
var placeholders = strings.NewReplacer("ROOM", "puzzles", "NAME", "countdown", "TASK", "countdown", "VERB", "run")

// A reader types commands.
type reader struct {
	t          *testing.T
	root       string // of the checkout
	model, hub string // host and port of an inference server, and of the hub
	serving    *process
}

// newReader returns a reader with an inference server, in a folder with the files
// that the documents take to be there.
func newReader(t *testing.T, root string) *reader {
	t.Helper()
	like := fake.Defaults()
	like.Model, like.Rate, like.FirstToken = "my-model", 0, 0
	server, err := fake.New(fake.Config{Server: like})
	if err != nil {
		t.Fatal(err)
	}
	web := httptest.NewServer(server)
	t.Cleanup(web.Close)
	at, err := url.Parse(web.URL)
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	entries := start("tasks", "export", "--format", "reasoning-gym", "--task", "chain_sum", "--count", "1")
	entries.wait(t)
	if err := os.Symlink(policytest.ByteModel(t, policytest.Talk, 0), "my-model"); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir("model", 0o700); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"answers.jsonl":  `{"entry":` + strings.TrimSpace(entries.stdout.String()) + `,"answer":"4"}`,
		"composite.yaml": "datasets: [{name: gcd, weight: 2, config: {}}, lcm:1]",
		"rollouts.jsonl": `{"tokens":[[1,2]],"masks":[[-100,2]],"scores":[1]}`,
		"chats.jsonl":    `{"messages":[{"role":"user","content":"Hello!"}]}`,
		"reasoning_gym.yaml": "env: {rollout_server_url: 'http://" + l.Addr().String() + "', tokenizer_name: my-model}\n" +
			"openai: {base_url: 'http://" + at.Host + "/v1', model_name: my-model, server_type: vllm}\n",
		"model/tokenizer_config.json": `{"chat_template":"{{ messages[0].content }}"}`,
	} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return &reader{t: t, root: root, model: at.Host, hub: l.Addr().String()}
}

// types types a command, and fails the test if it fails.
func (r *reader) types(command string) {
	r.t.Log(command)
	args := words(strings.NewReplacer("127.0.0.1:8001", r.model, "127.0.0.1:8000", r.hub).Replace(command))
	switch {
	case args[0] == "quintain":
		r.quintain(command, args[1:])
	case strings.HasPrefix(command, "go run ./cmd/quintain "):
		r.quintain(command, args[3:])
	case args[0] == "curl":
		r.curl(args[1:])
	default:
		r.looksUp(args)
	}
}

// quintain runs the program. A command that never ends runs until stop.
func (r *reader) quintain(command string, args []string) {
	var in io.Reader = strings.NewReader("")
	output := ""
	for i := 0; i+1 < len(args); i++ {
		switch args[i] {
		case "<":
			data, err := os.ReadFile(args[i+1])
			if err != nil {
				r.t.Fatal(err)
			}
			in = bytes.NewReader(data)
		case ">":
			output = args[i+1]
		default:
			continue
		}
		args = append(args[:i:i], args[i+2:]...)
		i--
	}
	forever := args[0] == "serve" || args[0] == "view" && !strings.Contains(command, "--export") || args[0] == "hub" && (len(args) == 1 || strings.HasPrefix(args[1], "-")) ||
		args[0] == "run" && !strings.Contains(command, "--steps") && !strings.Contains(command, "--minutes")
	if forever || args[0] == "run" {
		r.stop()
		_, port, _ := strings.Cut(r.hub, ":")
		args = append(args, "--port", port)
		if args[0] == "run" {
			args = append(args, "--with", "rules.keep_equal=true") // the server is nearly always wrong
		}
	}
	p := startWith(in, args...)
	if forever {
		r.serving = p
		r.waitFor(map[bool]string{true: "/", false: "/healthz"}[args[0] == "view"])
		return
	}
	if args[0] == "env" { // it plays once there is a trainer
		await(r.t, p, "no trainer takes batches there yet")
		p.interrupts <- os.Interrupt
	}
	if status := p.wait(r.t); status != exitOK {
		r.t.Errorf("%s\nstatus %d\n%s", command, status, p.stderr.String())
	}
	if output != "" {
		if err := os.WriteFile(output, []byte(p.stdout.String()), 0o600); err != nil {
			r.t.Fatal(err)
		}
	}
}

// waitFor returns when the server answers a path.
func (r *reader) waitFor(path string) {
	for range 600 {
		if res, err := http.Get("http://" + r.hub + path); err == nil {
			res.Body.Close()
			return
		}
		select {
		case status := <-r.serving.ended:
			r.t.Fatalf("status %d\n%s", status, r.serving.stderr.String())
		case <-time.After(50 * time.Millisecond):
		}
	}
	r.t.Fatal("nothing answers")
}

// stop interrupts the running command.
func (r *reader) stop() {
	if r.serving == nil {
		return
	}
	r.serving.interrupts <- os.Interrupt
	r.serving.interrupts <- os.Interrupt
	if status := r.serving.wait(r.t); status != exitOK && status != exitFailed {
		r.t.Errorf("status %d after Ctrl-C\n%s", status, r.serving.stderr.String())
	}
	r.serving = nil
}

// curl sends a request to the hub.
func (r *reader) curl(args []string) {
	method, body, to := http.MethodGet, "", ""
	header := http.Header{}
	for i := 0; i < len(args); i++ {
		switch args[i] {
		case "-s":
			continue
		case "-X":
			method = args[i+1]
		case "-H":
			key, value, _ := strings.Cut(args[i+1], ": ")
			header.Set(key, value)
		case "-d":
			method, body = http.MethodPost, args[i+1]
		default:
			to = args[i]
			continue
		}
		i++
	}
	if body != "" && header.Get("Content-Type") == "" {
		header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	req, err := http.NewRequestWithContext(r.t.Context(), method, to, strings.NewReader(body))
	if err != nil {
		r.t.Fatal(err)
	}
	req.Header = header
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		r.t.Fatal(err)
	}
	defer res.Body.Close()
	if answer, _ := io.ReadAll(res.Body); res.StatusCode != http.StatusOK {
		r.t.Errorf("curl %q: %s: %s", args, res.Status, answer)
	}
}

// looksUp fails the test if a command names a verb, a flag, a package, a test, a target or
// a file that does not exist.
func (r *reader) looksUp(args []string) {
	switch args[0] {
	case "quintain":
		r.looksUpVerb(args[1:])
	case "go":
		r.looksUpPackages(args[1:])
	case "make":
		makefile, err := os.ReadFile(filepath.Join(r.root, "Makefile"))
		if err != nil || !bytes.Contains(makefile, []byte("\n"+args[1]+":")) {
			r.t.Errorf("make has no target %q (%v)", args[1], err)
		}
	case "curl":
	default:
		r.looksUpScript(args)
	}
}

// looksUpVerb looks for the verb and the flags of a command of this program.
func (r *reader) looksUpVerb(args []string) {
	if len(args) > 0 && args[0] == "help" {
		return
	}
	c, rest, err := newRoot(&world{}, "").Find(args)
	if err != nil {
		r.t.Errorf("quintain %q: %v", args, err)
		return
	}
	for _, arg := range rest {
		name, isFlag := strings.CutPrefix(arg, "--")
		name, _, _ = strings.Cut(name, "=")
		if isFlag && name != "help" && c.Flags().Lookup(name) == nil {
			r.t.Errorf("quintain %q: no flag --%s", args, name)
		}
	}
}

// looksUpPackages looks for the packages of a command of go, and the tests that it runs.
func (r *reader) looksUpPackages(args []string) {
	folder := ""
	for i, arg := range args {
		switch {
		case strings.HasPrefix(arg, "./"):
			folder = arg
			list := exec.CommandContext(r.t.Context(), "go", "list", arg)
			list.Dir = r.root
			if out, err := list.CombinedOutput(); err != nil {
				r.t.Errorf("go %q: %s", args, out)
			}
		case arg == "-run" || arg == "-fuzz":
			test, _, _ := strings.Cut(args[i+1], "/")
			files, _ := filepath.Glob(filepath.Join(r.root, folder, "*_test.go"))
			if !contains(files, "func "+test) {
				r.t.Errorf("go %q: %s has no %s", args, folder, test)
			}
		}
	}
}

// looksUpScript looks for the files of a command, and for its flags in them.
func (r *reader) looksUpScript(args []string) {
	var files []string
	for _, arg := range args {
		if strings.HasPrefix(arg, "--") {
			if !contains(files, strconv.Quote(arg)) {
				r.t.Errorf("%q: %s is in none of %q", args, arg, files)
			}
			continue
		}
		path := filepath.Join(r.root, arg)
		if _, err := os.Stat(path); err == nil {
			files = append(files, path)
		} else if strings.Contains(arg, "/") && arg != "bin/quintain" && arg != "conformance/python" {
			r.t.Errorf("%q: %v", args, err)
		}
	}
}

// contains tells whether one of the files has a text.
func contains(files []string, text string) bool {
	for _, file := range files {
		if data, err := os.ReadFile(file); err == nil && bytes.Contains(data, []byte(text)) {
			return true
		}
	}
	return false
}
