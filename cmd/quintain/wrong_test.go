package main

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// libraries finds what the libraries of Go say.
var libraries = regexp.MustCompile(`strconv|invalid syntax|no such file or directory|not a directory|is a directory|unmarshal|dial tcp|context deadline|%!|&\{|map\[|invalid character|must be specified|cannot start any token|unexpected end of JSON|unsupported protocol|EOF|goroutine|<nil>|0x[0-9a-f]{6}`)

// A name that there is not is a wrong use of any verb, and ends it with one status.
func TestUnknownNamesHaveOneStatus(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, line := range []string{
		"tasks show nosuch", "tasks export --task nosuch", "tasks show countdown --params {", "scenarios show nosuch", "scenarios show math_multi_turn --task nosuch", "run --tasks nosuch",
		"run --scenario nosuch", "eval --tasks nosuch", "ask nosuch", "scenarios check nosuch --environment command:none", "settings --file WORD",
		"run --problems nosuch", "run --mixture nosuch", "run --judge nosuch", "eval --problems nosuch", "tasks export --mixture nosuch", "run --config nosuch",
	} {
		p := start(strings.Fields(line)...)
		if status := p.wait(t); status != exitUsage {
			t.Errorf("%s: status %d, %s", line, status, p.stderr.String())
		}
	}
}

// Each wrong input of testdata/wrong.tsv ends with a status and says why in words: no text of Go's libraries reaches
// a person.
func TestWrongInputsAreToldInWords(t *testing.T) {
	data, err := os.ReadFile("testdata/wrong.tsv")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	for name, text := range map[string]string{"nojson": "not json\n", "bad.yaml": "a: [1,\n", "bin": "\xff\xfe\x00", "dir/file": ""} {
		if err := os.MkdirAll("dir", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	inputs := strings.Split(strings.TrimSpace(string(data)), "\n")
	if len(inputs) < 150 {
		t.Errorf("%d wrong inputs", len(inputs))
	}
	for _, line := range inputs {
		args := strings.Fields(line)
		for i := range args {
			args[i] = strings.ReplaceAll(args[i], "''", "")
		}
		p := start(args...)
		status, said := p.wait(t), p.stderr.String()
		if status == exitOK || said == "" {
			t.Errorf("%s: status %d, and it says %q", line, status, said)
		}
		if text := libraries.FindString(said); text != "" {
			t.Errorf("%s: %q is in %q", line, text, said)
		}
	}
}
