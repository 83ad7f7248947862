package main

import (
	"os"
	"runtime/debug"
	"strings"
	"testing"
)

// The program has the version of its wheel. Before a release the commit stands beside it: the fleet refuses workers of
// another one.
func TestVersionOf(t *testing.T) {
	const pseudo = "v0.0.0-20261130054643-998fa1116789"
	made := func(version string, settings ...debug.BuildSetting) *debug.BuildInfo {
		return &debug.BuildInfo{Main: debug.Module{Version: version}, Settings: settings}
	}
	revision := debug.BuildSetting{Key: "vcs.revision", Value: "998fa1116789aaaaaaaaaaaaaaaaaaaaaaaaaaaa"}
	for _, test := range []struct {
		release string
		info    *debug.BuildInfo
		want    string
	}{
		{"v1.2.3", made("(devel)", revision), "v1.2.3"},
		{"none", made("v0.1.0-rc.1"), "v0.1.0-rc.1"},
		{"none", made(pseudo), "0.1.0.dev0 (commit 998fa1116789)"},
		{"none", made("(devel)", revision), "0.1.0.dev0 (commit 998fa1116789)"},
		{"none", made(pseudo+"+dirty", revision, debug.BuildSetting{Key: "vcs.modified", Value: "true"}), "0.1.0.dev0 (commit 998fa1116789, changed)"},
		{"none", made("(devel)"), "0.1.0.dev0 (the commit is unknown: it was built with -buildvcs=false, or without git)"},
		{"none", nil, "0.1.0.dev0 (the commit is unknown: it was built with -buildvcs=false, or without git)"},
	} {
		if v := versionOf(test.release, test.info); v != test.want {
			t.Errorf("%s is %q, want %q", test.release, v, test.want)
		}
	}
	wheel, err := os.ReadFile("../../python/pyproject.toml")
	if err != nil || !strings.Contains(string(wheel), "\nversion = \""+upcoming+"\"\n") {
		t.Errorf("python/pyproject.toml has another version than %s (error %v)", upcoming, err)
	}
}
