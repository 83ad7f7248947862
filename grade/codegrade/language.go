package codegrade

import (
	"fmt"
	"slices"
	"strings"

	"github.com/quintain-rl/quintain/sandbox"
)

// A language is how programs in it are run.
type language struct {
	names   []string // in fences; the first is that of Tests
	file    string   // of the source
	argv    []string
	compile []string // makes the file program; nil: nothing to compile

	version []string // prints the version, and then the path if it knows it

	processes int // that a program may need; 0: one
}

// python runs an interpreter that takes no module from the job's folder, reads no variable of the
// environment but the seed, and converts integers of any length.
var python = []string{"python3", "-I", "-Xint_max_str_digits=0"}

// program is the file that a compiler writes.
const program = "program"

// languages are those that a sandbox may have.
var languages = []language{
	{names: []string{"python", "py", "python3", "py3"}, file: "solution.py", argv: pythonArgv("solution.py"),
		version: pythonArgv("-c", "import sys; print(sys.implementation.name, sys.version.split()[0]); print(sys.executable)")},
	{names: []string{"c"}, file: "solution.c", argv: []string{"./" + program}, version: []string{"gcc", "-dumpfullversion"},
		compile: []string{"gcc", "-O2", "-std=gnu17", "-o", program, "solution.c", "-lm"}},
	{names: []string{"cpp", "c++", "cc", "cxx"}, file: "solution.cpp", argv: []string{"./" + program}, version: []string{"g++", "-dumpfullversion"},
		compile: []string{"g++", "-O2", "-std=gnu++20", "-o", program, "solution.cpp"}},
	{names: []string{"javascript", "js", "node", "nodejs"}, file: "solution.js", argv: nodeArgv("solution.js"),
		version: nodeArgv("-p", `process.version + "\n" + process.execPath`)},
	{names: []string{"bash", "sh", "shell"}, file: "solution.sh", argv: []string{"bash", "solution.sh"}, processes: 32,
		version: []string{"bash", "-c", `echo "$BASH_VERSION"; echo "$BASH"`}},
}

// Python returns how each job of Python begins, for a sandbox that keeps an interpreter warm.
func Python() []string { return slices.Clone(python) }

// pythonArgv returns the arguments that run a Python file.
func pythonArgv(args ...string) []string { return slices.Concat(python, args) }

// nodeArgv returns the arguments that run JavaScript.
func nodeArgv(args ...string) []string {
	return slices.Concat([]string{"node", "--openssl-config=/dev/null"}, args)
}

// languageOf finds a language by one of its names.
func languageOf(name string) (language, bool) {
	i := slices.IndexFunc(languages, func(l language) bool { return slices.Contains(l.names, name) })
	if i < 0 {
		return language{}, false
	}
	return languages[i], true
}

// LanguageName returns the name that [Tests] have for a language, of which a fence or a request may
// have another. Its error is an [ErrLanguage] that lists the languages.
func LanguageName(name string) (string, error) {
	l, known := languageOf(name)
	if !known {
		return "", fmt.Errorf("%w %.40q, want one of %s", ErrLanguage, name, languageNames())
	}
	return l.names[0], nil
}

// isPython reports whether a language is Python.
func (l language) isPython() bool { return l.names[0] == "python" }

// languageNames lists the languages for messages.
func languageNames() string { return strings.Join(LanguageNames(), ", ") }

// LanguageNames lists the languages.
func LanguageNames() (names []string) {
	for _, l := range languages {
		names = append(names, l.names[0])
	}
	return names
}

// compiler is the job that compiles the files of a program within limits of time and memory.
func (l language) compiler(files map[string][]byte, limits sandbox.Limits) sandbox.Job {
	limits.Processes, limits.Open, limits.FileSize, limits.Disk = 32, 256, 64<<20, 256<<20
	return sandbox.Job{Argv: l.compile, Files: files, Fetch: []string{program}, Limits: limits}
}
