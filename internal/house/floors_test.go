package house

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"testing"
)

// floors lists every package of the module, ground floor first. A package may import
// only packages of lower floors. Packages of one floor do not import each other, except
// that a child may import its parent, and all may import the root. Add a new package
// here; "tasks/…" stands for all packages below tasks. DO NOT MOVE A PACKAGE TO FIX A
// BUILD: that is a change of design, and needs a page in docs/decisions.
//
// A package may be listed before it is written.
var floors = [][]string{
	{ // the ground: these import nothing of the module
		"task/rng", "internal/lexicon", "internal/grid", "internal/canon", "internal/safetensors",
		"task/answer", "grade/mathverify/expr",
		"text/pyvalue",
		"sandbox", "sandbox/sandboxtest", "sandbox/sandboxtest/attack",
		"tiny/transformer", "tiny/transformer/kernelgen", "tiny/gguf",
		"internal/nearest", "internal/strictjson", "internal/unicode15", "internal/jsonl", "internal/stats", "internal/datadir", "internal/pause", "internal/httpclient", "internal/command", "internal/compiled", "internal/traceparent", "internal/wire",
		"python", // files of the hosts
	},
	{
		"harbor",                               // the format of tasks
		"internal/settings",                    // the settings and their names
		"internal/wal", "internal/wal/waltest", // over the data folder
		"grade/mathverify/exact", "grade/mathverify/reply",
		"text/tokenizer",
		"text/chattemplate", // over the values of Python
		"sandbox/native",
	},
	{ // the nouns, the binary form of a group, and the client of a server
		"", "queue/groupform",
		"policy/remote",
		"run/scalars",
		"internal/settings/flags",
		"sandbox/backend", // over all back ends, and their settings
		"sandbox/box",
		"grade/codegrade",
		"text/toolcall",
		"prove/replies",
		"tiny/pretrained", // over tokenizers and the transformer
	},
	{ // the machines
		"task", "task/tasktest",
		"scenario", "scenario/external", "scenario/external/venv",
		"run/rollout/curriculum",
		"policy", "policy/exact", "policy/pool", "policy/fake",
		"policy/script", "policy/policytest",
		"queue", "queue/queuetest", "queue/files", "queue/nats",
		"run/rollout",
		"grade/mathverify", // over its trees, normal forms and values
		"trace",
		"queue/packing",
		"gateway/dialect", "gateway/journal", "gateway/grader", "run/fleet/lease",
		"internal/web", "internal/web/webtest",
		"interop/atropos", "interop/areal",
		"tasks/dataset",
		"harbor/image", // over the trials of sandbox/box
	},
	{ // parts of the server, the environment of one elsewhere, and the embedded policy
		"prove", // over scenarios
		"scenario/external/guest",
		"grade/codegrade/codeplay", "scenarios/games", "scenarios/toolbox",
		"hub/registry", "gateway/tree",
		"tasks/list",
		"grade/codegrade/problems", "interop/reasoninggym",
		"tiny",
	},
	{ // the task families, the scenarios, the embedded model, the server, and exports of traces
		"tasks/…",
		"scenarios", "scenario/external/mcptools", "scenario/external/nemogym", "scenario/scenariotest", "scenarios/games/alone", "scenarios/games/duels", "scenarios/toolbox/office", "scenarios/games/cards", "scenarios/games/guess", "grade/codegrade/tables",
		"tiny/starter",
		"hub",
		"gateway", "gateway/agent",
		"interop/export", "policy/engines",
		"interop/pipe",
		"scenario/external/ors",
		"harbor/play", // over trials and images
	},
	{"scenario/external/openenv", "run/exam", "run/exam/examform", "run/kept", "hub/host", "policy/server", "policy/judge", "serve/names", "serve/sessions"},
	{"run", "run/player", "run/regrade", "run/artifacts", "tasks/catalog", "run/watch/words"},
	{"cmd/quintain/screen", "internal/doctor", "interop/atropos/environment", "serve/nemogym", "serve/mcp", "serve/coderun", "serve/ors", "run/fleet", "run/fleet/worker"}, // two show a run; one makes one of the settings of Atropos; protocols
	{"run/watch", "serve/openenv", "sandbox/service", "gateway/routes"},                                                                                                    // sessions that have tools
	{"serve"}, // all protocols on one port
	{"cmd/quintain", "bench/…", "tiny/pretrain", "tasks/moves/rushgen", "internal/house"},
}

// buckets are names that do not say what a package holds.
var buckets = []string{"pkg", "lib", "util", "utils", "common", "types", "helpers", "misc", "base", "shared"}

