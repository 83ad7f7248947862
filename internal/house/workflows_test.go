package house

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
)

// A workflow is a file of .github/workflows, with what the rules look at.
type workflow struct {
	Permissions map[string]string `yaml:"permissions"`
	Jobs        map[string]struct {
		Uses     string `yaml:"uses"`
		Strategy struct {
			Matrix matrix `yaml:"matrix"`
		} `yaml:"strategy"`
		Steps []struct {
			Uses string `yaml:"uses"`
			Run  string `yaml:"run"`
		} `yaml:"steps"`
	} `yaml:"jobs"`
}

// A matrix makes several jobs of one: each of Include, or each run with each part.
type matrix struct {
	Include []variant `yaml:"include"`
	Run     []string  `yaml:"run"`
	Part    []string  `yaml:"part"`
}

// A variant is a command, and the part of it that a job takes, if not all.
type variant struct {
	Run  string `yaml:"run"`
	Part string `yaml:"part"`
}

// variants are the jobs of a matrix.
func (m matrix) variants() []variant {
	all := slices.Clone(m.Include)
	for _, run := range m.Run {
		for _, part := range m.Part {
			all = append(all, variant{run, part})
		}
	}
	return all
}

// TestWorkflows holds the public workflows to the checkout: they call what it has, use actions by the hash of a
// commit, take all parts of a step, and say what they may do.
func TestWorkflows(t *testing.T) {
	all := checkout(t)
	found := 0
	for _, file := range all.files {
		if ok, _ := path.Match(".github/workflows/*.yml", file); ok {
			found++
			for _, fault := range workflowFaults(string(readText(t, file)), all.files, func(name string) string { return string(readText(t, name)) }) {
				t.Errorf("%s: %s", file, fault)
			}
		}
	}
	if found == 0 {
		t.Error("there are no workflows")
	}
}

// workflowFaults examines one workflow. The scripts and the Makefile that it names are read by read.
func workflowFaults(text string, files []string, read func(string) string) (faults []string) {
	var w workflow
	if err := yaml.Unmarshal([]byte(text), &w); err != nil {
		return []string{err.Error()}
	}
	if w.Permissions == nil {
		faults = append(faults, "permissions is missing: name the least for all jobs")
	}
	faults = append(faults, actionFaults(text)...)
	for name, job := range w.Jobs {
		var commands []string
		for _, step := range job.Steps {
			commands = append(commands, strings.Split(step.Run, "\n")...)
		}
		variants := job.Strategy.Matrix.variants()
		for _, v := range variants {
			commands = append(commands, v.Run)
		}
		switch {
		case job.Uses != "":
			if !slices.Contains(files, strings.TrimPrefix(job.Uses, "./")) {
				faults = append(faults, fmt.Sprintf("%s: there is no %s", name, job.Uses))
			}
		case len(job.Steps) == 0:
			faults = append(faults, name+": has no steps")
		}
		for _, command := range commands {
			faults = append(faults, commandFaults(command, files, read)...)
		}
		faults = append(faults, partFaults(variants)...)
	}
	return faults
}

// usesLine finds the actions of a workflow, pinned how they should be.
var (
	usesLine = regexp.MustCompile(`(?m)^[ -]*uses: *(.*)$`)
	pinned   = regexp.MustCompile(`^[\w.-]+/[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$`)
)

// actionFaults finds actions, of others than the checkout, that are not pinned by the full hash of a commit, with the version in a comment.
func actionFaults(text string) (faults []string) {
	for _, uses := range usesLine.FindAllStringSubmatch(text, -1) {
		if !strings.HasPrefix(uses[1], "./") && !pinned.MatchString(uses[1]) {
			faults = append(faults, fmt.Sprintf("uses %s: want ACTION@HASH # vX.Y.Z, with the 40 digits of a commit", uses[1]))
		}
	}
	return faults
}

// ownScript finds the scripts of the checkout that a command calls.
var ownScript = regexp.MustCompile(`^(\.ci|conformance|bench|deploy|python)/[\w./-]+$`)

