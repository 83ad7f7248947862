//go:build !nowasm

package wasm

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/sandbox"
	"github.com/quintain-rl/quintain/sandbox/sandboxtest"
)

func TestMain(m *testing.M) {
	if IsChild(os.Args) {
		os.Exit(Child())
	}
	if os.Getenv(brokenOut) != "" {
		os.Exit(breakOut())
	}
	os.Exit(m.Run())
}

func TestSandbox(t *testing.T) {
	sandboxtest.RunWASI(t, func(t *testing.T, _, attack string) sandbox.Sandbox {
		return open(t, Config{Programs: map[string]File{"attack": fileOf(t, attack)}, Cache: t.TempDir()})
	})
}

// One child runs many jobs, and none finds a file, an argument or an end of another.
func TestJobsOfOneChildAreApart(t *testing.T) {
	t.Parallel()
	name := filepath.Join(t.TempDir(), "attack.wasm")
	build := exec.CommandContext(t.Context(), "go", "build", "-o", name, "../sandboxtest/attack")
	build.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	b := open(t, Config{Programs: map[string]File{"attack": fileOf(t, name)}, Cache: t.TempDir(), Jobs: 1000, Parallel: 1})
	first := b.idle[fileOf(t, name).key()][0]
	for range 30 {
		for _, c := range []struct {
			args, out string
			code      int
		}{{"write evil", "done\n", 0}, {"show /", "[]\ndone\n", 0}, {"exit 3", "", 3}} {
			got, err := b.Run(t.Context(), sandbox.Job{Argv: append([]string{"attack"}, strings.Fields(c.args)...)})
			if err != nil || got.End != sandbox.Exited || got.Code != c.code || string(got.Stdout) != c.out {
				t.Fatalf("%s: %+v, error %v", c.args, got, err)
			}
		}
	}
	if first.jobs < 30 {
		t.Errorf("the first child ran %d jobs", first.jobs)
	}
	if err := b.Close(); err != nil {
		t.Error(err)
	}
	if first.command.ProcessState == nil {
		t.Error("a child outlives its sandbox")
	}
	if _, err := b.Run(t.Context(), sandbox.Job{Argv: []string{"attack", "echo"}}); err == nil {
		t.Error("a closed sandbox runs a job")
	}
}

// tiny is a module whose function _start has this body.
func tiny(body ...byte) []byte {
	size := byte(len(body) + 2)
	return append([]byte("\x00asm\x01\x00\x00\x00\x01\x04\x01\x60\x00\x00\x03\x02\x01\x00\x05\x03\x01\x00\x01\x07\x0a\x01\x06_start\x00\x00\x0a"),
		append([]byte{size + 2, 1, size, 0}, append(body, 0x0b)...)...)
}

func TestTrapsAreTheProgramsOwn(t *testing.T) {
	t.Parallel()
	for said, body := range map[string][]byte{
		"stack overflow": {0x10, 0},                                                                // calls itself
		"unreachable":    {0x00},                                                                   //
		"out of bounds":  {0x41, 0x7f, 0x28, 2, 0, 0x1a},                                           // loads from address -1
		"":               {0x41, 0xff, 0xff, 0x03, 0x40, 0, 0x41, 0x7f, 0x46, 4, 0x40, 0x00, 0x0b}, // grows memory by 4 GiB, and gives up if refused
	} {
		name := filepath.Join(t.TempDir(), "tiny.wasm")
		if err := os.WriteFile(name, tiny(body...), 0o600); err != nil {
			t.Fatal(err)
		}
		b := open(t, Config{Programs: map[string]File{"tiny": fileOf(t, name)}, Cache: t.TempDir()})
		got, err := b.Run(t.Context(), sandbox.Job{Argv: []string{"tiny"}})
		want := sandbox.Signalled
		if said == "" {
			want = sandbox.MemoryLimit
		}
		if err != nil || got.End != want || !strings.Contains(string(got.Stderr), said) {
			t.Errorf("%q: %+v, errors %s, error %v", said, got, got.Stderr, err)
		}
	}
}