func TestPackagesImportLowerFloorsOnly(t *testing.T) {
	report(t, floorFaults(checkout(t).packages, floors))
}

// floorFaults compares packages with floors.
func floorFaults(packages []listing, floors [][]string) (faults []string) {
	place := map[string]int{}
	for i, floor := range floors {
		for _, name := range floor {
			if _, twice := place[name]; twice {
				faults = append(faults, fmt.Sprintf("%s is listed twice in floors (internal/house)", show(name)))
			}
			place[name] = i
		}
	}
	for _, pkg := range packages {
		name := pkg.name()
		if slices.Contains(buckets, path.Base(name)) {
			faults = append(faults, fmt.Sprintf("%s is a bucket: name the package after the one thing that it holds", show(name)))
		}
		if len(pkg.CgoFiles) > 0 {
			faults = append(faults, fmt.Sprintf("%s uses cgo, but the binary is built without it", show(name)))
		}
		from, placed := placeOf(place, name)
		if !placed {
			faults = append(faults, fmt.Sprintf("%s has no place: give it one in floors (internal/house)", show(name)))
			continue
		}
		for _, path := range pkg.Imports {
			to := within(path)
			if !ours(path) || to == ownJSON || to == ownUnicode {
				continue
			}
			if forTests(to) && !forTests(name) {
				faults = append(faults, fmt.Sprintf("%s imports %s, which is for tests only", show(name), show(to)))
			}
			if at, placed := placeOf(place, to); placed && at >= from && !(at == from && isParent(to, name)) {
				faults = append(faults, fmt.Sprintf(
					"%s (floor %d) imports %s (floor %d): it may import lower floors only; "+
						"define an interface where it is used and let a higher floor connect the two", show(name), from, show(to), at))
			}
		}
	}
	return faults
}

// placeOf is the floor of a package.
func placeOf(place map[string]int, name string) (floor int, placed bool) {
	if floor, placed = place[name]; !placed {
		floor, placed = place[path.Dir(name)+"/…"]
	}
	return floor, placed
}

// isParent reports whether package parent is a folder above child. The root is the
// parent of all.
func isParent(parent, child string) bool {
	return parent == "" || strings.HasPrefix(child, parent+"/")
}

// show is the name of a package in messages.
func show(name string) string {
	if name == "" {
		return "quintain (the root)"
	}
	return name
}

func TestFloorFaultsAreFound(t *testing.T) {
	house := [][]string{{"rng"}, {"", "form"}, {"task", "task/tasktest", "queue"}, {"hub", "tasks/…"}}
	imports := func(name string, imports ...string) listing {
		l := listing{ImportPath: strings.TrimSuffix(module+"/"+name, "/")}
		for _, i := range imports {
			l.Imports = append(l.Imports, strings.TrimSuffix(module+"/"+i, "/"))
		}
		return l
	}
	for _, test := range []struct {
		pkg  listing
		want string // part of the only fault; empty: none
	}{
		{imports("hub", "queue", "", "rng"), ""},
		{imports("task/tasktest", "task"), ""},
		{imports("form", ""), ""},
		{imports("", "form"), "may import lower floors only"},
		{imports("tasks/games", "task"), ""},
		{imports("tasks/games", "tasks/logic"), "may import lower floors only"},
		{imports("tasks/games/chess", "task"), "has no place"},
		{imports("hub", "unwritten"), ""}, // the compiler reports that
		{imports("task", "queue"), "may import lower floors only"},
		{imports("task", "hub"), "may import lower floors only"},
		{imports("", "task"), "may import lower floors only"},
		{imports("hub", "task/tasktest"), "for tests only"},
		{imports("attic"), "has no place"},
		{listing{ImportPath: module + "/rng", CgoFiles: []string{"c.go"}}, "cgo"},
	} {
		faults := floorFaults([]listing{test.pkg}, house)
		if test.want == "" && len(faults) > 0 || test.want != "" && (len(faults) != 1 || !strings.Contains(faults[0], test.want)) {
			t.Errorf("%+v: faults %q, want %q", test.pkg, faults, test.want)
		}
	}
	if faults := floorFaults(nil, [][]string{{"a"}, {"a"}}); len(faults) != 1 {
		t.Errorf("a package listed twice: faults %q", faults)
	}
	if faults := floorFaults([]listing{imports("util")}, [][]string{{"util"}}); len(faults) != 1 {
		t.Errorf("a bucket: faults %q", faults)
	}
}
