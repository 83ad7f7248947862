package main

import (
	"regexp"
	"runtime/debug"
	"strings"
)

// upcoming is the version that this code becomes, as the wheel writes it, too.
const upcoming = "0.1.0.dev0"

// released finds the versions of modules that are releases.
var released = regexp.MustCompile(`^v\d+\.\d+\.\d+(-(alpha|beta|rc)\.\d+)?$`)

// versionOf is the version of the release if the linker set one, or the module has one; else the upcoming one,
// with the commit, by which programs tell each other apart.
func versionOf(release string, info *debug.BuildInfo) string {
	if release != "none" {
		return release
	}
	if info == nil {
		info = &debug.BuildInfo{}
	}
	if released.MatchString(info.Main.Version) {
		return info.Main.Version
	}
	commit, changed := "", ""
	if parts := strings.Split(info.Main.Version, "-"); len(parts) == 3 { // as go install has it: v0.0.0-DATE-COMMIT
		commit, _, _ = strings.Cut(parts[2], "+")
	}
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision" && len(s.Value) >= 12:
			commit = s.Value[:12]
		case s.Key == "vcs.modified" && s.Value == "true":
			changed = ", changed"
		}
	}
	if commit == "" {
		return upcoming + " (the commit is unknown: it was built with -buildvcs=false, or without git)"
	}
	return upcoming + " (commit " + commit + changed + ")"
}