func TestOnlyTheFileThatIsMeantIsRun(t *testing.T) {
	t.Parallel()
	name := filepath.Join(t.TempDir(), "tiny.wasm")
	if err := os.WriteFile(name, tiny(), 0o600); err != nil {
		t.Fatal(err)
	}
	right := fileOf(t, name)
	text := filepath.Join(t.TempDir(), "text")
	if err := os.WriteFile(text, []byte("text"), 0o600); err != nil {
		t.Fatal(err)
	}
	for want, file := range map[string]File{
		"give it":                {Path: name},
		"want abcd":              {Path: name, SHA256: "abcd"},
		right.SHA256 + ": give":  {Path: name},
		"no such file":           {Path: name + "x", SHA256: right.SHA256},
		"want a regular file":    {Path: t.TempDir(), SHA256: right.SHA256},
		"invalid magic number":   fileOf(t, text),
		"needs a program, such ": {},
	} {
		programs := map[string]File{"p": file}
		if file.Path == "" {
			programs = nil
		}
		b, err := New(t.Context(), Config{Programs: programs, Cache: t.TempDir()})
		if err == nil || !strings.Contains(strings.ReplaceAll(err.Error(), "cannot find the file", "no such file"), want) {
			t.Errorf("error %v, want %q", err, want)
		}
		if b != nil {
			t.Error("there is a box, and an error")
		}
	}
}

func TestManyProcessesAreTooMany(t *testing.T) {
	t.Parallel()
	b := &Box{config: Config{Programs: map[string]File{"p": {}}}}
	if _, err := b.Run(t.Context(), sandbox.Job{Argv: []string{"p"}, Limits: sandbox.Limits{Processes: 2}}); !errors.Is(err, sandbox.ErrWeak) {
		t.Errorf("error %v", err)
	}
}

// A child that a program took over says what it likes.
func TestAChildIsNotBelieved(t *testing.T) {
	t.Parallel()
	r := &running{limits: sandbox.Limits{Disk: 3}, fetch: []string{"a"}}
	for _, c := range []struct {
		last ended
		want bool
	}{
		{ended{End: sandbox.Exited, Fetched: map[string][]byte{"a": []byte("abc")}}, true},
		{ended{End: sandbox.Exited, Fetched: map[string][]byte{"a": []byte("abcd")}}, false},
		{ended{End: sandbox.Exited, Fetched: map[string][]byte{"b": nil}}, false},
		{ended{End: sandbox.Refused}, false},
		{ended{}, false},
	} {
		if got := r.believes(&c.last); got != c.want {
			t.Errorf("%+v: %v, want %v", c.last, got, c.want)
		}
	}
}

func FuzzReceive(f *testing.F) {
	var b bytes.Buffer
	_ = send(&b, kindOut, []byte("abc"))
	f.Add(b.Bytes())
	f.Add([]byte("o\xff\xff\xff\xff\xff\xff\xff\xffabc"))
	f.Fuzz(func(t *testing.T, sent []byte) {
		in := bytes.NewReader(sent)
		for {
			k, body, err := receive(in, 1<<10)
			if err != nil {
				if !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, errTooLong) {
					t.Errorf("error %v", err)
				}
				return
			}
			var again bytes.Buffer
			if err := send(&again, k, body); err != nil || !bytes.Contains(sent, again.Bytes()) {
				t.Errorf("%q %q: error %v", k, body, err)
			}
		}
	})
}

// open opens a box that the test closes.
func open(t *testing.T, config Config) *Box {
	t.Helper()
	b, err := New(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	})
	return b
}

// fileOf is a file with its hash.
func fileOf(t *testing.T, name string) File {
	t.Helper()
	content, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(content)
	return File{Path: name, SHA256: hex.EncodeToString(sum[:])}
}