// commandFaults finds scripts, steps of scripts and targets of make that do not exist.
func commandFaults(command string, files []string, read func(string) string) (faults []string) {
	args := strings.Fields(strings.NewReplacer("(", " ", ")", " ").Replace(command))
	for i, arg := range args {
		switch {
		case arg == "make" && i+1 < len(args):
			if !strings.Contains(read("Makefile"), "\n"+args[i+1]+":") {
				faults = append(faults, fmt.Sprintf("%s: Makefile has no target %s", command, args[i+1]))
			}
		case !ownScript.MatchString(arg):
		case !slices.Contains(files, arg):
			faults = append(faults, fmt.Sprintf("%s: there is no %s", command, arg))
		case arg == ".ci/run" || arg == ".ci/nightly":
			script := read(arg)
			for _, step := range args[i+1:] {
				if !strings.Contains(script, "\ncheck_"+step+"() {") {
					faults = append(faults, fmt.Sprintf("%s: %s has no step %s", command, arg, step))
				}
			}
		}
	}
	return faults
}

// partFaults finds commands of which jobs take some parts but not all, or one twice.
func partFaults(variants []variant) (faults []string) {
	parts := map[string][]string{}
	for _, v := range variants {
		parts[v.Run] = append(parts[v.Run], v.Part)
	}
	for run, got := range parts {
		want := []string{""}
		if len(got) > 1 || got[0] != "" {
			want = want[:0]
			for k := range got {
				want = append(want, fmt.Sprintf("%d/%d", k+1, len(got)))
			}
		}
		if !slices.Equal(got, want) {
			faults = append(faults, fmt.Sprintf("%s: has the parts %q, want %q", run, got, want))
		}
	}
	return faults
}

func TestWorkflowFaults(t *testing.T) {
	const hash = "0123456789012345678901234567890123456789"
	read := func(name string) string {
		return map[string]string{"Makefile": "\nrelease: ## x\n", ".ci/run": "\ncheck_race() {\n"}[name]
	}
	files := []string{".ci/run", "conformance/run", ".github/workflows/ci.yml"}
	job := func(step string) string {
		return "permissions: {contents: read}\njobs:\n  a:\n    steps:\n      - " + step + "\n"
	}
	several := func(include string) string {
		return "permissions: {}\njobs:\n  a:\n    strategy: {matrix: {" + include + "}}\n    steps: [{run: '${{ matrix.run }}'}]\n"
	}
	for _, test := range []struct{ text, want string }{
		{job("uses: actions/checkout@" + hash + " # v6.0.2"), ""},
		{job("uses: actions/checkout@" + hash), "40 digits"},
		{job("uses: actions/checkout@v6 # v6.0.2"), "40 digits"},
		{job("uses: actions/checkout@" + hash[:39] + " # v6.0.2"), "40 digits"},
		{job("run: .ci/run race race"), ""},
		{job("run: (make release VERSION=v1)"), ""},
		{job("run: .ci/run test"), "no step test"},
		{job("run: (cd x; .ci/heavy)"), "no .ci/heavy"},
		{job("run: make it"), "no target it"},
		{"jobs: {a: {steps: [{run: conformance/run all}]}}", "permissions"},
		{"permissions: {}\njobs: {a: {needs: b}}", "no steps"},
		{"permissions: {}\njobs: {a: {uses: ./.github/workflows/ci.yml}}", ""},
		{"permissions: {}\njobs: {a: {uses: ./.github/workflows/cd.yml}}", "there is no"},
		{"permissions: {}\njobs: [", "["},
		{several("include: [{run: .ci/run race, part: 1/2}, {run: .ci/run race, part: 2/2}]"), ""},
		{several("include: [{run: .ci/run race}, {run: conformance/run}]"), ""},
		{several("run: [.ci/run race], part: [1/2, 2/2]"), ""},
		{several("include: [{run: .ci/run race, part: 1/2}]"), "parts"},
		{several("include: [{run: .ci/run race, part: 1/2}, {run: .ci/run race, part: 1/2}]"), "parts"},
		{several("run: [.ci/run race], part: [1/3, 2/3]"), "parts"},
		{several("include: [{run: .ci/run fuzz}]"), "no step fuzz"},
	} {
		want(t, test.text, test.want, workflowFaults(test.text, files, read))
	}
}
